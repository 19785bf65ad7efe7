#pragma once

// What a linearly implicit step adds for springs and dampers of joints.
//
// With the forces tau(q, v) taken at the end of the step and expanded about its beginning,
//     M dv = h (tau − C dv − h K (v + dv) − bias),   K = −∂tau/∂q, C = −∂tau/∂v,
//     (M + h C + h² K) dv = h (tau − bias) − h² K v.
// K and C reach over one joint only, so they go into JointTerms::added, and the step costs what it costs
// without.
//
// Of a coordinate, K and C are the slopes of the polynomials of polynomial_force.h. The spring of a ball (and
// of the halves of a free joint) pulls along the displacement x, a rotation vector, by s(|x|) x: along x its
// slope is that of s(|x|) |x|, across it the stiffness s(|x|) itself, which is more than it is on curved
// rotations and so on the safe side. That of three axes has the K of rotation_spring_return, which leads
// straight back to rest however stiff it is. Slopes below zero count as zero: what they would take off M̂
// could make it indefinite, and tau has the forces themselves in any case.

#include "dynamics/joint_terms.h"

#include <ligament/model.h>
#include <ligament/state.h>

#include <span>

namespace lig {

// terms.added += h C + h² K, x −= h² K v. Honours the model's switches for springs and dampers.
void add_implicit_terms(const JointState<double>& state, const Model& model, double h, JointTerms& terms,
                        std::span<double> x);

}  // namespace lig
