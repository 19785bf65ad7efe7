#include "simulation/momentum_account.h"

#include "dynamics/joint_springs.h"
#include "dynamics/stretches.h"
#include "model/split_inertia.h"
#include "model/subtree.h"

#include <ligament/bushing.h>
#include <ligament/dynamics.h>
#include <ligament/fluid.h>

#include <algorithm>
#include <numeric>

namespace lig {

namespace {

bool is_zero(const Force<double>& f) {
    return f.ang.x == 0 && f.ang.y == 0 && f.ang.z == 0 && f.lin.x == 0 && f.lin.y == 0 && f.lin.z == 0;
}

// Which links are tied together, by tree and otherwise; the last is the world with all that stands outside.
class Groups {
public:
    explicit Groups(const Model& model) : model_(model), outside_(static_cast<int>(model.tree.links.size())) {
        parent_.resize(model.tree.links.size() + 1);
        std::iota(parent_.begin(), parent_.end(), 0);
    }
    int find(int link) const {
        int k = link < 0 ? outside_ : link;
        while (parent_[k] != k) k = parent_[k];
        return k;
    }
    void tie(int link_a, int link_b) { parent_[find(link_a)] = find(link_b); }
    void tie_bodies(int a, int b) { tie(model_.bodies[a].link, model_.bodies[b].link); }
    bool is_held(int link) const { return find(link) == find(outside_); }

private:
    const Model& model_;
    int outside_;
    std::vector<int> parent_;
};

// Whether nothing holds a free joint to the world: no spring, damper, friction, rotor or motor of its own.
bool is_bare(const Model& model, int v_adr) {
    return std::none_of(model.joints.begin(), model.joints.end(),
                        [&](const Model::Joint& joint) {
                            return joint.v_adr == v_adr && (has_spring(joint) || has_damper(joint) ||
                                                            joint.armature != 0 || joint.friction_loss != 0);
                        }) &&
           std::none_of(model.actuators.begin(), model.actuators.end(), [&](const Model::Actuator& actuator) {
               return actuator.joint >= 0 && model.joints[actuator.joint].v_adr == v_adr;
           });
}

bool is_free_of_world(const TreeLink<double>& link) {
    return link.parent == -1 && (link.kernel == TreeLink<double>::Kernel::free || link.stretch >= 0);
}

// Spatial tendons pull at all that they pass; what goes along joints alone stays within its tree.
void tie_tendons(const Model& model, Groups& groups) {
    for (const Model::Tendon& tendon : model.tendons) {
        int first = -1;  // body
        const auto pass = [&](int body) {
            if (first >= 0) groups.tie_bodies(first, body);
            first = body;
        };
        for (int k = tendon.point_begin; k < tendon.point_begin + tendon.point_count; ++k) {
            const Model::TendonPoint& point = model.tendon_points[k];
            if (point.site >= 0) pass(model.sites[point.site].body);
            if (point.geom >= 0) pass(model.geoms[point.geom].body);
        }
    }
}

void tie_actuators(const Model& model, Groups& groups) {
    const auto link_of_site = [&](int site) { return model.bodies[model.sites[site].body].link; };
    for (const Model::Actuator& actuator : model.actuators) {
        if (actuator.site < 0) continue;
        const int other = actuator.slider_site >= 0 ? actuator.slider_site : actuator.reference_site;
        groups.tie(link_of_site(actuator.site), other >= 0 ? link_of_site(other) : -1);
    }
}

}  // namespace

OutsideImpulses& OutsideImpulses::operator+=(const OutsideImpulses& other) {
    flows += other.flows;
    on_floating += other.on_floating;
    return *this;
}
OutsideImpulses operator*(double s, const OutsideImpulses& impulses) {
    return {s * impulses.flows, s * impulses.on_floating};
}

MomentumAccount::MomentumAccount(std::shared_ptr<const Model> the_model) : ws_(the_model) {
    const Model& model = *the_model;
    const std::vector<TreeLink<double>>& links = model.tree.links;
    const int count = static_cast<int>(links.size());
    Groups groups(model);
    for (int i = 0; i < count; ++i) {
        const bool free = is_free_of_world(links[i]);
        if (free) free_roots_.push_back(i);
        if (!free || !is_bare(model, links[i].v_adr)) groups.tie(i, links[i].parent);
    }
    for (const Model::Loop& loop : model.loops) groups.tie_bodies(loop.body_a, loop.body_b);
    for (const Model::PairConstraint& pair : model.pair_constraints)
        groups.tie_bodies(pair.body_a, pair.body_b);
    for (const Model::Bushing& bushing : model.bushings) groups.tie_bodies(bushing.body_a, bushing.body_b);
    for (const Model::SubtreeConstraint& held : model.subtree_constraints)
        for (int b = held.body; b < subtree_end(model, held.body); ++b) groups.tie_bodies(b, 0);
    for (const Model::GroupConstraint& group : model.group_constraints)
        for (const Model::GroupConstraint::Member& member : group.members) groups.tie_bodies(member.body, 0);
    tie_tendons(model, groups);
    tie_actuators(model, groups);
    floats_.resize(links.size());
    for (int i = 0; i < count; ++i) {
        floats_[i] = !groups.is_held(i);
        (floats_[i] ? floats_any_ : holds_any_) = true;
    }
}

void MomentumAccount::propose(double h, std::span<const double> weights) {
    proposed_ = {};
    for (std::size_t k = 0; k < weights.size(); ++k) proposed_ += (h * weights[k]) * stages_[k];
}

void MomentumAccount::add_to(int link, const Force<double>& force, Force<double> MomentumFlows::* flow,
                             OutsideImpulses& sum) const {
    if (is_asleep(link)) return;
    sum.flows.*flow += force;
    if (floats(link)) sum.on_floating += force;
}

OutsideImpulses MomentumAccount::forces_without_medium(const Workspace<double>& poses,
                                                       const SmoothDynamics& inputs) const {
    OutsideImpulses sum;
    const Model& model = poses.model();
    const std::vector<TreeLink<double>>& links = model.tree.links;
    const Vec3d& g = model.options.gravity;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const Transformd& X_WL = poses.poses[i].X_WL;
        double mass = links[i].inertia.mass;
        Vec3d h = links[i].inertia.h;
        if (!model.floating_mass.empty()) {
            mass -= model.floating_mass[i];
            h -= model.floating_moment[i];
        }
        add_to(static_cast<int>(i), {cross(mass * X_WL.p + X_WL.R * h, g), mass * g}, &MomentumFlows::weight,
               sum);
    }
    for (std::size_t b = 1; b < inputs.xfrc_applied.size(); ++b) {
        const Force<double>& f = inputs.xfrc_applied[b];
        const Model::Body& body = model.bodies[b];
        if (body.link < 0 || is_zero(f)) continue;
        add_to(body.link, shift_back(f, poses.poses[body.link].X_WL * (body.X_LB * body.com)),
               &MomentumFlows::applied, sum);
    }
    for (const int i : free_roots_) {
        const double* const f = inputs.qfrc_applied.data() + links[i].v_adr;
        const Transformd& X_WL = poses.poses[i].X_WL;
        const Force<double> force{X_WL.R * Vec3d{f[3], f[4], f[5]}, {f[0], f[1], f[2]}};
        if (!is_zero(force)) add_to(i, shift_back(force, X_WL.p), &MomentumFlows::applied, sum);
    }
    return sum;
}

void MomentumAccount::add_drag(int link, const Force<double>& force, OutsideImpulses& sum) const {
    if (link >= 0) add_to(link, force, &MomentumFlows::medium, sum);
}

OutsideImpulses MomentumAccount::forces(const Workspace<double>& poses, const SmoothDynamics& inputs) const {
    OutsideImpulses sum = forces_without_medium(poses, inputs);
    const Workspace<double>& ws = inputs.ws;
    const Model& model = ws.model();
    if (!has_medium(model)) return sum;
    // ws.f_ext has besides: what is applied, and bushings.
    for (std::size_t i = 0; i < ws.poses.size(); ++i)
        add_drag(static_cast<int>(i), shift_back(ws.f_ext[i], ws.poses[i].X_WL.p), sum);
    for (std::size_t b = 1; b < inputs.xfrc_applied.size(); ++b) {
        const Model::Body& body = model.bodies[b];
        if (body.link < 0 || is_zero(inputs.xfrc_applied[b])) continue;
        const Vec3d at = ws.poses[body.link].X_WL * (body.X_LB * body.com);
        add_drag(body.link, -shift_back(inputs.xfrc_applied[b], at), sum);
    }
    for (std::size_t k = 0; k < model.bushings.size(); ++k) {
        const Model::Bushing& bushing = model.bushings[k];
        if (!bushing.active) continue;
        const Vec3d at = attached_frame(ws, bushing.body_b, bushing.X_BM).p;
        const Force<double> on_b = shift_back(bushing_wrench(ws, static_cast<int>(k)), at);
        add_drag(model.bodies[bushing.body_b].link, -on_b, sum);
        add_drag(model.bodies[bushing.body_a].link, on_b, sum);
    }
    return sum;
}

void MomentumAccount::add_contact(int link, int other, const Force<double>& impulse,
                                  OutsideImpulses& sum) const {
    if (link < 0 || is_asleep(link)) return;
    if (other >= 0 && is_asleep(other)) other = -1;
    if (other < 0) sum.flows.contacts += impulse;
    if (floats(link) && (other < 0 || !floats(other))) sum.on_floating += impulse;
}

void MomentumAccount::add_contacts(const Workspace<double>& ws, const Rows& rows,
                                   std::span<const double> lambda, OutsideImpulses& sum) const {
    for (const RowBlock& block : rows.blocks) {
        if (block.kind != RowKind::contact) continue;
        Force<double> on_a = Force<double>::zero(), on_b = Force<double>::zero();
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            on_a += lambda[r] * rows.rows[r].on_a;
            on_b += lambda[r] * rows.rows[r].on_b;
        }
        if (block.link_a >= 0)
            add_contact(block.link_a, block.link_b, shift_back(on_a, ws.poses[block.link_a].X_WL.p), sum);
        if (block.link_b >= 0)
            add_contact(block.link_b, block.link_a, shift_back(on_b, ws.poses[block.link_b].X_WL.p), sum);
    }
}

void MomentumAccount::add_link(int link, const Force<double>& momentum, Momenta& sum) const {
    sum.all += momentum;
    if (floats(link)) sum.floating += momentum;
}

Momenta MomentumAccount::momenta(const JointState<double>& state) {
    forward_kinematics(state, ws_);
    Momenta sum;
    for (std::size_t i = 0; i < ws_.poses.size(); ++i) {
        const Transformd& X_WL = ws_.poses[i].X_WL;
        const TreeLink<double>& link = ws_.model().tree.links[i];
        const Force<double> own = link.stretch < 0 ? world_inertia(X_WL.R, link.inertia) * ws_.poses[i].V_WL
                                                   : stretched_momentum(ws_, link.stretch);
        add_link(static_cast<int>(i), shift_back(own, X_WL.p), sum);
    }
    return sum;
}

void MomentumAccount::close(const Momenta& before, const Momenta& after, MomentumLedger& ledger) const {
    ledger.before = before.all;
    ledger.after = after.all;
    ledger.flows = sum.flows;
    ledger.method = after.floating - before.floating - sum.on_floating;
    ledger.measured = floats_any_;
    if (holds_any_)
        ledger.flows.supports = after.all - before.all - sum.flows.net() - ledger.method;
}

void MomentumAccount::note_change(const Momenta& from, const Momenta& to, MomentumLedger& ledger) {
    const Force<double> all = to.all - from.all, floating = to.floating - from.floating;
    ledger.after += all;
    ledger.method += floating;
    ledger.flows.supports += all - floating;
}

}  // namespace lig
