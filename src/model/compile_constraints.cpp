// Loops, constraints between two bodies and groups of them, couplings of joints, what is held of subtrees.

#include "model/compile.h"

#include "core/diagnostic_codes.h"
#include "joints/joint_list.h"
#include "model/subtree.h"

#include <ligament/group_constraint.h>

#include <algorithm>
#include <cmath>

namespace lig::compiling {

void check_force(const Range& force, const std::string& who, const SourceLocation& where, Diagnostics& log) {
    const auto& [lower, upper] = force;
    if (!(lower <= 0 && upper >= 0 && lower < upper))
        log.report(codes::E160, where,
                   who + ": its forces are from " + std::to_string(lower) + " to " + std::to_string(upper),
                   "0 has to be within the range, and more than 0: {−F, F}, {0, F} or {−F, 0}");
}

void add_loops(const Scene& scene, Model& model, const std::vector<int>& body_of, Diagnostics& log) {
    for (std::size_t i = 0; i < scene.loops().size(); ++i) {
        const LoopSpec& spec = scene.loops()[i];
        Model::Loop loop{spec.name,
                         spec.type,
                         body_of[spec.body_a.index],
                         body_of[spec.body_b.index],
                         transform(spec.frame_a),
                         transform(spec.frame_b),
                         spec.pitch,
                         joints::joint_info(spec.type).rows,
                         spec.active,
                         spec.torque_scale,
                         spec.soft,
                         spec.where,
                         spec.closing_time};
        const Transformd X_FM =
            (model.bodies[loop.body_a].X_WB0 * loop.X_AF).inverse() *
            (model.bodies[loop.body_b].X_WB0 * loop.X_BM);
        const double near[joints::max_nq] = {};
        joints::visit_joint(loop.type, [&](auto kind) {
            decltype(kind)::residual(joints::parameters_of(loop), X_FM, near, loop.start.data());
        });
        if (joints::joint_info(spec.type).nq == 1) loop.reference = spec.joint.reference;
        if (spec.type == JointType::ball)
            loop.twist_axis = (1 / std::sqrt(dot(spec.joint.axis, spec.joint.axis))) * spec.joint.axis;
        loop.twist = spec.joint.twist;
        const std::string who = named("loop", spec.name, static_cast<int>(i));
        if (loop.rows == 0)
            log.report(codes::E044, spec.where, who + " is of kind 'free' and would hold nothing together",
                       "choose another kind or remove it");
        else if (model.bodies[loop.body_a].link == model.bodies[loop.body_b].link)
            log.report(codes::W045, spec.where,
                       who + " joins '" + model.bodies[loop.body_a].name + "' and '" +
                           model.bodies[loop.body_b].name + "', which cannot move relative to each other",
                       "it has no effect; remove it");
        model.loops.push_back(loop);
    }
}

void add_pair_constraints(const Scene& scene, Model& model, const std::vector<int>& body_of,
                          Diagnostics& log) {
    for (std::size_t i = 0; i < scene.constraints().size(); ++i) {
        const ConstraintSpec& spec = scene.constraints()[i];
        const Model::PairConstraint pair{spec.name,
                                         body_of[spec.body_a.index],
                                         body_of[spec.body_b.index],
                                         transform(spec.frame_a),
                                         transform(spec.frame_b),
                                         spec.constraint,
                                         spec.constraint->rows(),
                                         spec.force,
                                         spec.active,
                                         spec.soft,
                                         spec.where};
        const std::string who = named("constraint", spec.name, static_cast<int>(i));
        const Model::Body &a = model.bodies[pair.body_a], &b = model.bodies[pair.body_b];
        const PairState reference{.X_WA = a.X_WB0 * pair.X_AF, .X_WB = b.X_WB0 * pair.X_BM};
        if (pair.body_a == pair.body_b ||
            (a.link == b.link && a.kind == BodyKind::rigid && b.kind == BodyKind::rigid))
            log.report(codes::W161, spec.where,
                       who + " is between '" + a.name + "' and '" + b.name +
                           "', which cannot move relative to each other",
                       "it has no effect; remove it");
        else if (const std::string_view why = pair.constraint->undefined_because(reference); !why.empty())
            log.report(codes::W162, spec.where,
                       who + " is undefined at the reference configuration: " + std::string(why),
                       "start elsewhere");
        model.pair_constraints.push_back(pair);
    }
}

void add_couplings(const Scene& scene, Model& model, const std::vector<int>& joint_of, Diagnostics& log) {
    for (std::size_t i = 0; i < scene.couplings().size(); ++i) {
        const CouplingSpec& spec = scene.couplings()[i];
        const bool has_leader = spec.leader.index >= 0;
        const int follower = joint_of[spec.follower.index];
        const int leader = has_leader ? joint_of[spec.leader.index] : -1;
        const std::string who = named("coupling", spec.name, static_cast<int>(i));
        if (follower < 0 || (has_leader && leader < 0)) {
            log.report(codes::W050, spec.where, who + " names a fixed joint and was left out",
                       "remove it, or let the joint move");
            continue;
        }
        bool fits = follower != leader;
        for (const int j : {follower, leader})
            if (fits && j >= 0 && (model.joints[j].nq != 1 || model.joints[j].nv != 1)) fits = false;
        if (!fits) {
            log.report(codes::E046, spec.where, who + " needs two different joints of one coordinate each",
                       "couple hinges, slides or screws");
            continue;
        }
        model.couplings.push_back(
            {spec.name, follower, leader, spec.coefficients, spec.active, spec.soft, spec.where});
    }
}

void add_subtree_constraints(const Scene& scene, Model& model, const std::vector<int>& body_of,
                             Diagnostics& log) {
    for (std::size_t i = 0; i < scene.subtree_constraints().size(); ++i) {
        const SubtreeConstraintSpec& spec = scene.subtree_constraints()[i];
        const std::string who =
            named(subtree_quantity_words[static_cast<int>(spec.quantity)], spec.name, static_cast<int>(i));
        const bool of_centre = spec.quantity == SubtreeQuantity::center_of_mass;
        Model::SubtreeConstraint made{spec.name,
                                      body_of[spec.body.index],
                                      spec.quantity,
                                      spec.axes,
                                      Vec3d::zero(),
                                      0,
                                      0,
                                      static_cast<int>(std::count(spec.axes.begin(), spec.axes.end(), true)),
                                      spec.active,
                                      spec.soft,
                                      spec.where};
        Vec3d moment = Vec3d::zero();
        for_each_moving(model, made.body, [&](const Model::Body& body) {
            made.mass += body.mass;
            moment += body.mass * (body.X_WB0 * body.com);
        });
        const Vec3d centre = made.mass > 0 ? (1 / made.mass) * moment : Vec3d::zero();
        double squares = 0;
        for_each_moving(model, made.body, [&](const Model::Body& body) {
            const Vec3d r = body.X_WB0 * body.com - centre;
            squares += body.mass * dot(r, r) + 0.5 * (body.inertia.xx + body.inertia.yy + body.inertia.zz);
        });
        made.target = spec.target.value_or(of_centre ? centre : Vec3d::zero());
        if (made.mass > 0) made.radius = std::sqrt(squares / made.mass);
        const Vec3d& t = made.target;
        if (made.rows == 0)
            log.report(codes::E163, spec.where, who + " names no axis", "name at least one of x, y and z");
        else if (!std::isfinite(t.x) || !std::isfinite(t.y) || !std::isfinite(t.z))
            log.report(codes::E163, spec.where, who + ": its target is not finite");
        else if (!(made.mass > 0))
            log.report(codes::E163, spec.where,
                       who + ": nothing of '" + model.bodies[made.body].name + "' and below it moves",
                       "name a body that has a joint, or carries one that has");
        else if (spec.quantity == SubtreeQuantity::angular_momentum && !(made.radius > 0))
            log.report(codes::E163, spec.where, who + ": a point has none about itself",
                       "hold its linear momentum");
        model.subtree_constraints.push_back(std::move(made));
    }
}

void add_group_constraints(const Scene& scene, Model& model, const std::vector<int>& body_of,
                           Diagnostics& log) {
    for (std::size_t i = 0; i < scene.group_constraints().size(); ++i) {
        const GroupConstraintSpec& spec = scene.group_constraints()[i];
        const std::string who = named("constraint", spec.name, static_cast<int>(i));
        const auto refuse = [&](const std::string& what, const std::string& hint = {}) {
            log.report(codes::E160, spec.where, who + what, hint);
        };
        if (!spec.constraint) {
            refuse(" has no GroupConstraint", "set GroupConstraintSpec::constraint");
            continue;
        }
        const int bodies = static_cast<int>(spec.bodies.size()), rows = spec.constraint->rows();
        Model::GroupConstraint made{
            spec.name,
            {},
            spec.constraint,
            rows,
            spec.force,
            spec.active,
            false,
            spec.soft,
            spec.where,
        };
        for (std::size_t k = 0; k < spec.bodies.size(); ++k) {
            const Pose frame = k < spec.frames.size() ? spec.frames[k] : Pose{};
            made.members.push_back({body_of[spec.bodies[k].index], transform(frame)});
            made.moves = made.moves || model.bodies[made.members.back().body].link >= 0;
        }
        check_force(spec.force, who, spec.where, log);
        if (const std::string fault = spec.constraint->fault(); !fault.empty())
            refuse(" of kind '" + std::string(spec.constraint->kind()) + "': " + fault);
        else if (bodies != spec.constraint->bodies() || bodies < 1 || bodies > max_group_bodies)
            refuse(" is between " + std::to_string(spec.constraint->bodies()) + " bodies and names " +
                       std::to_string(bodies),
                   "name as many, and at most " + std::to_string(max_group_bodies));
        else if (!spec.frames.empty() && static_cast<int>(spec.frames.size()) != bodies)
            refuse(" has " + std::to_string(spec.frames.size()) + " frames for " + std::to_string(bodies) +
                       " bodies",
                   "give one for each, or none");
        else if (rows < 1 || rows > GroupConstraint::max_rows)
            refuse(" has " + std::to_string(rows) + " rows",
                   "one to " + std::to_string(GroupConstraint::max_rows) + " are possible");
        else if (!made.moves)
            log.report(codes::W161, spec.where, who + " is between bodies that cannot move",
                       "it has no effect; remove it");
        model.group_constraints.push_back(std::move(made));
    }
}

}  // namespace lig::compiling
