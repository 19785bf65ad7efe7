#include "simulation/recompile.h"

#include "collide/carry_contacts.h"
#include "constraints/warm_starts.h"
#include "joints/joint_list.h"

#include <ligament/collision.h>
#include <ligament/model.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace lig {

namespace {

// What identifies the objects of a model: texts that are the same for what corresponds.
struct Keys {
    explicit Keys(const Model& model);

    std::vector<std::string> bodies, joints, geoms, tendons, actuators, loops, couplings, tendon_couplings,
        pair_constraints, subtree_constraints, group_constraints;
};

// Gives names to what has none: the owner's key and a number. Characters that no name has keep both kinds
// apart.
class Naming {
public:
    std::string operator()(const std::string& owner, const std::string& name) {
        if (!name.empty()) return owner + '\x1f' + name;
        return owner + '\x1e' + std::to_string(unnamed_[owner]++);
    }

private:
    std::map<std::string, int> unnamed_;
};

// What an actuator acts on.
std::string target_key(const Model::Actuator& actuator, const Keys& keys, const Model& model) {
    const std::string kind = std::to_string(static_cast<int>(actuator.transmission)) + '\x1f';
    if (actuator.joint >= 0) return kind + keys.joints[actuator.joint];
    if (actuator.tendon >= 0) return kind + keys.tendons[actuator.tendon];
    if (actuator.site >= 0) return kind + keys.bodies[model.sites[actuator.site].body];
    return kind;
}

Keys::Keys(const Model& model) {
    Naming body_names, joint_names, geom_names, tendon_names, actuator_names, loop_names, coupling_names,
        tendon_coupling_names, pair_names, subtree_names, group_names;
    // A body that has a name is that body wherever it hangs.
    for (const Model::Body& body : model.bodies)
        bodies.push_back(body.parent < 0
                             ? std::string()
                             : body_names(body.name.empty() ? bodies[body.parent] : "", body.name));
    for (const Model::Joint& joint : model.joints)
        joints.push_back(joint_names(bodies[joint.body], joint.name));
    for (const Model::Geom& geom : model.geoms)
        geoms.push_back(geom_names(bodies[geom.body], geom.spec.name));
    for (const Model::Tendon& tendon : model.tendons) tendons.push_back(tendon_names("", tendon.name));
    for (const Model::Actuator& actuator : model.actuators)
        actuators.push_back(
            actuator_names(actuator.name.empty() ? target_key(actuator, *this, model) : "", actuator.name));
    for (const Model::Loop& loop : model.loops)
        loops.push_back(loop_names(
            loop.name.empty() ? bodies[loop.body_a] + '\x1d' + bodies[loop.body_b] : "", loop.name));
    for (const Model::PairConstraint& pair : model.pair_constraints)
        pair_constraints.push_back(pair_names(
            pair.name.empty() ? bodies[pair.body_a] + '\x1d' + bodies[pair.body_b] : "", pair.name));
    for (const Model::Coupling& coupling : model.couplings)
        couplings.push_back(
            coupling_names(coupling.name.empty() ? joints[coupling.follower] : "", coupling.name));
    for (const Model::TendonCoupling& coupling : model.tendon_couplings)
        tendon_couplings.push_back(
            tendon_coupling_names(coupling.name.empty() ? tendons[coupling.follower] : "", coupling.name));
    for (const Model::SubtreeConstraint& constraint : model.subtree_constraints)
        subtree_constraints.push_back(
            subtree_names(constraint.name.empty() ? bodies[constraint.body] : "", constraint.name));
    for (const Model::GroupConstraint& group : model.group_constraints) {
        std::string between;
        if (group.name.empty())
            for (const Model::GroupConstraint::Member& member : group.members)
                between += bodies[member.body] + '\x1d';
        group_constraints.push_back(group_names(between, group.name));
    }
}

// Calls f(old index, new index) for all objects that both have.
template <class F>
void for_each_pair(const std::vector<std::string>& from, const std::vector<std::string>& to, F&& f) {
    std::map<std::string_view, int> old;
    for (std::size_t k = 0; k < from.size(); ++k) old.emplace(from[k], static_cast<int>(k));
    for (std::size_t k = 0; k < to.size(); ++k)
        if (const auto found = old.find(to[k]); found != old.end()) f(found->second, static_cast<int>(k));
}

// One call of carry_over.
struct Job {
    const Model& from;
    const Snapshot& old;
    const Model& to;
    const Keys from_keys{from}, to_keys{to};
    const WarmStarts from_warm{from}, to_warm{to};
    JointState<double> state{to};
    Snapshot made{};

    void copy_impulses(int from_begin, int to_begin, int count) {
        std::copy_n(old.impulses.begin() + from_begin, count, made.impulses.begin() + to_begin);
    }
    bool has_impulses() const { return !old.impulses.empty(); }

    void carry_joints() {
        for_each_pair(from_keys.joints, to_keys.joints, [&](int a, int b) {
            const Model::Joint &x = from.joints[a], &y = to.joints[b];
            if (x.type != y.type) return;
            std::copy_n(old.q.begin() + x.q_adr, x.nq, state.q.begin() + y.q_adr);
            std::copy_n(old.v.begin() + x.v_adr, x.nv, state.v.begin() + y.v_adr);
            if (!old.qfrc_applied.empty())
                std::copy_n(old.qfrc_applied.begin() + x.v_adr, x.nv, made.qfrc_applied.begin() + y.v_adr);
            if (!old.pose_targets.empty()) carry_target(a, b);
            if (!has_impulses()) return;
            copy_impulses(from_warm.limit(a), to_warm.limit(b), WarmStarts::limits_of_joint);
            copy_impulses(from_warm.friction_loss(x.v_adr), to_warm.friction_loss(y.v_adr), x.nv);
            copy_impulses(from_warm.pose_drive(x.v_adr), to_warm.pose_drive(y.v_adr), x.nv);
            copy_impulses(from_warm.tracking(x.v_adr), to_warm.tracking(y.v_adr), x.nv);
        });
    }

    // Three numbers of how, then where to, in the order of Snapshot::pose_targets.
    void carry_target(int a, int b) {
        const Model::Joint &x = from.joints[a], &y = to.joints[b];
        const auto copy = [&](std::size_t from_begin, std::size_t to_begin, int count) {
            std::copy_n(old.pose_targets.begin() + static_cast<std::ptrdiff_t>(from_begin), count,
                        made.pose_targets.begin() + static_cast<std::ptrdiff_t>(to_begin));
        };
        const std::size_t from_q = 3 * from.joints.size(), to_q = 3 * to.joints.size();
        copy(3 * static_cast<std::size_t>(a), 3 * static_cast<std::size_t>(b), 3);
        copy(from_q + x.q_adr, to_q + y.q_adr, x.nq);
        copy(from_q + from.nq + x.v_adr, to_q + to.nq + y.v_adr, x.nv);
    }

    void carry_bodies() {
        const auto kinematic_index = [](const Model& model, int body) {
            return std::find(model.kinematic_bodies.begin(), model.kinematic_bodies.end(), body) -
                   model.kinematic_bodies.begin();
        };
        for_each_pair(from_keys.bodies, to_keys.bodies, [&](int a, int b) {
            if (!old.xfrc_applied.empty()) made.xfrc_applied[b] = old.xfrc_applied[a];
            if (from.bodies[a].kinematic && to.bodies[b].kinematic)
                state.kinematic[kinematic_index(to, b)] = old.kinematic[kinematic_index(from, a)];
        });
    }

    void carry_loops() {
        for_each_pair(from_keys.loops, to_keys.loops, [&](int a, int b) {
            const Model::Loop &x = from.loops[a], &y = to.loops[b];
            if (x.type == y.type && x.q_adr >= 0 && y.q_adr >= 0 && !old.loop_q.empty())
                std::copy_n(old.loop_q.begin() + x.q_adr, joints::joint_info(x.type).nq,
                            state.loop_q.begin() + y.q_adr);
        });
    }

    void carry_actuators() {
        for_each_pair(from_keys.actuators, to_keys.actuators, [&](int a, int b) {
            const Model::Actuator &x = from.actuators[a], &y = to.actuators[b];
            if (!old.ctrl.empty()) made.ctrl[b] = old.ctrl[a];
            if (x.activation == y.activation && x.act_adr >= 0 && y.act_adr >= 0)
                state.act[y.act_adr] = std::clamp(old.act[x.act_adr], y.act_range.lower, y.act_range.upper);
            if (has_impulses()) copy_impulses(from_warm.actuator(a), to_warm.actuator(b), 1);
        });
    }

    // With the forces of the step before.
    void copy_equality(int a, int b, int rows) {
        if (rows == 0) return;
        copy_impulses(a, b, rows);
        copy_impulses(from_warm.earlier(a), to_warm.earlier(b), rows);
    }

    void carry_other_impulses() {
        if (!has_impulses()) return;
        for_each_pair(from_keys.tendons, to_keys.tendons, [&](int a, int b) {
            copy_impulses(from_warm.tendon_limit(a), to_warm.tendon_limit(b), 2);
            copy_impulses(from_warm.tendon_friction(a), to_warm.tendon_friction(b), 1);
            copy_impulses(from_warm.tendon(a), to_warm.tendon(b), 1);
        });
        for_each_pair(from_keys.loops, to_keys.loops, [&](int a, int b) {
            if (from.loops[a].type == to.loops[b].type)
                copy_equality(from_warm.loop(a), to_warm.loop(b), from.loops[a].rows);
        });
        for_each_pair(from_keys.pair_constraints, to_keys.pair_constraints, [&](int a, int b) {
            const Model::PairConstraint &x = from.pair_constraints[a], &y = to.pair_constraints[b];
            if (x.constraint->kind() == y.constraint->kind() && x.rows == y.rows)
                copy_equality(from_warm.pair(a), to_warm.pair(b), x.rows);
        });
        for_each_pair(from_keys.couplings, to_keys.couplings,
                      [&](int a, int b) { copy_impulses(from_warm.coupling(a), to_warm.coupling(b), 1); });
        for_each_pair(from_keys.tendon_couplings, to_keys.tendon_couplings, [&](int a, int b) {
            copy_impulses(from_warm.tendon_coupling(a), to_warm.tendon_coupling(b), 1);
        });
        for_each_pair(from_keys.subtree_constraints, to_keys.subtree_constraints, [&](int a, int b) {
            const Model::SubtreeConstraint &before = from.subtree_constraints[a],
                                           &after = to.subtree_constraints[b];
            if (before.quantity == after.quantity && before.axes == after.axes)
                copy_impulses(from_warm.subtree(a), to_warm.subtree(b), after.rows);
        });
        for_each_pair(from_keys.group_constraints, to_keys.group_constraints, [&](int a, int b) {
            const Model::GroupConstraint &x = from.group_constraints[a], &y = to.group_constraints[b];
            if (x.constraint->kind() == y.constraint->kind() && x.rows == y.rows)
                copy_impulses(from_warm.group(a), to_warm.group(b), y.rows);
        });
    }

    // Of the geoms, for carry_contacts.
    std::vector<int> new_geoms() const {
        std::vector<int> out(from.geoms.size(), -1);
        for_each_pair(from_keys.geoms, to_keys.geoms, [&](int a, int b) {
            if (from.geoms[a].spec.shape == to.geoms[b].spec.shape) out[a] = b;
        });
        return out;
    }
};

// Everything in a snapshot of a simulation is there as a whole or not at all.
void check_size(std::size_t have, std::size_t want, const char* what) {
    if (have != 0 && have != want)
        throw std::invalid_argument(std::string("lig::Simulation: the snapshot's ") + what +
                                    " are of another model");
}

}  // namespace

Snapshot carry_over(const std::shared_ptr<const Model>& from, const Snapshot& snapshot,
                    const std::shared_ptr<const Model>& to) {
    JointState<double> checked;
    CollisionWorkspace before(from), after(to);
    restore(*from, snapshot, checked, before);
    Job job{*from, snapshot, *to};
    check_size(snapshot.ctrl.size(), from->nu, "controls");
    check_size(snapshot.qfrc_applied.size(), from->nv, "applied forces");
    check_size(snapshot.xfrc_applied.size(), from->bodies.size(), "applied forces");
    check_size(snapshot.impulses.size(), job.from_warm.lambda.size(), "impulses");
    check_size(snapshot.pose_targets.size(), 3 * from->joints.size() + from->nq + from->nv, "pose targets");

    Snapshot& made = job.made;
    made.ctrl.assign(to->nu, 0.0);
    made.qfrc_applied.assign(to->nv, 0.0);
    made.xfrc_applied.assign(to->bodies.size(), Force<double>::zero());
    made.impulses.assign(job.to_warm.lambda.size(), 0.0);
    made.impulse_time = snapshot.impulse_time;
    made.guard = snapshot.guard;
    if (!snapshot.pose_targets.empty()) {
        made.pose_targets.assign(3 * to->joints.size(), 0.0);
        made.pose_targets.insert(made.pose_targets.end(), to->q0.begin(), to->q0.end());
        made.pose_targets.resize(made.pose_targets.size() + to->nv, 0.0);
    }
    job.carry_joints();
    job.carry_bodies();
    job.carry_loops();
    job.carry_actuators();
    job.carry_other_impulses();
    made.fingerprint = to->fingerprint;
    made.time = snapshot.time;
    made.q = std::move(job.state.q);
    made.v = std::move(job.state.v);
    made.act = std::move(job.state.act);
    made.kinematic = std::move(job.state.kinematic);
    made.loop_q = std::move(job.state.loop_q);
    carry_contacts(before.contacts, job.new_geoms(), after);
    made.contacts = save_contacts(after);
    return made;
}

}  // namespace lig
