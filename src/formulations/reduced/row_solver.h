#pragma once

// RowSolver: impulses (or forces) for the rows of a step, island by island, in the coordinates of
// JointFactor.
//
// Sweeps come first; islands that they resolve too slowly are left to Newton's method if it can take them;
// options.solver may name one of the LCP solvers instead.

#include "constraints/rows.h"
#include "dynamics/joint_factor.h"
#include "formulations/impulse_solver.h"
#include "formulations/reduced/dense_impulses.h"
#include "formulations/reduced/islands.h"
#include "formulations/reduced/newton_impulses.h"
#include "formulations/reduced/row_response.h"
#include "formulations/reduced/sweeps.h"

#include <ligament/collision.h>
#include <ligament/simulation.h>

#include <optional>
#include <span>

namespace lig {

class RowSolver final : public ImpulseSolver {
public:
    // contacts: what the source of a contact's block is in.
    RowSolver(const Model& model, const JointFactor& factor, const Contacts& contacts,
              const SimulationOptions& options);

    // Responses of the rows, and who depends on whom. Keeps a reference to the rows until the next call.
    // two_sided: behind the last block of loops, drives and tendons.
    void prepare(const Rows& rows, const JointFactor& factor, int two_sided);

    double solve(const Request& request, std::span<double> lambda, std::span<double> s,
                 StepReport& report) override;
    double solve_some(int island, std::span<const int> blocks, const Request& request,
                      std::span<double> lambda, std::span<double> s, StepReport& report) override;
    void apply(std::span<const double> lambda, std::span<double> s) const override {
        sweeps_.apply(lambda, s);
    }
    double change_of(std::size_t block, std::span<const double> s) const override {
        return sweeps_.velocity_change(block, s);
    }
    int island_count() const override { return islands_.count(); }
    std::span<const int> island_blocks(int island) const override { return islands_.blocks(island); }
    bool has_large_island() const override;

private:
    bool is_small(int island) const;
    void temper(int island, std::span<const int> blocks, const Request& request, std::span<double> lambda,
                std::span<double> s) const;
    double solve_densely(std::span<const int> blocks, const Request& request, std::span<double> lambda,
                         std::span<double> s, StepReport& report);

    const SimulationOptions& options_;
    const Contacts& contacts_;
    const Rows* rows_ = nullptr;
    int two_sided_ = 0;
    RowResponse response_;
    Sweeps sweeps_;
    Islands islands_;
    NewtonImpulses newton_;
    std::optional<DenseImpulses> dense_;  // where options_.solver names one of the LCP solvers
};

}  // namespace lig
