#include "bench/baraff/sparse_tree.h"

#include <algorithm>

namespace lig::bench {

SparseTree::SparseTree(const BlockLdlt& K) : K_(K), tree_(std::size_t(K.nodes())) {
    std::vector<std::vector<std::pair<int, int>>> next(std::size_t(K.nodes()));  // neighbour, edge
    for (int e = 0; e < K.edges(); ++e) {
        const auto [a, b] = K.edge_nodes(e);
        next[a].push_back({b, e});
        next[b].push_back({a, e});
    }
    // Down from the root; reversed, that is children before parents.
    std::vector<char> seen(std::size_t(K.nodes()), 0);
    std::vector<int> backward;
    const auto grow = [&](int root) {
        if (seen[root]) return;
        seen[root] = 1;
        backward.push_back(root);
        for (std::size_t at = backward.size() - 1; at < backward.size(); ++at) {
            const int n = backward[at];
            for (const auto& [to, e] : next[n]) {
                if (e == tree_[n].edge) continue;
                if (seen[to]) {
                    possible_ = false;
                    continue;
                }
                if (K.node(to).constraint && next[to].size() == 1) possible_ = false;
                seen[to] = 1;
                tree_[to].parent = n;
                tree_[to].edge = e;
                tree_[n].children.push_back(to);
                backward.push_back(to);
            }
        }
    };
    for (int n = 0; n < K.nodes(); ++n)
        if (K.node(n).constraint && next[n].size() < 2) grow(n);
    for (int n = 0; n < K.nodes(); ++n)
        if (!K.node(n).constraint) grow(n);
    forward_.assign(backward.rbegin(), backward.rend());
    for (int n = 0; n < K.nodes(); ++n) {
        const int dim = K.dim(n);
        tree_[n].D.resize(std::size_t(dim * dim));
        tree_[n].Dinv.resize(std::size_t(dim * dim));
        tree_[n].soln.resize(std::size_t(dim));
        if (tree_[n].parent >= 0) tree_[n].J.resize(std::size_t(dim * K.dim(tree_[n].parent)));
    }
    scratch_.resize(BlockLdlt::max_rows * BlockLdlt::max_rows);
}

void SparseTree::factor() {
    for (const int i : forward_) {
        TreeNode& n = tree_[i];
        const int dim = K_.dim(i);
        std::copy_n(K_.diagonal(i), dim * dim, n.D.begin());
        if (n.parent < 0) continue;
        const int columns = K_.dim(n.parent);
        const double* from = K_.edge(n.edge);
        if (K_.edge_nodes(n.edge).a == i) {
            std::copy_n(from, dim * columns, n.J.begin());
        } else {
            for (int q = 0; q < columns; ++q)
                for (int p = 0; p < dim; ++p, ++from) n.J[p * columns + q] = *from;
        }
    }
    for (const int i : forward_) {
        TreeNode& n = tree_[i];
        const int dim = K_.dim(i);
        for (const int c : n.children) {
            const TreeNode& child = tree_[c];
            product(child.D.data(), child.J.data(), K_.dim(c), K_.dim(c), dim, scratch_.data());
            subtract_transposed_product(child.J.data(), scratch_.data(), K_.dim(c), dim, dim, n.D.data());
        }
        n.Dinv = n.D;
        invert_definite(n.Dinv.data(), dim);
        if (n.parent < 0) continue;
        const int columns = K_.dim(n.parent);
        product(n.Dinv.data(), n.J.data(), dim, dim, columns, scratch_.data());
        std::copy_n(scratch_.begin(), dim * columns, n.J.begin());
    }
}

void SparseTree::solve(std::span<double> x) {
    for (const int i : forward_) {
        TreeNode& n = tree_[i];
        std::copy_n(x.data() + K_.offset(i), K_.dim(i), n.soln.begin());
        for (const int c : n.children)
            subtract_transposed_product(tree_[c].J.data(), tree_[c].soln.data(), K_.dim(c), K_.dim(i), 1,
                                        n.soln.data());
    }
    for (std::size_t k = forward_.size(); k-- > 0;) {
        const int i = forward_[k];
        TreeNode& n = tree_[i];
        const int dim = K_.dim(i);
        product(n.Dinv.data(), n.soln.data(), dim, dim, 1, scratch_.data());
        std::copy_n(scratch_.begin(), dim, n.soln.begin());
        if (n.parent >= 0) {
            const int columns = K_.dim(n.parent);
            for (int p = 0; p < dim; ++p)
                for (int q = 0; q < columns; ++q)
                    n.soln[p] -= n.J[p * columns + q] * tree_[n.parent].soln[q];
        }
        std::copy_n(n.soln.begin(), dim, x.data() + K_.offset(i));
    }
}

}  // namespace lig::bench
