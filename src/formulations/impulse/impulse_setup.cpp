// What `impulse` is made of, and keeps between steps: bodies, snapshots, the last sub-step to look back on.

#include "constraints/contact_rows.h"
#include "constraints/limit_rows.h"
#include "dynamics/dynamics_parts.h"
#include "formulations/impulse/impulse.h"
#include "model/collision_model.h"

#include <ligament/dynamics.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lig {

using impulse::direct_tuning;

namespace {

// (links) Those on whose surfaces points of contact move as they turn: not on flat ones, nor where they stay
// along the normal.
std::vector<char> rolling_links(const Model& model) {
    std::vector<char> out(model.tree.links.size(), 0);
    for (std::size_t g = 0; g < model.geoms.size() && model.collision; ++g) {
        const int index = model.collision->index_of[g], link = model.bodies[model.geoms[g].body].link;
        if (index < 0 || link < 0) continue;
        switch (model.collision->geoms[index].shape.type) {
            case ShapeType::plane:
            case ShapeType::box:
            case ShapeType::sphere:
            case ShapeType::capsule: break;
            default: out[link] = 1;
        }
    }
    return out;
}

// Whether all that is beyond a link, or what something else connects it to, weighs many times as much.
bool carries_much_more(const Model& model, std::span<const std::pair<int, int>> connected) {
    const std::vector<TreeLink<double>>& links = model.tree.links;
    std::vector<double> beyond(links.size(), 0.0);
    for (std::size_t i = links.size(); i-- > 0;)
        if (links[i].parent >= 0) beyond[links[i].parent] += beyond[i] + links[i].inertia.mass;
    const auto mass = [&](int link) { return links[link].inertia.mass; };
    for (std::size_t i = 0; i < links.size(); ++i)
        if (beyond[i] > direct_tuning.heavy_ratio * links[i].inertia.mass) return true;
    return std::any_of(connected.begin(), connected.end(), [&](const std::pair<int, int>& pair) {
        if (pair.first < 0 || pair.second < 0) return false;
        const auto [least, most] = std::minmax(mass(pair.first), mass(pair.second));
        return most > direct_tuning.heavy_ratio * least;
    });
}

// The least by which strain is damped, s; 0: it is not.
double least_damping_time(const Model& model) {
    double least = HUGE_VAL;
    for (const Model::Deforming& own : model.deforming) {
        const Model::Joint& first = model.joints[own.joint];
        least = std::min(least, first.stiffness > 0 ? first.damping / first.stiffness : 0);
    }
    return std::isfinite(least) ? least : 0;
}

// (links) Those whose tension follows from what they carry: of trees that loops and constraints join into one
// ring at most. Several rings that are joined may pull against each other by any force.
std::vector<char> links_with_own_tension(const Model& model) {
    const std::vector<TreeLink<double>>& links = model.tree.links;
    struct Group {
        int joined;  // the group it has become part of, or itself
        bool held;   // by a base
        int rings;
    };
    std::vector<Group> groups(links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
        const int parent = links[i].parent;
        const bool floats = links[i].kernel == TreeLink<double>::Kernel::free;
        groups[i] = {parent >= 0 ? parent : static_cast<int>(i), parent < 0 && !floats, 0};
    }
    const auto group_of = [&](int link) {
        while (groups[link].joined != link) link = groups[link].joined;
        return link;
    };
    const auto join = [&](const auto& pair) {
        int a = model.bodies[pair.body_a].link, b = model.bodies[pair.body_b].link;
        if (a < 0) std::swap(a, b);
        if (a < 0) return;
        Group& one = groups[group_of(a)];
        if (b < 0 || group_of(a) == group_of(b)) {
            one.rings += b >= 0 || one.held;
            one.held = one.held || b < 0;
            return;
        }
        Group& other = groups[group_of(b)];
        other.rings += one.rings + (one.held && other.held);
        other.held = other.held || one.held;
        one.joined = other.joined;
    };
    std::ranges::for_each(model.loops, join);
    std::ranges::for_each(model.pair_constraints, join);
    std::vector<char> out(links.size());
    for (std::size_t i = 0; i < links.size(); ++i)
        out[i] = groups[group_of(static_cast<int>(i))].rings <= 1;
    return out;
}

}  // namespace

Impulse::Impulse(std::shared_ptr<const Model> model, const SimulationOptions& options)
    : Formulation(model, options),
      model_(model),
      options_(options),
      way_(options.solver == "classic"     ? Way::classic
           : options.solver == "soft-step" ? Way::soft_step
                                           : Way::split_step),
      bodies_(model),
      unmet_(bodies_),
      joints_(bodies_),
      limits_(bodies_, context_.warm),
      contacts_(bodies_),
      passed_contacts_(*model),
      general_(bodies_, limits_,
               {context_.motion.dynamics, context_.warm, context_.pose_targets, context_.tracking,
                context_.rows}),
      surroundings_(*model),
      islands_(bodies_, general_.connected()),
      sleeping_(bodies_, general_.connected()),
      q_(model->nq),
      stretched_(*model),
      masses_(bodies_) {
    damping_time_ = model->options.enabled.damper ? least_damping_time(*model) : 0;
    for (std::vector<double>* forces : {&elastic_before_, &elastic_after_}) forces->assign(model->nv, 0.0);
    context_.bodies = this;
    // What a base does by the inertia of a tendon is not in the ledger.
    gives_unseen_ = !context_.motion.dynamics.drives.inertial_tendons.empty() && model->nkinematic > 0;
    context_.corrects_beside_velocities = way_ == Way::split_step && !gives_unseen_;
    equalities_follow_ = way_ != Way::classic && context_.motion.dynamics.drives.inertial_tendons.empty();
    follows_ = equalities_follow_ && bodies_.links() <= direct_tuning.max_links;
    spins_.resize(bodies_.velocities.size());
    unmet_.leave_alone(general_.acted_on(bodies_));
    // Newton's method knows the cone alone.
    if (way_ == Way::split_step && options.iterations == 0 && options.friction == FrictionLaw::cone)
        direct_ = impulse::DirectSolve::make(model, context_.collision.contacts, options);
    if (!direct_) return;
    all_links_.resize(model->tree.links.size());
    std::iota(all_links_.begin(), all_links_.end(), 0);
    if (bodies_.links() > direct_tuning.max_links)
        direct_islands_ = std::make_unique<impulse::DirectIslands>(bodies_, general_.connected());
    rolling_ = rolling_links(*model);
    carries_heavy_ = carries_much_more(*model, general_.connected());
    always_direct_ = model->nu > 0 || carries_heavy_;
    direct_->follow_tension_of(links_with_own_tension(*model));
}

void Impulse::forget() {
    Formulation::forget();
    sleeping_.wake_all();
    follow_sleep();
    joints_.forget();
    limits_.scale(0);
    rough_ = 0;
    tension_rate_ = 0;
    direct_left_ = 0;
    if (direct_islands_) direct_islands_->forget();
    general_.forget();
}

void Impulse::state_was_set(const JointState<double>&) {
    fitting_ = false;
    mending_ = true;
    equalities_looked_at_ = false;
    given_deep_ = -1;
    general_.state_was_set();
    sleeping_.wake_all();
    follow_sleep();
}

void Impulse::velocities_were_set(const JointState<double>& state) {
    const bool mending = mending_;
    const double given_deep = given_deep_;
    state_was_set(state);
    mending_ = mending;
    given_deep_ = given_deep;
}

// Other links sleep than before.
void Impulse::follow_sleep() {
    bodies_.set_asleep(sleeping_.asleep());
    joints_.follow_sleep(bodies_);
    limits_.follow_sleep(bodies_);
}

void Impulse::save_or_restore(NumberStream& numbers) {
    numbers.number(fitting_);
    numbers.number(rough_);
    for (int i = 0; i < bodies_.links(); ++i) {
        impulse::Place& place = bodies_.places[bodies_.index(i)];
        impulse::Velocity& own = bodies_.velocities[bodies_.index(i)];
        numbers.vector(place.x);
        numbers.quaternion(place.q);
        numbers.vector(own.w);
        numbers.vector(own.v);
        if (numbers.reads()) bodies_.set(i, place.x, place.q, {own.w, own.v});
    }
    for (int k = 0; k < static_cast<int>(model_->deforming.size()); ++k) {
        Sym3d S = bodies_.shape_of(k).S;
        impulse::Velocity rates = bodies_.velocities[bodies_.rates(k)];
        numbers.symmetric(S);
        numbers.vector(rates.v);
        numbers.vector(rates.w);
        if (numbers.reads()) bodies_.set_shape(k, S, rates);
    }
    joints_.save_or_restore(numbers);
    general_.save_or_restore(numbers);
    sleeping_.save_or_restore(numbers);
    if (direct_islands_) direct_islands_->save_or_restore(numbers);
    numbers.number(direct_left_);
    numbers.number(mending_);
    numbers.number(given_deep_);
    numbers.number(tension_rate_);
    if (!numbers.reads()) return;
    limits_.restore(context_.warm.lambda);
    if (!options_.impulse.sleeping) sleeping_.wake_all();
    follow_sleep();
}

void Impulse::body_poses(const JointState<double>& state, std::span<Transformd> out) {
    find_bodies(state);
    bodies_.body_poses(out);
}

void Impulse::find_bodies(const JointState<double>& state) {
    if (fitting_) return place_bases(state);
    forward_kinematics(state, context_.motion.dynamics.ws);
    bodies_.from_joints(context_.motion.dynamics.ws);
    fitting_ = true;
}

void Impulse::place_bases(const JointState<double>& state) {
    if (state.kinematic.empty()) return;
    set_bases(state, context_.motion.dynamics.ws);
    bodies_.place_bases(context_.motion.dynamics.ws.bases);
}

void Impulse::keep_before(const JointState<double>& state, double h) {
    places_before_ = bodies_.places;
    shapes_before_ = bodies_.shapes;
    velocities_before_ = bodies_.velocities;
    context_.last.kind = SubstepKind::velocity;
    context_.last.h = h;
    context_.last.before = state;
    looked_back_ = false;
}

// Joint coordinates before the last sub-step, the change of their velocities by it, and its rows: those of
// general forces are there already.
void Impulse::look_back() {
    if (context_.last.kind != SubstepKind::velocity || looked_back_) return;
    looked_back_ = true;
    JointState<double> after = context_.last.before;
    bodies_.to_joints(after);
    const auto swap_with_before = [this] {
        std::swap(bodies_.places, places_before_);
        std::swap(bodies_.velocities, velocities_before_);
        std::swap(bodies_.shapes, shapes_before_);
    };
    swap_with_before();
    place_bases(context_.last.before);
    bodies_.to_joints(context_.last.before);
    swap_with_before();
    for (int k = 0; k < model_->nv; ++k) context_.velocity_change[k] = after.v[k] - context_.last.before.v[k];
    forward_kinematics(context_.last.before, context_.motion.dynamics.ws);
    // Whatever had an impulse has a row.
    const LastSubstep& last = context_.last;
    const RowContext context{.h = last.h, .time = last.before.time, .reach_speed = HUGE_VAL};
    for (int j = 0; j < static_cast<int>(model_->joints.size()); ++j)
        if (limits_.has(j)) add_limit_rows(last.before, *model_, j, context, context_.warm, context_.rows);
    add_contact_rows(context_.collision.contacts, context_.motion.dynamics.ws, context, 1, context_.rows);
}

}  // namespace lig
