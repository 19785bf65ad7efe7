#pragma once

// Forces through joints, equalities, bushings and limits, from what the last sub-step did.
//
// The forces on every body but those through its joint are known, and so is its acceleration: what is missing
// came through the joint. That is inverse dynamics with the links' accelerations v̇ and everything from
// outside on the links: what is applied, the medium, contacts, equalities, and what holds up bodies whose
// gravity_scale is not 1. Forces along coordinates (actuators, springs, limits, friction, couplings, tendons)
// go from body to body through the joints and need not be known.
//     velocity sub-step   v̇ = (v⁺ − v)/h and forces = impulses/h, at the state it began with: means over it
//     smooth sub-step     accelerations and forces of the equalities at the state it ended with
//
// Everything happens in a workspace of its own, so that asking does not disturb what is asked about.

#include "constraints/equalities.h"
#include "formulations/formulation.h"
#include "formulations/maximal/body_dynamics.h"
#include "simulation/own_forces.h"

#include <ligament/sensors.h>
#include <ligament/smooth_motion.h>

#include <memory>
#include <span>
#include <vector>

namespace lig {

class Reactions {
public:
    explicit Reactions(std::shared_ptr<const Model> model);

    // As Simulation has them; `state` is the one after the step.
    void joints(Formulation& formulation, const JointState<double>& state,
                std::span<Force<double>> out);
    void loops(Formulation& formulation, const JointState<double>& state, std::span<Force<double>> out);
    void pairs(Formulation& formulation, const JointState<double>& state, std::span<Force<double>> out);
    void bushings(Formulation& formulation, const JointState<double>& state,
                  std::span<Force<double>> out);
    // The same of any accelerations: what is not in ws.f_ext came through the joints. After
    // forward_kinematics; tau (nv) is scratch.
    static void through_joints(const JointState<double>& state, std::span<const double> qacc,
                               Workspace<double>& ws, std::span<double> tau, std::span<Force<double>> out);
    static void limits(Formulation& formulation, std::span<double> out);
    // Readings of what is to be seen of the state, and of what the sub-step did.
    void sensors(Formulation& formulation, const JointState<double>& state, SensorWorkspace<double>& out);
    static void tracking(Formulation& formulation, std::span<double> out);

private:
    // The kinematics, accelerations and loads of the sub-step. False: there was none.
    bool look_back(Formulation& formulation, const JointState<double>& state);
    void accelerate(const JointState<double>& state);
    Force<double> on_b(const RowBlock& block, int body_b, const Vec3d& p_BM) const;
    // (bodies) What is applied to them, and what contacts, loops and constraints do, at the centres of mass.
    void load_bodies(const Formulation& formulation);
    // How hard the rows of limits push, by joint and by tendon.
    void sum_limits();

    SmoothDynamics dynamics_;
    OwnForces own_forces_;
    std::unique_ptr<maximal::BodyDynamics> bodies_;  // where some deform, which joint space does not have
    std::vector<double> qacc_, tau_;  // (nv)
    const Equalities equalities_;
    Rows equality_rows_;  // smooth: with forces for impulses
    std::vector<EqualityTerms> terms_;
    // What look_back has found:
    const JointState<double>* at_ = nullptr;
    const Rows* rows_ = nullptr;
    double time_ = 1;  // that the impulses of the rows acted
    // Of the last sub-step, for sensors:
    std::vector<Force<double>> on_bodies_;              // (bodies)
    std::vector<double> joint_limits_, tendon_limits_;  // (joints), (tendons)
};

}  // namespace lig
