#pragma once

// Joint-space dynamics: kinematics, forward and inverse dynamics, the inertia matrix, energy and momentum.
// Every function is instantiated for double, float and lanes, allocates nothing, and takes its workspace as
// an argument; one workspace per thread, one model for all.
//
// Gravity is the model's. Springs and dampers of the joints are forces like any other: add_spring_forces and
// add_damping_forces add them to tau.

#include <ligament/model.h>
#include <ligament/workspace.h>

#include <span>

namespace lig {

// v̇ from forces: M(q) v̇ + h(q, v) = tau + Jᵀ f. `tau` and `qacc` have nv entries and may be the same. The
// external forces are those in ws.f_ext when `with_external` is set (see add_body_wrench).
template <class T>
void forward_dynamics(const JointState<T>& state, std::span<const T> tau, Workspace<T>& ws, std::span<T> qacc,
                      bool with_external = false);

// Forces from v̇.
template <class T>
void inverse_dynamics(const JointState<T>& state, std::span<const T> qacc, Workspace<T>& ws, std::span<T> tau,
                      bool with_external = false);

// Poses and velocities of all links (ws.poses) and the motion subspaces (ws.S).
template <class T>
void forward_kinematics(const JointState<T>& state, Workspace<T>& ws);

// The joint-space inertia, nv × nv, symmetric, armature included.
template <class T>
void mass_matrix(const JointState<T>& state, Workspace<T>& ws, std::span<T> M);

// After forward_kinematics: pose and velocity of a body, and its frame's velocity as a function of v.
template <class T>
Transform<T> body_pose(const Workspace<T>& ws, int body);
template <class T>
Motion<T> body_velocity(const Workspace<T>& ws, int body);

enum class Axes {
    world,
    local
};

// J, 6 × nv row-major: rows 0–2 angular, 3–5 linear velocity of the point `p_B` of the body, in the axes of
// the world or of the body. After forward_kinematics.
template <class T>
void frame_jacobian(const Workspace<T>& ws, int body, const Vec3<T>& p_B, Axes axes, std::span<T> J);

// All bodies at once.
template <class T>
void body_state(const JointState<T>& state, Workspace<T>& ws, BodyState<T>& out);

// ws.f_ext = 0; then forces and moments in world axes, acting at a body's centre of mass. After
// forward_kinematics.
template <class T>
void clear_external(Workspace<T>& ws);
template <class T>
void add_body_wrench(Workspace<T>& ws, int body, const Vec3<T>& force, const Vec3<T>& moment);
// What holds up bodies whose gravity_scale is not 1. After forward_kinematics.
template <class T>
void add_gravity_compensation(Workspace<T>& ws);

// Springs and dampers of the joints, added to tau.
template <class T>
void add_spring_forces(const JointState<T>& state, const Model& model, std::span<T> tau);
template <class T>
void add_damping_forces(const JointState<T>& state, const Model& model, std::span<T> tau);

// Energy of motion; of gravity (zero at the world's origin) and of everything elastic; and of the latter the
// elastic part by itself: springs of joints and bushings, and of tendons where they are looked at. After
// forward_kinematics.
template <class T>
struct Energy {
    T kinetic, potential, elastic;
};
template <class T>
Energy<T> energy(const JointState<T>& state, const Workspace<T>& ws);
// Of everything that moves on joints.
template <class T>
Vec3<T> center_of_mass(const Workspace<T>& ws);
// Angular momentum about the centre of mass and linear momentum, in world axes, of everything that moves on
// joints.
template <class T>
Force<T> momentum(const Workspace<T>& ws);

// On the configuration manifold: q moved along v for the time h, and the v that leads from q0 to q1 in unit
// time. `out` may be `q`.
template <class T>
void integrate(const Workspace<T>& ws, std::span<const T> q, std::span<const T> v, const T& h,
               std::span<T> out);
template <class T>
void difference(const Workspace<T>& ws, std::span<const T> q0, std::span<const T> q1, std::span<T> v);

// The residual C of a loop: how far it is from closed. `out` has model.loops[loop].rows entries. After
// forward_kinematics.
void loop_residual(const Workspace<double>& ws, int loop, std::span<double> out);

// The instruction set that the recursions run on: "baseline", "avx2", "avx512". Chosen at the first call: the
// best that the machine has, or the one named by the environment variable LIGAMENT_ISA.
std::string_view instruction_set_name();

}  // namespace lig
