#pragma once

// The character of the benchmark scenes with its pelvis fixed to the world (G5).

#include "scenes/character.h"

#include <ligament/scene.h>

namespace lig::test {

// The same scene without its free joints.
inline Scene without_free_joints(const Scene& scene) {
    Scene out(scene.name);
    out.options = scene.options;
    for (std::size_t i = 1; i < scene.bodies().size(); ++i) {
        const Scene::Body& body = scene.bodies()[i];
        const BodyId id = out.add_body(body.parent, body.spec);
        for (const JointId joint : body.joints)
            if (scene.joints()[joint.index].spec.type != JointType::free)
                out.add_joint(id, scene.joints()[joint.index].spec);
    }
    return out;
}

inline Scene held_character() {
    Scene character("character");
    character.options.gravity = {0, 0, -9.81};
    scenes::add_character(character, "", {}, 0, {});
    return without_free_joints(character);
}

}  // namespace lig::test
