// Forces and accelerations to rounding, from those of the solver, while their modes are known.

#include "formulations/reduced/contact_parts.h"
#include "simulation/least_forces.h"

namespace lig {

namespace {

constexpr const ContactTuning& tuning = contact_tuning;

}  // namespace

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
        const std::span<double> z = std::span(by_row).subspan(i * nv, nv),
                                s = std::span(by_force).subspan(i * nv, nv);
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
    return largest_of(change.forces()) <= tuning.refined * largest_of(forces);
}

// Whether forces are those of the modes.
bool ContactDynamics::Inside::is_settled() const {
    const double largest = largest_of(forces);
    for (const Part& part : parts)
        for (int r = part.row; r < part.row + part.count; ++r)
            if (!(std::fabs(force_of(part, r) - forces[r]) <= tuning.settled * largest)) return false;
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
        own.range.lower -= tuning.past_bounds * (largest + std::fabs(own.range.lower));
        own.range.upper += tuning.past_bounds * (largest + std::fabs(own.range.upper));
        for (std::size_t k = nv; k < own.along.size(); ++k) own.along[k] *= 1 + tuning.past_bounds;
    }
}

}  // namespace lig
