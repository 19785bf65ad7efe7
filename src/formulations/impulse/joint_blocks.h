#pragma once

// Joints as blocks of rows: all rows of a joint at once, by the inverse of their own matrix J M⁻¹ Jᵀ.
//
// Balls (three rows) and hinges (five) between rigid bodies go four at a time in lanes (impulse_kernels.h).
// All other joints go by the number of their rows, which are those that every formulation on body coordinates
// reads (maximal/link_joint.h).
//
// Joints are coloured: those of one colour share no body that moves, so that all of them are met at once.
// Most joints have the first or the last colour; further ones are for bodies with three joints and more. A
// sweep goes there and back, middle colours downwards, the first, upwards, the last: then it converges
// without swinging, whatever the masses (docs/impulse.md#sweeps-there-and-back). Where nothing else is
// between joints, they are swept from the leaves to the roots, at each body in that cycle: what a leaf
// carries then arrives in one sweep.

#include "core/number_stream.h"
#include "formulations/impulse/awake_packs.h"
#include "formulations/impulse/chosen_bodies.h"
#include "formulations/impulse/impulse_kernels.h"
#include "formulations/impulse/substep_velocities.h"
#include "formulations/impulse/unmet_trees.h"

#include <ligament/simulation.h>

#include <array>
#include <span>
#include <tuple>
#include <vector>

namespace lig::impulse {

template <int N>
struct RowJoint {
    int link;
    int a, b;
    double impulse[N];
    // Of a sub-step:
    Vec3d lin[N], ang_a[N], ang_b[N];  // on b; a gets −lin and ang_a
    double error[N];
    double bend[N];
    double factor[N * N];
    double missed = 0;  // as of PointPack
    bool asleep = false, chosen = false;
};

class JointBlocks {
public:
    explicit JointBlocks(const MovingBodies& bodies);

    int rows() const { return rows_; }
    // Jacobians, errors and matrices where the bodies are, and the kept impulses (warm). q: coordinates of
    // the tree, nearly right. Returns the largest error: m or rad.
    double prepare(MovingBodies& bodies, bool warm, const Bend& bend, double* q);
    // A part of a sweep. Errors are removed beside it, if wished.
    enum Part {
        middle_back,
        first,
        middle,
        last
    };
    // From the leaves to the roots, all of them or those that were chosen.
    Swept sweep(Scope scope, const Give& give, const Correction& correction, const BodyView& bodies);
    Swept sweep(Part part, const Give& give, const Correction& correction, const BodyView& bodies);
    // Trees in which the last sweep has missed more than the bound. They are chosen out of all, or out of
    // those that are chosen already.
    void find_unmet(Scope scope, double bound, UnmetTrees& trees) const;
    void choose(Scope from, const UnmetTrees& trees);
    // By how much velocities miss the rows, at most.
    double missed(const BodyView& bodies);
    // Impulses of the joints of chosen bodies, as wrenches on the bodies behind them about their centres of
    // mass. (links)
    void take_impulses(std::span<const Force<double>> on_links, const ChosenBodies& chosen);
    // Their forces on the bodies behind them, where they were in the last sub-step, of this length. (links)
    void find_forces(double h, std::span<Vec3d> out) const;
    // What bases have done by them in a sub-step. (What else they do, by what sweeps leave, is the method's.)
    double work_of_bases(const SubstepVelocities& u) const;
    void forget() { scale(0); }
    // After bodies fell asleep or woke up. Joints that sleep keep their impulses.
    void follow_sleep(const MovingBodies& bodies);

    // Impulses, rows() of them.
    void save_or_restore(NumberStream& numbers);
    void scale(double by);

private:
    template <class F>
    void for_each_list(F&& f) {
        std::apply([&](auto&... list) { (f(list), ...); }, lists_);
    }
    template <class F>
    void for_each_list(F&& f) const {
        std::apply([&](const auto&... list) { (f(list), ...); }, lists_);
    }
    // Packs and joints of one colour that are visited at the same places of a sweep.
    struct Colour {
        int colour;
        PackRun points, hinges;
        std::array<PackRun, 6> joints;  // of lists_
        PackRun chosen_points, chosen_hinges;  // of the lists of chosen packs
    };
    void add_colour(const MovingBodies& bodies, std::span<const int> links, int colour);
    Swept sweep(const Colour& colour, Scope scope, const Give& give, const Correction& correction,
                const BodyView& bodies);
    template <int N>
    void prepare_rows(const MovingBodies& bodies, const Bend& bend, double* q, RowJoint<N>& joint);

    // Calls f with every impulse, in a fixed order, and the place of the body behind the joint.
    template <class F>
    void for_each_impulse(F&& f);

    std::vector<PointPack> points_;
    std::vector<HingePack> hinges_;
    std::tuple<std::vector<RowJoint<1>>, std::vector<RowJoint<2>>, std::vector<RowJoint<3>>,
               std::vector<RowJoint<4>>, std::vector<RowJoint<5>>, std::vector<RowJoint<6>>>
        lists_;
    int rows_ = 0;
    std::vector<Colour> colours_;
    int count_of_colours_ = 0;
    std::vector<int> order_;  // in colours_: from the leaves to the roots
    std::vector<PackRun> point_runs_, hinge_runs_;  // that are awake
    std::vector<int> chosen_points_, chosen_hinges_;  // packs, rising
    std::vector<double> kept_;                      // (rows_) impulses of those that sleep,
    std::vector<char> is_kept_;                     // … which are these
};

}  // namespace lig::impulse
