#include "bench/hernandez/stiff_tree.h"

#include <algorithm>
#include <utility>

namespace lig::bench {

StiffTree::StiffTree(const BlockLdlt& K) : K_(K), tree_(std::size_t(K.nodes())) {
    std::vector<std::vector<std::pair<int, int>>> joined(std::size_t(K.nodes()));  // neighbour, edge
    std::vector<int> between_bodies;
    for (int e = 0; e < K.edges(); ++e) {
        const auto [a, b] = K.edge_nodes(e);
        if (K.node(a).constraint == K.node(b).constraint) {
            between_bodies.push_back(e);
            continue;
        }
        joined[a].push_back({b, e});
        joined[b].push_back({a, e});
    }
    for (int n = 0; n < K.nodes(); ++n)
        if (K.node(n).constraint && joined[n].size() < 2) grow(n, joined);
    for (int n = 0; n < K.nodes(); ++n)
        if (!K.node(n).constraint) grow(n, joined);
    for (const int e : between_bodies) {
        const auto [a, b] = K.edge_nodes(e);
        const auto grandparent = [&](int n) {
            return tree_[n].parent < 0 ? -1 : tree_[tree_[n].parent].parent;
        };
        const int first = grandparent(a) == b ? a : b, second = first == a ? b : a;
        if (grandparent(first) != second) {
            possible_ = false;
            continue;
        }
        tree_[first].grandparent = second;
        tree_[first].grandparent_edge = e;
    }
    for (int n = 0; n < K.nodes(); ++n) {
        TreeNode& node = tree_[n];
        const int dim = K.dim(n);
        node.H.resize(std::size_t(dim * dim));
        if (node.parent >= 0) node.to_parent.resize(std::size_t(dim * K.dim(node.parent)));
        if (node.grandparent >= 0) node.to_grandparent.resize(std::size_t(dim * K.dim(node.grandparent)));
    }
    scratch_.resize(BlockLdlt::max_rows * BlockLdlt::max_rows);
}

// Down from the root, unless it has been reached before.
void StiffTree::grow(int root, const std::vector<std::vector<std::pair<int, int>>>& joined) {
    if (tree_[root].parent >= 0) return;
    backward_.push_back(root);
    for (std::size_t at = backward_.size() - 1; at < backward_.size(); ++at) {
        const int n = backward_[at];
        for (const auto& [to, e] : joined[n]) {
            if (e == tree_[n].parent_edge) continue;
            if (to == root || tree_[to].parent >= 0) {
                possible_ = false;
                continue;
            }
            if (K_.node(to).constraint && joined[to].size() < 2) possible_ = false;
            tree_[to].parent = n;
            tree_[to].parent_edge = e;
            tree_[n].children.push_back(to);
            backward_.push_back(to);
        }
    }
}

int StiffTree::blocks() const {
    int count = 0;
    for (const TreeNode& node : tree_) count += (node.parent >= 0) + (node.grandparent >= 0);
    return count;
}

// The block of an edge of K, rows those of the node.
void StiffTree::load(int node, int edge, SmallBlock& block) const {
    const auto [a, b] = K_.edge_nodes(edge);
    const double* from = K_.edge(edge);
    if (a == node) {
        std::copy_n(from, block.size(), block.begin());
        return;
    }
    const int columns = K_.dim(a);
    for (int q = 0; q < columns; ++q)
        for (int p = 0; p < K_.dim(b); ++p, ++from) block[p * columns + q] = *from;
}

// block = H_ii⁻¹ block.
void StiffTree::divide(const TreeNode& node, int dim, SmallBlock& block) {
    product(node.inverse.data(), block.data(), dim, dim, static_cast<int>(block.size()) / dim,
            scratch_.data());
    std::copy_n(scratch_.begin(), block.size(), block.begin());
}

void StiffTree::factor() {
    for (const int i : backward_) {
        TreeNode& node = tree_[i];
        std::copy_n(K_.diagonal(i), node.H.size(), node.H.begin());
        if (node.parent >= 0) load(i, node.parent_edge, node.to_parent);
        if (node.grandparent >= 0) load(i, node.grandparent_edge, node.to_grandparent);
    }
    for (std::size_t at = backward_.size(); at-- > 0;) {
        const int i = backward_[at];
        TreeNode& node = tree_[i];
        const int dim = K_.dim(i);
        for (const int j : node.children) {
            const TreeNode& child = tree_[j];
            const int dj = K_.dim(j);
            product(child.H.data(), child.to_parent.data(), dj, dj, dim, scratch_.data());
            subtract_transposed_product(child.to_parent.data(), scratch_.data(), dj, dim, dim, node.H.data());
            for (const int k : child.children) {
                const TreeNode& grandchild = tree_[k];
                if (grandchild.grandparent < 0) continue;
                const int dk = K_.dim(k);
                product(grandchild.H.data(), grandchild.to_grandparent.data(), dk, dk, dim, scratch_.data());
                subtract_transposed_product(grandchild.to_grandparent.data(), scratch_.data(), dk, dim, dim,
                                            node.H.data());
            }
            if (child.grandparent < 0) continue;
            const int columns = K_.dim(child.grandparent);
            product(child.H.data(), child.to_grandparent.data(), dj, dj, columns, scratch_.data());
            subtract_transposed_product(child.to_parent.data(), scratch_.data(), dj, dim, columns,
                                        node.to_parent.data());
        }
        node.inverse = node.H;
        invert_definite(node.inverse.data(), dim);
        if (node.parent >= 0) divide(node, dim, node.to_parent);
        if (node.grandparent >= 0) divide(node, dim, node.to_grandparent);
    }
}

void StiffTree::solve(std::span<double> x) {
    for (std::size_t at = backward_.size(); at-- > 0;) {
        const int i = backward_[at];
        double* const own = x.data() + K_.offset(i);
        for (const int j : tree_[i].children) {
            subtract_transposed_product(tree_[j].to_parent.data(), x.data() + K_.offset(j), K_.dim(j),
                                        K_.dim(i), 1, own);
            for (const int k : tree_[j].children)
                if (tree_[k].grandparent >= 0)
                    subtract_transposed_product(tree_[k].to_grandparent.data(), x.data() + K_.offset(k),
                                                K_.dim(k), K_.dim(i), 1, own);
        }
    }
    for (const int i : backward_) {
        const TreeNode& node = tree_[i];
        const int dim = K_.dim(i);
        double* const own = x.data() + K_.offset(i);
        product(node.inverse.data(), own, dim, dim, 1, scratch_.data());
        std::copy_n(scratch_.begin(), dim, own);
        const auto subtract = [&](const SmallBlock& block, int other) {
            product(block.data(), x.data() + K_.offset(other), dim, K_.dim(other), 1, scratch_.data());
            for (int p = 0; p < dim; ++p) own[p] -= scratch_[p];
        };
        if (node.parent >= 0) subtract(node.to_parent, node.parent);
        if (node.grandparent >= 0) subtract(node.to_grandparent, node.grandparent);
    }
}

}  // namespace lig::bench
