#include "io/mjcf_assembly.h"

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "io/mjcf_copies.h"
#include "io/mjcf_state_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace lig::io::mjcf {

namespace {

std::vector<int> indices(int begin, int end) {
    std::vector<int> all(static_cast<std::size_t>(end - begin));
    std::iota(all.begin(), all.end(), begin);
    return all;
}

// The objects of a list that are on one of the bodies.
template <class List>
std::vector<int> on_bodies(const List& list, const std::vector<char>& bodies) {
    std::vector<int> found;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (bodies[list[i].body.index]) found.push_back(static_cast<int>(i));
    return found;
}

HandleMap handles_of(const TreePart& part, int target) {
    return {map_of(part.bodies, target),
            map_of(part.joints, target),
            map_of(part.geoms, target),
            map_of(part.sites, target),
            map_of(part.cameras, target),
            {},
            {},
            {}};
}

void flag(std::vector<char>& flags, const std::vector<int>& which) {
    for (const int index : which) {
        if (index >= static_cast<int>(flags.size())) flags.resize(static_cast<std::size_t>(index) + 1, 0);
        flags[index] = 1;
    }
}

void place(JointSpec& joint, const Pose& frame) {
    if (joint.type == JointType::free) return;
    const Mat3d R = rotation_matrix(frame.quat);
    joint.pos = frame.pos + R * joint.pos;
    joint.axis = R * joint.axis;
    joint.axis2 = R * joint.axis2;
    joint.stiffness_axes = frame.quat * joint.stiffness_axes;
}

std::vector<Pose> world_poses(const Scene& scene) {
    std::vector<Pose> X_WB{Pose{}};
    for (std::size_t i = 1; i < scene.bodies().size(); ++i)
        X_WB.push_back(compose(X_WB[scene.bodies()[i].parent.index], scene.bodies()[i].spec.pose));
    return X_WB;
}

}  // namespace

IndexMap map_of(const std::vector<int>& from, int target) {
    if (from.empty()) return {};
    IndexMap map{from.front(),
                 std::vector<int>(static_cast<std::size_t>(from.back() - from.front() + 1), -1)};
    for (const int index : from) map.set(index, target);
    return map;
}

LoopSpec reclosed(LoopSpec loop, const Pose& relative_before, const Pose& relative_now) {
    const auto distance = [](const Pose& a, const Pose& b) {
        const Vec3d d = a.pos - b.pos;
        const double turn = 1 - std::abs(dot(a.quat, b.quat));
        return std::pair(std::sqrt(dot(d, d)), turn);
    };
    const auto [shift, turn] = distance(relative_before, relative_now);
    if (shift < 1e-12 && turn < 1e-14) return loop;
    const auto [gap, twist] = distance(loop.frame_a, compose(relative_before, loop.frame_b));
    const bool closed = gap < 1e-9 && (loop.type == JointType::ball || twist < 1e-12);
    if (!closed) return loop;
    if (loop.type == JointType::fixed)
        loop.frame_a = compose(relative_now, loop.frame_b);
    else
        loop.frame_b = compose(inverse(relative_now), loop.frame_a);
    return loop;
}

Pose relative(const std::vector<Pose>& X_WB, const LoopSpec& loop) {
    return compose(inverse(X_WB[loop.body_a.index]), X_WB[loop.body_b.index]);
}

TreeMark TreeMark::of(const Scene& scene) {
    return {static_cast<int>(scene.bodies().size()), static_cast<int>(scene.joints().size()),
            static_cast<int>(scene.geoms().size()), static_cast<int>(scene.sites().size()),
            static_cast<int>(scene.cameras().size())};
}

TreePart TreePart::below(const Scene& scene, BodyId body) {
    TreePart part{.root = scene.bodies()[body.index].parent};
    std::vector<char> inside(scene.bodies().size(), 0);
    inside[body.index] = 1;
    for (std::size_t i = body.index; i < inside.size(); ++i) {
        if (static_cast<int>(i) != body.index) inside[i] = inside[scene.bodies()[i].parent.index];
        if (inside[i]) part.bodies.push_back(static_cast<int>(i));
    }
    part.joints = on_bodies(scene.joints(), inside);
    part.geoms = on_bodies(scene.geoms(), inside);
    part.sites = on_bodies(scene.sites(), inside);
    part.cameras = on_bodies(scene.cameras(), inside);
    return part;
}

TreePart TreePart::whole(const Scene& scene) {
    return between(world, {.bodies = 1}, TreeMark::of(scene));
}

TreePart TreePart::between(BodyId root, const TreeMark& begin, const TreeMark& end) {
    return {root,
            indices(begin.bodies, end.bodies),
            indices(begin.joints, end.joints),
            indices(begin.geoms, end.geoms),
            indices(begin.sites, end.sites),
            indices(begin.cameras, end.cameras)};
}

std::size_t TreePart::size() const {
    return bodies.size() + joints.size() + geoms.size() + sites.size() + cameras.size();
}

Assembly::RelationMark Assembly::RelationMark::of(const Scene& scene) {
    return {scene.tendons().size(), scene.actuators().size(), scene.loops().size(),
            scene.couplings().size(), scene.tendon_couplings().size(), scene.sensors().size(),
            scene.pairs().size(), scene.exclusions().size(), scene.constraints().size(),
            scene.bushings().size(), scene.subtree_constraints().size()};
}

bool Assembly::fits(const Scene& scene, double copies, std::size_t objects, const SourceLocation& where,
                    Diagnostics& log) const {
    if (events_.size() >= max_events) {
        log.report(codes::E111, where,
                   "there are more than " + std::to_string(max_events) + " <attach> and <replicate>",
                   "write out what they stand for");
        return false;
    }
    const TreeMark now = TreeMark::of(scene);
    const double there = 0.0 + now.bodies + now.joints + now.geoms + now.sites + now.cameras;
    // An empty part costs nothing but time.
    if (there + copies * static_cast<double>(std::max<std::size_t>(objects, 1)) <= max_objects) return true;
    char text[64];
    std::snprintf(text, sizeof text, "%.0f", copies);
    log.report(codes::E111, where,
               std::string(text) + " copies of " + std::to_string(objects) +
                   " objects are more than can be held",
               "a model has at most " + std::to_string(max_objects) +
                   " bodies, joints, geoms, sites and cameras together");
    return false;
}

TreePart Assembly::without_patterns(TreePart part) const {
    const auto filter = [](std::vector<int>& list, const std::vector<char>& flags) {
        std::erase_if(list, [&](int index) { return flagged(flags, index); });
    };
    filter(part.bodies, patterns_.bodies);
    filter(part.joints, patterns_.joints);
    filter(part.geoms, patterns_.geoms);
    filter(part.sites, patterns_.sites);
    filter(part.cameras, patterns_.cameras);
    return part;
}

// A prefix of a prefix of a prefix: copies may not double their names again and again.
std::string Assembly::renamed(const Affix& names, const std::string& name, const SourceLocation& where,
                              Diagnostics& log) {
    if (name.size() + names.prefix.size() + names.suffix.size() <= longest_name) return names(name);
    log.report(codes::E018, where,
               "the name of a copy has more than " + std::to_string(longest_name) + " bytes",
               "use shorter prefixes");
    return {};
}

HandleMap Assembly::copy_tree(Context& context, const Scene& from, const TreePart& part, BodyId parent,
                              const Pose& frame, const Affix& names, const std::string& asset_prefix) {
    HandleMap map = handles_of(part, -1);
    Scene& to = context.scene;  // `from` may be the same: everything is copied before it is added
    const auto new_owner = [&](BodyId old) { return old == part.root ? parent : BodyId{map(old)}; };
    for (const int index : part.bodies) {
        const BodyId old_parent = from.bodies()[index].parent;
        BodySpec body = from.bodies()[index].spec;
        body.name = renamed(names, body.name, body.where, context.log);
        if (old_parent == part.root) body.pose = compose(frame, body.pose);
        const BodyId under = new_owner(old_parent);
        const int id = static_cast<int>(to.bodies().size());
        context.bodies.add(body.name, id, body.where, context.log);
        context.X_WB.push_back(compose(context.X_WB[under.index], body.pose));
        to.add_body(under, std::move(body));
        map.bodies.set(index, id);
    }
    for (const int index : part.joints) {
        const BodyId old = from.joints()[index].body;
        JointSpec joint = from.joints()[index].spec;
        joint.name = renamed(names, joint.name, joint.where, context.log);
        if (old == part.root) place(joint, frame);
        map.joints.set(index, static_cast<int>(to.joints().size()));
        context.joints.add(joint.name, map.joints[index], joint.where, context.log);
        to.add_joint(new_owner(old), std::move(joint));
    }
    for (const int index : part.geoms) {
        const BodyId old = from.geoms()[index].body;
        GeomSpec geom = from.geoms()[index].spec;
        geom.name = renamed(names, geom.name, geom.where, context.log);
        if (!geom.mesh.empty()) geom.mesh = asset_prefix + geom.mesh;
        if (old == part.root) geom.pose = compose(frame, geom.pose);
        map.geoms.set(index, static_cast<int>(to.geoms().size()));
        context.geoms.add(geom.name, map.geoms[index], geom.where, context.log);
        to.add_geom(new_owner(old), std::move(geom));
    }
    for (const int index : part.sites) {
        const BodyId old = from.sites()[index].body;
        SiteSpec site = from.sites()[index].spec;
        site.name = renamed(names, site.name, site.where, context.log);
        if (old == part.root) site.pose = compose(frame, site.pose);
        map.sites.set(index, static_cast<int>(to.sites().size()));
        context.sites.add(site.name, map.sites[index], site.where, context.log);
        to.add_site(new_owner(old), std::move(site));
    }
    for (const int index : part.cameras) {
        const BodyId old = from.cameras()[index].body;
        CameraSpec camera = from.cameras()[index].spec;
        camera.name = renamed(names, camera.name, camera.where, context.log);
        if (old == part.root) camera.pose = compose(frame, camera.pose);
        camera.target = {};  // follows when all names are known
        map.cameras.set(index, static_cast<int>(to.cameras().size()));
        context.cameras.add(camera.name, map.cameras[index], camera.where, context.log);
        to.add_camera(new_owner(old), std::move(camera));
    }
    return map;
}

void Assembly::replicate(Context& context, const TreePart& part, const std::vector<Pose>& frames,
                         const std::vector<Affix>& names, const SourceLocation& where) {
    const TreePart visible = without_patterns(part);
    Event event{.members = handles_of(visible, 0), .keeps_original = false, .where = where};
    for (std::size_t k = 0; k < frames.size(); ++k)
        event.copies.push_back(
            {copy_tree(context, context.scene, visible, part.root, frames[k], names[k], {}), names[k]});
    flag(patterns_.bodies, part.bodies);
    flag(patterns_.joints, part.joints);
    flag(patterns_.geoms, part.geoms);
    flag(patterns_.sites, part.sites);
    flag(patterns_.cameras, part.cameras);
    events_.push_back(std::move(event));
}

void Assembly::duplicate(Context& context, const TreePart& part, BodyId parent, const Pose& frame,
                         const Affix& names) {
    const TreePart visible = without_patterns(part);
    Event event{.members = handles_of(visible, 0)};
    event.copies.push_back({copy_tree(context, context.scene, visible, parent, frame, names, {}), names});
    events_.push_back(std::move(event));
}

void Assembly::attach(Context& context, const Scene& other, const TreePart& part, BodyId parent,
                      const Pose& frame, const Affix& names) {
    Scene& scene = context.scene;
    Event event{.begin = RelationMark::of(scene)};
    HandleMap map = copy_tree(context, other, part, parent, frame, names, names.prefix);
    // The world of the other model is this one's, for what is held to it.
    if (map.bodies.to.empty()) map.bodies = {0, {0}};
    if (map.bodies.first > 0) {
        map.bodies.to.insert(map.bodies.to.begin(), static_cast<std::size_t>(map.bodies.first), -1);
        map.bodies.first = 0;
    }
    map.bodies.set(0, 0);
    map.tendons.to.assign(other.tendons().size(), -1);
    map.actuators.to.assign(other.actuators().size(), -1);
    map.loops.to.assign(other.loops().size(), -1);

    const auto take = [&](auto spec, auto add) {
        if (!maps_all(spec, map)) return;
        spec = mapped(std::move(spec), map);
        spec.name = names(spec.name);
        add(std::move(spec));
    };
    for (const int index : part.cameras) {
        const BodyId target = other.cameras()[index].spec.target;
        if (target.index >= 0) event.camera_targets.push_back({{map.cameras[index]}, {map(target)}});
    }
    const std::vector<Pose> X_WB = world_poses(other);
    for (std::size_t i = 0; i < other.loops().size(); ++i)
        take(other.loops()[i], [&](LoopSpec spec) {
            const Pose now = relative(context.X_WB, spec);
            map.loops.set(static_cast<int>(i), static_cast<int>(scene.loops().size()));
            if (!context.loops.has(spec.name))
                context.loops.add(spec.name, static_cast<int>(scene.loops().size()), spec.where, context.log);
            scene.add_loop(reclosed(std::move(spec), relative(X_WB, other.loops()[i]), now));
        });
    for (std::size_t i = 0; i < other.tendons().size(); ++i)
        take(other.tendons()[i], [&](TendonSpec spec) {
            map.tendons.set(static_cast<int>(i), static_cast<int>(scene.tendons().size()));
            context.tendons.add(spec.name, static_cast<int>(scene.tendons().size()), spec.where, context.log);
            scene.add_tendon(std::move(spec));
        });
    for (std::size_t i = 0; i < other.actuators().size(); ++i)
        take(other.actuators()[i], [&](ActuatorSpec spec) {
            map.actuators.set(static_cast<int>(i), static_cast<int>(scene.actuators().size()));
            context.actuators.add(spec.name, static_cast<int>(scene.actuators().size()), spec.where,
                                  context.log);
            scene.add_actuator(std::move(spec));
        });
    for (const ConstraintSpec& spec : other.constraints())
        take(spec, [&](ConstraintSpec constraint) { scene.add_constraint(std::move(constraint)); });
    for (const BushingSpec& spec : other.bushings())
        take(spec, [&](BushingSpec bushing) { scene.add_bushing(std::move(bushing)); });
    for (const CouplingSpec& spec : other.couplings())
        take(spec, [&](CouplingSpec coupling) { scene.add_coupling(std::move(coupling)); });
    for (const TendonCouplingSpec& spec : other.tendon_couplings())
        take(spec, [&](TendonCouplingSpec coupling) { scene.add_tendon_coupling(std::move(coupling)); });
    for (const SubtreeConstraintSpec& spec : other.subtree_constraints())
        take(spec,
             [&](SubtreeConstraintSpec held) { scene.add_subtree_constraint(std::move(held)); });
    for (const SensorSpec& spec : other.sensors())
        take(spec, [&](SensorSpec sensor) { scene.add_sensor(std::move(sensor)); });
    for (const PairSpec& spec : other.pairs())
        take(spec, [&](PairSpec pair) { scene.add_pair(std::move(pair)); });
    for (const Scene::Exclusion& spec : other.exclusions())
        take(spec, [&](Scene::Exclusion e) { scene.exclude_collision(e.a, e.b, std::move(e.name)); });

    event.keyframes = split_keyframes(other, map, names, context.log);
    event.end = RelationMark::of(scene);
    events_.push_back(std::move(event));
}

}  // namespace lig::io::mjcf
