#pragma once

// KeptBodies: the bodies that a formulation on body coordinates keeps between steps, and the state of the
// joints that they belong to.

#include "core/number_stream.h"
#include "formulations/maximal/body_system.h"

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

    // What of them belongs to the state, and their coordinates one by one, in numbers for snapshots.
    double belongs() const { return static_cast<double>(belongs_); }
    bool are_kept() const { return belongs_ != Belongs::none; }
    void restore_belongs(double number) { belongs_ = static_cast<Belongs>(static_cast<int>(number)); }

private:
    enum class Belongs {
        none = 0,
        all = 1,
        poses = 2
    };  // the numbers are those of snapshots

    Belongs belongs_ = Belongs::none;
    std::vector<double> q_, v_;
};

// One body of the coordinates, for snapshots.
void write_pose(const BodyCoordinates& bodies, std::size_t link, NumberWriter& out);
void read_pose(NumberReader& in, std::size_t link, BodyCoordinates& bodies);
constexpr std::size_t numbers_of_body = 13;  // pose and velocity

}  // namespace lig::maximal
