#include "model/compile_drives.h"

#include "core/diagnostic_codes.h"
#include "dynamics/drive_rows.h"
#include "dynamics/loop_length.h"
#include "linalg/small_dense.h"
#include "model/length_range.h"
#include "model/split_inertia.h"

#include <ligament/drives.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lig::compiling {

namespace {

class ReferenceResolver {
public:
    ReferenceResolver(const Scene& scene, const std::shared_ptr<Model>& model, Diagnostics& log)
        : scene_(scene),
          shared_(model),
          model_(*model),
          log_(log),
          ws_(model),
          drives_(*model),
          state_(*model) {}

    void run() {
        set_spring_lengths();
        update(model_.q0);
        count_loop_turns(ws_, state_);
        model_.loop_q0 = state_.loop_q;
        set_lengths();
        std::vector<double> M;
        for (std::size_t i = 0; i < model_.actuators.size(); ++i) {
            const ActuatorSpec& spec = scene_.actuators()[i];
            if (spec.frequency) set_by_frequency(spec, model_.actuators[i]);
            if (spec.frequency || !spec.damping_ratio) continue;
            if (M.empty()) {
                M.resize(static_cast<std::size_t>(model_.nv) * model_.nv);
                mass_matrix<double>(state_, ws_, M);
            }
            set_by_damping_ratio(*spec.damping_ratio, M, model_.actuators[i]);
        }
        set_spring_dampers();
        for (int i = 0; i < model_.nu; ++i) set_muscle(i);
    }

private:
    void update(const std::vector<double>& q) {
        state_.q = q;
        forward_kinematics(state_, ws_);
        state_.loop_q = model_.loop_q0;
        update_drives(state_, ws_, drives_);
    }

    // Springs of tendons are at rest where the springs of the joints are.
    void set_spring_lengths() {
        update(model_.q_spring);
        for (std::size_t i = 0; i < model_.tendons.size(); ++i) {
            if (model_.tendons[i].loop >= 0) continue;  // those of joints are where they are said to be
            const double rest = drives_.tendon_length[i];
            model_.tendons[i].spring_length =
                scene_.tendons()[i].spring_length.value_or(std::array{rest, rest});
        }
    }

    void set_lengths() {
        for (std::size_t i = 0; i < model_.tendons.size(); ++i) {
            Model::Tendon& tendon = model_.tendons[i];
            tendon.length0 = drives_.tendon_length[i];
            if (tendon.point_count > 0 && !(tendon.length0 > 0))
                log_.report(codes::W053, tendon.where,
                            named("tendon", tendon.name, static_cast<int>(i)) +
                                " has no length at the reference configuration",
                            "its sites coincide, and it has no direction to pull in; move one of them");
        }
        for (std::size_t i = 0; i < model_.tendon_couplings.size(); ++i) check_held_length(i);
        for (std::size_t i = 0; i < model_.actuators.size(); ++i) {
            Model::Actuator& actuator = model_.actuators[i];
            actuator.length0 = drives_.actuator_length[i];
            if (actuator.transmission == Transmission::slider_crank && !crank_reaches(actuator))
                log_.report(codes::W054, actuator.where,
                            named("actuator", actuator.name, static_cast<int>(i)) +
                                ": its crank is too short to reach from the pin to the line of the slider at "
                                "the reference configuration",
                            "give it a greater crank length");
        }
    }

    // A path that is held at no length has three rows for each of its pieces, and no direction for one.
    void check_held_length(std::size_t index) {
        const Model::TendonCoupling& coupling = model_.tendon_couplings[index];
        const Model::Tendon& tendon = model_.tendons[coupling.follower];
        const std::array<double, 5>& c = coupling.coefficients;
        const bool is_constant =
            coupling.leader < 0 || std::all_of(c.begin() + 1, c.end(), [](double x) { return x == 0; });
        if (!coupling.active || tendon.point_count == 0 || !is_constant) return;
        const double held = tendon.length0 + c[0];
        if (held > 1e-9 * (std::abs(tendon.length0) + std::abs(c[0]))) return;
        log_.report(codes::E164, coupling.where,
                    named("coupling", coupling.name, static_cast<int>(index)) + " holds " +
                        named("tendon", tendon.name, coupling.follower) + " at a length of " +
                        std::to_string(held) + " m",
                    held < 0 ? "a path is longer than 0; give polycoef a greater first number"
                             : "there is no direction to pull in; join its sites by <connect> instead");
    }

    bool crank_reaches(const Model::Actuator& actuator) const {
        const Vec3d v = site_position(ws_, actuator.site) - site_position(ws_, actuator.slider_site);
        const double along = dot(site_axes(ws_, actuator.slider_site).z, v);
        return dot(v, v) - along * along <= actuator.crank_length * actuator.crank_length;
    }

    // kv = 2 ζ √(kp m), with m the sum of the diagonal of the inertia matrix seen through each entry of the
    // row; as in MuJoCo without the inertia of tendons.
    void set_by_damping_ratio(double ratio, const std::vector<double>& M, Model::Actuator& actuator) const {
        double mass = 0;
        for (int k = actuator.row.begin; k < actuator.row.begin + actuator.row.count; ++k) {
            const double squared = drives_.row_entries[k] * drives_.row_entries[k];
            const std::size_t v = model_.row_velocities[k];
            if (squared > 1e-15) mass += M[v * model_.nv + v] / squared;
        }
        actuator.bias[2] = -2 * ratio * std::sqrt(actuator.gain[0] * mass);
    }

    // The inertia of a link by itself against the motion S, given about the point `at`; infinite for bases.
    double inverse_inertia(int link, const Vec3d& at, const Motion<double>& S) const {
        if (link < 0) return 0;
        const Transformd& X_WL = ws_.poses[link].X_WL;
        const Motion<double> own = shift(S, X_WL.p - at);
        return 1 / dot(own, world_inertia(X_WL.R, model_.tree.links[link].inertia) * own);
    }

    // kp = m ω², kv = 2 ζ m ω along the joint, with 1/m = 1/m_A + 1/m_B of the two bodies at the joint, each
    // by itself.
    void set_by_frequency(const ActuatorSpec& spec, Model::Actuator& actuator) const {
        double inverse = 0;
        if (spec.loop.index >= 0) {
            const Model::Loop& loop = model_.loops[spec.loop.index];
            const LoopPose<double> pose(ws_, loop);
            double q[joints::max_nq];
            Motion<double> S[joints::max_nv];
            read_coordinates<double>(nullptr, model_, loop, pose.X_FM, q, S);
            const Motion<double> turned{pose.R_WF * S[0].ang, pose.R_WF * S[0].lin};
            for (const int link : {pose.link_a, pose.link_b})
                inverse += inverse_inertia(link, pose.p_M, turned);
        } else {
            const Model::Joint& joint = model_.joints[actuator.joint];
            const int link = model_.bodies[joint.body].link;
            const Vec3d& at = ws_.poses[link].X_WL.p;
            for (const int each : {link, model_.tree.links[link].parent})
                inverse += inverse_inertia(each, at, ws_.S[joint.v_adr]);
        }
        const double mass = 1 / inverse;
        const double omega = 2 * std::numbers::pi * *spec.frequency;
        const double through_gear = 1 / (actuator.gear[0] * actuator.gear[0]);
        actuator.gain = {through_gear * mass * omega * omega, 0, 0};
        actuator.bias = {0, -actuator.gain[0],
                         -2 * spec.damping_ratio.value_or(1) * through_gear * mass * omega};
    }

    // A spring of the time constant t and the damping ratio ζ: k = m / (t ζ)², d = 2 m / t, with m the
    // inverse of the mean of the diagonal of the inverse inertia matrix.
    void set_spring_dampers() {
        const std::vector<ReflectedLoad> loads = joint_loads(scene_);
        for (Model::Joint& joint : model_.joints) {
            if (joint.scene_joint < 0) continue;
            const auto& given = scene_.joints()[joint.scene_joint].spec.spring_damper;
            if (!given) continue;
            const auto [time, ratio] = *given;
            if (!(time > 0 && ratio > 0) || std::isinf(time) || std::isinf(ratio)) {
                log_.report(codes::W048, joint.where,
                            named("joint", joint.name, joint.scene_joint) +
                                ": a spring by time constant and damping ratio needs both positive",
                            "its stiffness and damping were used instead");
                continue;
            }
            const double inertia = joint.nv / sum_of_inverse_inertia(joint);
            joint.stiffness = inertia / (time * time * ratio * ratio);
            joint.damping = 2 * inertia / time + loads[joint.scene_joint].damping;
        }
    }

    double sum_of_inverse_inertia(const Model::Joint& joint) {
        std::vector<double> tau(model_.nv);
        double sum = 0;
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k) {
            tau.assign(model_.nv, 0.0);
            tau[k] = 1;
            sum += response(tau)[k];
        }
        return sum;
    }

    // The acceleration at the reference configuration by these forces alone.
    std::vector<double> response(const std::vector<double>& tau) {
        if (!model_.deforming.empty()) return response_by_matrix(tau);
        const Vec3d gravity = model_.options.gravity;
        model_.options.gravity = {0, 0, 0};
        std::vector<double> qacc(model_.nv);
        forward_dynamics<double>(state_, tau, ws_, drives_, qacc);
        model_.options.gravity = gravity;
        return qacc;
    }

    // The recursion does not have bodies that deform; the mass matrix does.
    std::vector<double> response_by_matrix(std::vector<double> forces) {
        const int n = model_.nv;
        std::vector<double> M(static_cast<std::size_t>(n) * n);
        mass_matrix<double>(state_, ws_, drives_, M);
        detail::cholesky(M.data(), n, n, 0.0);
        detail::solve_down<false>(M.data(), n, n, forces.data(), 1, 1);
        detail::solve_up<false>(M.data(), n, n, forces.data(), 1, 1);
        return forces;
    }

    // What a muscle's force is measured by: the range of its lengths, and the acceleration by a unit force.
    void set_muscle(int index) {
        Model::Actuator& actuator = model_.actuators[index];
        if (!actuator.muscle_gain && !actuator.muscle_bias) return;
        const std::string who = named("actuator", actuator.name, index);
        if (!scene_.actuators()[index].length_range) {
            if (!search_) search_ = std::make_unique<LengthRangeSearch>(shared_);
            const auto found = search_->find(index);
            if (!found)
                return log_.report(codes::E192, actuator.where,
                                   who +
                                       " is a muscle, and its length has no least and greatest value within "
                                       "the limits of the joints",
                                   "give the joints that it moves a range, or write "
                                   "lengthrange=\"shortest longest\"");
            actuator.length_range = *found;
            if (search_->overlooks(index))
                log_.report(codes::W193, actuator.where,
                            who +
                                ": the range of its lengths was found by the limits of the joints alone, "
                                "without loops and other tendons",
                            "write lengthrange=\"" + std::to_string((*found)[0]) + " " +
                                std::to_string((*found)[1]) + "\" if that is right");
        }
        for (std::optional<MuscleSpec>* muscle : {&actuator.muscle_gain, &actuator.muscle_bias}) {
            if (!*muscle || (*muscle)->force >= 0) continue;
            (*muscle)->force = (*muscle)->scale / std::max(1e-15, unit_acceleration(actuator));
        }
    }

    double unit_acceleration(const Model::Actuator& actuator) {
        std::vector<double> tau(model_.nv, 0.0);
        add_along_row<double>(model_, drives_, actuator.row, 1, tau);
        double squared = 0;
        for (const double a : response(tau)) squared += a * a;
        return std::sqrt(squared);
    }

    const Scene& scene_;
    const std::shared_ptr<Model>& shared_;
    Model& model_;
    Diagnostics& log_;
    std::unique_ptr<LengthRangeSearch> search_;
    Workspace<double> ws_;
    DriveWorkspace<double> drives_;
    JointState<double> state_;
};

}  // namespace

void resolve_references(const Scene& scene, const std::shared_ptr<Model>& model, Diagnostics& log) {
    bool needed = !model->tendons.empty() || !model->actuators.empty();
    for (const Scene::Joint& joint : scene.joints()) needed |= joint.spec.spring_damper.has_value();
    if (needed) ReferenceResolver(scene, model, log).run();
}

}  // namespace lig::compiling
