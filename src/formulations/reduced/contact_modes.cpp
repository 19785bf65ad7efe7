// Which contacts, bounds and friction take part in a state, each in its mode, and the forces that leaves
// open.

#include "constraints/row_jacobian.h"
#include "formulations/reduced/contact_parts.h"
#include "model/named.h"

namespace lig {

namespace {

constexpr const ContactTuning& tuning = contact_tuning;

}  // namespace

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

std::string ContactDynamics::Inside::approaching() const {
    const EventStep::Approach fastest = event.approach();
    const Model& m = model();
    if (fastest.contact) {
        const Manifold& manifold = context.collision.contacts.manifolds[fastest.contact->manifold];
        return named("geom", m.geoms[manifold.geom_a].spec.name, manifold.geom_a) + " and " +
               named("geom", m.geoms[manifold.geom_b].spec.name, manifold.geom_b) +
               " touch and approach each other at " + std::to_string(fastest.speed) + " m/s";
    }
    if (!fastest.bound)
        return "a constraint whose force has bounds is reached and moves beyond at " +
               std::to_string(fastest.speed) + " m/s";
    const int source = fastest.bound->source;
    return (fastest.bound->kind == RowKind::limit ? named(m, m.joints[source])
                                                  : named("tendon", m.tendons[source].name, source)) +
           " is at its limit and moves beyond it at " + std::to_string(fastest.speed) + " rad/s or m/s";
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

// A row with a force between bounds, whose acceleration is nothing while it is inside, and of the sign that
// it cannot prevent at a bound. Accelerations tell where it is; where forces were found, these do, and
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
    return tuning.least_share * (size > 0 ? size : largest_of(forces));
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
        const double along = own.slides         ? event.row_bias()[r]
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
    if (std::sqrt(used) < most * (1 - tuning.least_share)) return TouchingMode::sticks;
    if (slips) return power < 0 ? TouchingMode::breaks_away : TouchingMode::sticks;
    part.is_overcome = std::sqrt(used) > most * (1 + tuning.least_share);
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

}  // namespace lig
