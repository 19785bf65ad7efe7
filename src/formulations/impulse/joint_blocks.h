#pragma once

// Joints as blocks of rows: all rows of a joint at once, by the inverse of their own matrix J M⁻¹ Jᵀ.
//
// Balls (three rows along the world's axes) have an array of their own; all other joints go by the number of
// their rows, which are those that every formulation on body coordinates reads (maximal/link_joint.h). Blocks
// stand in tree order in each array.

#include "formulations/impulse/moving_bodies.h"
#include "formulations/impulse/give.h"
#include "linalg/sym_factor3.h"

#include <ligament/simulation.h>

#include <array>
#include <span>
#include <tuple>
#include <vector>

namespace lig::impulse {

struct PointJoint {
    int a, b;              // bodies: before and after the joint
    Vec3d local_a, local_b;  // the point, from the centres of mass in principal axes
    Vec3d impulse;
    // Of a sub-step:
    Vec3d arm_a, arm_b;
    Vec3d error;           // m
    SymFactor3<double> factor;
};

template <int N>
struct RowJoint {
    int link;
    int a, b;
    double impulse[N];
    // Of a sub-step:
    Vec3d lin[N], ang_a[N], ang_b[N];  // on b; a gets −lin and ang_a
    double error[N];
    double factor[N * N];
};

class JointBlocks {
public:
    explicit JointBlocks(const MovingBodies& bodies);

    int rows() const { return rows_; }
    // Jacobians, errors and matrices where the bodies are. q: coordinates of the tree, nearly right.
    void prepare(const MovingBodies& bodies, double* q);
    // Errors alone, and the largest: m or rad.
    double largest_error() const;
    void warm_start(const BodyView& bodies) const;
    // One sweep. Returns the largest velocity error met.
    double sweep(const Give& soft, const BodyView& bodies);
    // One sweep of the velocities that remove errors, at this rate: 1/s.
    void correct(double rate, const BodyView& corrections);
    void forget();

    // Impulses as numbers, rows() of them.
    void save(std::vector<double>& out) const;
    const double* restore(const double* from);
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
    template <int N>
    void prepare_rows(const MovingBodies& bodies, double* q, RowJoint<N>& joint);

    std::vector<PointJoint> points_;
    std::tuple<std::vector<RowJoint<1>>, std::vector<RowJoint<2>>, std::vector<RowJoint<3>>,
               std::vector<RowJoint<4>>, std::vector<RowJoint<5>>, std::vector<RowJoint<6>>>
        lists_;
    int rows_ = 0;
};

}  // namespace lig::impulse
