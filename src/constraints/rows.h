#pragma once

// Rows: conditions on the velocities at the end of a step, as every formulation reads them.
//
//   w = J v⁺ + bias + compliance · λ,   lo ≤ λ ≤ hi  with the signs of ligament/lcp.h;
// λ is an impulse (N·s or N·m·s). A row acts on two links by spatial impulses per unit λ (`on_a`, `on_b`:
// world axes, about the origins of the links; they are the rows of J towards the links' velocities), and on
// joint velocities directly by entries. Rows that matrices of bodies are written of act on further links by
// pulls. `bias` holds what the bases' own motion adds to J v, the gap that may
// still be closed or the error that is to be removed within the step. Where an error is removed, velocities
// would keep the speed of the correction; they are computed anew with `kept_bias`, so that corrections add no
// energy.
//
// Rows come in blocks that belong together: a contact with its friction, a loop, the limits of a joint.

#include "constraints/row_kinds.h"

#include <ligament/spatial.h>

#include <cmath>
#include <span>
#include <vector>

namespace lig {

// What a block is of, by its kind: an index in Model::loops, couplings, tendon_couplings, pair_constraints,
// actuators (or −1 − joint: a pose drive), joints, tendons, or Contacts::contacts.
struct RowBlock {
    RowKind kind;
    int source;
    int begin, count;    // rows
    int link_a, link_b;  // negative: none, the world or a kinematic body
    Vec3d point_a{0, 0, 0}, point_b{0, 0, 0};  // where it acts on these, in the world
};

struct Row {
    Force<double> on_a = Force<double>::zero(), on_b = Force<double>::zero();
    double bias = 0, kept_bias = 0;
    double base_rate = 0;  // of these, what the motion of bases adds to J v,
    double curved_rate = 0;  // and the curvature of coordinates within the step
    double lo = 0, hi = HUGE_VAL;
    double compliance = 0;
    double friction = 0;  // contacts: μ of a friction row, 0 in the normal row; friction rows stand behind it
    double lambda = 0;    // comes in as a guess
    int warm = -1;        // where λ is kept for the next step, in WarmStarts::lambda; −1: not there
    int entry_begin = 0, entry_count = 0;  // in Rows::entries
    int pull_begin = 0, pull_count = 0;    // in Rows::pulls
};

struct RowEntry {
    int dof;
    double value;
};

// A force per unit λ at a point of a link, and a moment, in world axes.
struct RowPull {
    int link;
    Vec3d at, force, moment;
};

struct Rows {
    std::vector<RowBlock> blocks;
    std::vector<Row> rows;
    std::vector<RowEntry> entries;
    std::vector<RowPull> pulls;

    void clear() {
        blocks.clear();
        rows.clear();
        entries.clear();
        pulls.clear();
    }
    RowBlock& begin_block(RowKind kind, int source, int link_a = -1, int link_b = -1,
                          const Vec3d& point_a = {0, 0, 0}, const Vec3d& point_b = {0, 0, 0}) {
        return blocks.emplace_back(RowBlock{kind, source, static_cast<int>(rows.size()), 0, link_a, link_b,
                                            point_a, point_b});
    }
    // Appends a row to the last block. Its entries are those appended with add_entry afterwards.
    Row& add_row() {
        ++blocks.back().count;
        Row& row = rows.emplace_back();
        row.entry_begin = static_cast<int>(entries.size());
        row.pull_begin = static_cast<int>(pulls.size());
        return row;
    }
    void add_entry(int dof, double value) {
        entries.push_back({dof, value});
        ++rows.back().entry_count;
    }
    void add_pull(const RowPull& pull) {
        pulls.push_back(pull);
        ++rows.back().pull_count;
    }
    std::span<const RowPull> pulls_of(const Row& row) const {
        return {pulls.data() + row.pull_begin, static_cast<std::size_t>(row.pull_count)};
    }
    // Appends a copy of a row of another list to the last block.
    Row& add_copy(const Rows& from, const Row& row) {
        Row& copy = add_row();
        const int begin = copy.entry_begin, pull_begin = copy.pull_begin;
        copy = row;
        copy.entry_begin = begin;
        copy.pull_begin = pull_begin;
        for (const RowPull& pull : from.pulls_of(row)) pulls.push_back(pull);
        for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
            entries.push_back(from.entries[e]);
        return copy;
    }
    std::span<Row> rows_of(const RowBlock& block) {
        return {rows.data() + block.begin, static_cast<std::size_t>(block.count)};
    }
    std::span<const Row> rows_of(const RowBlock& block) const {
        return {rows.data() + block.begin, static_cast<std::size_t>(block.count)};
    }
};

}  // namespace lig
