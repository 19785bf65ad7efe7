#pragma once

// RowSolver: impulses (or forces) for the rows of a step, island by island.
//
// In the coordinates of JointFactor, s = s_free + Zᵀ λ and w = Z s + b + compliance · λ with the bounds and
// cones of the rows. Sweeps come first; islands that they resolve too slowly are left to Newton's method if
// it can take them; options.solver may name one of the LCP solvers instead. What w is, velocity or
// acceleration, is the caller's affair.

#include "constraints/rows.h"
#include "dynamics/joint_factor.h"
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

class RowSolver {
public:
    // contacts: what the source of a contact's block is in.
    RowSolver(const Model& model, const JointFactor& factor, const Contacts& contacts,
              const SimulationOptions& options);

    // Responses of the rows, and who depends on whom. Keeps a reference to the rows until the next call.
    // two_sided: behind the last block of loops, drives and tendons.
    void prepare(const Rows& rows, const JointFactor& factor, int two_sided);

    // How hard to try: how many sweeps an island gets that Newton's method cannot take.
    enum class Effort {
        correction,  // least: of errors that are removed in the next steps as well
        step,
        most
    };
    struct Request {
        std::span<const double> b, s_free;
        double accuracy;
        Effort effort;
        int first_sweeps = 20;  // before Newton's method takes over,
        int iterations = 200;   // and its own, at most
    };
    // λ and s from a guess λ and the s that belongs to it. Returns by how much w misses the rows.
    double solve(const Request& request, std::span<double> lambda, std::span<double> s, StepReport& report);
    // The same for some of the blocks of one island (indices, rising), as if the others were not there. λ of
    // these blocks and s come in together as above.
    double solve_some(int island, std::span<const int> blocks, const Request& request,
                      std::span<double> lambda, std::span<double> s, StepReport& report);

    // s += Zᵀ λ, for all rows.
    void apply(std::span<const double> lambda, std::span<double> s) const { sweeps_.apply(lambda, s); }
    // z · s of the first row of a block.
    double change_of(std::size_t block, std::span<const double> s) const {
        return sweeps_.velocity_change(block, s);
    }

    const Islands& islands() const { return islands_; }
    // Whether some island is too large for Newton's method.
    bool has_large_island() const;

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
