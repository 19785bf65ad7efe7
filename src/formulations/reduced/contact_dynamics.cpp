// What touches in a state is an EventSet with its modes (contact_modes.cpp), accelerations are those of
// EventStep, made exact (contact_refinement.cpp); which of many forces do the same is LoopDynamics' affair.

#include "formulations/reduced/contact_parts.h"

#include <stdexcept>

namespace lig {

namespace {

constexpr const ContactTuning& tuning = contact_tuning;

}  // namespace

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

bool ContactDynamics::touches(const JointState<double>& state) {
    const bool still = inside_->look(state);
    const EventSet& set = inside_->event.set();
    return !still || !set.contacts.empty() || !set.bounds.empty() || !set.rubbings.empty() ||
           std::any_of(set.bounded.begin(), set.bounded.end(),
                       [](const BoundedRow& row) { return row.acts || !row.one_sided; });
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
    for (int turn = 0; turn < tuning.refinements; ++turn) {
        in.find_parts({qacc, tuning.same_found, true});
        in.settle(qacc);
        if (in.refine(qacc) && turn > 0) break;
    }
    in.find_parts({qacc, tuning.same_found, true});
    in.take_forces();
    where = in.is_settled() ? in.into_what(qacc, tuning.same_found) : "unsettled";
    std::vector<double> pushed(qacc.size(), 0.0), held(pushed);
    for (const BoundedForce& own : in.besides.unknown) own.add_to(pushed, 1);
    const Rows& rows = in.event.rows();
    for (int k = 0; k < in.event.one_sided(); ++k)
        for (int r = rows.blocks[k].begin; r < rows.blocks[k].begin + rows.blocks[k].count; ++r)
            add_scaled(in.forces[r], &in.J[r * held.size()], held.data(), static_cast<int>(held.size()));
    if (!where.empty()) {
        where = "no forces were found that the conditions of what touches hold with";
        return TouchingStatus::no_forces;
    }
    in.widen();
    loops.share(pushed, held, in.besides);
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
    in.find_parts({qacc, tuning.same_given});
    where = in.into_what(qacc, tuning.same_given);
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
