#pragma once

// Impacts: velocities jump, nothing else does. Kokkevis 2004, section 5, with one-sided rows and friction.
//
// All that is closed takes part, approaching or not: what is hit may be leaning on something else. An impulse
// changes velocities by v⁺ − v⁻ = M⁻¹ Jᵀ λ (15); a contact that approaches at v_n⁻ < 0 is to leave with
// v_n⁺ ≥ −e v_n⁻, friction works towards v_t⁺ = 0 within its cone.
//   simultaneous   one system for all of it, as the paper has it. Of touching balls in a row all leave at
//   once. sequential     the pair of bodies that approaches fastest is resolved by itself, then the next,
//   until
//                  nothing approaches. That is what happens where waves run through bodies one after the
//                  other: of a Newton's cradle the last ball leaves, and only that. Bodies that lean on each
//                  other without bounce would take for ever; when what is left is a millionth of what came,
//                  the rest is resolved at once without bounce.
// Joints are exact, equalities hold through all of it.

#include "constraints/rows.h"
#include "formulations/impulse_solver.h"

#include <span>
#include <vector>

namespace lig {

class Impacts {
public:
    explicit Impacts(const SimulationOptions& options) : options_(options) {}

    // What is struck.
    struct Scene {
        const Rows& rows;              // prepared in `solver`
        int held_begin, held_end;      // blocks that hold in both directions: loops, couplings
        std::span<const double> rate;  // J v⁻ of all rows less Z s; of what takes no part something large
        std::span<const double> restitution;  // of each block, 0 where it does not bounce
        ImpulseSolver& solver;
    };
    // Only contacts and bounds are struck. s, the velocities in the solver's coordinates, becomes what it is
    // after the impact. Returns by which velocity rows are missed.
    double resolve(const Scene& scene, std::span<double> s, StepReport& report);

    // The impulses of the last `resolve`.
    std::span<const double> impulses() const { return total_; }

private:
    // s and the report of a call.
    struct Job {
        const Scene& scene;
        std::span<double> s;
        StepReport& report;
    };
    double together(const Job& job, bool bounces);
    double one_by_one(const Job& job);
    bool is_struck(const Job& job, int block) const;
    double approach_of(const Job& job, int block) const;
    double bounce_of(const Job& job, int block) const;
    // Those of one island that are to be resolved with the block: equalities, and what is between the same
    // bodies.
    void find_partners(const Job& job, std::span<const int> island, int block);

    const SimulationOptions& options_;
    std::vector<double> s_free_;              // as s
    std::vector<double> b_, lambda_, total_;  // (rows)
    std::vector<int> partners_;               // blocks
};

}  // namespace lig
