// What touches in a state is an EventSet with its modes, accelerations are those of EventStep; which of many
// forces do the same is LoopDynamics' affair. What is added here: which forces the modes leave open.

#include <ligament/contact_dynamics.h>

#include "constraints/row_jacobian.h"
#include "formulations/reduced/event_step.h"
#include "linalg/vector_ops.h"
#include "model/named.h"
#include "simulation/forces_besides.h"
#include "simulation/least_forces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace lig {

namespace {

// m/s², rad/s², for accelerations of 1: what differs by less is the same, of accelerations that were found
// and of those that are given.
constexpr double same_found = 1e-8, same_given = 1e-6;
constexpr double accuracy = 1e-11;  // as wanted of the solver
constexpr double least_share = 1e-9;  // of the largest force: as good as none
constexpr double past_bounds = 1e-9;  // of the largest force, and of the bound
constexpr int refinements = 20;
constexpr double refined = 1e-13, settled = 1e-9;  // of the largest force

std::string speed_text(double speed, const char* unit) { return std::to_string(speed) + " " + unit; }

}  // namespace

struct ContactDynamics::Inside {
    Inside(const std::shared_ptr<const Model>& model, const TouchingOptions& options_)
        : options(options_),
          context(model, simulation),
          event(context, {.accuracy = accuracy,
                          .caught_gap = options.gap,
                          .caught_angle = options.gap,
                          .bouncing_gap = options.gap,
                          .speed = options.speed,
                          .slip = options.speed}) {}

    // Rows that belong together and what is open about their forces.
    struct Part {
        RowKind kind;
        int index;           // of the set's list of its kind
        int row, count;      // of rows()
        int unknown = -1;    // in ForcesBesides::unknown
        std::vector<double> share = {};  // of each row in its one force, where that is all there is
        TouchingMode mode = TouchingMode::opens;
        bool held = false;         // its force keeps its acceleration at nothing
        bool is_overcome = false;  // it breaks away by its force, its slip is not known yet

        // Its friction goes with its acceleration.
        bool rubs() const { return mode == TouchingMode::breaks_away && !is_overcome; }
    };
    // What the modes of a state are found from: accelerations that are given, or found with forces.
    struct Modes {
        std::span<const double> qacc;
        double same;  // what counts as nothing of an acceleration
        bool forces_are_found = false;
    };

    const Model& model() const { return *context.model; }
    const Workspace<double>& ws() const { return context.motion.dynamics.ws; }
    bool look(const JointState<double>& state);
    std::string approaching() const;
    void write_jacobian();
    // J v̇ + γ of a row.
    double acceleration(int row, std::span<const double> qacc) const {
        return event.row_bias()[row] + dot(&J[static_cast<std::size_t>(row) * qacc.size()], qacc.data(),
                                           static_cast<int>(qacc.size()));
    }
    // … what of it is as good as nothing, beside the terms that make it up.
    double nothing(int row, std::span<const double> qacc, double same) const {
        double largest = 1;
        for (std::size_t k = 0; k < qacc.size(); ++k)
            largest = std::max(largest, std::fabs(J[static_cast<std::size_t>(row) * qacc.size() + k] * qacc[k]));
        return same * largest;
    }
    // −1, 0 or 1
    int sign_of(int row, const Modes& modes) const {
        const double w = acceleration(row, modes.qacc), least = nothing(row, modes.qacc, modes.same);
        return w > least ? 1 : w < -least ? -1 : 0;
    }
    void find_parts(const Modes& modes);
    void place(Part& part, const Range& range, const Modes& modes);
    double slack(double lower, double upper) const;
    void place_contact(Part& part, const Modes& modes);
    TouchingMode mode_of_friction(Part& part, const Modes& modes) const;
    void add_cone(Part& part);
    void add_ray(Part& part, std::span<const double> direction);
    void add_interval(Part& part, const Range& range);
    void give(const Part& part, double force);
    std::string into_what(std::span<const double> qacc, double same) const;
    std::string name_of(const Part& part) const;
    // Of a row of a part, as the forces besides have it.
    double force_of(const Part& part, int row) const;
    // A row that is held, and what a unit of its force does: of a part, or of an equality (−1).
    struct Holding {
        int row, part;
        std::vector<double> along;
    };
    std::vector<Holding> holding() const;
    double rubbing(const Part& part, int row, std::span<const double> qacc, std::vector<double>& by) const;
    void take_forces();
    void settle(std::span<double> qacc);
    bool refine(std::span<double> qacc);
    bool is_settled() const;
    void widen();

    const TouchingOptions options;
    SimulationOptions simulation;
    StepContext context;
    EventStep event;
    StepReport report;
    std::vector<double> J;  // (rows × nv)
    ForcesBesides besides;
    std::vector<double> given;  // (rows) of those that are known
    std::vector<double> forces;  // (rows) of the accelerations
    std::vector<Part> parts;
};

ContactDynamics::ContactDynamics(ContactDynamics&&) noexcept = default;
ContactDynamics& ContactDynamics::operator=(ContactDynamics&&) noexcept = default;
ContactDynamics::~ContactDynamics() = default;

ContactDynamics::ContactDynamics(std::shared_ptr<const Model> model, const TouchingOptions& options,
                                 std::vector<int> independent)
    : qacc(model->nv, 0.0),
      loops(model, std::move(independent)),
      limit_force(model->nv, 0.0),
      friction_force(model->nv, 0.0) {
    if (!model->deforming.empty())
        throw std::invalid_argument("lig::ContactDynamics: bodies that deform are not handled");
    inside_ = std::make_unique<Inside>(model, options);
}

SmoothDynamics& ContactDynamics::inputs() { return inside_->context.motion.dynamics; }

// What touches. False: some of it approaches.
bool ContactDynamics::Inside::look(const JointState<double>& state) {
    report = {};
    clear_contacts(context.collision);
    std::fill(context.warm.lambda.begin(), context.warm.lambda.end(), 0.0);
    // So that what is as far away as the gap that touches is found.
    event.begin(4 * options.gap / Surroundings::reach_speed);
    return event.look_at(state, report);
}

bool ContactDynamics::touches(const JointState<double>& state) {
    const bool still = inside_->look(state);
    const EventSet& set = inside_->event.set();
    return !still || !set.contacts.empty() || !set.bounds.empty() || !set.rubbings.empty() ||
           std::any_of(set.bounded.begin(), set.bounded.end(),
                       [](const BoundedRow& row) { return row.acts || !row.one_sided; });
}

std::string ContactDynamics::Inside::approaching() const {
    const EventStep::Approach fastest = event.approach();
    const Model& m = model();
    if (fastest.contact) {
        const Manifold& manifold = context.collision.contacts.manifolds[fastest.contact->manifold];
        return named("geom", m.geoms[manifold.geom_a].spec.name, manifold.geom_a) + " and " +
               named("geom", m.geoms[manifold.geom_b].spec.name, manifold.geom_b) +
               " touch and approach each other at " + speed_text(fastest.speed, "m/s");
    }
    if (!fastest.bound)
        return "a constraint whose force has bounds is reached and moves beyond at " +
               speed_text(fastest.speed, "m/s");
    const int source = fastest.bound->source;
    return (fastest.bound->kind == RowKind::limit ? named(m, m.joints[source])
                                                  : named("tendon", m.tendons[source].name, source)) +
           " is at its limit and moves beyond it at " + speed_text(fastest.speed, "rad/s or m/s");
}

void ContactDynamics::Inside::write_jacobian() {
    const Rows& rows = event.rows();
    const std::size_t nv = static_cast<std::size_t>(model().nv);
    J.resize(rows.rows.size() * nv);
    for (const RowBlock& block : rows.blocks)
        for (int r = block.begin; r < block.begin + block.count; ++r)
            write_row_jacobian(rows, block, rows.rows[r], ws(),
                               std::span(J).subspan(static_cast<std::size_t>(r) * nv, nv));
}

void ContactDynamics::Inside::add_interval(Part& part, const Range& range) {
    add_ray(part, {});
    besides.unknown.back().range = range;
}

// One force for all rows: the first as it is, the others in proportion.
void ContactDynamics::Inside::add_ray(Part& part, std::span<const double> direction) {
    const std::size_t nv = static_cast<std::size_t>(model().nv);
    part.unknown = static_cast<int>(besides.unknown.size());
    part.share.assign(1, 1.0);
    part.share.insert(part.share.end(), direction.begin(), direction.end());
    BoundedForce& own = besides.unknown.emplace_back();
    own.range = {.lower = 0};
    own.force.assign(1, 0.0);
    own.along.assign(nv, 0.0);
    for (std::size_t r = 0; r < part.share.size(); ++r)
        add_scaled(part.share[r], &J[(static_cast<std::size_t>(part.row) + r) * nv], own.along.data(),
                   static_cast<int>(nv));
}

void ContactDynamics::Inside::add_cone(Part& part) {
    const std::size_t nv = static_cast<std::size_t>(model().nv);
    part.unknown = static_cast<int>(besides.unknown.size());
    BoundedForce& own = besides.unknown.emplace_back();
    own.cone = true;
    own.force.assign(part.count, 0.0);
    own.along.assign(part.count * nv, 0.0);
    for (int r = 0; r < part.count; ++r)
        add_scaled(r == 0 ? 1 : event.rows().rows[part.row + r].friction,
                   &J[static_cast<std::size_t>(part.row + r) * nv], &own.along[r * nv],
                   static_cast<int>(nv));
}

void ContactDynamics::Inside::give(const Part& part, double force) {
    given[part.row] = force;
    add_scaled(force, &J[static_cast<std::size_t>(part.row) * besides.given.size()], besides.given.data(),
               static_cast<int>(besides.given.size()));
}

// A row with a force between bounds, whose acceleration is nothing while it is inside, and of the sign that it
// cannot prevent at a bound. Accelerations tell where it is; where forces were found, these do, and
// accelerations at the bounds only.
void ContactDynamics::Inside::place(Part& part, const Range& range, const Modes& modes) {
    const int sign = sign_of(part.row, modes);
    bool lowest = sign > 0, highest = sign < 0;
    if (modes.forces_are_found) {
        const double force = forces[part.row], near = slack(range.lower, range.upper);
        part.held = true;
        if (force < range.lower - near || force > range.upper + near) {
            lowest = force < range.lower;
            highest = !lowest;
        } else {
            lowest = lowest && force <= range.lower + near;
            highest = highest && force >= range.upper - near;
            part.held = sign != 0 || (force > range.lower + near && force < range.upper - near);
        }
    }
    if (lowest)
        give(part, range.lower);
    else if (highest && std::isfinite(range.upper))
        give(part, range.upper);
    else
        add_interval(part, range);
}

// What of a force is as good as none beside its bounds and the others.
double ContactDynamics::Inside::slack(double lower, double upper) const {
    double size = 0;
    for (const double bound : {lower, upper})
        if (std::isfinite(bound)) size = std::max(size, std::fabs(bound));
    return least_share * (size > 0 ? size : largest_of(forces));
}

void ContactDynamics::Inside::place_contact(Part& part, const Modes& modes) {
    const ClosedContact& own = event.set().contacts[part.index];
    const int sign = sign_of(part.row, modes);
    const double none = slack(0, 0);
    part.held = modes.forces_are_found && (forces[part.row] > none || sign < 0);
    if (part.held ? forces[part.row] < -none : sign > 0) return;
    part.mode = part.count == 1 ? TouchingMode::rests
                : own.slides    ? TouchingMode::slides
                                : mode_of_friction(part, modes);
    if (part.mode == TouchingMode::sticks) return add_cone(part);
    // Against the slip; against the force that would be too much, where nothing slips yet.
    std::vector<double> against(part.count - 1);
    double squares = 0;
    for (int k = 1; k < part.count; ++k) {
        const int r = part.row + k;
        const double mu = event.rows().rows[r].friction;
        const double along = own.slides          ? event.row_bias()[r]
                             : part.is_overcome ? -forces[r] / (mu * mu)
                                                : acceleration(r, modes.qacc);
        against[k - 1] = -mu * mu * along;
        squares += mu * mu * along * along;
    }
    for (double& share : against) share /= std::sqrt(squares);
    add_ray(part, against);
}

// Of what does not slide yet.
TouchingMode ContactDynamics::Inside::mode_of_friction(Part& part, const Modes& modes) const {
    double used = 0, power = 0;
    bool slips = false;
    for (int r = part.row + 1; r < part.row + part.count; ++r) {
        const double mu = event.rows().rows[r].friction;
        slips = slips || sign_of(r, modes) != 0;
        if (!modes.forces_are_found) continue;
        used += forces[r] * forces[r] / (mu * mu);
        power += forces[r] * acceleration(r, modes.qacc);
    }
    if (!modes.forces_are_found || !part.held)
        return slips ? TouchingMode::breaks_away : TouchingMode::sticks;
    const double most = forces[part.row];
    if (std::sqrt(used) < most * (1 - least_share)) return TouchingMode::sticks;
    if (slips) return power < 0 ? TouchingMode::breaks_away : TouchingMode::sticks;
    part.is_overcome = std::sqrt(used) > most * (1 + least_share);
    return part.is_overcome ? TouchingMode::breaks_away : TouchingMode::sticks;
}

// The forces that the modes of a state leave open.
void ContactDynamics::Inside::find_parts(const Modes& modes) {
    const Rows& rows = event.rows();
    const EventSet& set = event.set();
    write_jacobian();
    parts.clear();
    besides.unknown.clear();
    besides.given.assign(modes.qacc.size(), 0.0);
    given.assign(rows.rows.size(), 0.0);
    std::size_t bound = 0, rubbing = 0, contact = 0, bounded = 0;
    for (std::size_t k = static_cast<std::size_t>(event.one_sided()); k < rows.blocks.size(); ++k) {
        const RowBlock& block = rows.blocks[k];
        Part part{block.kind, 0, block.begin, block.count};
        if (bound < set.bounds.size()) {
            part.index = static_cast<int>(bound++);
            place(part, {.lower = 0}, modes);
        } else if (rubbing < set.rubbings.size()) {
            part.index = static_cast<int>(rubbing);
            const Rubbing& own = set.rubbings[rubbing++];
            if (own.sign != 0)
                give(part, own.sign > 0 ? -own.most : own.most);
            else
                place(part, {-own.most, own.most}, modes);
        } else if (contact < set.contacts.size()) {
            part.index = static_cast<int>(contact++);
            place_contact(part, modes);
        } else {
            for (int r = block.begin; r < block.begin + block.count; ++r) {
                Part one{block.kind, static_cast<int>(bounded), r, 1};
                const BoundedRow& own = set.bounded[bounded++];
                if (own.acts)
                    place(one, {own.lower, own.upper}, modes);
                else
                    give(one, rows.rows[r].lo);
                parts.push_back(std::move(one));
            }
            continue;
        }
        parts.push_back(std::move(part));
    }
}

std::string ContactDynamics::Inside::name_of(const Part& part) const {
    const Model& m = model();
    const EventSet& set = event.set();
    if (part.kind == RowKind::contact) {
        const ClosedContact& own = set.contacts[part.index];
        return "the contact of " + named("geom", m.geoms[own.geom_a].spec.name, own.geom_a) + " and " +
               named("geom", m.geoms[own.geom_b].spec.name, own.geom_b);
    }
    const int source = part.kind == RowKind::limit || part.kind == RowKind::tendon_limit
                           ? set.bounds[part.index].source
                           : 0;
    if (part.kind == RowKind::limit) return "the limit of " + named(m, m.joints[source]);
    if (part.kind == RowKind::tendon_limit)
        return "the limit of " + named("tendon", m.tendons[source].name, source);
    return "a constraint whose force has bounds";
}

// What pushes, and is asked to be passed; empty: nothing.
std::string ContactDynamics::Inside::into_what(std::span<const double> qacc, double same) const {
    for (const Part& part : parts) {
        const bool pushes =
            part.kind == RowKind::contact || part.kind == RowKind::limit ||
            part.kind == RowKind::tendon_limit ||
            (is_limit(part.kind) && event.set().bounded[part.index].acts);
        const double w = acceleration(part.row, qacc);
        if (pushes && w < -nothing(part.row, qacc, same))
            return "the accelerations lead into " + name_of(part) + ", by " + std::to_string(-w) +
                   " m/s² or rad/s²: no force that pushes does that";
    }
    return {};
}

double ContactDynamics::Inside::force_of(const Part& part, int row) const {
    if (part.unknown < 0) return given[row];
    const BoundedForce& own = besides.unknown[part.unknown];
    const std::size_t k = static_cast<std::size_t>(row - part.row);
    if (!own.cone) return k < part.share.size() ? part.share[k] * own.force[0] : 0;
    return k == 0 ? own.force[0] : event.rows().rows[row].friction * own.force[k];
}

// What is held, each row with the force that holds it: equalities, and parts that push. Friction that breaks
// away has its rows, too.
std::vector<ContactDynamics::Inside::Holding> ContactDynamics::Inside::holding() const {
    const Rows& rows = event.rows();
    const std::size_t nv = static_cast<std::size_t>(model().nv);
    std::vector<Holding> held;
    const auto hold = [&](int row, int part) {
        held.push_back({row, part, {J.begin() + row * nv, J.begin() + (row + 1) * nv}});
    };
    for (int k = 0; k < event.one_sided(); ++k)
        for (int r = rows.blocks[k].begin; r < rows.blocks[k].begin + rows.blocks[k].count; ++r)
            if (rows.rows[r].lo < rows.rows[r].hi) hold(r, -1);
    for (int p = 0; p < static_cast<int>(parts.size()); ++p) {
        const Part& part = parts[p];
        if (part.unknown < 0 || !part.held) continue;
        const BoundedForce& own = besides.unknown[part.unknown];
        if (own.cone || part.rubs())
            for (int r = part.row; r < part.row + part.count; ++r) hold(r, p);
        else
            held.push_back({part.row, p, own.along});
    }
    return held;
}

// A row of friction that breaks away: E = λ − f(λ of the normal, w) is nothing, with f = −λ μ² w / |μ w|. Its
// derivatives by the normal force and by w of the rows of friction. Returns −E.
double ContactDynamics::Inside::rubbing(const Part& part, int row, std::span<const double> qacc,
                                        std::vector<double>& by) const {
    double squares = 0;
    const auto mu = [&](int r) { return event.rows().rows[r].friction; };
    for (int r = part.row + 1; r < part.row + part.count; ++r)
        squares += std::pow(mu(r) * acceleration(r, qacc), 2);
    const double slip = std::sqrt(squares), w = acceleration(row, qacc), m = mu(row) * mu(row);
    by.assign(part.count, 0.0);
    by[0] = m * w / slip;
    for (int r = part.row + 1; r < part.row + part.count; ++r)
        by[r - part.row] = forces[part.row] * m *
                           ((r == row ? 1 : 0) - w * mu(r) * mu(r) * acceleration(r, qacc) / squares) / slip;
    return -forces[row] - forces[part.row] * m * w / slip;
}

// Forces of parts that are not held become what the modes say, with what that does to accelerations.
void ContactDynamics::Inside::settle(std::span<double> qacc) {
    std::vector<double> pushed(qacc.size(), 0.0), motion(qacc.size());
    bool changes = false;
    for (const Part& part : parts)
        for (int k = 0; k < part.count; ++k) {
            double& force = forces[part.row + k];
            double wanted = force;
            if (part.unknown < 0)
                wanted = given[part.row + k];
            else if (k > 0 && !part.rubs() && !besides.unknown[part.unknown].cone)
                wanted = part.share[k] * forces[part.row];
            if (wanted == force) continue;
            changes = true;
            add_scaled(wanted - force, &J[(part.row + k) * qacc.size()], pushed.data(),
                       static_cast<int>(qacc.size()));
            force = wanted;
        }
    if (!changes) return;
    event.factor().inward(pushed);
    event.factor().outward(pushed, motion);
    for (std::size_t k = 0; k < qacc.size(); ++k) qacc[k] += motion[k];
}

// Where the modes are known, what the solver has missed is found by Newton's method: rows that are held, and
// the forces that hold them. What holds nothing is left alone. Returns whether it was next to nothing.
bool ContactDynamics::Inside::refine(std::span<double> qacc) {
    const std::size_t nv = static_cast<std::size_t>(model().nv);
    const std::vector<Holding> held = holding();
    const int count = static_cast<int>(held.size());
    JointFactor& factor = event.factor();
    std::vector<double> by_row(count * nv), by_force(by_row);
    for (int i = 0; i < count; ++i) {
        const std::span<double> z = std::span(by_row).subspan(i * nv, nv), s = std::span(by_force).subspan(i * nv, nv);
        std::copy_n(J.begin() + held[i].row * nv, nv, z.begin());
        factor.inward(z);
        std::ranges::copy(held[i].along, s.begin());
        factor.inward(s);
    }
    // E: how the equation of i changes with the force j.
    std::vector<double> E(static_cast<std::size_t>(count) * count), missing(count), by, column(count);
    const auto response = [&](int i, int j) {
        return dot(&by_row[i * nv], &by_force[j * nv], static_cast<int>(nv)) +
               (i == j ? event.rows().rows[held[i].row].compliance : 0);
    };
    for (int i = 0; i < count; ++i) {
        const int row = held[i].row;
        const Part* const part = held[i].part < 0 ? nullptr : &parts[held[i].part];
        double* const out = &E[static_cast<std::size_t>(i) * count];
        if (!part || !part->rubs() || row == part->row) {
            missing[i] = -acceleration(row, qacc) - event.rows().rows[row].compliance * forces[row];
            for (int j = 0; j < count; ++j) out[j] = response(i, j);
            continue;
        }
        missing[i] = rubbing(*part, row, qacc, by);
        const int first = i - (row - part->row);
        for (int r = 1; r < part->count; ++r)
            for (int j = 0; j < count; ++j) out[j] += by[r] * response(first + r, j);
        out[first] += by[0];
        out[i] += 1;
    }
    LeastForces change(count);
    for (int j = 0; j < count; ++j) {
        for (int i = 0; i < count; ++i) column[i] = E[static_cast<std::size_t>(i) * count + j];
        change.add(column, 1, {});
    }
    change.solve(missing);
    std::vector<double> pushed(nv, 0.0), motion(nv);
    for (int j = 0; j < count; ++j) {
        const double force = change.forces()[j];
        add_scaled(force, &by_force[j * nv], pushed.data(), static_cast<int>(nv));
        const Part* const part = held[j].part < 0 ? nullptr : &parts[held[j].part];
        const bool ray = part && !part->share.empty() && !part->rubs();
        for (std::size_t r = 0; r < (ray ? part->share.size() : 1); ++r)
            forces[held[j].row + r] += force * (ray ? part->share[r] : 1);
    }
    factor.outward(pushed, motion);
    for (std::size_t k = 0; k < nv; ++k) qacc[k] += motion[k];
    return largest_of(change.forces()) <= refined * largest_of(forces);
}

// Whether forces are those of the modes.
bool ContactDynamics::Inside::is_settled() const {
    const double largest = largest_of(forces);
    for (const Part& part : parts)
        for (int r = part.row; r < part.row + part.count; ++r)
            if (!(std::fabs(force_of(part, r) - forces[r]) <= settled * largest)) return false;
    return true;
}

// The forces of unknown parts as they were found.
void ContactDynamics::Inside::take_forces() {
    for (const Part& part : parts) {
        if (part.unknown < 0) continue;
        BoundedForce& own = besides.unknown[part.unknown];
        for (std::size_t k = 0; k < own.force.size(); ++k)
            own.force[k] = forces[part.row + k] / (k == 0 ? 1 : event.rows().rows[part.row + k].friction);
    }
}

// What was found may be at its bounds, and past them by rounding.
void ContactDynamics::Inside::widen() {
    double largest = 0;
    for (const BoundedForce& own : besides.unknown)
        for (const double force : own.force) largest = std::max(largest, std::fabs(force));
    const std::size_t nv = static_cast<std::size_t>(model().nv);
    for (BoundedForce& own : besides.unknown) {
        own.range.lower -= past_bounds * (largest + std::fabs(own.range.lower));
        own.range.upper += past_bounds * (largest + std::fabs(own.range.upper));
        for (std::size_t k = nv; k < own.along.size(); ++k) own.along[k] *= 1 + past_bounds;
    }
}

namespace {

TouchingStatus status_of(LoopStatus status) {
    switch (status) {
        case LoopStatus::ok: return TouchingStatus::ok;
        case LoopStatus::open: return TouchingStatus::open;
        case LoopStatus::dependent: return TouchingStatus::dependent;
        case LoopStatus::no_inertia: return TouchingStatus::no_inertia;
        case LoopStatus::unreachable: return TouchingStatus::unreachable;
    }
    return TouchingStatus::ok;
}

}  // namespace

TouchingStatus ContactDynamics::prepare(const JointState<double>& state) {
    Inside& in = *inside_;
    contacts.clear();
    limits.clear();
    std::fill(limit_force.begin(), limit_force.end(), 0.0);
    std::fill(friction_force.begin(), friction_force.end(), 0.0);
    const LoopStatus status = loops.set_state(state);
    where = loops.where;
    if (status != LoopStatus::ok) return status_of(status);
    if (!in.look(state)) {
        where = in.approaching() + ": that is an impact, and has no accelerations";
        return TouchingStatus::impact;
    }
    if (in.event.assemble(state, {}, in.report)) return TouchingStatus::ok;
    where = "a link has no inertia";
    return TouchingStatus::no_inertia;
}

TouchingStatus ContactDynamics::accelerate(const JointState<double>& state) {
    Inside& in = *inside_;
    if (const TouchingStatus status = prepare(state); status != TouchingStatus::ok) return status;
    if (!in.event.solve(state, in.report, qacc)) {
        where = "no forces were found that keep what touches from moving into each other";
        return TouchingStatus::no_forces;
    }
    in.forces.assign(in.event.row_forces().begin(), in.event.row_forces().end());
    for (int turn = 0; turn < refinements; ++turn) {
        in.find_parts({qacc, same_found, true});
        in.settle(qacc);
        if (in.refine(qacc) && turn > 0) break;
    }
    in.find_parts({qacc, same_found, true});
    in.take_forces();
    where = in.is_settled() ? in.into_what(qacc, same_found) : "unsettled";
    std::vector<double> pushed(qacc.size(), 0.0), held(pushed);
    for (const BoundedForce& own : in.besides.unknown) own.add_to(pushed, 1);
    const Rows& rows = in.event.rows();
    for (int k = 0; k < in.event.one_sided(); ++k)
        for (int r = rows.blocks[k].begin; r < rows.blocks[k].begin + rows.blocks[k].count; ++r)
            add_scaled(in.forces[r], &in.J[r * held.size()], held.data(), static_cast<int>(held.size()));
    in.widen();
    if (!where.empty() || !loops.share(pushed, held, in.besides)) {
        where = "no forces were found that the conditions of what touches hold with";
        return TouchingStatus::no_forces;
    }
    tell();
    return TouchingStatus::ok;
}

TouchingStatus ContactDynamics::find_forces(const JointState<double>& state, std::span<double> wanted) {
    Inside& in = *inside_;
    if (const TouchingStatus status = prepare(state); status != TouchingStatus::ok) return status;
    std::vector<double> dw;
    for (const int k : loops.independent()) dw.push_back(wanted[k]);
    loops.accelerations(dw, wanted);
    std::copy(wanted.begin(), wanted.end(), qacc.begin());
    in.find_parts({qacc, same_given});
    where = in.into_what(qacc, same_given);
    if (!where.empty()) return TouchingStatus::into_contact;
    const LoopStatus status = loops.find_forces(wanted, in.besides);
    where = loops.where;
    if (status != LoopStatus::ok) return status_of(status);
    tell();
    return TouchingStatus::ok;
}

// Fills in what touches and its forces.
void ContactDynamics::tell() {
    const Inside& in = *inside_;
    const EventSet& set = in.event.set();
    const Rows& rows = in.event.rows();
    const auto add = [&](const Inside::Part& part, std::vector<double>& sum) {
        add_scaled(in.force_of(part, part.row), &in.J[static_cast<std::size_t>(part.row) * sum.size()],
                   sum.data(), static_cast<int>(sum.size()));
    };
    for (const Inside::Part& part : in.parts) {
        if (part.kind == RowKind::contact) {
            const ClosedContact& own = set.contacts[part.index];
            const Contact& contact = set.found().contacts[part.index];
            TouchingContact& out = contacts.emplace_back(TouchingContact{
                own.geom_a, own.geom_b, 0.5 * (contact.on_a + contact.on_b), contact.normal,
                set.gaps()[part.index], part.mode, Vec3d::zero(), Vec3d::zero(),
                in.context.collision.contacts.properties[own.properties]});
            for (int r = part.row; r < part.row + part.count; ++r) {
                const double force = in.force_of(part, r);
                if (r < part.row + 3)
                    out.force += force * rows.rows[r].on_b.lin;
                else
                    out.moment += force * rows.rows[r].on_b.ang;
            }
        } else if (part.kind == RowKind::limit || part.kind == RowKind::tendon_limit) {
            const ReachedBound& own = set.bounds[part.index];
            const bool joint = own.kind == RowKind::limit;
            limits.push_back({joint ? own.source : -1, joint ? -1 : own.source, own.gap,
                              in.force_of(part, part.row)});
            add(part, limit_force);
        } else {
            add(part, is_limit(part.kind) ? limit_force : friction_force);
        }
    }
}

}  // namespace lig
