#pragma once

// Acceleration constraints as rows: h(v̇) = J v̇ + k [K04 eq. 32, 33], J as forces on links and entries at
// freedoms, so that test forces are ready to be applied and values ready to be read off.
//
// For a point p of a body on a link (or base) L, with ordinary accelerations of the links' origins
//     a_p = a_L + α_L × r + ω_L × (ω_L × r),    r = p − p_L,
// and what of it is left at v̇ = 0 is k: the workspace has a_L and α_L at v̇ = 0 less gravity (LinkWork::a0),
// which is put back. The motion of kinematic bodies is in it.

#include "constraints/equality_terms.h"
#include "constraints/rows.h"

#include <ligament/acceleration_constraints.h>

#include <algorithm>
#include <vector>

namespace lig {

struct ConstraintRows {
    Rows rows;                    // one block for each constraint
    std::vector<double> product;  // (rows) k
    std::vector<double> wanted;   // (rows)
    std::vector<Range> ranges;  // (rows)

    int count() const { return static_cast<int>(rows.rows.size()); }

    const RowBlock& block_of(int row) const {
        return *std::find_if(rows.blocks.begin(), rows.blocks.end(), [row](const RowBlock& block) {
            return row < block.begin + block.count;
        });
    }

    bool is_finite() const;  // J is
    bool has_ranges() const;  // some force has a bound

    // After forward_kinematics and then forward_dynamics of one state.
    void assemble(const Workspace<double>& ws, std::span<const AccelerationConstraint> constraints);

    // Calls visit(block, row, index) for all rows.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const RowBlock& block : rows.blocks)
            for (int r = block.begin; r < block.begin + block.count; ++r) visit(block, rows.rows[r], r);
    }

    // Jᵀ f of one row: forces on the links (Workspace::f_ext) and on the freedoms.
    template <class T, class OnLink, class OnDof>
    void push(const RowBlock& block, const Row& row, const T& f, OnLink&& on_link, OnDof&& on_dof) const {
        if (block.link_a >= 0) on_link(block.link_a, row.on_a, f);
        if (block.link_b >= 0) on_link(block.link_b, row.on_b, f);
        for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
            on_dof(rows.entries[e].dof, rows.entries[e].value, f);
    }

private:
    void add_points(const Workspace<double>& ws, int body_a, const Vec3d& point_a, int body_b,
                    const Vec3d& point_b, const Vec3d& direction);

    std::vector<EqualityTerms> terms_;
};

}  // namespace lig
