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
    parent_.resize(all_.size());
    island_of_.resize(all_.size());
}

int Islands::root(int tree) {
    while (parent_[tree] != tree) tree = parent_[tree] = parent_[parent_[tree]];
    return tree;
}

void Islands::find(const Rows& rows, const JointFactor& factor, const Held& held) {
    const int trees = static_cast<int>(all_.size());
    for (int t = 0; t < trees; ++t) parent_[t] = t;
    first_.clear();
    for (const RowBlock& block : rows.blocks) {
        int first = -1;
        const auto join = [&](int link) {
            if (link < 0) return;
            const int tree = root(tree_of_link_[link]);
            if (first < 0) {
                first = tree;
                return;
            }
            const int other = root(first);
            parent_[std::max(tree, other)] = std::min(tree, other);
        };
        join(block.link_a);
        join(block.link_b);
        for (const Row& row : rows.rows_of(block))
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
                join(factor.link_of_dof[rows.entries[e].dof]);
        first_.push_back(first);
    }
    // Representatives of trees that have rows become islands, in the order of their lowest trees.
    std::fill(island_of_.begin(), island_of_.end(), -1);
    for (const int tree : first_)
        if (tree >= 0) island_of_[root(tree)] = 0;
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
            return listed ? island_of_[root(first_[b])] : -1;
        },
        blocks_, block_begin_);
    sort_into(
        trees, [&](int t) { return island_of_[root(t)]; }, trees_, tree_begin_);
    freedoms_.assign(count, 0);
    largest_.assign(count, 0);
    for (int k = 0; k < count; ++k)
        for (const int t : this->trees(k)) {
            const int own = all_[t].v_end - all_[t].v_begin;
            freedoms_[k] += own;
            largest_[k] = std::max(largest_[k], own);
        }
}

int Islands::count_by_rows(const Rows& rows) {
    int next = 0;
    for (Tree& tree : all_) tree = {0, 0};
    for (int k = 0; k < count(); ++k) {
        const int begin = next;
        for (const int b : blocks(k)) next += rows.blocks[b].count;
        all_[trees(k)[0]] = {begin, next};
        freedoms_[k] = largest_[k] = next - begin;
    }
    return next;
}

}  // namespace lig
