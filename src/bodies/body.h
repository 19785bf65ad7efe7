#pragma once

// What a kind of body is, in the sense of Baraff (Linear-Time Dynamics using Lagrange Multipliers, 1996,
// sec. 4): a black box with a dimension. Whoever solves M v̇ + Jᵀ λ = F knows of a body how many freedoms it
// has when nothing holds it, its mass matrix of that size, and how a velocity or a force in space reads in
// these freedoms. That it is rigid, flat or a point is said here and nowhere else.
//
// A kind chooses its freedoms v by a constant map Φ to the velocity of the body at its centre of mass, in
// world axes: V = (ω, ṗ) = Φ v. Everything else follows from Φ and the inertia M₆ = diag(I, m 1) of the body
// there (I about the centre of mass, in world axes):
//   expand      V = Φ v
//   project     Φᵀ f: a moment about the centre of mass and a force, as forces on the freedoms
//   mass_block  M = Φᵀ M₆ Φ, dim × dim, row-major; symmetric, positive definite where the body weighs enough
//   bias        Φᵀ (−ω × I ω, 0) for a V = Φ v: what stands on the right, with the forces, for I turns with
//               the body: M v̇ = Φᵀ f + bias
//   drift       where a time h of free motion leads, and the velocity there
// Because Φ is constant, v̇ has no terms of its own: V̇ = Φ v̇. Kinds that deform (`stretches` > 0) have the
// motion of a frame in their first six freedoms and change their shape by the others: deforming.h.
//
// Formulations on joint coordinates see the freedoms as joints:
//   own_joints  joints between the world and the body's frame, in the order of v, whose velocities are v with
//               the velocity of the frame in place of the centre of mass's; a rigid body has none, it moves
//               by the joints that its file gives it
//
// To add a kind: write one file like planar.h, or like stretching.h if it deforms, add its line to
// body_list.h and its enumerator to BodyKind. The contract tests (tests/bodies) then run over it.

#include <ligament/joint_type.h>
#include <ligament/spatial.h>

#include <span>
#include <string_view>

namespace lig::bodies {

// No kind has more freedoms. More than a rigid body's six: one that also stretches along its axes has nine,
// one that deforms affinely twelve.
inline constexpr int max_body_dim = 12;

// One freedom of a kind, as a joint at the body's frame, or all of a free one's.
struct OwnJoint {
    JointType type;           // slide, hinge, free or stretch
    Vec3d axis;               // slide, hinge: in world axes
    std::string_view ending;  // of its name, after the body's
    double rest = 0;          // stretch: where the body is as it was made

    // Its coordinate at the reference configuration, where the body's frame is at `pos` in the world: slides
    // count from the world's origin, as the coordinates of a free joint do, and angles from the reference.
    constexpr double reference(const Vec3d& pos) const {
        return type == JointType::slide ? axis.x * pos.x + axis.y * pos.y + axis.z * pos.z : rest;
    }
};

}  // namespace lig::bodies
