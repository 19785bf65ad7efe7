#include "formulations/impulse/general_forces.h"

#include "constraints/bushing_rows.h"
#include "constraints/friction_loss_rows.h"
#include "constraints/limit_rows.h"
#include "dynamics/dynamics_parts.h"
#include "dynamics/joint_springs.h"
#include "formulations/impulse/tuning.h"
#include "model/named.h"
#include "model/subtree.h"

#include <ligament/bushing.h>
#include <ligament/fluid.h>

#include <algorithm>
#include <cmath>

namespace lig::impulse {

namespace {

constexpr double any_speed = 1e300;  // corrections are limited by who removes the errors

bool is_zero(const Force<double>& f) {
    return f.ang.x == 0 && f.ang.y == 0 && f.ang.z == 0 && f.lin.x == 0 && f.lin.y == 0 && f.lin.z == 0;
}

bool has_limits(const Model::Joint& joint) {
    return joint.cone || joint.swing || joint.twist ||
           std::any_of(joint.range.begin(), joint.range.end(),
                       [](const Range& range) { return range != Range{}; });
}

bool is_stretch(const Model& model, int dof) {
    return std::any_of(model.tree.stretches.begin(), model.tree.stretches.end(), [&](const TreeStretch& own) {
        return dof >= own.v_adr && dof < own.v_adr + own.count;
    });
}

// Forces along joints, but for those of stretches.
bool acts_on_joints(const Model& model) {
    return model.nu > 0 || !model.tendons.empty() || !model.floating_mass.empty() ||
           std::any_of(model.joints.begin(), model.joints.end(), [&](const Model::Joint& joint) {
               return joint.type != JointType::stretch &&
                      (model.tree.armature[joint.v_adr] > 0 || has_spring(joint) || has_damper(joint));
           });
}

}  // namespace

GeneralForces::GeneralForces(const MovingBodies& bodies, const JointLimits& limits, const Sources& from)
    : model_(bodies.model()),
      from_(from),
      smooth_impulses_(model_),
      pose_drive_(model_),
      terms_(model_),
      equalities_(model_),
      freedoms_(bodies),
      joint_forces_(model_, freedoms_),
      bounded_constraints_(model_) {
    const bool constrained = model_.options.enabled.constraint;
    for (std::size_t j = 0; j < model_.joints.size(); ++j)
        if (constrained && model_.options.enabled.limit && has_limits(model_.joints[j]) &&
            !limits.has(static_cast<int>(j)))
            limited_joints_.push_back(static_cast<int>(j));
    has_medium_ = has_medium(model_);
    has_bushings_ = has_bushings(model_);
    bushing_impulses_.assign(rows_of_bushing * model_.bushings.size(), 0.0);
    const bool has_other_forces = acts_on_joints(model_);
    has_joint_forces_ = has_other_forces || !model_.deforming.empty();
    const bool has_bounds = !limited_joints_.empty() || !bounded_constraints_.empty() ||
                            (constrained && model_.options.enabled.friction_loss &&
                             std::any_of(model_.joints.begin(), model_.joints.end(),
                                         [](const Model::Joint& joint) { return joint.friction_loss > 0; }));
    has_rows_ = !equalities_.acting().empty() || has_bounds;
    is_elastic_alone_ = !model_.deforming.empty() && !has_other_forces && !has_medium_ && !has_bushings_ &&
                        !has_bounds;
    // Actuators that carry gravity have limits; there, what holds bodies up goes through the joints.
    lifts_bodies_ = !model_.floating_mass.empty() &&
                    std::none_of(model_.joints.begin(), model_.joints.end(),
                                 [](const Model::Joint& joint) { return joint.actuators_carry_gravity; });
    for (std::vector<double>* v : {&x_, &zero_, &with_tendons_, &without_}) v->assign(model_.nv, 0.0);
    for (int k = 0; k < model_.nv; ++k)
        if (model_.tree.armature[k] > 0 && !is_stretch(model_, k)) rotors_.push_back(k);
    for (std::vector<double>* v : {&rotor_speeds_, &drifted_}) v->assign(rotors_.size(), 0.0);
}

std::vector<std::pair<int, int>> GeneralForces::connected() const {
    std::vector<std::pair<int, int>> out;
    const auto link_of = [&](int body) { return model_.bodies[body].link; };
    const auto link_of_joint = [&](int joint) { return link_of(model_.joints[joint].body); };
    for (const Model::Loop& loop : model_.loops) out.push_back({link_of(loop.body_a), link_of(loop.body_b)});
    for (const Model::PairConstraint& pair : model_.pair_constraints)
        out.push_back({link_of(pair.body_a), link_of(pair.body_b)});
    for (const Model::Bushing& bushing : model_.bushings)
        out.push_back({link_of(bushing.body_a), link_of(bushing.body_b)});
    for (const Model::Coupling& coupling : model_.couplings)
        if (coupling.leader >= 0)
            out.push_back({link_of_joint(coupling.leader), link_of_joint(coupling.follower)});
    for (const Model::SubtreeConstraint& held : model_.subtree_constraints) {
        int before = -1;
        for_each_moving(model_, held.body, [&](const Model::Body& body) {
            if (before >= 0) out.push_back({before, body.link});
            before = body.link;
        });
    }
    for (const Model::GroupConstraint& group : model_.group_constraints)
        for (std::size_t k = 1; k < group.members.size(); ++k)
            out.push_back({link_of(group.members[k - 1].body), link_of(group.members[k].body)});
    // Tendons run over any number of bodies; where there are any, everything counts as one.
    if (!model_.tendons.empty())
        for (int i = 1; i < static_cast<int>(model_.tree.links.size()); ++i) out.push_back({i - 1, i});
    return out;
}

std::vector<char> GeneralForces::acted_on(const MovingBodies& bodies) const {
    std::vector<char> out(bodies.velocities.size(), 0);
    const auto mark = [&](int link) {
        if (link >= 0) out[bodies.index(link)] = 1;
    };
    const auto mark_joint = [&](int joint) { mark(model_.bodies[model_.joints[joint].body].link); };
    for (const auto& [a, b] : connected()) {
        mark(a);
        mark(b);
    }
    for (const Model::Actuator& actuator : model_.actuators) {
        if (actuator.joint >= 0) mark_joint(actuator.joint);
        // On sites: of any bodies.
        for (int i = 0; i < bodies.links() && actuator.joint < 0; ++i) mark(i);
    }
    for (const int joint : limited_joints_) mark_joint(joint);
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
        const Model::Joint& joint = model_.joints[j];
        const bool acts = has_spring(joint) || has_damper(joint) || joint.friction_loss > 0;
        if (acts || joint.actuators_carry_gravity) mark_joint(static_cast<int>(j));
    }
    for (int i = 0; i < bodies.links(); ++i) {
        const TreeLink<double>& link = model_.tree.links[i];
        const auto armature = model_.tree.armature.begin() + link.v_adr;
        if (std::any_of(armature, armature + link.nv, [](double a) { return a > 0; })) mark(i);
        if (!model_.floating_mass.empty() && model_.floating_mass[i] > 0) mark(i);
    }
    return out;
}

bool GeneralForces::drives_joints(double time, double dt) const {
    return from_.targets.active() || from_.tracking.acts(time, dt);
}

bool GeneralForces::has_input() const {
    const std::vector<double>& applied = from_.dynamics.qfrc_applied;
    return std::any_of(applied.begin(), applied.end(), [](double x) { return x != 0; });
}

void GeneralForces::begin_step(const JointState<double>& state, double dt) {
    const std::vector<Force<double>>& wrenches = from_.dynamics.xfrc_applied;
    const bool of_model = has_medium_ || has_bushings_ || has_joint_forces_ || has_rows_;
    acts_anywhere_ = has_medium_ || has_input() || drives_joints(state.time, dt);
    acts_ = of_model || acts_anywhere_;
    pushes_wrenches_ = std::any_of(wrenches.begin(), wrenches.end(),
                                   [](const Force<double>& f) { return !is_zero(f); });
    if (acts_) return;
    from_.rows.clear();
    blocks_.clear();
    bushings_.clear();
    joint_forces_.clear_blocks();
}

void GeneralForces::push_wrenches(double h, MovingBodies& bodies) const {
    for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
        const Force<double>& f = from_.dynamics.xfrc_applied[b];
        const Model::Body& body = model_.bodies[b];
        if (body.link < 0 || is_zero(f)) continue;
        const int index = bodies.index(body.link);
        const Vec3d arm = bodies.link_pose(body.link) * (body.X_LB * body.com) - bodies.places[index].x;
        bodies.moving().push(index, h * f.lin, h * (f.ang + cross(arm, f.lin)));
    }
}

// Joint coordinates, lengths of tendons and transmissions; but poses are those that the bodies have, apart
// from each other by what joints give.
void GeneralForces::read_bodies(JointState<double>& state, const MovingBodies& bodies) {
    SmoothDynamics& dynamics = from_.dynamics;
    bodies.to_joints_of_awake(state);
    forward_kinematics(state, dynamics.ws);
    for (int i = 0; i < bodies.links(); ++i) read_pose(i, bodies);
    if (!acts_) return;
    update_drives(state, dynamics.ws, dynamics.drives);
    freedoms_.find(bodies, dynamics.ws.poses, state.q.data());
}

// Of a body as it really is, not as joints would have it.
void GeneralForces::read_pose(int link, const MovingBodies& bodies) {
    const int index = bodies.index(link);
    const Velocity& own = bodies.velocities[index];
    const Transformd X_WL = bodies.link_pose(link);
    PoseWork<double>& out = from_.dynamics.ws.poses[link];
    out.X_WL = X_WL;
    out.V_WL = shift(Motion<double>{own.w, own.v}, X_WL.p - bodies.places[index].x);
}

void GeneralForces::push_bodies(double h, MovingBodies& bodies) {
    if (!has_medium_ && !lifts_bodies_) return;
    SmoothDynamics& dynamics = from_.dynamics;
    clear_external(dynamics.ws);
    add_fluid_forces(dynamics.ws);
    if (has_medium_) drags_ = dynamics.ws.f_ext;
    if (lifts_bodies_) add_gravity_compensation(dynamics.ws);
    for (int i = 0; i < bodies.links(); ++i) {
        const int index = bodies.index(i);
        if (bodies.is_asleep(index)) continue;
        const Vec3d arm = dynamics.ws.poses[i].X_WL.p - bodies.places[index].x;
        const Force<double> at_com = shift_back(dynamics.ws.f_ext[i], arm);
        bodies.moving().push(index, h * at_com.lin, h * at_com.ang);
    }
}

void GeneralForces::read_bushings(double h, const MovingBodies& bodies) {
    if (!has_bushings_) return;
    bushing_rows_.clear();
    add_bushing_rows(from_.dynamics.ws, h, bushing_impulses_, bushing_rows_);
    bushings_.read(bushing_rows_, from_.dynamics.ws, freedoms_, bodies, h);
}

// x_ and terms_ of the joints, and rows of what is limited or goes by tendons.
void GeneralForces::find_joint_forces(const JointState<double>& state, double h) {
    SmoothDynamics& dynamics = from_.dynamics;
    const RowContext context{.h = h, .time = state.time};
    terms_.clear_added();
    for (int k = 0; k < model_.nv; ++k) x_[k] = h * dynamics.qfrc_applied[k];
    if (!dynamics.drives.inertial_tendons.empty()) {
        // What the turning of such a tendon takes: of its acceleration, the part without that of joints.
        inverse_dynamics<double>(state, zero_, dynamics.ws, dynamics.drives, with_tendons_);
        inverse_dynamics<double>(state, zero_, dynamics.ws, without_);
        for (int k = 0; k < model_.nv; ++k) x_[k] -= h * (with_tendons_[k] - without_[k]);
    }
    const SmoothImpulses::Step step{state, model_, dynamics.ctrl, context, from_.warm, dynamics.drives};
    if (has_joint_forces_) smooth_impulses_.add_passive(step, terms_, x_, from_.rows);
    if (lifts_bodies_)
        for (int k = 0; k < model_.nv; ++k) x_[k] -= h * dynamics.drives.gravity_force[k];
    has_drives_ = model_.nu > 0 || drives_joints(state.time, h);
    if (!has_drives_) return;
    driven_ = x_;
    driven_terms_ = terms_.added;
    if (has_joint_forces_) smooth_impulses_.add_actuators(step, terms_, x_, from_.rows);
    pose_drive_.add(from_.targets, state, dynamics.ws, context, from_.warm, {terms_, x_, from_.rows});
    from_.tracking.add(state, context, from_.warm, x_, from_.rows);
    for (int k = 0; k < model_.nv; ++k) driven_[k] = x_[k] - driven_[k];
    for (std::size_t k = 0; k < driven_terms_.size(); ++k)
        driven_terms_[k] = terms_.added[k] - driven_terms_[k];
}

// Of links while nothing acts on them, as rows read them: less gravity.
void GeneralForces::find_accelerations(const Bend& bend, const MovingBodies& bodies) {
    Workspace<double>& ws = from_.dynamics.ws;
    for (int i = 0; i < bodies.links() && !equalities_.acting().empty(); ++i) {
        const int index = bodies.index(i);
        const Vec3d arm = ws.poses[i].X_WL.p - bodies.places[index].x;
        ws.links[i].a0 = {bend.spins[index].change, bend.spins[index].bend(arm) - model_.options.gravity};
    }
}

void GeneralForces::add_equalities(const JointState<double>& state, const RowContext& context,
                                   const Bend& bend, const MovingBodies& bodies) {
    Rows& rows = from_.rows;
    std::vector<EqualityTerms>& terms = equality_terms_;
    const EqualityState now{state, from_.dynamics.ws, &from_.dynamics.drives, context.time,
                            bend.half != 0};
    for (const Equality& equality : equalities_.acting()) {
        terms.clear();
        const std::size_t first = rows.rows.size();
        Equalities::add(equality, now, rows, terms);
        // Couplings go by coordinates of joints, whose curvature is left out.
        const RowBlock& block = rows.blocks.back();
        const bool follows = bend.half != 0 && (block.kind == RowKind::loop || block.kind == RowKind::pair);
        const double followed = follows ? std::min(bend.followed(bodies.index(block.link_a)),
                                                   bend.followed(bodies.index(block.link_b)))
                                        : 0;
        for (std::size_t r = first; r < rows.rows.size(); ++r) {
            EqualityTerms& own = terms[r - first];
            own.product *= followed;
            if (follows) own.product += followed * stretched_away(rows.rows[r], bend, bodies);
            if (!own.holonomic) own.error = 0;
            set_equality(rows.rows[r], own, context, from_.warm, equality.warm);
        }
    }
}

void GeneralForces::add_bounds(const JointState<double>& state, const RowContext& context) {
    const DriveWorkspace<double>& drives = from_.dynamics.drives;
    add_friction_loss_rows(model_, context, from_.warm, from_.rows);
    add_tendon_friction_rows(state, model_, drives, context, from_.warm, from_.rows);
    for (const int joint : limited_joints_)
        add_limit_rows(state, model_, joint, context, from_.warm, from_.rows);
    add_tendon_limit_rows(state, model_, drives, context, from_.warm, from_.rows);
    bounded_constraints_.add_rows(from_.dynamics.ws, state.v, context, from_.warm, false, from_.rows);
}

void GeneralForces::add_rotor_impulses(const JointState<double>& state) {
    if (!rotors_turn_) return;
    for (std::size_t k = 0; k < rotors_.size(); ++k)
        x_[rotors_[k]] += model_.tree.armature[rotors_[k]] * (rotor_speeds_[k] - state.v[rotors_[k]]);
}

void GeneralForces::before_drift(const BodyView& bodies) {
    for (std::size_t k = 0; k < rotors_.size(); ++k) drifted_[k] = -freedoms_[rotors_[k]].velocity(bodies);
}

void GeneralForces::after_drift(const BodyView& bodies) {
    for (std::size_t k = 0; k < rotors_.size(); ++k) drifted_[k] += freedoms_[rotors_[k]].velocity(bodies);
}

bool GeneralForces::all_finite(StepReport& report) const {
    for (const Model::Joint& joint : model_.joints)
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k)
            if (!std::isfinite(x_[k])) {
                report.status = StepStatus::non_finite;
                report.where = "the force on " + named(model_, joint) + " is not finite";
                return false;
            }
    return true;
}

void GeneralForces::prepare(JointState<double>& state, double h, const How& how, MovingBodies& bodies,
                            StepReport& report) {
    if (!acts_) {
        if (pushes_wrenches_) push_wrenches(h, bodies);
        return;
    }
    if (!how.warm_starting) {
        std::fill(from_.warm.lambda.begin(), from_.warm.lambda.end(), 0.0);
        forget();
    }
    from_.rows.clear();
    read_bodies(state, bodies);
    find_joint_forces(state, h);
    if (bodies.deform()) {
        bodies.resist_stretching(terms_, h);
        freedoms_.renew_mobilities(bodies);
    }
    add_rotor_impulses(state);
    if (!all_finite(report)) return;
    const RowContext context{.h = h,
                             .time = state.time,
                             .correction = 1,
                             .product_share = how.bend.half / h,
                             .fastest_correction = any_speed,
                             .slop = 0};
    equalities_begin_ = static_cast<int>(from_.rows.blocks.size());
    if (how.bend.half != 0) find_accelerations(how.bend, bodies);
    add_equalities(state, context, how.bend, bodies);
    two_sided_ = static_cast<int>(from_.rows.blocks.size());
    add_bounds(state, context);
    blocks_.read(from_.rows, from_.dynamics.ws, freedoms_, bodies, h);
    report.equality_rows = blocks_.held_rows();
    report.equality_error = blocks_.largest_held_error();
    read_bushings(h, bodies);
    joint_forces_.prepare(freedoms_, terms_, state.v, x_, bodies);
    push_bodies(h, bodies);
    if (pushes_wrenches_) push_wrenches(h, bodies);
}

void GeneralForces::renew_responses(const MovingBodies& bodies) {
    if (!acts_) return;
    freedoms_.renew_mobilities(bodies);
    joint_forces_.renew_inverses(freedoms_);
    blocks_.renew_responses(bodies);
    bushings_.renew_responses(bodies);
}

bool GeneralForces::is_stiff() const {
    return acts_ && std::max({joint_forces_.stiffness(), blocks_.stiffness(), bushings_.stiffness()}) >
                        solver_tuning.stiff_ratio;
}

double GeneralForces::limit_violation(const JointState<double>& state) {
    if (!acts_) return 0;
    const double joints = limited_joints_.empty() ? 0 : largest_limit_violation(state, model_).size;
    return std::max({joints, largest_tendon_limit_violation(model_, from_.dynamics.drives).size,
                     bounded_constraints_.largest_violation(from_.dynamics.ws, state.time)});
}

void GeneralForces::warm_start(const BodyView& bodies) const {
    if (!acts_) return;
    joint_forces_.warm_start(freedoms_, bodies);
    blocks_.warm_start(bodies);
    bushings_.warm_start(bodies);
}

double GeneralForces::sweep_forces(bool back, const Give& give, bool accumulated, const BodyView& bodies) {
    if (!acts_) return 0;
    std::fill(drifted_.begin(), drifted_.end(), 0.0);  // rotors resist that as of now
    double met = 0;
    for (int part = 0; part < 3; ++part) switch (back ? 2 - part : part) {
            case 0: met = std::max(met, joint_forces_.sweep(back, freedoms_, bodies)); break;
            case 1: met = std::max(met, bushings_.sweep_forces(back, give, accumulated, bodies)); break;
            default: met = std::max(met, blocks_.sweep_forces(back, give, accumulated, bodies)); break;
        }
    return met;
}

double GeneralForces::sweep_held(bool back, const Give& give, double slop, bool accumulated,
                                 const BodyView& bodies) {
    return acts_ ? blocks_.sweep_held(back, give, slop, accumulated, bodies) : 0.0;
}

double GeneralForces::missed(const BodyView& bodies) const {
    if (!acts_) return 0;
    return std::max(
        {joint_forces_.missed(freedoms_, bodies), bushings_.missed(bodies), blocks_.missed(bodies)});
}

void GeneralForces::correct(double rate, double slop, const BodyView& corrections) {
    if (acts_) blocks_.correct(rate, slop, corrections);
}

void GeneralForces::finish(JointState<double>& state, double h, const BodyView& bodies) {
    if (!acts_) return;
    for (std::size_t k = 0; k < rotors_.size(); ++k)
        rotor_speeds_[k] = freedoms_[rotors_[k]].velocity(bodies) - drifted_[k];
    rotors_turn_ = true;
    blocks_.write(from_.rows);
    bushings_.write(bushing_rows_);
    for (const Row& row : bushing_rows_.rows) bushing_impulses_[row.warm] = row.lambda;
    // Rows that were not found are without impulse.
    std::fill(from_.warm.lambda.begin(), from_.warm.lambda.end(), 0.0);
    for (const Row& row : from_.rows.rows)
        if (row.warm >= 0) from_.warm.lambda[row.warm] = row.lambda;
    if (model_.na > 0) next_activation<double>(state, model_, from_.dynamics.drives, h, state.act);
}

void GeneralForces::forget() {
    std::fill(joint_forces_.impulses.begin(), joint_forces_.impulses.end(), 0.0);
    std::fill(bushing_impulses_.begin(), bushing_impulses_.end(), 0.0);
}

void GeneralForces::scale(double by) {
    for (double& x : joint_forces_.impulses) x *= by;
    for (double& x : bushing_impulses_) x *= by;
}

void GeneralForces::save_or_restore(NumberStream& numbers) {
    for (std::vector<double>* list : {&joint_forces_.impulses, &bushing_impulses_, &rotor_speeds_})
        numbers.numbers(*list);
    numbers.number(rotors_turn_);
}

}  // namespace lig::impulse
