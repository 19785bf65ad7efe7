#pragma once

// RowSolver: impulses (or forces) for the rows of a step, island by island, in the coordinates of
// JointFactor.
//
// Sweeps come first; islands that they resolve too slowly are left to Newton's method if it can take them;
// options.solver may name one of the LCP solvers instead.

#include "constraints/rows.h"
#include "dynamics/equality_system.h"
#include "dynamics/joint_factor.h"
#include "formulations/impulse_solver.h"
#include "formulations/rows/dense_impulses.h"
#include "formulations/rows/islands.h"
#include "formulations/rows/newton_impulses.h"
#include "formulations/rows/row_response.h"
#include "formulations/rows/sweeps.h"
#include "linalg/semidefinite_cholesky.h"

#include <ligament/collision.h>
#include <ligament/simulation.h>

#include <functional>
#include <optional>
#include <span>

namespace lig {

class RowSolver final : public ImpulseSolver {
public:
    // contacts: what the source of a contact's block is in.
    RowSolver(const Model& model, const JointFactor& factor, const Contacts& contacts,
              const SimulationOptions& options);

    // Responses of the rows, and who depends on whom. Keeps a reference to the rows until the next call.
    // two_sided: behind the last block of equalities, drives and tendons.
    void prepare(const Rows& rows, const JointFactor& factor, int two_sided);
    // The same while equalities hold, whose rows are the blocks of `held` and are in `equalities`, its rows
    // chosen: of a row's response that part is left which does not move them. Their impulses are the caller's
    // affair. min_kept: a row of whose squared response less than this share is left moves nothing.
    void prepare(const Rows& rows, const JointFactor& factor, const Islands::Held& held, int two_sided,
                 EqualitySystem& equalities, double min_kept);
    // The same where the caller keeps the blocks of `held` (loops) to itself, so that rows act on trees which
    // they join. On islands without such blocks responses are those of the factor, if it is `factored`. Else
    // they come as matrices, by groups of joined trees (Islands): A(group, blocks, n, a, nothing, rounding)
    // writes the n × n products J M̂⁻¹ Jᵀ of the rows of some blocks, as far as they act on the links of the
    // group, into a, both triangles, and of each row a response that is as good as none, as joints and
    // equalities hold what it acts on, and what is left of it by rounding. Beside other rows a row is left
    // out at the latter: where bodies jam, impulses are so large that any other response that is left out
    // does work. Coordinates s are those of the factor, and behind them those of roots of the matrices;
    // coordinates() of them.
    using Responses = std::function<void(int group, std::span<const int> blocks, int n, std::span<double> a,
                                         std::span<double> nothing, std::span<double> rounding)>;
    void prepare(const Rows& rows, const JointFactor& factor, bool factored, const Islands::Held& held,
                 int two_sided, const Responses& A);
    // After that.
    int group_of(int link) const { return islands_.group_of(link); }
    std::size_t coordinates() const { return coordinates_; }
    // While equalities hold: of the squared response of a block's first row, the share that is left. Else 1.
    double yield_of(std::size_t block) const { return held_ ? yields_[block] : 1; }

    double solve(const Request& request, std::span<double> lambda, std::span<double> s,
                 StepReport& report) override;
    double solve_some(int island, std::span<const int> blocks, const Request& request,
                      std::span<double> lambda, std::span<double> s, StepReport& report) override;
    // Without what held equalities do.
    void apply(std::span<const double> lambda, std::span<double> s) const override {
        whole().apply(*rows_, lambda, s);
    }
    double change_of(std::size_t block, std::span<const double> s) const override {
        return whole().product(whole().blocks[block], 0, s);
    }
    // s += Zᵀ λ while equalities hold, and what s changes the rows by beyond what Z s has, added to b.
    void apply_held(std::span<const double> lambda, std::span<double> s) const {
        response_.apply(*rows_, lambda, s);
    }
    void add_held_rates(std::span<const double> s, std::span<double> b) const;
    int island_count() const override { return islands_.count(); }
    std::span<const int> island_blocks(int island) const override { return islands_.blocks(island); }
    bool has_large_island() const override;

private:
    // Responses as they are without equalities.
    const RowResponse& whole() const { return held_ ? free_response_ : response_; }
    bool is_small(int island) const;
    void temper(int island, std::span<const int> blocks, const Request& request, std::span<double> lambda,
                std::span<double> s) const;
    double sweep_again(std::span<const int> blocks, const Request& request, double missed,
                       std::span<double> lambda, std::span<double> s, StepReport& report);
    double start_cold(int island, std::span<const int> blocks, const Request& request, double missed,
                      std::span<double> lambda, std::span<double> s, StepReport& report);
    IslandProblem problem_of(int island, std::span<const int> blocks, const Request& request) const;
    double solve_densely(int island, std::span<const int> blocks, const Request& request,
                         std::span<double> lambda, std::span<double> s, StepReport& report);

    const SimulationOptions& options_;
    const Contacts& contacts_;
    const Rows* rows_ = nullptr;
    int two_sided_ = 0;
    std::size_t coordinates_ = 0;
    RowResponse response_;
    RowResponse free_response_;  // with held equalities: as if there were none
    bool held_ = false;
    Sweeps sweeps_;
    Islands islands_;
    NewtonImpulses newton_;
    SemidefiniteCholesky root_;
    // What a block does to a group: where its rows are in the roots of the group's matrix, and the columns.
    struct Part {
        int island, group, block;
        int first = 0, rank = 0;
        std::size_t root = 0;
    };
    void find_parts(int island, const JointFactor& factor);
    void find_roots(std::span<Part> parts, int first, const Responses& A);

    std::vector<Part> parts_;
    std::vector<int> part_blocks_;
    std::vector<char> by_factor_;  // (blocks) whether responses are those of the factor
    std::vector<double> a_, nothing_, rounding_, roots_;
    std::vector<double> found_lambda_, found_s_;
    std::vector<double> yields_;  // (blocks) of their first rows
    std::vector<double> kept_, held_impulses_, no_target_;  // (rows of a block × nv), (rows of equalities)
    std::vector<int> dofs_, island_of_;  // of an island, falling; (blocks)
    std::optional<DenseImpulses> dense_;  // where options_.solver names one of the LCP solvers
};

}  // namespace lig
