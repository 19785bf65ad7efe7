// Relations of what has been copied, repeated for the copies, and the scene without patterns.

#include "core/diagnostic_codes.h"
#include "io/mjcf_assembly.h"
#include "io/mjcf_context.h"
#include "io/mjcf_copies.h"
#include "io/mjcf_state_layout.h"

#include <algorithm>
#include <string>
#include <utility>

namespace lig::io::mjcf {

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
        start(subtrees_, c_.scene.subtree_constraints(), &RelationMark::subtree_constraints);
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
        append(subtrees_, event, &RelationMark::subtree_constraints);
        append(sensors_, event, &RelationMark::sensors);
        append(pairs_, event, &RelationMark::pairs);
        append(exclusions_, event, &RelationMark::exclusions);
        for (const auto& [camera, target] : event.camera_targets) camera_targets_[camera.index] = target;
    }

    void repeat_all(Event& event) {
        const auto nothing = [](auto&, const auto&) {};
        const auto close = [&](LoopSpec& copy, const LoopSpec& from) {
            copy = reclosed(copy, relative(c_.X_WB, from), relative(c_.X_WB, copy));
        };
        repeat(loops_, event, close, &HandleMap::loops);
        repeat(tendons_, event, nothing, &HandleMap::tendons);
        repeat(actuators_, event, nothing, &HandleMap::actuators);
        repeat(constraints_, event, nothing);
        repeat(bushings_, event, nothing);
        repeat(couplings_, event, nothing);
        repeat(tendon_couplings_, event, nothing);
        repeat(subtrees_, event, nothing);
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
        if (more + static_cast<double>(list.items.size()) > max_objects) {
            c_.log.report(codes::E111, event.where,
                          std::to_string(event.copies.size()) + " copies of " +
                              std::to_string(touched.size()) +
                              " objects that refer to the content are more than can be held",
                          "at most " + std::to_string(max_objects));
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

        now.loops = keep_ordered(loops_, now, [&](LoopSpec spec) { made.add_loop(std::move(spec)); });
        now.tendons = keep_ordered(tendons_, now, [&](TendonSpec spec) { made.add_tendon(std::move(spec)); });
        now.actuators =
            keep_ordered(actuators_, now, [&](ActuatorSpec spec) { made.add_actuator(std::move(spec)); });
        keep_ordered(constraints_, now, [&](ConstraintSpec spec) { made.add_constraint(std::move(spec)); });
        keep_ordered(bushings_, now, [&](BushingSpec spec) { made.add_bushing(std::move(spec)); });
        keep_ordered(couplings_, now, [&](CouplingSpec spec) { made.add_coupling(std::move(spec)); });
        keep_ordered(tendon_couplings_, now,
                     [&](TendonCouplingSpec spec) { made.add_tendon_coupling(std::move(spec)); });
        keep_ordered(subtrees_, now, [&](SubtreeConstraintSpec spec) {
            made.add_subtree_constraint(std::move(spec));
        });
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
    Ordered<SubtreeConstraintSpec> subtrees_;
    Ordered<SensorSpec> sensors_;
    Ordered<PairSpec> pairs_;
    Ordered<Scene::Exclusion> exclusions_;
    std::vector<BodyId> camera_targets_;
};

void Assembly::finish(Context& context, const std::vector<TreeMark*>& marks) {
    if (!events_.empty()) Finisher(context, events_, patterns_).run(marks);
}

}  // namespace lig::io::mjcf
