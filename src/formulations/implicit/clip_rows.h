#pragma once

// ClipRows: joints that follow a clip (Simulation::track) in a step that takes everything at its end, as rows
// beside the matrix (stiff_rows.h). Where joints are to be, and with what torque, is Tracking's
// (constraints/tracking_rows.h). Any torque that it takes is that of a damper so stiff that accelerations are
// missed by a share of 1e-8: where equalities or limits hold a joint, it stays finite.

#include "constraints/tracking_rows.h"
#include "formulations/implicit/stiff_rows.h"
#include "formulations/maximal/body_system.h"

#include <span>
#include <vector>

namespace lig::implicit {

class ClipRows {
public:
    // A step begins, as Tracking::find_ends has it; null: there is no clip.
    void begin(Tracking* tracking, const JointState<double>& state, double h,
               const JointState<double>* last, bool second_order);
    bool act() const { return tracking_ != nullptr; }

    // At an iterate, after find_freedoms. inertia, links: of freedoms.
    void add_rows(const maximal::BodySystem& system, const JointState<double>& state,
                  std::span<const double> inertia, std::span<const int> links, double eta, StiffRows& rows);
    // The torques that were found for them.
    void keep_forces(double eta, const StiffRows& rows);

    double power(std::span<const double> v) const;
    // As rows, with forces for impulses. Those of TrackingMethod::pd follow from the state.
    void add_acting_rows(Rows& rows) const;

private:
    struct Followed {
        int joint, dof, law;
        double force;
    };

    Tracking* tracking_ = nullptr;
    std::vector<Tracking::Pull> pulls_;
    std::vector<Followed> followed_;
};

}  // namespace lig::implicit
