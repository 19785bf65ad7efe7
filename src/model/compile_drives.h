#pragma once

// Tendons and actuators: the parts of compile(scene) that are about what moves a model.

#include "model/compile.h"

namespace lig::compiling {

// What the actuators on a joint, or on a tendon, add to its inertia and damping: through the square of the
// gear.
struct ReflectedLoad {
    double armature = 0, damping = 0;
    std::array<double, 2> damping_poly{0, 0};
};
void add_load(ReflectedLoad& load, const ActuatorSpec& actuator);
// One per scene joint, one per scene tendon.
std::vector<ReflectedLoad> joint_loads(const Scene& scene);
std::vector<ReflectedLoad> tendon_loads(const Scene& scene);

// Where the objects of the scene went in the model; −1: nowhere, as fixed joints.
struct ObjectMap {
    const std::vector<int>&joints, &geoms, &sites, &bodies;
};

// Tendons, actuators and couplings of tendons, but for what depends on the reference configuration.
void add_drives(const Scene& scene, const ObjectMap& map, Model& model, Diagnostics& log);

// compile_loop_joints.cpp: what joints have that close loops, behind the tendons of the scene.
void add_loop_joints(const Scene& scene, Model& model, Diagnostics& log);
// Whether it is a joint at all; one that is switched off has freedoms without anything on them.
bool is_joint_of_loop(const Model& model, const Model::Loop& loop);

// compile_references.cpp: lengths at the reference configuration, and what is given relative to the inertia
// there: springs by their time constant, servos by damping ratio and frequency. The tree is finished and has
// inertia everywhere.
void resolve_references(const Scene& scene, const std::shared_ptr<Model>& model, Diagnostics& log);

}  // namespace lig::compiling
