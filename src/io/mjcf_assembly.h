#pragma once

// Scenes that are put together from copies: <replicate> and <attach>.
//
// Copies of bodies and what is in them are made while the tree is read, so that their names can be referred
// to. What refers to the originals (sensors, actuators, tendons, …) is read later and follows in finish(): it
// is replicated with them, in MuJoCo's order. The content of a <replicate> as it is written only serves as a
// pattern and is left out in the end.

#include "model/scene_handles.h"

#include <ligament/scene.h>

#include <string>
#include <utility>
#include <vector>

namespace lig::io::mjcf {

struct Context;

// How many objects of the tree there are.
struct TreeMark {
    int bodies = 0, joints = 0, geoms = 0, sites = 0, cameras = 0;

    static TreeMark of(const Scene& scene);
};

// Objects of a scene that belong together, by their indices in rising order: those of the body `root`, which
// is not one of them, hang where the whole is put, the others on bodies within.
struct TreePart {
    BodyId root;
    std::vector<int> bodies, joints, geoms, sites, cameras;

    // A body with everything below it; everything there is.
    static TreePart below(const Scene& scene, BodyId body);
    static TreePart whole(const Scene& scene);
    // Everything that came between two marks.
    static TreePart between(BodyId root, const TreeMark& begin, const TreeMark& end);
    std::size_t size() const;
};

// What is added to names.
struct Affix {
    std::string prefix, suffix;
    std::string operator()(const std::string& name) const {
        return name.empty() ? name : prefix + name + suffix;
    }
};

// Values that a keyframe of an attached model gives to objects of this one.
struct AttachedKeyframe {
    template <class Id>
    struct Entry {
        Id object;
        std::vector<double> values;
    };
    std::string name;
    double time = 0;
    std::vector<Entry<JointId>> qpos, qvel;
    std::vector<Entry<BodyId>> own_qpos, own_qvel;  // of the joints that bodies have by their kind
    std::vector<Entry<ActuatorId>> act, ctrl;
    std::vector<Entry<BodyId>> mpos, mquat;
    SourceLocation where;
};

class Assembly {
public:
    // More objects than this are refused before anything is made.
    static constexpr std::size_t max_objects = 200'000;
    // Each <attach> and <replicate> looks through the whole scene.
    static constexpr std::size_t max_events = 5'000;
    static constexpr std::size_t longest_name = 1024;

    // Whether so many copies of so many objects may be made; otherwise an error.
    bool fits(const Scene& scene, double copies, std::size_t objects, const SourceLocation& where,
              Diagnostics& log) const;

    // Copies a part of the scene to the same body once for each frame; the part itself becomes a pattern.
    void replicate(Context& context, const TreePart& part, const std::vector<Pose>& frames,
                   const std::vector<Affix>& names, const SourceLocation& where);
    // Copies a part of the scene to another place; the part itself stays.
    void duplicate(Context& context, const TreePart& part, BodyId parent, const Pose& frame,
                   const Affix& names);
    // Copies a part of another scene, with everything that refers to it and to nothing outside.
    void attach(Context& context, const Scene& other, const TreePart& part, BodyId parent, const Pose& frame,
                const Affix& names);

    // The scene without patterns and with all relations. `marks` are moved to the new counts.
    void finish(Context& context, const std::vector<TreeMark*>& marks);

    // Objects that are only a pattern, as flags by index.
    struct Flags {
        std::vector<char> bodies, joints, geoms, sites, cameras;
    };

private:
    struct Copy {
        HandleMap map;
        Affix names;
    };
    // How many relations there are.
    struct RelationMark {
        std::size_t tendons = 0, actuators = 0, loops = 0, couplings = 0, tendon_couplings = 0, sensors = 0,
                    pairs = 0, exclusions = 0, constraints = 0, bushings = 0, subtree_constraints = 0;
        static RelationMark of(const Scene& scene);
    };
    struct Event {
        HandleMap members;  // 0 for what was copied, when it is of the same scene
        std::vector<Copy> copies;
        bool keeps_original = true;
        SourceLocation where;
        // What came from another scene.
        RelationMark begin, end;
        std::vector<std::pair<CameraId, BodyId>> camera_targets;
        std::vector<AttachedKeyframe> keyframes;
    };
    class Finisher;

    static std::string renamed(const Affix& names, const std::string& name, const SourceLocation& where,
                               Diagnostics& log);
    HandleMap copy_tree(Context& context, const Scene& from, const TreePart& part, BodyId parent,
                        const Pose& frame, const Affix& names, const std::string& asset_prefix);
    TreePart without_patterns(TreePart part) const;

    std::vector<Event> events_;
    Flags patterns_;
};

}  // namespace lig::io::mjcf
