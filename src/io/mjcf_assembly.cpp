#include "io/mjcf_assembly.h"

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
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

// A map of the given indices, in rising order, all to the same target.
IndexMap map_of(const std::vector<int>& from, int target) {
    if (from.empty()) return {};
    IndexMap map{from.front(),
                 std::vector<int>(static_cast<std::size_t>(from.back() - from.front() + 1), -1)};
    for (const int index : from) map.set(index, target);
    return map;
}

HandleMap map_of(const TreePart& part, int target) {
    return {map_of(part.bodies, target),
            map_of(part.joints, target),
            map_of(part.geoms, target),
            map_of(part.sites, target),
            map_of(part.cameras, target),
            {},
            {}};
}

void flag(std::vector<char>& flags, const std::vector<int>& which) {
    for (const int index : which) {
        if (index >= static_cast<int>(flags.size())) flags.resize(static_cast<std::size_t>(index) + 1, 0);
        flags[index] = 1;
    }
}

bool flagged(const std::vector<char>& flags, int index) {
    return index < static_cast<int>(flags.size()) && flags[index] != 0;
}

void place(JointSpec& joint, const Pose& frame) {
    if (joint.type == JointType::free) return;
    const Mat3d R = rotation_matrix(frame.quat);
    joint.pos = frame.pos + R * joint.pos;
    joint.axis = R * joint.axis;
    joint.axis2 = R * joint.axis2;
    joint.stiffness_axes = frame.quat * joint.stiffness_axes;
}

// A loop that is closed where it was written is closed in the copy as well, also when only one of its bodies
// was moved: MJCF gives one frame and takes the other from the reference configuration.
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

std::vector<Pose> world_poses(const Scene& scene) {
    std::vector<Pose> X_WB{Pose{}};
    for (std::size_t i = 1; i < scene.bodies().size(); ++i)
        X_WB.push_back(compose(X_WB[scene.bodies()[i].parent.index], scene.bodies()[i].spec.pose));
    return X_WB;
}

}  // namespace

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
            scene.bushings().size()};
}

bool Assembly::fits(const Scene& scene, double copies, std::size_t objects, const SourceLocation& where,
                    Diagnostics& log) const {
    if (events_.size() >= most_events) {
        log.report(codes::E111, where,
                   "there are more than " + std::to_string(most_events) + " <attach> and <replicate>",
                   "write out what they stand for");
        return false;
    }
    const TreeMark now = TreeMark::of(scene);
    const double there = 0.0 + now.bodies + now.joints + now.geoms + now.sites + now.cameras;
    // An empty part costs nothing but time.
    if (there + copies * static_cast<double>(std::max<std::size_t>(objects, 1)) <= most_objects) return true;
    char text[64];
    std::snprintf(text, sizeof text, "%.0f", copies);
    log.report(codes::E111, where,
               std::string(text) + " copies of " + std::to_string(objects) +
                   " objects are more than can be held",
               "a model has at most " + std::to_string(most_objects) +
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
    HandleMap map = map_of(part, -1);
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
    Event event{.members = map_of(visible, 0), .keeps_original = false, .where = where};
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
    Event event{.members = map_of(visible, 0)};
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
    const std::vector<Pose> X_WB = world_poses(other);
    for (const LoopSpec& loop : other.loops())
        take(loop, [&](LoopSpec spec) {
            const Pose now = relative(context.X_WB, spec);
            scene.add_loop(reclosed(std::move(spec), relative(X_WB, loop), now));
        });
    for (const ConstraintSpec& spec : other.constraints())
        take(spec, [&](ConstraintSpec constraint) { scene.add_constraint(std::move(constraint)); });
    for (const BushingSpec& spec : other.bushings())
        take(spec, [&](BushingSpec bushing) { scene.add_bushing(std::move(bushing)); });
    for (const CouplingSpec& spec : other.couplings())
        take(spec, [&](CouplingSpec coupling) { scene.add_coupling(std::move(coupling)); });
    for (const TendonCouplingSpec& spec : other.tendon_couplings())
        take(spec, [&](TendonCouplingSpec coupling) { scene.add_tendon_coupling(std::move(coupling)); });
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

// Relations of one kind while copies are added. Indices stay; `order` tells which count, and in which order.
template <class Spec>
struct Ordered {
    std::vector<Spec> items;
    std::vector<int> order;
};

class Assembly::Finisher {
public:
    Finisher(Context& context, std::vector<Event>& events, const Flags& patterns)
        : c_(context), events_(events), patterns_(patterns) {}

    void run(const std::vector<TreeMark*>& marks) {
        start(tendons_, c_.scene.tendons(), &RelationMark::tendons);
        start(actuators_, c_.scene.actuators(), &RelationMark::actuators);
        start(loops_, c_.scene.loops(), &RelationMark::loops);
        start(constraints_, c_.scene.constraints(), &RelationMark::constraints);
        start(bushings_, c_.scene.bushings(), &RelationMark::bushings);
        start(couplings_, c_.scene.couplings(), &RelationMark::couplings);
        start(tendon_couplings_, c_.scene.tendon_couplings(), &RelationMark::tendon_couplings);
        start(sensors_, c_.scene.sensors(), &RelationMark::sensors);
        start(pairs_, c_.scene.pairs(), &RelationMark::pairs);
        start(exclusions_, c_.scene.exclusions(), &RelationMark::exclusions);
        for (const Scene::Camera& camera : c_.scene.cameras()) camera_targets_.push_back(camera.spec.target);
        for (Event& event : events_) {
            add_foreign(event);
            repeat_all(event);
        }
        build(marks);
    }

private:
    // What the file itself says comes first.
    template <class Spec>
    void start(Ordered<Spec>& list, const std::vector<Spec>& all, std::size_t RelationMark::* count) {
        list.items = all;
        std::size_t next = 0;
        for (const Event& event : events_) {
            for (; next < event.begin.*count; ++next) list.order.push_back(static_cast<int>(next));
            next = std::max(next, event.end.*count);
        }
        for (; next < all.size(); ++next) list.order.push_back(static_cast<int>(next));
    }

    template <class Spec>
    static void append(Ordered<Spec>& list, const Event& event, std::size_t RelationMark::* count) {
        for (std::size_t i = event.begin.*count; i < event.end.*count; ++i)
            list.order.push_back(static_cast<int>(i));
    }

    void add_foreign(const Event& event) {
        append(tendons_, event, &RelationMark::tendons);
        append(actuators_, event, &RelationMark::actuators);
        append(loops_, event, &RelationMark::loops);
        append(constraints_, event, &RelationMark::constraints);
        append(bushings_, event, &RelationMark::bushings);
        append(couplings_, event, &RelationMark::couplings);
        append(tendon_couplings_, event, &RelationMark::tendon_couplings);
        append(sensors_, event, &RelationMark::sensors);
        append(pairs_, event, &RelationMark::pairs);
        append(exclusions_, event, &RelationMark::exclusions);
        for (const auto& [camera, target] : event.camera_targets) camera_targets_[camera.index] = target;
    }

    void repeat_all(Event& event) {
        const auto nothing = [](auto&, const auto&) {};
        repeat(tendons_, event, nothing, &HandleMap::tendons);
        repeat(actuators_, event, nothing, &HandleMap::actuators);
        repeat(loops_, event, [&](LoopSpec& copy, const LoopSpec& from) {
            copy = reclosed(copy, relative(c_.X_WB, from), relative(c_.X_WB, copy));
        });
        repeat(constraints_, event, nothing);
        repeat(bushings_, event, nothing);
        repeat(couplings_, event, nothing);
        repeat(tendon_couplings_, event, nothing);
        repeat(sensors_, event, nothing);
        repeat(pairs_, event, nothing);
        repeat(exclusions_, event, nothing);
        for (const Copy& copy : event.copies) {
            const IndexMap& cameras = copy.map.cameras;
            for (std::size_t i = 0; i < cameras.to.size(); ++i) {
                if (cameras.to[i] < 0) continue;
                const BodyId target = camera_targets_[cameras.first + static_cast<int>(i)];
                const int moved = copy.map(target);
                camera_targets_[cameras.to[i]] = moved >= 0 ? BodyId{moved} : target;
            }
        }
    }

    // A copy of every relation that touches what was copied, for each copy.
    template <class Spec, class Adjust>
    void repeat(Ordered<Spec>& list, Event& event, Adjust adjust, IndexMap HandleMap::* ids = nullptr) {
        std::vector<int> touched, others;
        for (const int id : list.order)
            (maps_any(list.items[id], event.members) ? touched : others).push_back(id);
        if (touched.empty()) return;
        const double more = static_cast<double>(touched.size()) * static_cast<double>(event.copies.size());
        if (more + static_cast<double>(list.items.size()) > most_objects) {
            c_.log.report(codes::E111, event.where,
                          std::to_string(event.copies.size()) + " copies of " +
                              std::to_string(touched.size()) +
                              " objects that refer to the content are more than can be held",
                          "at most " + std::to_string(most_objects));
            return;
        }
        if (!event.keeps_original) list.order = std::move(others);
        std::vector<int> rising = touched;
        std::sort(rising.begin(), rising.end());
        if (ids) event.members.*ids = map_of(rising, 0);
        for (Copy& copy : event.copies) {
            if (ids) copy.map.*ids = map_of(rising, -1);
            for (const int id : touched) {
                const int added = static_cast<int>(list.items.size());
                Spec spec = mapped(list.items[id], copy.map);
                adjust(spec, list.items[id]);
                spec.name = copy.names(spec.name);
                if (ids) (copy.map.*ids).set(id, added);
                list.items.push_back(std::move(spec));
                list.order.push_back(added);
            }
        }
    }

    // Adds what is no pattern to the new scene and notes where it went.
    template <class List, class Add>
    static IndexMap keep(const List& list, const std::vector<char>& patterns, Add add) {
        IndexMap map{0, std::vector<int>(list.size(), -1)};
        for (std::size_t i = 0; i < list.size(); ++i)
            if (!flagged(patterns, static_cast<int>(i)))
                map.set(static_cast<int>(i), add(list[i], static_cast<int>(i)));
        return map;
    }

    template <class Spec, class Add>
    IndexMap keep_ordered(const Ordered<Spec>& list, const HandleMap& now, Add add) {
        IndexMap map{0, std::vector<int>(list.items.size(), -1)};
        for (std::size_t i = 0; i < list.order.size(); ++i) {
            map.set(list.order[i], static_cast<int>(i));
            add(mapped(list.items[list.order[i]], now));
        }
        return map;
    }

    void build(const std::vector<TreeMark*>& marks) {
        const Scene& old = c_.scene;
        Scene made(old.name);
        made.options = old.options;
        made.inertia_rules = old.inertia_rules;
        for (const MeshAsset& mesh : old.meshes()) made.add_mesh(mesh);
        for (const HeightFieldAsset& field : old.height_fields()) made.add_height_field(field);

        HandleMap now;
        now.bodies = {0, std::vector<int>(old.bodies().size(), -1)};
        for (int i = 0; i < static_cast<int>(old.bodies().size()); ++i) {
            if (flagged(patterns_.bodies, i)) continue;
            const Scene::Body& body = old.bodies()[i];
            now.bodies.set(i, i == 0 ? 0 : made.add_body({now(body.parent)}, body.spec).index);
        }
        now.joints = keep(old.joints(), patterns_.joints, [&](const Scene::Joint& joint, int) {
            return made.add_joint({now(joint.body)}, joint.spec).index;
        });
        now.geoms = keep(old.geoms(), patterns_.geoms, [&](const Scene::Geom& geom, int) {
            return made.add_geom({now(geom.body)}, geom.spec).index;
        });
        now.sites = keep(old.sites(), patterns_.sites, [&](const Scene::Site& site, int) {
            return made.add_site({now(site.body)}, site.spec).index;
        });
        now.cameras = keep(old.cameras(), patterns_.cameras, [&](const Scene::Camera& camera, int index) {
            CameraSpec spec = camera.spec;
            spec.target = {};
            if (camera_targets_[index].index >= 0) spec.target = {now(camera_targets_[index])};
            return made.add_camera({now(camera.body)}, std::move(spec)).index;
        });

        now.tendons = keep_ordered(tendons_, now, [&](TendonSpec spec) { made.add_tendon(std::move(spec)); });
        now.actuators =
            keep_ordered(actuators_, now, [&](ActuatorSpec spec) { made.add_actuator(std::move(spec)); });
        keep_ordered(loops_, now, [&](LoopSpec spec) { made.add_loop(std::move(spec)); });
        keep_ordered(constraints_, now, [&](ConstraintSpec spec) { made.add_constraint(std::move(spec)); });
        keep_ordered(bushings_, now, [&](BushingSpec spec) { made.add_bushing(std::move(spec)); });
        keep_ordered(couplings_, now, [&](CouplingSpec spec) { made.add_coupling(std::move(spec)); });
        keep_ordered(tendon_couplings_, now,
                     [&](TendonCouplingSpec spec) { made.add_tendon_coupling(std::move(spec)); });
        keep_ordered(sensors_, now, [&](SensorSpec spec) { made.add_sensor(std::move(spec)); });
        keep_ordered(pairs_, now, [&](PairSpec spec) { made.add_pair(std::move(spec)); });
        keep_ordered(exclusions_, now,
                     [&](Scene::Exclusion e) { made.exclude_collision(e.a, e.b, std::move(e.name)); });

        move_marks(marks, now);
        for (const KeyframeSpec& key : old.keyframes()) made.add_keyframe(key);
        follow_first_copies(now);
        for (const Event& event : events_)
            for (const AttachedKeyframe& key : event.keyframes)
                made.add_keyframe(join_keyframe(key, made, now));
        c_.scene = std::move(made);
    }

    static void move_marks(const std::vector<TreeMark*>& marks, const HandleMap& now) {
        const auto move = [&](const IndexMap& map, int TreeMark::* count) {
            std::vector<int> kept{0};
            for (const int target : map.to) kept.push_back(kept.back() + (target >= 0 ? 1 : 0));
            for (TreeMark* mark : marks) mark->*count = kept[mark->*count];
        };
        move(now.bodies, &TreeMark::bodies);
        move(now.joints, &TreeMark::joints);
        move(now.geoms, &TreeMark::geoms);
        move(now.sites, &TreeMark::sites);
        move(now.cameras, &TreeMark::cameras);
    }

    // The keyframe of a model that was attached within a pattern counts for the first copy.
    void follow_first_copies(HandleMap& now) const {
        for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
            if (event->keeps_original || event->copies.empty()) continue;
            const HandleMap& first = event->copies.front().map;
            const auto follow = [&](IndexMap HandleMap::* kind) {
                const IndexMap& from = first.*kind;
                for (std::size_t i = 0; i < from.to.size(); ++i)
                    if (from.to[i] >= 0)
                        (now.*kind).set(from.first + static_cast<int>(i), (now.*kind)[from.to[i]]);
            };
            follow(&HandleMap::bodies);
            follow(&HandleMap::joints);
            follow(&HandleMap::actuators);
        }
    }

    Context& c_;
    std::vector<Event>& events_;
    const Flags& patterns_;
    Ordered<TendonSpec> tendons_;
    Ordered<ActuatorSpec> actuators_;
    Ordered<LoopSpec> loops_;
    Ordered<ConstraintSpec> constraints_;
    Ordered<BushingSpec> bushings_;
    Ordered<CouplingSpec> couplings_;
    Ordered<TendonCouplingSpec> tendon_couplings_;
    Ordered<SensorSpec> sensors_;
    Ordered<PairSpec> pairs_;
    Ordered<Scene::Exclusion> exclusions_;
    std::vector<BodyId> camera_targets_;
};

void Assembly::finish(Context& context, const std::vector<TreeMark*>& marks) {
    if (!events_.empty()) Finisher(context, events_, patterns_).run(marks);
}

}  // namespace lig::io::mjcf
