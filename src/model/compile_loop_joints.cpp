// Joints that close loops, as joints: each of their freedoms, and each angle that limits of a ball bound,
// becomes a length as those of tendons are, with the springs, limits, friction, … of the joint. The spring of
// a ball is a bushing that only turns.

#include "model/compile_drives.h"

#include "core/diagnostic_codes.h"
#include "core/unit_quaternion.h"
#include "joints/joint_list.h"
#include "model/coordinate_names.h"
#include "model/row_velocities.h"

#include <cmath>
#include <numbers>

namespace lig::compiling {

namespace {

constexpr std::array<double, 2> no_poly{0, 0};

bool has_properties(const JointSpec& joint) {
    for (const Range& range : joint.range)
        if (range != Range{}) return true;
    return joint.cone || joint.swing || joint.twist || joint.armature != 0 || joint.damping != 0 ||
           joint.damping_poly != no_poly || joint.stiffness != 0 || joint.stiffness_poly != no_poly ||
           joint.axis_stiffness || joint.spring_damper || joint.friction_loss != 0 ||
           joint.effort != Range{} || joint.actuators_carry_gravity;
}

}  // namespace

bool is_joint_of_loop(const Model& model, const Model::Loop& loop) {
    const int a = model.bodies[loop.body_a].link, b = model.bodies[loop.body_b].link;
    return loop.active && model.options.enabled.equality && model.options.enabled.constraint && a != b &&
           (a >= 0 || b >= 0);
}

namespace {

class LoopJoints {
public:
    LoopJoints(const Scene& scene, Model& model, Diagnostics& log)
        : scene_(scene), model_(model), log_(log), velocities_(model) {}

    void run() {
        std::vector<bool> used(scene_.loops().size());
        for (std::size_t i = 0; i < used.size(); ++i) used[i] = has_properties(scene_.loops()[i].joint);
        std::vector<ReflectedLoad> loads(used.size());
        for (const ActuatorSpec& actuator : scene_.actuators()) {
            if (actuator.loop.index < 0) continue;
            used[actuator.loop.index] = true;
            add_load(loads[actuator.loop.index], actuator);
        }
        for (const TendonSpec& tendon : scene_.tendons())
            for (const TendonSpec::JointTerm& term : tendon.joints)
                if (term.loop.index >= 0) used[term.loop.index] = true;
        for (const SensorSpec& sensor : scene_.sensors())
            if (sensor.object.kind == ObjectRef::Kind::loop) used[sensor.object.index] = true;
        for (std::size_t i = 0; i < used.size(); ++i)
            if (used[i]) add(static_cast<int>(i), loads[i]);
    }

private:
    void refuse(int index, const std::string& what, const std::string& hint) {
        const LoopSpec& spec = scene_.loops()[index];
        log_.report(codes::U194, spec.where, named("loop", spec.name, index) + " " + what, hint);
    }

    bool can_be(int index) {
        const JointSpec& joint = scene_.loops()[index].joint;
        const bool is_ball = scene_.loops()[index].type == JointType::ball;
        if (joint.spring_damper)
            refuse(index, "has a spring by time constant, which depends on the joint that a ring is cut at",
                   "give it stiffness and damping");
        else if (joint.actuators_carry_gravity)
            refuse(index, "is to carry what holds bodies up against gravity",
                   "that is for joints of the tree; remove 'actuatorgravcomp'");
        else if (is_ball && joint.stiffness_poly != no_poly)
            refuse(index, "is a ball and has a spring of higher order",
                   "give it one stiffness, or one about each axis");
        else
            return true;
        return false;
    }

    void add(int index, const ReflectedLoad& load) {
        const LoopSpec& spec = scene_.loops()[index];
        const joints::JointInfo& info = joints::joint_info(spec.type);
        if (info.nv == 0) {
            log_.report(codes::W048, spec.where,
                        named("loop", spec.name, index) + " is fixed: what its joint has does nothing",
                        "remove it, or choose a kind that moves");
            return;
        }
        if (!can_be(index)) return;
        const auto has_its_name = [&](const Scene::Joint& joint) { return joint.spec.name == spec.name; };
        if (!spec.name.empty() && std::any_of(scene_.joints().begin(), scene_.joints().end(), has_its_name))
            log_.report(codes::E030, spec.where,
                        named("loop", spec.name, index) + " has the name of a joint",
                        "what acts on joints finds both by it; rename one");
        Model::Loop& loop = model_.loops[index];
        const bool counts = is_joint_of_loop(model_, loop);
        loop.length_begin = static_cast<int>(model_.tendons.size());
        add_freedoms(index, load, counts);
        if (spec.type == JointType::ball && counts) {
            add_angles(index);
            add_spring(spec, loop);
        }
        loop.lengths = static_cast<int>(model_.tendons.size()) - loop.length_begin;
        const auto is_angle = [](joints::Coordinate kind) { return kind == joints::Coordinate::angle; };
        if (std::none_of(info.coordinate_kinds, info.coordinate_kinds + info.nq, is_angle)) return;
        loop.q_adr = static_cast<int>(model_.loop_q0.size());
        model_.loop_q0.insert(model_.loop_q0.end(), info.nq, loop.reference);
    }

    // One length with what all of them have in common.
    Model::Tendon& add_length(int index, const std::string& name, const Model::TendonTerm& term) {
        const LoopSpec& spec = scene_.loops()[index];
        Model::Tendon length{};
        length.name = name;
        length.term_begin = static_cast<int>(model_.tendon_terms.size());
        length.term_count = 1;
        length.point_begin = static_cast<int>(model_.tendon_points.size());
        model_.tendon_terms.push_back(term);
        velocities_.add_difference(model_.loops[index]);
        length.row = velocities_.finish();
        length.margin = spec.joint.margin;
        length.soft_limit = spec.joint.soft_limit;
        length.soft_friction = spec.joint.soft_friction;
        length.where = spec.where;
        length.loop = index;
        return model_.tendons.emplace_back(std::move(length));
    }

    void add_freedoms(int index, const ReflectedLoad& load, bool counts) {
        const LoopSpec& spec = scene_.loops()[index];
        const JointSpec& joint = spec.joint;
        const joints::JointInfo& info = joints::joint_info(spec.type);
        const std::vector<std::string> names = velocity_names(spec.type, spec.name);
        for (int k = 0; k < info.nv; ++k) {
            Model::Tendon& length = add_length(
                index, names[k], {-1, -1, counts ? 1.0 : 0.0, index, Model::LoopReading::freedom, k});
            if (!counts) continue;
            length.damping = joint.damping + load.damping;
            for (std::size_t c = 0; c < no_poly.size(); ++c)
                length.damping_poly[c] = joint.damping_poly[c] + load.damping_poly[c];
            length.friction_loss = joint.friction_loss;
            length.armature = joint.armature + load.armature;
            if (info.nv == 1) length.effort = joint.effort;
            if (spec.type == JointType::ball) continue;
            if (k < 3) length.range = joint.range[k];
            length.stiffness = joint.stiffness;
            length.stiffness_poly = joint.stiffness_poly;
            const double rest = info.nq == 1 ? joint.spring_reference.value_or(joint.reference) : 0;
            length.spring_length = {rest, rest};
        }
    }

    void add_angles(int index) {
        using Reading = Model::LoopReading;
        const LoopSpec& spec = scene_.loops()[index];
        const auto add_angle = [&](const char* ending, Reading reading, const Range& range) {
            add_length(index, spec.name + ending, {-1, -1, 1, index, reading, 0}).range = range;
        };
        const auto binds = [](const std::optional<double>& angle) {
            return angle && *angle < std::numbers::pi;
        };
        if (binds(spec.joint.cone)) add_angle(".cone", Reading::cone, {.upper = *spec.joint.cone});
        if (binds(spec.joint.swing)) add_angle(".swing", Reading::swing, {.upper = *spec.joint.swing});
        const std::optional<Range>& twist = spec.joint.twist;
        if (twist && !(twist->upper - twist->lower >= 2 * std::numbers::pi && std::isfinite(twist->lower) &&
                       std::isfinite(twist->upper)))
            add_angle(".twist", Reading::twist, *twist);
    }

    void add_spring(const LoopSpec& spec, const Model::Loop& loop) {
        const double same = spec.joint.stiffness;
        const Vec3d stiffness = spec.joint.axis_stiffness.value_or(Vec3d{same, same, same});
        if (stiffness.x == 0 && stiffness.y == 0 && stiffness.z == 0) return;
        const Transformd axes{rotation_matrix(unit_quaternion(spec.joint.stiffness_axes)), Vec3d::zero()};
        Model::Bushing spring{};
        spring.name = spec.name;
        spring.body_a = loop.body_a;
        spring.body_b = loop.body_b;
        spring.X_AF = loop.X_AF * axes;
        spring.X_BM = loop.X_BM * axes;
        spring.turn_stiffness = stiffness;
        spring.active = true;
        spring.where = spec.where;
        model_.bushings.push_back(std::move(spring));
    }

    const Scene& scene_;
    Model& model_;
    Diagnostics& log_;
    RowVelocities velocities_;
};

}  // namespace

void add_loop_joints(const Scene& scene, Model& model, Diagnostics& log) {
    LoopJoints(scene, model, log).run();
}

}  // namespace lig::compiling
