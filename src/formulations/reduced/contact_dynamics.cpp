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
constexpr int refinements = 3;

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
        std::vector<double> share;  // of each row in its one force, where that is all there is
        TouchingMode mode = TouchingMode::opens;
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
    int sign_of(int row, std::span<const double> qacc, double same) const {
        const double w = acceleration(row, qacc), least = nothing(row, qacc, same);
        return w > least ? 1 : w < -least ? -1 : 0;
    }
    void find_parts(std::span<const double> qacc, double same);
    void add_contact(Part& part, std::span<const double> qacc, double same);
    void add_cone(Part& part);
    void add_ray(Part& part, std::span<const double> direction);
    void add_interval(Part& part, const Range& range);
    void give(const Part& part, double force);
    std::string into_what(std::span<const double> qacc, double same) const;
    std::string name_of(const Part& part) const;
    // Of a row of a part, as the forces besides have it.
    double force_of(const Part& part, int row) const;
    // A row that is held, and what a unit of the force does that holds it: of a part, or of an equality (−1).
    struct Holding {
        int row, part;
        std::vector<double> along;
    };
    std::vector<Holding> holding() const;
    void take_forces();
    void refine(std::span<double> qacc);
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

void ContactDynamics::Inside::add_contact(Part& part, std::span<const double> qacc, double same) {
    const ClosedContact& own = event.set().contacts[part.index];
    if (sign_of(part.row, qacc, same) > 0) return;
    std::vector<double> against(part.count - 1);
    double squares = 0;
    bool slips = own.slides;
    for (int k = 1; k < part.count; ++k) {
        const int r = part.row + k;
        const double mu = event.rows().rows[r].friction;
        const double along = own.slides ? event.row_bias()[r] : acceleration(r, qacc);
        against[k - 1] = -mu * mu * along;
        squares += mu * mu * along * along;
        slips = slips || sign_of(r, qacc, same) != 0;
    }
    part.mode = part.count == 1 ? TouchingMode::rests
                : own.slides    ? TouchingMode::slides
                : slips         ? TouchingMode::breaks_away
                                : TouchingMode::sticks;
    if (!slips && part.count > 1) return add_cone(part);
    for (double& share : against) share /= std::sqrt(squares);
    add_ray(part, against);
}

// The forces that the modes of a state and its accelerations leave open.
void ContactDynamics::Inside::find_parts(std::span<const double> qacc, double same) {
    const Rows& rows = event.rows();
    const EventSet& set = event.set();
    write_jacobian();
    parts.clear();
    besides.unknown.clear();
    besides.given.assign(qacc.size(), 0.0);
    given.assign(rows.rows.size(), 0.0);
    std::size_t bound = 0, rubbing = 0, contact = 0, bounded = 0;
    for (std::size_t k = static_cast<std::size_t>(event.one_sided()); k < rows.blocks.size(); ++k) {
        const RowBlock& block = rows.blocks[k];
        Part part{block.kind, 0, block.begin, block.count, -1, {}};
        const int sign = sign_of(block.begin, qacc, same);
        if (bound < set.bounds.size()) {
            part.index = static_cast<int>(bound++);
            if (sign <= 0) add_interval(part, {.lower = 0});
        } else if (rubbing < set.rubbings.size()) {
            part.index = static_cast<int>(rubbing);
            const Rubbing& own = set.rubbings[rubbing++];
            if (own.sign != 0 || sign != 0)
                give(part, (own.sign != 0 ? own.sign : sign) > 0 ? -own.most : own.most);
            else
                add_interval(part, {-own.most, own.most});
        } else if (contact < set.contacts.size()) {
            part.index = static_cast<int>(contact++);
            add_contact(part, qacc, same);
        } else {
            for (part.count = 1; part.row < block.begin + block.count; ++part.row) {
                part.index = static_cast<int>(bounded);
                part.unknown = -1;
                const BoundedRow& own = set.bounded[bounded++];
                const int leaves = sign_of(part.row, qacc, same);
                if (!own.acts) {
                    give(part, rows.rows[part.row].lo);
                } else if (own.one_sided ? leaves <= 0 : leaves == 0) {
                    add_interval(part, {own.lower, own.upper});
                } else if (!own.one_sided) {
                    give(part, leaves > 0 ? own.lower : own.upper);
                }
                parts.push_back(part);
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

// Where the modes are known, what is missed is a linear system: rows that are held, and forces that hold
// them. What holds nothing is left alone.
void ContactDynamics::Inside::refine(std::span<double> qacc) {
    const int nv = model().nv;
    const std::span<const double> all(J);
    std::vector<double> pushed(nv, 0.0), motion(nv);
    JointFactor& factor = event.factor();
    const auto respond = [&] {
        factor.inward(pushed);
        factor.outward(pushed, motion);
        for (int k = 0; k < nv; ++k) qacc[k] += motion[k];
    };
    // What friction against another slip than that of the solver changes.
    for (const Part& part : parts)
        for (int r = part.row; r < part.row + part.count; ++r) {
            const double force = force_of(part, r);
            add_scaled(force - forces[r], &J[static_cast<std::size_t>(r) * nv], pushed.data(), nv);
            forces[r] = force;
        }
    respond();

    const std::vector<Holding> held = holding();
    const int count = static_cast<int>(held.size());
    std::vector<double> by_row(static_cast<std::size_t>(count) * nv), by_force(by_row), column(count);
    const auto row = [&](std::vector<double>& of, int i) {
        return std::span(of).subspan(static_cast<std::size_t>(i) * nv, nv);
    };
    for (int i = 0; i < count; ++i) {
        std::ranges::copy(all.subspan(static_cast<std::size_t>(held[i].row) * nv, nv), row(by_row, i).begin());
        factor.inward(row(by_row, i));
        std::ranges::copy(held[i].along, row(by_force, i).begin());
        factor.inward(row(by_force, i));
    }
    LeastForces change(count);
    const auto compliance = [&](int i) { return event.rows().rows[held[i].row].compliance; };
    for (int j = 0; j < count; ++j) {
        for (int i = 0; i < count; ++i) column[i] = dot(row(by_row, i).data(), row(by_force, j).data(), nv);
        column[j] += compliance(j);
        change.add(column, 1, {});
    }
    std::vector<double> missing(count);
    for (int turn = 0; turn < refinements; ++turn) {
        for (int i = 0; i < count; ++i)
            missing[i] = -acceleration(held[i].row, qacc) - compliance(i) * forces[held[i].row];
        change.solve(missing);
        std::fill(pushed.begin(), pushed.end(), 0.0);
        for (int j = 0; j < count; ++j) {
            const double by = change.forces()[j];
            add_scaled(by, held[j].along.data(), pushed.data(), nv);
            if (held[j].part < 0)
                forces[held[j].row] += by;
            else
                besides.unknown[parts[held[j].part].unknown].force[held[j].row - parts[held[j].part].row] += by;
        }
        respond();
        for (const Part& part : parts)
            for (int r = part.row; r < part.row + part.count; ++r) forces[r] = force_of(part, r);
    }
}

// Rows of equalities, and of parts that push, each with its force.
std::vector<ContactDynamics::Inside::Holding> ContactDynamics::Inside::holding() const {
    const Rows& rows = event.rows();
    const std::size_t nv = static_cast<std::size_t>(model().nv);
    std::vector<Holding> held;
    for (int k = 0; k < event.one_sided(); ++k)
        for (int r = rows.blocks[k].begin; r < rows.blocks[k].begin + rows.blocks[k].count; ++r)
            if (rows.rows[r].lo < rows.rows[r].hi)
                held.push_back({r, -1, {J.begin() + r * nv, J.begin() + (r + 1) * nv}});
    const double least = least_share * largest_of(forces);
    for (std::size_t p = 0; p < parts.size(); ++p) {
        if (parts[p].unknown < 0) continue;
        const BoundedForce& own = besides.unknown[parts[p].unknown];
        if (!(std::fabs(own.force[0]) > least)) continue;
        for (int k = 0; k < static_cast<int>(own.force.size()); ++k) {
            const std::span<const double> along = own.row(k, static_cast<int>(nv));
            held.push_back({parts[p].row + k, static_cast<int>(p), {along.begin(), along.end()}});
        }
    }
    return held;
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
        in.find_parts(qacc, same_found);
        in.take_forces();
        in.refine(qacc);
    }
    where = in.into_what(qacc, same_found);
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
    in.find_parts(qacc, same_given);
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
