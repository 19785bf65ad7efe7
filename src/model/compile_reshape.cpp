// What compile does to the bodies before it builds the tree: what hangs on bodies that deform, or deforms,
// hangs on loops instead of joints; static bodies become part of their parents; free bodies get their frame
// at the centre of mass.

#include "model/compile.h"

#include "bodies/body_list.h"
#include "core/diagnostic_codes.h"
#include "core/rotation.h"
#include "model/scene_handles.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace lig::compiling {

namespace {

Pose pose_of(const Transformd& X) { return {X.p, quaternion(X.R)}; }

// Bodies that something refers to, other than through what is in them.
std::vector<char> referenced_bodies(const Scene& scene) {
    std::vector<char> referenced(scene.bodies().size(), 0);
    const auto mark = [&](auto spec) {
        visit_handles(spec, [&](const auto& id) {
            if constexpr (std::is_same_v<std::decay_t<decltype(id)>, BodyId>) referenced[id.index] = 1;
        });
    };
    for (const LoopSpec& loop : scene.loops()) mark(loop);
    for (const ConstraintSpec& constraint : scene.constraints()) mark(constraint);
    for (const SubtreeConstraintSpec& constraint : scene.subtree_constraints()) mark(constraint);
    for (const GroupConstraintSpec& constraint : scene.group_constraints()) mark(constraint);
    for (const Scene::Exclusion& exclusion : scene.exclusions()) mark(exclusion);
    for (const ActuatorSpec& actuator : scene.actuators())
        if (actuator.body.index >= 0) referenced[actuator.body.index] = 1;
    for (const Scene::Camera& camera : scene.cameras()) mark(camera.spec);
    for (const SensorSpec& sensor : scene.sensors()) {
        mark(sensor);
        // What a site feels is the force between its body and the parent.
        const bool feels = sensor.type == SensorType::force || sensor.type == SensorType::torque;
        if (feels && sensor.object.kind == ObjectRef::Kind::site)
            referenced[scene.sites()[sensor.object.index].body.index] = 1;
    }
    return referenced;
}

// What becomes of each body: the body that it is part of afterwards (itself, as a rule), its pose if it
// stays, and, where something changes for what is in it, its old frame in the new one.
struct Plan {
    explicit Plan(const Scene& scene) : X(scene.bodies().size()) {
        for (const Scene::Body& body : scene.bodies()) {
            into.push_back(static_cast<int>(into.size()));
            pose.push_back(body.spec.pose);
        }
    }
    Pose moved(const Pose& old, BodyId body) const {
        return X[body.index] ? pose_of(*X[body.index] * transform(old)) : old;
    }

    std::vector<int> into;
    std::vector<Pose> pose;
    std::vector<std::optional<Transformd>> X;
    // Bodies that are below the world afterwards, their joints loops; empty: none.
    std::vector<char> loose;
    bool is_loose(int body) const { return !loose.empty() && loose[body]; }
};

bool deforms(const Scene& scene, BodyId body) {
    return bodies::body_info(scene.bodies()[body.index].spec.kind).stretches > 0;
}

// Poses of all bodies at the reference configuration.
std::vector<Transformd> world_poses(const Scene& scene) {
    std::vector<Transformd> X_WB{Transformd::identity()};
    for (std::size_t i = 1; i < scene.bodies().size(); ++i) {
        const Scene::Body& body = scene.bodies()[i];
        X_WB.push_back(X_WB[body.parent.index] * transform(body.spec.pose));
    }
    return X_WB;
}

// The joint that a loose body had on its parent, or none, which held it fast.
LoopSpec loop_instead(const Scene& scene, int child, const JointSpec& joint) {
    const Scene::Body& body = scene.bodies()[child];
    const Transformd X_BM = joint_frame(joint);
    return {.name = joint.name,
            .type = joint.type,
            .body_a = body.parent,
            .body_b = {child},
            .frame_a = pose_of(transform(body.spec.pose) * X_BM),
            .frame_b = pose_of(X_BM),
            .pitch = joint.pitch,
            .joint = joint,
            .where = joint.where};
}

// A body below another one of the scene that is not below it in the tree; −1: there is none.
int find_lost(const Scene& scene, const std::vector<char>& loose, int top) {
    for (int i = 1; i < static_cast<int>(loose.size()); ++i) {
        if (!loose[i]) continue;
        for (int body = scene.bodies()[i].parent.index; body > 0; body = scene.bodies()[body].parent.index)
            if (body == top) return i;
    }
    return -1;
}

// What cannot go along. False: nothing is in the way.
bool report_stuck(const Scene& scene, const std::vector<char>& loose, Diagnostics& log) {
    const auto refuse = [&](const SourceLocation& where, const std::string& what, const char* hint) {
        log.report(codes::U174, where, what, hint);
    };
    const auto is_loop = [&](JointId id) {
        return id.index >= 0 && loose[scene.joints()[id.index].body.index];
    };
    const std::size_t before = log.error_count();
    for (std::size_t i = 1; i < loose.size(); ++i) {
        const Scene::Body& body = scene.bodies()[i];
        const std::string who = named("body", body.spec.name, static_cast<int>(i));
        if (loose[i] && body.joints.size() > 1)
            refuse(body.spec.where, who + " has several joints, and it or its parent deforms",
                   "one joint can be between such bodies; a universal, cylindrical or planar one has several "
                   "freedoms");
        if (!loose[i] || body.joints.size() != 1) continue;
        const JointSpec& joint = scene.joints()[body.joints[0].index].spec;
        if (joint.type == JointType::free)
            refuse(joint.where, who + " has a free joint, and it or its parent deforms",
                   "put it below the world without a joint; there it is free");
    }
    for (std::size_t k = 0; k < scene.couplings().size(); ++k) {
        const CouplingSpec& spec = scene.couplings()[k];
        if (is_loop(spec.follower) || is_loop(spec.leader))
            refuse(spec.where,
                   named("coupling", spec.name, static_cast<int>(k)) +
                       " is of a joint of a body that deforms",
                   "hold the joint by its range, or by a servo");
    }
    for (std::size_t k = 0; k < scene.tendons().size(); ++k)
        for (const TendonSpec::JointTerm& term : scene.tendons()[k].joints)
            if (is_loop(term.joint))
                refuse(scene.tendons()[k].where,
                       named("tendon", scene.tendons()[k].name, static_cast<int>(k)) +
                           " combines a joint of a body that deforms",
                       "leave that joint out");
    const auto require_whole = [&](BodyId top, const std::string& who, const SourceLocation& where) {
        if (const int lost = find_lost(scene, loose, top.index); lost >= 0)
            refuse(where,
                   who + " is of the subtree of " +
                       named("body", scene.bodies()[top.index].spec.name, top.index) + ", on which " +
                       named("body", scene.bodies()[lost].spec.name, lost) + " hangs by a loop",
                   "take the whole world, or single bodies");
    };
    for (std::size_t k = 0; k < scene.subtree_constraints().size(); ++k) {
        const SubtreeConstraintSpec& spec = scene.subtree_constraints()[k];
        require_whole(spec.body, named("constraint", spec.name, static_cast<int>(k)), spec.where);
    }
    for (const SensorSpec& sensor : scene.sensors())
        if (sensor.object.kind == ObjectRef::Kind::subtree && sensor.object.index > 0)
            require_whole({sensor.object.index}, "sensor '" + sensor.name + "'", sensor.where);
    return log.error_count() > before;
}

Plan plan_fusion(const Scene& scene) {
    const std::vector<char> referenced = referenced_bodies(scene);
    Plan plan(scene);
    for (int i = 1; i < static_cast<int>(scene.bodies().size()); ++i) {
        const Scene::Body& body = scene.bodies()[i];
        const int parent = plan.into[body.parent.index];
        plan.pose[i] = plan.moved(body.spec.pose, body.parent);
        const bool same_gravity =
            parent == 0 || body.spec.gravity_scale == scene.bodies()[parent].spec.gravity_scale;
        if (!body.joints.empty() || body.spec.kinematic || referenced[i] || !same_gravity ||
            body.spec.kind != BodyKind::rigid)
            continue;
        plan.into[i] = parent;
        plan.X[i] = transform(plan.pose[i]);
    }
    return plan;
}

// Loops in place of joints, and which one a joint has become.
struct HungLoops {
    std::vector<LoopSpec> loops;
    std::vector<LoopId> of_joint;
};

HungLoops add_joints(const Scene& scene, const Plan& plan, const HandleMap& map, Scene& made) {
    // Joints keep their indices. That of a loose body which is rigid lets it move freely; that of one which
    // moves by its kind does nothing there.
    const auto free_joint = [&](const BodySpec& body) -> JointSpec {
        const bool is_taken = scene.find_joint(body.name).index >= 0;
        return {.name = is_taken ? "" : body.name, .type = JointType::free, .where = body.where};
    };
    HungLoops out{{}, std::vector<LoopId>(scene.joints().size())};
    for (std::size_t j = 0; j < scene.joints().size(); ++j) {
        const Scene::Joint& joint = scene.joints()[j];
        const int body = joint.body.index;
        if (!plan.is_loose(body)) {
            made.add_joint({map(joint.body)}, joint.spec);
            continue;
        }
        out.of_joint[j] = {static_cast<int>(scene.loops().size() + out.loops.size())};
        out.loops.push_back(loop_instead(scene, body, joint.spec));
        const BodySpec& spec = scene.bodies()[body].spec;
        made.add_joint({map(joint.body)}, spec.kind == BodyKind::rigid ? free_joint(spec)
                                                                       : JointSpec{.type = JointType::fixed});
    }
    for (int i = 1; i < static_cast<int>(scene.bodies().size()); ++i) {
        const Scene::Body& body = scene.bodies()[i];
        if (!plan.is_loose(i)) continue;
        if (scene.options.enabled.filter_parent && body.parent.index != 0)
            made.exclude_collision({map(body.parent)}, {map.bodies[i]});
        if (!body.joints.empty()) continue;
        const JointSpec weld{.name = body.spec.name, .type = JointType::fixed, .where = body.spec.where};
        out.loops.push_back(loop_instead(scene, i, weld));
        if (body.spec.kind == BodyKind::rigid) made.add_joint({map.bodies[i]}, free_joint(body.spec));
    }
    return out;
}

// The scene after the plan. `bodies` tells the new indices.
Scene reshaped(const Scene& scene, const Plan& plan, IndexMap& bodies) {
    Scene made(scene.name);
    made.options = scene.options;
    made.inertia_rules = scene.inertia_rules;
    bodies = {0, {0}};
    for (int i = 1; i < static_cast<int>(scene.bodies().size()); ++i) {
        if (plan.into[i] != i) {
            bodies.to.push_back(bodies[plan.into[i]]);
            continue;
        }
        BodySpec spec = scene.bodies()[i].spec;
        spec.pose = plan.pose[i];
        if (spec.program && plan.X[i]) spec.program = moved(spec.program, plan.X[i]->inverse().p);
        const BodyId parent = plan.is_loose(i) ? world : BodyId{bodies[scene.bodies()[i].parent.index]};
        bodies.to.push_back(made.add_body(parent, std::move(spec)).index);
    }
    HandleMap map;
    map.bodies = bodies;
    const auto placed = [&](auto spec, BodyId body) {
        spec.pose = plan.moved(spec.pose, body);
        return spec;
    };
    HungLoops hung = add_joints(scene, plan, map, made);
    for (const Scene::Geom& geom : scene.geoms())
        made.add_geom({map(geom.body)}, placed(geom.spec, geom.body));
    for (const Scene::Site& site : scene.sites())
        made.add_site({map(site.body)}, placed(site.spec, site.body));
    for (const Scene::Camera& camera : scene.cameras())
        made.add_camera({map(camera.body)}, mapped(placed(camera.spec, camera.body), map));
    for (LoopSpec spec : scene.loops()) {
        spec.frame_a = plan.moved(spec.frame_a, spec.body_a);
        spec.frame_b = plan.moved(spec.frame_b, spec.body_b);
        made.add_loop(mapped(std::move(spec), map));
    }
    for (LoopSpec& spec : hung.loops) made.add_loop(mapped(std::move(spec), map));
    for (const TendonSpec& spec : scene.tendons()) made.add_tendon(spec);
    for (ActuatorSpec spec : scene.actuators()) {
        const bool on_joint = spec.transmission == Transmission::joint ||
                              spec.transmission == Transmission::joint_in_parent;
        if (on_joint && spec.joint.index >= 0 && hung.of_joint[spec.joint.index].index >= 0)
            spec.loop = hung.of_joint[spec.joint.index];
        if (spec.body.index >= 0) spec.body = {map(spec.body)};
        made.add_actuator(std::move(spec));
    }
    for (ConstraintSpec spec : scene.constraints()) {
        spec.frame_a = plan.moved(spec.frame_a, spec.body_a);
        spec.frame_b = plan.moved(spec.frame_b, spec.body_b);
        made.add_constraint(mapped(std::move(spec), map));
    }
    for (BushingSpec spec : scene.bushings()) {
        spec.frame_a = plan.moved(spec.frame_a, spec.body_a);
        spec.frame_b = plan.moved(spec.frame_b, spec.body_b);
        made.add_bushing(mapped(std::move(spec), map));
    }
    for (const CouplingSpec& spec : scene.couplings()) made.add_coupling(spec);
    for (const TendonCouplingSpec& spec : scene.tendon_couplings()) made.add_tendon_coupling(spec);
    for (const SubtreeConstraintSpec& spec : scene.subtree_constraints())
        made.add_subtree_constraint(mapped(spec, map));
    for (GroupConstraintSpec spec : scene.group_constraints()) {
        spec.frames.resize(spec.bodies.size());
        for (std::size_t k = 0; k < spec.bodies.size(); ++k)
            spec.frames[k] = plan.moved(spec.frames[k], spec.bodies[k]);
        made.add_group_constraint(mapped(std::move(spec), map));
    }
    for (const SensorSpec& spec : scene.sensors()) {
        SensorSpec sensor = mapped(spec, map);
        if (ObjectRef& object = sensor.object; object.kind == ObjectRef::Kind::joint && object.index >= 0)
            if (const LoopId loop = hung.of_joint[object.index]; loop.index >= 0)
                object = {ObjectRef::Kind::loop, loop.index};
        made.add_sensor(std::move(sensor));
    }
    for (const PairSpec& spec : scene.pairs()) made.add_pair(spec);
    for (const Scene::Exclusion& spec : scene.exclusions())
        made.exclude_collision({map(spec.a)}, {map(spec.b)}, spec.name);
    for (const MeshAsset& mesh : scene.meshes()) made.add_mesh(mesh);
    for (const HeightFieldAsset& field : scene.height_fields()) made.add_height_field(field);
    for (const KeyframeSpec& key : scene.keyframes()) made.add_keyframe(key);
    return made;
}

// Two rigid bodies as one, in the axes of the first.
BodyInertia together(const BodyInertia& a, const BodyInertia& b, const Transformd& X_AB) {
    if (b.mass == 0) return a;
    const RigidInertia<double> sum = rigid_inertia(a, Transformd::identity()) + rigid_inertia(b, X_AB);
    const Vec3d com = (1 / sum.mass) * sum.h;
    // From the origin back to the centre of mass.
    const double cc = dot(com, com);
    const Sym3d shift{cc - com.x * com.x, cc - com.y * com.y, cc - com.z * com.z,
                      -com.x * com.y, -com.x * com.z, -com.y * com.z};
    return {sum.mass, com, sum.I + (-sum.mass) * shift};
}

Scene fuse_static_bodies(const Scene& scene, std::vector<BodyInertia>& inertias) {
    const Plan plan = plan_fusion(scene);
    IndexMap bodies;
    Scene fused = reshaped(scene, plan, bodies);
    std::vector<BodyInertia> sums(fused.bodies().size());
    for (std::size_t i = 1; i < inertias.size(); ++i) {
        const int target = bodies[static_cast<int>(i)];
        if (target == 0) continue;
        BodyInertia& sum = sums[target];
        sum = plan.X[i] ? together(sum, inertias[i], *plan.X[i]) : inertias[i];
    }
    inertias = std::move(sums);
    return fused;
}

Scene align_free_bodies(const Scene& scene, const std::vector<char>& aligned,
                        std::vector<BodyInertia>& inertias) {
    Plan plan(scene);
    const std::vector<std::vector<int>> geoms = geoms_by_body(scene);
    for (std::size_t i = 1; i < aligned.size(); ++i) {
        BodyInertia& inertia = inertias[i];
        if (!aligned[i] || !(inertia.mass > 0)) continue;
        // Of a program's kind the axes stay: they are those of its modes.
        const bool of_program = scene.bodies()[i].spec.kind == BodyKind::program;
        const Quatd axes =
            of_program ? Quatd::identity()
                       : principal_axes(scene, {static_cast<int>(i)}, geoms[i], inertia.inertia);
        const Transformd X_BA{rotation_matrix(axes), inertia.com};  // the new frame in the old one
        plan.X[i] = X_BA.inverse();
        plan.pose[i] = pose_of(transform(plan.pose[i]) * X_BA);
        inertia.com = Vec3d::zero();
        inertia.inertia = rotate(plan.X[i]->R, inertia.inertia);
    }
    IndexMap bodies;
    return reshaped(scene, plan, bodies);
}

// Only bodies without children are aligned: what hangs on a body would turn with its frame. Those that deform
// have none, and all of them are.
std::vector<char> bodies_to_align(const Scene& scene) {
    std::vector<char> aligned(scene.bodies().size(), 0);
    for (std::size_t i = 1; i < scene.bodies().size(); ++i)
        aligned[i] = bodies::body_info(scene.bodies()[i].spec.kind).stretches > 0;
    for (const Scene::Joint& joint : scene.joints())
        if (joint.spec.align && joint.spec.type == JointType::free) aligned[joint.body.index] = 1;
    for (std::size_t i = 1; i < scene.bodies().size(); ++i) aligned[scene.bodies()[i].parent.index] = 0;
    return aligned;
}

// Bodies that deform are children of the world to the tree: in the scene they, and what is on them, may be on
// others. Nothing where there is no such body.
std::optional<Scene> hang_on_loops(const Scene& scene, Diagnostics& log) {
    Plan plan(scene);
    plan.loose.assign(scene.bodies().size(), 0);
    bool any = false;
    for (int i = 1; i < static_cast<int>(scene.bodies().size()); ++i) {
        const Scene::Body& body = scene.bodies()[i];
        const bool hangs = body.parent.index != 0 || !body.joints.empty();
        plan.loose[i] = (deforms(scene, {i}) && hangs) || deforms(scene, body.parent);
        any = any || plan.loose[i];
    }
    if (!any || report_stuck(scene, plan.loose, log)) return std::nullopt;
    const std::vector<Transformd> X_WB = world_poses(scene);
    for (std::size_t i = 1; i < plan.loose.size(); ++i)
        if (plan.loose[i]) plan.pose[i] = pose_of(X_WB[i]);
    IndexMap bodies;
    return reshaped(scene, plan, bodies);
}

}  // namespace

std::optional<Scene> reshape(const Scene& scene, std::vector<BodyInertia>& inertias, Diagnostics& log) {
    std::optional<Scene> changed = hang_on_loops(scene, log);
    if (scene.inertia_rules.fuse_static)
        changed = fuse_static_bodies(changed ? *changed : scene, inertias);
    const std::vector<char> aligned = bodies_to_align(changed ? *changed : scene);
    if (std::find(aligned.begin(), aligned.end(), 1) != aligned.end())
        changed = align_free_bodies(changed ? *changed : scene, aligned, inertias);
    scale_to_total_mass(scene.inertia_rules, inertias);
    return changed;
}

}  // namespace lig::compiling
