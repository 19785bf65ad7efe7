#include "formulations/impulse/joint_forces.h"

#include "formulations/maximal/link_joint.h"
#include "linalg/small_dense.h"

#include <algorithm>
#include <cmath>

namespace lig::impulse {

namespace {

constexpr int most = maximal::max_joint_rows;

// inverse = (1 + A K)⁻¹, rows N apart; of K the lower triangle is read.
template <int N>
void find_inverse(const double* A, const double* K, double* inverse) {
    double root[N * N], L[N * N] = {}, AL[N * N], middle[N * N];
    std::copy_n(K, N * N, root);
    cholesky<N>(root);
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < i; ++j) L[i * N + j] = root[i * N + j];
        L[i * N + i] = 1 / root[i * N + i];
    }
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) {
            AL[i * N + j] = 0;
            for (int k = j; k < N; ++k) AL[i * N + j] += A[i * N + k] * L[k * N + j];
        }
    for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j) {
            middle[i * N + j] = i == j;
            for (int k = i; k < N; ++k) middle[i * N + j] += L[k * N + i] * AL[k * N + j];
        }
    cholesky<N>(middle);
    for (int column = 0; column < N; ++column) {
        double y[N];
        for (int i = 0; i < N; ++i) y[i] = L[column * N + i];
        cholesky_solve<N>(middle, y);
        for (int i = N; i-- > 0;) {
            for (int k = i + 1; k < N; ++k) y[i] -= root[k * N + i] * y[k];
            y[i] *= root[i * N + i];
            inverse[i * N + column] = y[i];
        }
    }
}

void find_inverse(int n, const double* A, const double* K, double* inverse) {
    switch (n) {
        case 1: inverse[0] = 1 / (1 + A[0] * K[0]); break;
        case 2: find_inverse<2>(A, K, inverse); break;
        case 3: find_inverse<3>(A, K, inverse); break;
        case 4: find_inverse<4>(A, K, inverse); break;
        case 5: find_inverse<5>(A, K, inverse); break;
        default: find_inverse<6>(A, K, inverse); break;
    }
}

}  // namespace

JointForces::JointForces(const Model& model, const Freedoms& freedoms)
    : impulses(model.nv, 0.0), model_(model), A_(freedoms.mobility_size()), inverse_(A_.size()) {
    blocks_.reserve(model.tree.links.size());
    for (std::vector<double>* v : {&x_, &start_}) v->assign(model.nv, 0.0);
    pushed_.assign(model.nv, 0);
}

void JointForces::clear_blocks() {
    blocks_.clear();
    stiffness_ = 0;
}

void JointForces::prepare(const Freedoms& freedoms, const JointTerms& terms, std::span<const double> v,
                          std::span<const double> x, MovingBodies& bodies) {
    clear_blocks();
    const BodyView view = bodies.moving();
    std::copy(x.begin(), x.end(), x_.begin());
    std::copy(v.begin(), v.end(), start_.begin());
    for (int i = 0; i < bodies.links(); ++i) {
        if (bodies.is_asleep(bodies.index(i))) continue;  // keeps its impulses
        const TreeLink<double>& link = model_.tree.links[i];
        const int matrices = freedoms.mobility_begin(i);
        double* A = A_.data() + matrices;
        const int count = maximal::frame_freedoms(model_.tree, link);
        bool acts = false;
        for (int k = 0; k < count; ++k) {
            const int dof = link.v_adr + k;
            for (int l = 0; l <= k; ++l)
                A[k * count + l] = A[l * count + k] =
                    terms.added[terms.added_at(dof, link.v_adr + l)] +
                    (k == l ? model_.tree.armature[dof] : 0.0);
            acts = acts || A[k * count + k] > 0;
        }
        std::fill_n(pushed_.begin() + link.v_adr, link.nv, 1);
        if (acts) {
            std::fill_n(pushed_.begin() + link.v_adr, count, 0);
            blocks_.push_back({i, link.v_adr, count, matrices});
            const double* mobility = freedoms.mobility(i);
            find_inverse(count, A, mobility, inverse_.data() + matrices);
            for (int k = 0; k < count; ++k) {
                const int diagonal = k * count + k;
                stiffness_ = std::max(stiffness_, A[diagonal] * mobility[diagonal]);
            }
        }
        for (int dof = link.v_adr + (acts ? count : 0); dof < link.v_adr + link.nv; ++dof) {
            impulses[dof] = 0;
            if (x_[dof] != 0) freedoms[dof].push(x_[dof], view);
        }
    }
}

void JointForces::renew_inverses(const Freedoms& freedoms) {
    for (const Block& block : blocks_)
        find_inverse(block.count, A_.data() + block.matrices, freedoms.mobility(block.link),
                     inverse_.data() + block.matrices);
}

void JointForces::warm_start(const Freedoms& freedoms, const BodyView& bodies) const {
    for (const Block& block : blocks_)
        for (int dof = block.first; dof < block.first + block.count; ++dof)
            freedoms[dof].push(impulses[dof], bodies);
}

void JointForces::find_misses(const Block& block, const Freedoms& freedoms, const BodyView& bodies,
                              double* miss) const {
    const double* A = A_.data() + block.matrices;
    double faster[most];
    for (int k = 0; k < block.count; ++k)
        faster[k] = freedoms[block.first + k].velocity(bodies) - start_[block.first + k];
    for (int k = 0; k < block.count; ++k) {
        miss[k] = x_[block.first + k] - impulses[block.first + k];
        for (int l = 0; l < block.count; ++l) miss[k] -= A[k * block.count + l] * faster[l];
    }
}

double JointForces::sweep(bool back, const Freedoms& freedoms, const BodyView& bodies) {
    double largest = 0;
    for (std::size_t n = 0; n < blocks_.size(); ++n) {
        const Block& block = blocks_[back ? blocks_.size() - 1 - n : n];
        const double* inverse = inverse_.data() + block.matrices;
        const double* mobility = freedoms.mobility(block.link);
        double miss[most];
        find_misses(block, freedoms, bodies, miss);
        for (int k = 0; k < block.count; ++k) {
            double change = 0;
            for (int l = 0; l < block.count; ++l) change += inverse[k * block.count + l] * miss[l];
            impulses[block.first + k] += change;
            freedoms[block.first + k].push(change, bodies);
            largest = std::max(largest, std::fabs(change) * mobility[k * block.count + k]);
        }
    }
    return largest;
}

double JointForces::missed(const Freedoms& freedoms, const BodyView& bodies) const {
    double largest = 0;
    for (const Block& block : blocks_) {
        const double* inverse = inverse_.data() + block.matrices;
        const double* mobility = freedoms.mobility(block.link);
        double miss[most];
        find_misses(block, freedoms, bodies, miss);
        for (int k = 0; k < block.count; ++k) {
            double change = 0;
            for (int l = 0; l < block.count; ++l) change += inverse[k * block.count + l] * miss[l];
            largest = std::max(largest, std::fabs(change) * mobility[k * block.count + k]);
        }
    }
    return largest;
}

void JointForces::settle(const Freedoms& freedoms, const BodyView& bodies, const ChosenBodies& chosen) {
    for (const Block& block : blocks_) {
        if (!chosen.has(freedoms[block.first].b)) continue;
        double miss[most];
        find_misses(block, freedoms, bodies, miss);
        for (int k = 0; k < block.count; ++k) impulses[block.first + k] += miss[k];
    }
}

}  // namespace lig::impulse
