#pragma once

// Rows of constraints/rows.h on bodies, for sweeps: loops, pair constraints, couplings, tendons, limited
// drives, tracking, dry friction, and limits that JointLimits does not have.
//
// A row is a short list of bodies with what a unit impulse does to each, about its centre of mass, and to the
// stretches of those that deform; forces along coordinates go by freedoms.h. What prescribed motion of bases
// adds to a link is in the velocity of the link already, so that part of a row's bias is taken off.
//   held      loops, pairs, couplings: the rows of a block at once, by the factor of J M⁻¹ Jᵀ. Rows of one
//             block may follow from each other; a trace of their diagonal is added, and sweeps go over it.
//   soft      drives and tendons: J u + bias + compliance λ = 0 within bounds
//   bounded   tracking and dry friction: the same without compliance
//   limits    λ ≥ 0; what is open may close within the sub-step
// Of position errors, h (bias − kept_bias) of a row whose context removes all of them at once, a sweep
// removes what its Give says, or `correct` does.

#include "constraints/rows.h"
#include "formulations/impulse/chosen_bodies.h"
#include "formulations/impulse/freedoms.h"
#include "formulations/impulse/give.h"

#include <span>
#include <vector>

namespace lig::impulse {

class RowBlocks {
public:
    // After forward_kinematics with the bodies' own poses and velocities in ws. h: of the rows.
    void read(const Rows& rows, const Workspace<double>& ws, const Freedoms& freedoms,
              const MovingBodies& bodies, double h);
    void clear();
    // Responses where the bodies are now, of rows as they were read.
    void renew_responses(const MovingBodies& bodies);

    // With the impulses that rows come with.
    void warm_start(const BodyView& bodies) const;
    // One sweep; returns the largest velocity error met. Forces: soft rows and dry friction; the others.
    // From the first to the last, or back.
    double sweep_forces(bool back, const Give& give, bool accumulated, const BodyView& bodies);
    double sweep_held(bool back, const Give& give, double slop, bool accumulated, const BodyView& bodies);
    // By how much velocities miss the rows, at most.
    double missed(const BodyView& bodies) const;
    // One sweep of the velocities that remove errors, at this rate: 1/s.
    void correct(double rate, double slop, const BodyView& corrections);
    // Impulses back into the rows they were read from.
    void write(Rows& rows) const;

    // Of the row r of those that were read: its impulse, and its rate J u with what bases add, of which that.
    double impulse(int r) const { return rows_[r].lambda; }
    // Whether one of these blocks acts on chosen bodies.
    bool acts_on(int block, const ChosenBodies& chosen) const;
    // The impulses of the rows of some of these blocks, in rising order. Rows of sleepers keep theirs.
    void take_impulses(std::span<const int> blocks, std::span<const double> lambda);
    double rate(int r, const BodyView& bodies) const {
        return velocity(rows_[r], bodies) + rows_[r].base_rate;
    }
    double rate_by_bases(int r, const BodyView& bodies, int bases) const;
    bool is_asleep(int block) const { return blocks_[block].asleep; }

    double largest_held_error() const;
    int held_rows() const;
    // Of soft rows, the largest response relative to their compliance.
    double stiffness() const;

private:
    struct Part {
        int body;
        Vec3d lin, ang;
    };
    struct BodyRow {
        int begin, count;  // parts
        double bias, error;
        double base_rate;  // of the bias, what bases add to J u
        double lo, hi;
        double compliance;
        double inverse;    // 1/(response + compliance); 0: it moves nothing
        double lambda, correction;
    };
    struct Block {
        RowKind kind;
        int begin, count;  // rows
        int factor;        // held: where its factor begins in factors_
        bool asleep;       // rows keep their impulses
    };
    template <class F>
    static void for_each_in(int begin, int count, bool back, F&& f) {
        for (int k = 0; k < count; ++k) f(back ? begin + count - 1 - k : begin + k);
    }
    void add_part(int first, int body, const Vec3d& lin, const Vec3d& ang);
    double velocity(const BodyRow& row, const BodyView& bodies) const;
    void push(const BodyRow& row, double impulse, const BodyView& bodies) const;
    double response(const BodyRow& to, const BodyRow& of, const MovingBodies& bodies) const;
    double shape_response(const BodyRow& to, const BodyRow& of, const MovingBodies& bodies) const;
    // An upper bound of the row's own response: what its bodies would give if they moved in every direction.
    double free_response(const BodyRow& row, const MovingBodies& bodies) const;
    void find_responses(const Block& block, const MovingBodies& bodies);
    double sweep_block(const Block& block, const Give& give, const BodyView& bodies);
    double sweep_row(BodyRow& row, bool limit, const Give& give, double slop, bool accumulated,
                     const BodyView& bodies);

    std::vector<Part> parts_;
    std::vector<BodyRow> rows_;   // in the order they were read
    std::vector<Block> blocks_;
    std::vector<double> factors_;
};

}  // namespace lig::impulse
