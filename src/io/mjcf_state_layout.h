#pragma once

// Where the numbers of a keyframe belong, by the objects of a scene that was read from MJCF: bodies in the
// order of the file, joints in the order of their bodies.

#include "io/mjcf_assembly.h"

namespace lig::io::mjcf {

struct StateLayout {
    explicit StateLayout(const Scene& scene);

    std::vector<int> q_adr, v_adr;          // per joint
    std::vector<int> own_q_adr, own_v_adr;  // per body, of the joints of its kind; −1 for those without
    std::vector<int> act_adr;       // per actuator; −1 for those without activation
    std::vector<int> kinematic;     // per body: which of the kinematic bodies; −1 for the others
    int nq = 0, nv = 0, na = 0, nkinematic = 0;
};

// The keyframes of a scene, as far as they concern objects that were copied; those that do not fit their own
// scene are errors.
std::vector<AttachedKeyframe> split_keyframes(const Scene& scene, const HandleMap& map, const Affix& names,
                                              Diagnostics& log);

// The keyframe of the whole scene: everything else is at the reference configuration. `now` tells where the
// objects of the keyframe have gone.
KeyframeSpec join_keyframe(const AttachedKeyframe& key, const Scene& scene, const HandleMap& now);

}  // namespace lig::io::mjcf
