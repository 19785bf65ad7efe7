#include "formulations/rows/islands.h"

#include <algorithm>

namespace lig {

Islands::Islands(const JointFactor& factor) {
    for (const JointFactor::Link& link : factor.links) {
        if (link.parent < 0) {
            tree_of_link_.push_back(static_cast<int>(all_.size()));
            all_.push_back({link.v_adr, link.v_adr});
        } else {
            tree_of_link_.push_back(tree_of_link_[link.parent]);
        }
        all_.back().v_end = link.v_adr + link.nv;
    }
    freedoms_of_trees_ = all_;
    parent_.resize(all_.size());
    group_.resize(all_.size());
    island_of_.resize(all_.size());
}

int Islands::root(std::vector<int>& parent, int tree) {
    while (parent[tree] != tree) tree = parent[tree] = parent[parent[tree]];
    return tree;
}

// Joins the trees that a block acts on. Returns one of them, or −1: it acts on nothing.
int Islands::join(const Rows& rows, const RowBlock& block, const JointFactor& factor,
                  std::vector<int>& parent) const {
    int first = -1;
    const auto add = [&](int link) {
        if (link < 0) return;
        const int tree = root(parent, tree_of_link_[link]);
        if (first < 0) {
            first = tree;
            return;
        }
        const int other = root(parent, first);
        parent[std::max(tree, other)] = std::min(tree, other);
    };
    add(block.link_a);
    add(block.link_b);
    for (const Row& row : rows.rows_of(block))
        for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
            add(factor.link_of_dof[rows.entries[e].dof]);
    return first;
}

void Islands::find(const Rows& rows, const JointFactor& factor, const Held& held) {
    const int trees = static_cast<int>(all_.size());
    all_ = freedoms_of_trees_;
    for (int t = 0; t < trees; ++t) parent_[t] = group_[t] = t;
    first_.clear();
    for (const RowBlock& block : rows.blocks) first_.push_back(join(rows, block, factor, parent_));
    for (int b = held.begin; b < held.end; ++b) join(rows, rows.blocks[b], factor, group_);
    for (int t = 0; t < trees; ++t) group_[t] = root(group_, t);
    // Representatives of trees that have rows become islands, in the order of their lowest trees.
    std::fill(island_of_.begin(), island_of_.end(), -1);
    for (const int tree : first_)
        if (tree >= 0) island_of_[root(parent_, tree)] = 0;
    int count = 0;
    for (int t = 0; t < trees; ++t)
        if (island_of_[t] == 0) island_of_[t] = count++;
    const auto sort_into = [&](int items, auto&& island_of, std::vector<int>& list, std::vector<int>& begin) {
        begin.assign(static_cast<std::size_t>(count) + 1, 0);
        for (int i = 0; i < items; ++i)
            if (const int island = island_of(i); island >= 0) ++begin[island + 1];
        for (int k = 0; k < count; ++k) begin[k + 1] += begin[k];
        list.resize(begin[count]);
        next_.assign(begin.begin(), begin.end());
        for (int i = 0; i < items; ++i)
            if (const int island = island_of(i); island >= 0) list[next_[island]++] = i;
    };
    sort_into(
        static_cast<int>(first_.size()),
        [&](int b) {
            const bool listed = first_[b] >= 0 && (b < held.begin || b >= held.end);
            return listed ? island_of_[root(parent_, first_[b])] : -1;
        },
        blocks_, block_begin_);
    sort_into(
        trees, [&](int t) { return island_of_[root(parent_, t)]; }, trees_, tree_begin_);
    has_held_.assign(count, 0);
    for (int b = held.begin; b < held.end; ++b)
        if (first_[b] >= 0) has_held_[island_of_[root(parent_, first_[b])]] = 1;
    freedoms_.assign(count, 0);
    largest_.assign(count, 0);
    for (int k = 0; k < count; ++k)
        for (const int t : this->trees(k)) {
            const int own = all_[t].v_end - all_[t].v_begin;
            freedoms_[k] += own;
            largest_[k] = std::max(largest_[k], own);
        }
}

void Islands::clear_coordinates(int island) {
    for (const int t : trees(island)) all_[t] = {0, 0};
    freedoms_[island] = largest_[island] = 0;
}

void Islands::set_coordinates(int island, int group, const Tree& range) {
    all_[group] = range;
    freedoms_[island] += range.v_end - range.v_begin;
    largest_[island] = std::max(largest_[island], range.v_end - range.v_begin);
}

}  // namespace lig
