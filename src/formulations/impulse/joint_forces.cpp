#include "formulations/impulse/joint_forces.h"

#include "formulations/maximal/link_joint.h"
#include "linalg/small_dense.h"

#include <algorithm>
#include <cmath>

namespace lig::impulse {

namespace {

constexpr int most = maximal::most_joint_rows;

// inverse = (1 + A K)⁻¹; rows of A and inverse are n apart.
void find_inverse(int n, const double* A, const double* K, double* inverse) {
    double root[most * small_stride], L[most * small_stride] = {}, middle[most * small_stride];
    std::copy_n(K, n * small_stride, root);
    cholesky_n<double>(root, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) L[i * small_stride + j] = root[i * small_stride + j];
        L[i * small_stride + i] = 1 / root[i * small_stride + i];
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = i == j;
            for (int k = i; k < n; ++k)
                for (int l = j; l < n; ++l)
                    sum += L[k * small_stride + i] * A[k * n + l] * L[l * small_stride + j];
            middle[i * small_stride + j] = sum;
        }
    cholesky_n<double>(middle, n);
    for (int column = 0; column < n; ++column) {
        double y[most];
        for (int i = 0; i < n; ++i) y[i] = L[column * small_stride + i];
        cholesky_solve_n<double>(middle, n, y);
        for (int i = n; i-- > 0;) {
            for (int k = i + 1; k < n; ++k) y[i] -= root[k * small_stride + i] * y[k];
            y[i] *= root[i * small_stride + i];
            inverse[i * n + column] = y[i];
        }
    }
}

}  // namespace

JointForces::JointForces(const Model& model) : impulses(model.nv, 0.0), model_(model) {
    int used = 0;
    for (const TreeLink<double>& link : model.tree.links) {
        matrix_begin_.push_back(used);
        used += link.nv * link.nv;
    }
    A_.resize(used);
    inverse_.resize(used);
    blocks_.reserve(model.tree.links.size());
    for (std::vector<double>* v : {&x_, &start_, &mobility_}) v->assign(model.nv, 0.0);
}

void JointForces::prepare(const Freedoms& freedoms, const JointTerms& terms, std::span<const double> v,
                          std::span<const double> x, MovingBodies& bodies) {
    blocks_.clear();
    const BodyView view = bodies.moving();
    std::copy(x.begin(), x.end(), x_.begin());
    for (std::size_t i = 0; i < model_.tree.links.size(); ++i) {
        const TreeLink<double>& link = model_.tree.links[i];
        double* A = A_.data() + matrix_begin_[i];
        bool acts = false;
        for (int k = 0; k < link.nv; ++k) {
            const int dof = link.v_adr + k;
            start_[dof] = v[dof];
            for (int l = 0; l < link.nv; ++l)
                A[k * link.nv + l] = terms.added[terms.added_at(dof, link.v_adr + l)] +
                                     (k == l ? model_.tree.armature[dof] : 0.0);
            acts = acts || A[k * link.nv + k] > 0;
        }
        if (acts) {
            blocks_.push_back({link.v_adr, link.nv, matrix_begin_[i]});
            continue;
        }
        std::fill_n(impulses.begin() + link.v_adr, link.nv, 0.0);
    }
    for (const Block& block : blocks_) {
        double K[most * small_stride];
        for (int k = 0; k < block.count; ++k) {
            for (int l = 0; l <= k; ++l)
                K[k * small_stride + l] =
                    response(freedoms[block.first + k], freedoms[block.first + l], bodies);
            mobility_[block.first + k] = K[k * small_stride + k];
        }
        find_inverse(block.count, A_.data() + block.matrices, K, inverse_.data() + block.matrices);
    }
    // What is pushed here must not count as a velocity that others begin with.
    std::size_t next = 0;
    for (const TreeLink<double>& link : model_.tree.links) {
        if (next < blocks_.size() && link.nv > 0 && blocks_[next].first == link.v_adr) {
            ++next;
            continue;
        }
        for (int dof = link.v_adr; dof < link.v_adr + link.nv; ++dof)
            if (x_[dof] != 0) freedoms[dof].push(x_[dof], view);
    }
}

void JointForces::warm_start(const Freedoms& freedoms, const BodyView& bodies) const {
    for (const Block& block : blocks_)
        for (int dof = block.first; dof < block.first + block.count; ++dof)
            freedoms[dof].push(impulses[dof], bodies);
}

double JointForces::sweep(const Freedoms& freedoms, const BodyView& bodies) {
    double largest = 0;
    for (const Block& block : blocks_) {
        const double *A = A_.data() + block.matrices, *inverse = inverse_.data() + block.matrices;
        double faster[most], miss[most];
        for (int k = 0; k < block.count; ++k)
            faster[k] = freedoms[block.first + k].velocity(bodies) - start_[block.first + k];
        for (int k = 0; k < block.count; ++k) {
            miss[k] = x_[block.first + k] - impulses[block.first + k];
            for (int l = 0; l < block.count; ++l) miss[k] -= A[k * block.count + l] * faster[l];
        }
        for (int k = 0; k < block.count; ++k) {
            double change = 0;
            for (int l = 0; l < block.count; ++l) change += inverse[k * block.count + l] * miss[l];
            impulses[block.first + k] += change;
            freedoms[block.first + k].push(change, bodies);
            largest = std::max(largest, std::fabs(change) * mobility_[block.first + k]);
        }
    }
    return largest;
}

}  // namespace lig::impulse
