#pragma once

// KeptBodies: the bodies that a formulation on body coordinates keeps between steps, and the state of the
// joints that they belong to.

#include "core/number_stream.h"
#include "formulations/maximal/body_system.h"
#include "simulation/momentum_account.h"

#include <ligament/smooth_motion.h>

#include <vector>

namespace lig::maximal {

class KeptBodies {
public:
    explicit KeptBodies(const Model& model);

    BodyCoordinates coordinates;

    // Whether poses and velocities are those of the state.
    bool match(const JointState<double>& state) const {
        return belongs_ == Belongs::all && state.q == q_ && state.v == v_;
    }
    // Whether poses are, whatever the velocities.
    bool poses_match(const JointState<double>& state) const {
        return belongs_ != Belongs::none && state.q == q_;
    }
    // Whether poses are, and velocities were set since.
    bool only_poses_match(const JointState<double>& state) const {
        return belongs_ == Belongs::poses && state.q == q_;
    }

    // A step has made them together with the state.
    void belong_to(const JointState<double>& state);
    // The state was set: they belong to another one.
    void state_was_set(const JointState<double>& state);
    // Only its velocities were.
    void velocities_were_set(const JointState<double>& state);

    // Moves them on together with the state by a Motion on bodies, with its settings but for those that all
    // smooth steps have.
    template <class Motion, class Settings>
    MotionReport advance(Motion& motion, SmoothDynamics& inputs, JointState<double>& state, double duration,
                         const SmoothOptions& asked, Settings& settings) {
        settings.tolerance = asked.tolerance;
        settings.max_steps = asked.max_steps;
        settings.control = asked.control;
        MotionReport report = motion.advance(inputs, state, coordinates, duration, settings);
        report.equality_rows = motion.dynamics.system.graph.equality_rows();
        belong_to(state);
        return report;
    }

    // Momenta of the state, theirs where they belong to it.
    Momenta momenta_of(const JointState<double>& state, const Model& model, MomentumAccount& account) const;

    // For snapshots: what of them belongs to the state, and one of them.
    void save_or_restore_belongs(NumberStream& numbers) { numbers.number(belongs_); }
    void save_or_restore(std::size_t link, NumberStream& numbers);
    bool are_kept() const { return belongs_ != Belongs::none; }

private:
    enum class Belongs {
        none = 0,
        all = 1,
        poses = 2
    };  // the numbers are those of snapshots

    Belongs belongs_ = Belongs::none;
    std::vector<double> q_, v_;
};

// Where a body is, for snapshots.
void save_or_restore_pose(std::size_t link, BodyCoordinates& bodies, NumberStream& numbers);
constexpr std::size_t numbers_of_body = 13;  // pose and velocity
// How bodies that deform are stretched, and how fast.
void save_or_restore_shapes(BodyCoordinates& bodies, NumberStream& numbers);
constexpr std::size_t numbers_of_shape = 12;

}  // namespace lig::maximal
