#pragma once

// What a run writes down: a table whose columns are known at the start, one row a sample, and a list of
// contact forces that is as long as it happens to be. Files take it as it comes (trajectory_files.h).

#include "app/names.h"
#include "app/run/step_totals.h"

#include <ligament/simulation.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

// In the order of StepStage.
inline constexpr std::array<std::string_view, step_stages> stage_names = {"look", "assemble", "factor",
                                                                          "resolve", "advance"};

// Before the names of momentum_flows.
inline constexpr std::string_view linear_prefix = "momentum_", angular_prefix = "angular_momentum_";
inline std::string prefixed(std::string_view prefix, std::string_view name) {
    return std::string(prefix) + std::string(name);
}

// Where a plot shows a number.
enum class PlotPlace {
    nowhere,
    angles,
    positions,
    orientations,
    angular_velocities,
    velocities,
    energy,
    ledger,  // of the energy, since the start
    contact_forces,
    joint_forces,
    joint_moments,
    tracking_error,
    momentum,
    angular_momentum,
    momentum_ledger,  // since the start
    angular_momentum_ledger,
    work,    // of the solver and the integrator
    stages,  // what they took
    errors   // the first of step_errors; the others behind it
};
constexpr PlotPlace place_of_error(std::size_t k) {
    return static_cast<PlotPlace>(static_cast<std::size_t>(PlotPlace::errors) + k);
}
constexpr bool is_place_of_error(PlotPlace place) { return place >= PlotPlace::errors; }

// Numbers that belong together: an array in .npz, columns beside each other in .csv.
struct TrajectoryBlock {
    std::string name;                   // of the array
    std::vector<std::size_t> shape;     // of one sample; none: a single number
    std::vector<std::string> columns;   // what its numbers are called
    std::vector<PlotPlace> places;      // of its numbers
    bool in_csv = true, in_npz = true;
    bool unless_zero = false;           // plots leave it out where it never is anything else
    std::size_t begin = 0;              // in the row

    std::size_t size() const { return columns.size(); }
};

struct TrajectoryContents {
    bool wrenches = false, contacts = false, figures = false;
    bool sensors = false;   // what they read
    bool loops = true;      // coordinates of joints that close loops; old recordings are without them
    bool tracking = false;  // how far joints are from the clip that they follow
    bool ledger = true;     // where energy comes from and goes; old recordings are without it
    bool momentum_ledger = false;  // where momentum comes from
    // Contacts, and the seconds that the stages of steps took, for those who show the motion, not for tables.
    bool replay = false;

    bool lists_contacts() const { return contacts || replay; }
};

struct TrajectoryLayout {
    TrajectoryLayout(const Model& model, const Names& names, const TrajectoryContents& contents);

    const TrajectoryBlock* find(std::string_view name) const;  // null where there is none

    const Model& model;
    TrajectoryContents contents;
    std::string title;
    std::vector<TrajectoryBlock> blocks;
    std::size_t row_size = 0;
    // The names of what arrays count through: "qpos_names", "body_names", ….
    std::vector<std::pair<std::string, std::vector<std::string>>> name_lists;
    std::vector<std::string> geoms;

    std::vector<int> joint_bodies;    // bodies whose joints have reactions, in the order of joint_wrench
    std::vector<int> contact_bodies;  // bodies that can touch something, in the order of contact_wrench

private:
    void add(std::string name, std::vector<std::size_t> shape, std::vector<std::string> columns,
             std::vector<PlotPlace> places, bool in_csv);
    void add_one(std::string_view name, PlotPlace place, bool in_csv);
    void add_vector(const std::string& name, PlotPlace place, bool in_csv);
    void add_rows(const std::string& name, const std::vector<std::string>& owners,
                  std::span<const std::string_view> endings, std::vector<PlotPlace> places, bool in_csv);
    void add_state(const Names& names);
    void add_loops(const Names& names);
    void add_sensors();
    void add_energy();
    void add_momenta();
    void add_wrenches(const Names& names);
    void add_contacts(const Names& names);
    void add_figures();
};

// A force between two geoms at a point.
struct ContactForce {
    int geom_a, geom_b;
    double distance;
    Vec3d point, normal;
    Vec3d force, moment;  // on B, at the point, in world axes
};

struct TrajectorySample {
    std::vector<double> row;
    std::vector<ContactForce> contacts;
};

// What the steps since the last sample did: the largest errors, and sums of what was counted; and the ledger
// of all steps up to now.
struct StepFigures {
    StepTotals totals;
    std::array<double, step_stages> stage_seconds{};
    double tracking_error = 0;  // in the end
    EnergyFlows flows;          // since the start of the run
    double method = 0;          // the same: what the method has made
    MomentumFlows impulses;     // the same of momentum
    Force<double> made = Force<double>::zero();

    void note(const StepReport& report);
};

// Of the joints of loops_with_coordinates and of sensors.
struct SampleReadings {
    std::span<const double> loop_q, loop_v;
    std::span<const double> sensors;  // NaN where one is not evaluated
};

// The forces of the last step. What is not asked for may be left empty.
struct StepForces {
    bool known = false;  // before the first step they are not
    std::span<const Force<double>> joint_reactions;  // (bodies) as Simulation has them
    std::span<const Force<double>> loop_reactions;   // (loops)
    std::span<const Force<double>> pair_reactions;   // (pair_constraints)
    std::span<const Force<double>> bushing_forces;   // (bushings)
    const Contacts* contacts = nullptr;
    double contact_time = 0;
};

// Fills samples.
class TrajectorySampler {
public:
    TrajectorySampler(std::shared_ptr<const Model> model, const TrajectoryLayout& layout);

    // poses: of the bodies, which need not be quite where the coordinates of a state have them.
    const TrajectorySample& take(const JointState<double>& state, std::span<const Transformd> poses,
                                 const Energy<double>& energy, const StepFigures& figures,
                                 const StepForces& forces, const SampleReadings& readings);

    const BodyState<double>& bodies() const { return bodies_; }  // of the last sample

private:
    // Of the row; empty where the layout has no such block.
    std::span<double> block(std::string_view name);
    void put(std::string_view name, std::span<const double> numbers);
    void put_wrenches(std::string_view name, std::span<const Force<double>> wrenches,
                      std::span<const int> which);
    void put_contacts(const StepForces& forces);

    const TrajectoryLayout& layout_;
    Workspace<double> ws_;
    BodyState<double> bodies_;
    std::vector<Force<double>> on_bodies_;
    std::vector<int> loops_, constraints_, bushings_;  // all of them
    TrajectorySample sample_;
};

}  // namespace lig::app
