#include "app/dynamics/wrench_output.h"

#include "app/table.h"
#include "model/floating.h"

#include <ligament/dynamics.h>

#include <fmt/format.h>

namespace lig::app {

std::vector<ReactingJoint> reacting_joints(const Model& model, const Names& names) {
    std::vector<ReactingJoint> out;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Model::Body& body = model.bodies[b];
        bool reacts = body.joint_count > 0;
        std::string name;
        for (int j = body.joint_begin; j < body.joint_begin + body.joint_count; ++j) {
            name += (name.empty() ? "" : "+") + names.joints[j];
            reacts = reacts && !floats(model.joints[j]);
        }
        if (reacts) out.push_back({static_cast<int>(b), std::move(name)});
    }
    return out;
}

void add_wrenches(const Workspace<double>& ws, const Names& names, const Wrenches& wrenches, Json& out) {
    const Model& model = ws.model();
    const auto wrench = [&](int body, const Vec3d& point, const Force<double>& f) {
        return Json{{"body", names.bodies[body]},
                    {"axes", "world"},
                    {"point", to_json(point)},
                    {"force", to_json(f.lin)},
                    {"moment", to_json(f.ang)}};
    };
    Json& of_joints = out["joint_wrenches"] = Json::object();
    for (const ReactingJoint& joint : reacting_joints(model, names)) {
        const Vec3d& anchor = ws.poses[model.bodies[joint.body].link].X_WL.p;
        add_member(of_joints, joint.name, wrench(joint.body, anchor, wrenches.joints[joint.body]));
    }
    const auto add_all = [&](Json& of, const auto& list, const std::vector<std::string>& called,
                             const std::vector<Force<double>>& forces) {
        of = Json::object();
        for (std::size_t k = 0; k < list.size(); ++k) {
            const int body = list[k].body_b;
            add_member(of, called[k], wrench(body, body_pose(ws, body) * list[k].X_BM.p, forces[k]));
        }
    };
    add_all(out["loop_wrenches"], model.loops, names.loops, wrenches.loops);
    add_all(out["constraint_wrenches"], model.pair_constraints, names.constraints, wrenches.constraints);
    add_all(out["bushing_wrenches"], model.bushings, names.bushings, wrenches.bushings);
}

void print_wrenches(const Model& model, const Names& names, const Wrenches& wrenches) {
    Table table({"reaction of", "on", "fx", "fy", "fz", "tx", "ty", "tz"}, {2, 3, 4, 5, 6, 7});
    const auto add = [&](const std::string& name, int body, const Force<double>& f) {
        std::vector<std::string> cells{name, names.bodies[body]};
        for (const double x : {f.lin.x, f.lin.y, f.lin.z, f.ang.x, f.ang.y, f.ang.z})
            cells.push_back(number_text(x));
        table.add(std::move(cells));
    };
    for (const ReactingJoint& joint : reacting_joints(model, names))
        add(joint.name, joint.body, wrenches.joints[joint.body]);
    for (std::size_t k = 0; k < model.loops.size(); ++k)
        add(names.loops[k], model.loops[k].body_b, wrenches.loops[k]);
    for (std::size_t k = 0; k < model.pair_constraints.size(); ++k)
        add(names.constraints[k], model.pair_constraints[k].body_b, wrenches.constraints[k]);
    for (std::size_t k = 0; k < model.bushings.size(); ++k)
        add(names.bushings[k], model.bushings[k].body_b, wrenches.bushings[k]);
    fmt::print("\n");
    table.print();
}

}  // namespace lig::app
