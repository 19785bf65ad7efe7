#include "dynamics/joint_factor.h"

#include "model/split_inertia.h"

#include <ligament/model.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lig {

JointFactor::JointFactor(const Model& model) : armature_(model.tree.armature) {
    int triangles = 0;
    for (const TreeLink<double>& link : model.tree.links) {
        links.push_back({link.parent, link.v_adr, link.nv, triangles, Vec3d::zero()});
        triangles += link.nv * (link.nv + 1) / 2;
        link_of_dof.insert(link_of_dof.end(), link.nv, static_cast<int>(links.size()) - 1);
    }
    root_inverse.assign(triangles, 0.0);
    dofs.resize(model.nv);
    inertia_.resize(links.size());
    force_.resize(links.size());
    motion_.resize(links.size());
    all_.resize(links.size());
    std::iota(all_.begin(), all_.end(), 0);
}

namespace {

constexpr int most = 12;  // freedoms of a link

// Adds to D, a lower triangle, what a bound of its link resists with.
void hold(HeldBound& bound, double* D) {
    const auto at = [&](int k, int l) -> double& {
        const int row = bound.first + std::max(k, l), column = bound.first + std::min(k, l);
        return D[row * (row + 1) / 2 + column];
    };
    double inertia = 0, square = 0;
    for (int k = 0; k < bound.count; ++k) {
        square += bound.gradient[k] * bound.gradient[k];
        for (int l = 0; l < bound.count; ++l) inertia += bound.gradient[k] * bound.gradient[l] * at(k, l);
    }
    bound.resistance = bound.times * inertia / (square * square);
    for (int k = 0; k < bound.count; ++k)
        for (int l = 0; l <= k; ++l)
            at(k, l) += bound.resistance * bound.gradient[k] * bound.gradient[l];
}

// d, a lower triangle of n rows, becomes L⁻¹. False where d is not positive definite.
bool invert_root(double* d, int n) {
    if (n == 1) {
        if (!(d[0] > 0)) return false;
        d[0] = 1 / std::sqrt(d[0]);
        return std::isfinite(d[0]);
    }
    const auto at = [](int row, int column) { return row * (row + 1) / 2 + column; };
    for (int j = 0; j < n; ++j) {
        double pivot = d[at(j, j)];
        for (int k = 0; k < j; ++k) pivot -= d[at(j, k)] * d[at(j, k)];
        // Less than rounding of what it is the rest of: nothing is left.
        if (!(pivot > 1e-15 * d[at(j, j)])) return false;
        const double root = std::sqrt(pivot), inverse = 1 / root;
        d[at(j, j)] = root;
        for (int i = j + 1; i < n; ++i) {
            double sum = d[at(i, j)];
            for (int k = 0; k < j; ++k) sum -= d[at(i, k)] * d[at(j, k)];
            d[at(i, j)] = sum * inverse;
        }
        if (!std::isfinite(inverse)) return false;
    }
    // In place, column by column from the left: row i of the inverse needs the columns of L to its left.
    for (int i = 0; i < n; ++i) {
        double row[most];
        const double inverse = 1 / d[at(i, i)];
        for (int j = 0; j < i; ++j) {
            double sum = 0;
            for (int k = j; k < i; ++k) sum += d[at(i, k)] * d[at(k, j)];  // rows above are inverted already
            row[j] = -inverse * sum;
        }
        for (int j = 0; j < i; ++j) d[at(i, j)] = row[j];
        d[at(i, i)] = inverse;
    }
    return true;
}

}  // namespace

int JointFactor::factor(const Workspace<double>& ws, const JointTerms* terms, std::span<const int> which) {
    const std::vector<TreeLink<double>>& tree = ws.model().tree.links;
    const bool turns = terms && !terms->turning.empty();
    std::size_t held = terms ? terms->held.size() : 0;
    for (const int i : which) {
        links[i].r = ws.links[i].r;
        inertia_[i] = ArticulatedInertia<double>::of_rigid(world_inertia(ws.links[i].R_WL, tree[i].inertia));
        if (turns) inertia_[i].A += terms->turning[i];
    }
    for (std::size_t n = which.size(); n-- > 0;) {
        const int i = which[n];
        const Link& link = links[i];
        ArticulatedInertia<double> IA = inertia_[i];
        const Motion<double>* S = ws.S.data() + link.v_adr;
        Dof* out = dofs.data() + link.v_adr;
        double* root = root_inverse.data() + link.triangle;
        const double* extra = terms ? terms->added.data() + link.triangle : nullptr;
        Force<double> U[most];
        for (int k = 0, at = 0; k < link.nv; ++k) {
            U[k] = IA * S[k];
            for (int l = 0; l <= k; ++l, ++at) root[at] = dot(S[l], U[k]) + (extra ? extra[at] : 0.0);
            root[at - 1] += armature_[link.v_adr + k];
        }
        for (; held > 0 && terms->held[held - 1].link >= i; --held)
            if (terms->held[held - 1].link == i) hold(terms->held[held - 1], root);
        if (!invert_root(root, link.nv)) return i;
        if (link.nv == 1) {
            out[0] = {root[0] * S[0], root[0] * U[0]};
        } else {
            for (int k = 0, at = 0; k < link.nv; ++k) {
                Dof dof = {Motion<double>::zero(), Force<double>::zero()};
                for (int l = 0; l <= k; ++l, ++at) {
                    dof.S += root[at] * S[l];
                    dof.U += root[at] * U[l];
                }
                out[k] = dof;
            }
        }
        if (link.parent < 0) continue;
        for (int k = 0; k < link.nv; ++k) IA.subtract_outer(out[k].U, out[k].U);
        inertia_[link.parent] += shift_back(IA, link.r);
    }
    return -1;
}

void JointFactor::inward(std::span<double> x, std::span<const Force<double>> on_links) {
    const int n = static_cast<int>(links.size());
    if (on_links.empty())
        std::fill(force_.begin(), force_.end(), Force<double>::zero());
    else
        std::copy(on_links.begin(), on_links.end(), force_.begin());
    for (int i = n - 1; i >= 0; --i) {
        const Link& link = links[i];
        const Dof* dof = dofs.data() + link.v_adr;
        const double* root = root_inverse.data() + link.triangle;
        double* own = x.data() + link.v_adr;
        Force<double> F = force_[i];
        double s[most];
        for (int k = 0, at = 0; k < link.nv; ++k) {
            double sum = dot(dof[k].S, F);
            for (int l = 0; l <= k; ++l, ++at) sum += root[at] * own[l];
            s[k] = sum;
        }
        for (int k = 0; k < link.nv; ++k) own[k] = s[k];
        if (link.parent < 0) continue;
        for (int k = 0; k < link.nv; ++k) F -= s[k] * dof[k].U;
        force_[link.parent] += shift_back(F, link.r);
    }
}

void JointFactor::outward(std::span<const double> s, std::span<double> v) {
    const int n = static_cast<int>(links.size());
    for (int i = 0; i < n; ++i) {
        const Link& link = links[i];
        const Dof* dof = dofs.data() + link.v_adr;
        const double* root = root_inverse.data() + link.triangle;
        Motion<double> a = link.parent >= 0 ? shift(motion_[link.parent], link.r) : Motion<double>::zero();
        double t[most];
        for (int k = 0; k < link.nv; ++k) t[k] = s[link.v_adr + k] - dot(dof[k].U, a);
        for (int k = 0; k < link.nv; ++k) a += t[k] * dof[k].S;
        motion_[i] = a;
        for (int k = 0; k < link.nv; ++k) {
            double sum = 0;
            for (int l = k; l < link.nv; ++l) sum += root[l * (l + 1) / 2 + k] * t[l];
            v[link.v_adr + k] = sum;
        }
    }
}

}  // namespace lig
