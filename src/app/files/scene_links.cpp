#include "app/files/scene_links.h"

#include "joints/joint_list.h"

#include <ligament/pair_kinds.h>

#include <algorithm>

namespace lig::app {

namespace {

// A joint's frame M in its body's. The last joint of a link has the link's own frame; those before it are
// where the reference configuration has them, for later joints move them.
Transformd joint_frame(const Model& model, const Model::Joint& joint) {
    const Model::Body& body = model.bodies[joint.body];
    const TreeLink<double>& link = model.tree.links[body.link];
    Transformd X_BM = body.X_LB.inverse();
    for (int k = link.joint_begin + link.joint_count - 1; k > joint.tree_joint; --k)
        X_BM = X_BM * model.tree.joints[k].X_PF.inverse();
    return X_BM;
}

Json link_json(const std::string& name, std::string_view type, int a, int b, const Transformd& X_AF,
               const Transformd& X_BM) {
    return {{"name", name},
            {"type", type},
            {"a", a},
            {"b", b},
            {"pos_a", to_json(X_AF.p)},
            {"pos_b", to_json(X_BM.p)}};
}

// Whether the origins of the two frames of such a loop are to be at one place: not where it slides.
bool joins_points(JointType type) {
    const joints::JointInfo& info = joints::joint_info(type);
    return std::none_of(info.coordinate_kinds, info.coordinate_kinds + info.nq,
                        [](joints::Coordinate kind) { return kind == joints::Coordinate::length; });
}

}  // namespace

Json joints_json(const Model& model, const Names& names) {
    Json list = Json::array();
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const Model::Joint& joint = model.joints[j];
        const joints::JointInfo& info = joints::joint_info(joint.type);
        const Transformd X_BM = joint_frame(model, joint);
        Json axes = Json::array();
        switch (info.placement) {
            case joints::Placement::body:
            case joints::Placement::point: break;
            case joints::Placement::axis:
            case joints::Placement::normal: axes.push_back(to_json(X_BM.R.z)); break;
            case joints::Placement::two_axes:
                axes.push_back(to_json(X_BM.R.x));
                axes.push_back(to_json(X_BM.R.y));
                break;
        }
        list.push_back({{"name", names.joints[j]},
                        {"type", info.name},
                        {"body", joint.body},
                        {"pos", to_json(X_BM.p)},
                        {"axes", std::move(axes)}});
    }
    return list;
}

Json links_json(const Model& model, const Names& names) {
    Json list = Json::array();
    for (std::size_t k = 0; k < model.loops.size(); ++k) {
        const Model::Loop& loop = model.loops[k];
        if (loop.active && joins_points(loop.type))
            list.push_back(link_json(names.loops[k], joints::joint_info(loop.type).name, loop.body_a,
                                     loop.body_b, loop.X_AF, loop.X_BM));
    }
    for (std::size_t k = 0; k < model.pair_constraints.size(); ++k) {
        const Model::PairConstraint& pair = model.pair_constraints[k];
        // Of the others, points may be anywhere on a line, a plane or a curve.
        const auto* const distance = dynamic_cast<const DistanceConstraint*>(pair.constraint.get());
        if (!pair.active || !distance) continue;
        Json entry = link_json(names.constraints[k], pair.constraint->kind(), pair.body_a, pair.body_b,
                               pair.X_AF, pair.X_BM);
        entry["distance"] = distance->length;
        list.push_back(std::move(entry));
    }
    for (std::size_t k = 0; k < model.bushings.size(); ++k) {
        const Model::Bushing& bushing = model.bushings[k];
        if (bushing.active)
            list.push_back(link_json(names.bushings[k], "bushing", bushing.body_a, bushing.body_b,
                                     bushing.X_AF, bushing.X_BM));
    }
    return list;
}

}  // namespace lig::app
