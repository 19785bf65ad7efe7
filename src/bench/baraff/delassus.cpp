#include "bench/baraff/delassus.h"

#include "linalg/vector_ops.h"

#include <algorithm>

namespace lig::bench {

Delassus::Delassus(const BlockLdlt& K) : K_(K), row_(std::size_t(K.nodes()), -1) {
    std::vector<int> body_of(std::size_t(K.nodes()), -1);
    for (int n = 0; n < K.nodes(); ++n) {
        if (K.node(n).constraint) {
            constraints_.push_back(n);
            row_[n] = rows_;
            rows_ += K.dim(n);
        } else {
            body_of[n] = static_cast<int>(bodies_.size());
            bodies_.push_back({n, {}, SmallBlock(std::size_t(K.dim(n) * K.dim(n)))});
        }
    }
    for (int e = 0; e < K.edges(); ++e) {
        const auto [a, b] = K.edge_nodes(e);
        bodies_[body_of[K.node(a).constraint ? b : a]].edges.push_back(e);
    }
}

void Delassus::load() {
    for (Body& body : bodies_) {
        const int dim = K_.dim(body.node);
        std::copy_n(K_.diagonal(body.node), dim * dim, body.inverse.begin());
        invert_definite(body.inverse.data(), dim);
    }
}

void Delassus::apply(std::span<const double> lambda, std::span<double> out) {
    for (const int c : constraints_)
        for (int p = 0; p < K_.dim(c); ++p) {
            const double* const own = K_.diagonal(c) + p * K_.dim(c);
            out[row_[c] + p] = -dot(own, &lambda[row_[c]], K_.dim(c));
        }
    for (const Body& body : bodies_) {
        const int dim = K_.dim(body.node);
        double force[BlockLdlt::max_rows] = {}, acceleration[BlockLdlt::max_rows];
        for (const int e : body.edges) {
            const int c = constraint_of(e);
            for (int p = 0; p < K_.dim(c); ++p)
                for (int q = 0; q < dim; ++q) force[q] += entry(e, p, q) * lambda[row_[c] + p];
        }
        product(body.inverse.data(), force, dim, dim, 1, acceleration);
        for (const int e : body.edges) {
            const int c = constraint_of(e);
            for (int p = 0; p < K_.dim(c); ++p)
                for (int q = 0; q < dim; ++q) out[row_[c] + p] += entry(e, p, q) * acceleration[q];
        }
    }
}

void Delassus::reduce(std::span<const double> x, std::span<double> rhs) {
    for (const int c : constraints_)
        for (int p = 0; p < K_.dim(c); ++p) rhs[row_[c] + p] = -x[K_.offset(c) + p];
    for (const Body& body : bodies_) {
        const int dim = K_.dim(body.node);
        double acceleration[BlockLdlt::max_rows];
        product(body.inverse.data(), x.data() + K_.offset(body.node), dim, dim, 1, acceleration);
        for (const int e : body.edges) {
            const int c = constraint_of(e);
            for (int p = 0; p < K_.dim(c); ++p)
                for (int q = 0; q < dim; ++q) rhs[row_[c] + p] += entry(e, p, q) * acceleration[q];
        }
    }
}

void Delassus::expand(std::span<const double> lambda, std::span<double> x) {
    for (const int c : constraints_) std::copy_n(&lambda[row_[c]], K_.dim(c), &x[K_.offset(c)]);
    for (const Body& body : bodies_) {
        const int dim = K_.dim(body.node);
        double force[BlockLdlt::max_rows];
        std::copy_n(x.data() + K_.offset(body.node), dim, force);
        for (const int e : body.edges) {
            const int c = constraint_of(e);
            for (int p = 0; p < K_.dim(c); ++p)
                for (int q = 0; q < dim; ++q) force[q] -= entry(e, p, q) * lambda[row_[c] + p];
        }
        product(body.inverse.data(), force, dim, dim, 1, x.data() + K_.offset(body.node));
    }
}

}  // namespace lig::bench
