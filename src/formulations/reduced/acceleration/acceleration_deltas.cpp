#include "formulations/reduced/acceleration/acceleration_deltas.h"

#include <ligament/model.h>

#include <algorithm>

namespace lig {

AccelerationDeltas::AccelerationDeltas(const Model& model) {
    const std::size_t links = model.tree.links.size();
    force_.assign(links, Force<double>::zero());
    reached_.assign(links, 0);
    s_.assign(model.nv, 0.0);
    qacc_.assign(model.nv, 0.0);
    a_.assign(links, Motion<double>::zero());
}

void AccelerationDeltas::push(int link, const Force<double>& force) {
    if (link < 0) return;  // bases do not yield
    force_[link] += force;
    reached_[link] = 1;
    outermost_ = std::max(outermost_, link);
}

void AccelerationDeltas::twist(const JointFactor& factor, int dof, double torque) {
    const int index = factor.link_of_dof[dof];
    const JointFactor::Link& link = factor.links[index];
    const double* root = factor.root_inverse.data() + link.triangle;
    const int own = dof - link.v_adr;
    for (int k = own; k < link.nv; ++k) s_[link.v_adr + k] += root[k * (k + 1) / 2 + own] * torque;
    reached_[index] = 1;
    outermost_ = std::max(outermost_, index);
}

// Lines 5 to 16. Leaves force_ and reached_ clear for the next.
void AccelerationDeltas::inbound(const JointFactor& factor) {
    for (int i = outermost_; i >= 0; --i) {
        if (!reached_[i]) continue;
        const JointFactor::Link& link = factor.links[i];
        const JointFactor::Dof* dof = factor.dofs.data() + link.v_adr;
        double* s = s_.data() + link.v_adr;
        Force<double> F = force_[i];
        for (int k = 0; k < link.nv; ++k) s[k] += dot(dof[k].S, F);
        for (int k = 0; k < link.nv; ++k) F -= s[k] * dof[k].U;
        if (link.parent >= 0) {
            force_[link.parent] += shift_back(F, link.r);
            reached_[link.parent] = 1;
        }
        force_[i] = Force<double>::zero();
        reached_[i] = 0;
    }
    outermost_ = -1;
}

// Lines 17 to 22. Leaves s_ clear for the next.
void AccelerationDeltas::outbound(const JointFactor& factor) {
    const int n = static_cast<int>(factor.links.size());
    for (int i = 0; i < n; ++i) {
        const JointFactor::Link& link = factor.links[i];
        const JointFactor::Dof* dof = factor.dofs.data() + link.v_adr;
        const double* root = factor.root_inverse.data() + link.triangle;
        double* t = s_.data() + link.v_adr;
        Motion<double> a = link.parent >= 0 ? shift(a_[link.parent], link.r) : Motion<double>::zero();
        for (int k = 0; k < link.nv; ++k) t[k] -= dot(dof[k].U, a);
        for (int k = 0; k < link.nv; ++k) a += t[k] * dof[k].S;
        a_[i] = a;
        for (int k = 0; k < link.nv; ++k) {
            double sum = 0;
            for (int l = k; l < link.nv; ++l) sum += root[l * (l + 1) / 2 + k] * t[l];
            qacc_[link.v_adr + k] = sum;
        }
        for (int k = 0; k < link.nv; ++k) t[k] = 0;
    }
}

void AccelerationDeltas::of_external_force(const JointFactor& factor, int link, const Force<double>& force) {
    push(link, force);
    inbound(factor);
    outbound(factor);
}

void AccelerationDeltas::of_joint_torque(const JointFactor& factor, int dof, double torque) {
    twist(factor, dof, torque);
    inbound(factor);
    outbound(factor);
}

void AccelerationDeltas::of_row(const JointFactor& factor, const Rows& rows, const RowBlock& block,
                                const Row& row) {
    push(block.link_a, row.on_a);
    push(block.link_b, row.on_b);
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
        twist(factor, rows.entries[e].dof, rows.entries[e].value);
    inbound(factor);
    outbound(factor);
}

double AccelerationDeltas::value(const Rows& rows, const RowBlock& block, const Row& row) const {
    double sum = 0;
    if (block.link_a >= 0) sum += dot(a_[block.link_a], row.on_a);
    if (block.link_b >= 0) sum += dot(a_[block.link_b], row.on_b);
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
        sum += rows.entries[e].value * qacc_[rows.entries[e].dof];
    return sum;
}

}  // namespace lig
