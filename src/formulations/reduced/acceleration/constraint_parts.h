#pragma once

// What ConstraintSolver works with and on.

#include "dynamics/equality_system.h"
#include "formulations/reduced/acceleration/acceleration_deltas.h"
#include "formulations/reduced/acceleration/constraint_rows.h"
#include "formulations/reduced/acceleration/propagated_matrix.h"
#include "formulations/reduced/acceleration/test_forces.h"
#include "linalg/lemke.h"
#include "linalg/semidefinite_cholesky.h"

#include <ligament/acceleration_constraints.h>

#include <optional>
#include <vector>

namespace lig {

// What rounding of K leaves of a squared sine that is 0.
inline constexpr double smallest_share = 1e-12;
void require_test_force(double magnitude);

struct ConstraintSolver::Parts {
    explicit Parts(std::shared_ptr<const Model> shared) : model(std::move(shared)) {
        for (std::vector<double>* list : {&tau, &free, &acceleration, &velocity_change, &s, &change})
            list->assign(model->nv, 0.0);
        on_links.resize(model->tree.links.size());
        link_acceleration.resize(model->tree.links.size());
    }

    std::shared_ptr<const Model> model;
    Workspace<double> ws{model};
    JointState<double> state{*model};
    JointFactor factor{*model};
    int singular_link = -1;
    bool finite = true;

    ConstraintRows rows;
    ConstraintRows acting;  // along which forces act, if that is not along the rows,
    bool apart = false;     // which this says
    ConstraintRows new_rows, new_acting;  // that are looked at before they are taken
    std::vector<int> swapped;                      // (rows) of its elimination
    std::vector<double> row_sizes, force_sizes;    // (rows)
    // Of its ranges: a complementarity problem of rows and upper ends, M z + q.
    LemkeWorkspace lemke;
    std::vector<double> lemke_m, lemke_q, lemke_z;
    std::vector<unsigned char> lemke_free, lemke_basis;
    static constexpr int usual_rows = 32;
    EqualitySystem system{*model, usual_rows};
    SemidefiniteCholesky cholesky;
    LcpWorkspace lcp;
    AccelerationDeltas deltas{*model};
    PropagatedMatrix propagated{*model};
    // Made when first used: a workspace each.
    std::optional<TestForces<double>> single;
    std::optional<TestForces<Lanes4d>> four;
    std::optional<TestForces<Lanes8d>> eight;
    bool single_is_set = false, lanes_are_set = false;

    std::vector<double> tau, free, acceleration, velocity_change;          // (nv)
    std::vector<double> start;                                             // (rows) J v̇₀
    std::vector<double> free_values, values, forces, impulses, K, target;  // (rows), K squared
    // (rows) between these the forces are, or impulses.
    std::vector<double> lo, hi;
    std::vector<int> contradictions;
    std::vector<double> s, change;                  // (nv) scratch
    std::vector<Force<double>> on_links;            // (links) scratch
    std::vector<Motion<double>> link_acceleration;  // (links) scratch

    const ConstraintRows& pushing() const { return apart ? acting : rows; }
    double response(int row, int to_force) {
        deltas.of_row(factor, pushing().rows, pushing().block_of(to_force), pushing().rows.rows[to_force]);
        return deltas.value(rows.rows, rows.block_of(row), rows.rows.rows[row]);
    }
    TestForces<double>& test_forces() {
        if (!single) single.emplace(model);
        if (!single_is_set) single->set_state(state, tau, ws);
        single_is_set = true;
        return *single;
    }
    template <class T>
    void build_in_lanes(std::optional<TestForces<T>>& forces, double test_force) {
        if (!forces) forces.emplace(model);
        if (!lanes_are_set) forces->set_state(state, tau, ws);
        lanes_are_set = true;
        for (int first = 0; first < rows.count(); first += lane_width<T>)
            forces->columns(rows, ws, first, test_force, start, K);
    }
    void build(const ConstraintOptions& options);
    void build_by_deltas();
    bool scale_apart();
    bool find_apart(double smallest_sine, std::vector<double>& f);
    void find_apart_within_ranges(const ConstraintOptions& options, std::vector<double>& f,
                                  ConstraintReport& report);
    void find_change(const ConstraintOptions& options, std::vector<double>& f, ConstraintReport& report);
    void find_within_ranges(const ConstraintOptions& options, std::vector<double>& f,
                            ConstraintReport& report);
    bool may_be_missed(const ConstraintOptions& options, int row) const;
    void judge(const ConstraintOptions& options, std::span<const double> f, std::span<const double> rates,
               std::span<const double> offset, std::span<const double> wanted, std::span<double> reached,
               ConstraintReport& report);
};

}  // namespace lig
