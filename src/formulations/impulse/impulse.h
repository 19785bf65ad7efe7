#pragma once

// `impulse`: sequential impulses on the velocities of bodies, after Catto. impulse.cpp has the main line.

#include "formulations/formulation.h"
#include "formulations/impulse/contact_islands.h"
#include "formulations/impulse/contact_points.h"
#include "formulations/impulse/direct_islands.h"
#include "formulations/impulse/direct_solve.h"
#include "formulations/impulse/general_forces.h"
#include "formulations/impulse/joint_blocks.h"
#include "formulations/impulse/joint_limits.h"
#include "formulations/impulse/moving_bodies.h"
#include "formulations/impulse/passed_contacts.h"
#include "formulations/impulse/sleeping.h"
#include "formulations/impulse/torn_joints.h"
#include "formulations/impulse/unmet_trees.h"
#include "formulations/surroundings.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lig {

class Impulse final : public Formulation, private BodyMemory {
public:
    // Keeps a reference to the options.
    Impulse(std::shared_ptr<const Model> model, const SimulationOptions& options);

    static const formulations::Capabilities capabilities;

    void forget() override;
    void body_poses(const JointState<double>& state, std::span<Transformd> out) override;
    void look_back() override;

protected:
    void take_step(JointState<double>& state, double dt, const Callbacks& callbacks,
                   StepReport& report) override;

private:
    void state_was_set(const JointState<double>& state) override;
    void velocities_were_set(const JointState<double>& state) override;
    void save_or_restore(NumberStream& numbers) override;
    Momenta momenta_of(const JointState<double>& state, MomentumAccount& account) override;

    enum class Way {
        split_step,
        soft_step,
        classic
    };
    // How a step is divided.
    struct Course {
        double dt;
        int substeps;
        int looked = 0;     // sub-steps since contacts were found,
        double turned = 0;  // … and by how much something has turned whose points of contact move
    };
    // When a step began: m, rad. Of joints; of these, equalities and contacts; of limits; of contacts.
    struct Errors {
        double apart = 0, gap = 0, passed = 0, deep = 0;
    };

    void begin_step(JointState<double>& state, double dt, const Callbacks& callbacks);
    void substep(JointState<double>& state, double h, StepReport& report);
    void end_step(JointState<double>& state, double dt, const Errors& begun, StepReport& report);
    bool chooses_substeps() const;
    int first_substeps(double dt) const;
    void look_when_due(Course& course, double left, StepReport& report);
    void refine(Course& course, double h);
    void find_bodies(const JointState<double>& state);
    void place_bases(const JointState<double>& state);
    void lead_bases(JointState<double>& state, double h);
    void move_bases(JointState<double>& state, double h);
    void keep_before(const JointState<double>& state, double h);
    void look(double dt, StepReport& report);
    void prepare(JointState<double>& state, double h, StepReport& report);
    bool sweep(const impulse::Give& joints, const impulse::Give& contacts,
               const impulse::Correction& correction, StepReport& report);
    void sweep_until_done(int most, const impulse::Give& joints, const impulse::Give& contacts,
                          StepReport& report);
    void sweep_unmet(double missed, const impulse::Correction& correction, StepReport& report);
    void sweep_and_correct(int sweeps, double h, StepReport& report);
    double missed_by_sweeps(double h);
    impulse::DirectSolve::Substep direct_substep(double h) const;
    bool solve_directly(JointState<double>& state, double h, StepReport& report);
    // Whether a link is of what is solved directly, or may be.
    bool is_direct(int link) const {
        return !direct_islands_ || direct_islands_->chosen()[bodies_.index(link)] != 0;
    }
    void ask_for_islands();
    void solve_islands(JointState<double>& state, double h, StepReport& report);
    void find_impulses(JointState<double>& state, int sweeps, double h, StepReport& report);
    void sweep_contacts_again(impulse::ContactPoints::List list, int most, impulse::Correction correction,
                              StepReport& report);
    void scale_impulses(double h, bool new_contacts);
    void find_contacts_within(double time, bool beginning, StepReport& report);
    void find_turning_links();
    double fastest_turn() const;  // rad/s
    int substeps_for_turning(double dt) const;
    int substeps_for_tension(double dt) const;
    int substeps_for_forces(double dt) const;
    void follow_sleep();
    impulse::SubstepVelocities velocities_around(double h);
    void account(const JointState<double>& state, double h, StepReport& report);
    void account_momentum(double h);
    void take_contacts(double sign);
    void account_corrections(const JointState<double>& state, double h, StepReport& report);
    double stretched_energy(const JointState<double>& state, double h);
    void account_relaxation(StepReport& report) const;
    void restitute(double h, StepReport& report);
    impulse::Bend find_bend(double half);
    void drift(double h, StepReport& report);
    impulse::JointBounds joint_bounds(const Errors& begun, const StepReport& report) const;
    void note_torn_joint(const JointState<double>& state, const Errors& begun, StepReport& report);
    void note_impossible_equality(const JointState<double>& state, StepReport& report);
    void note_passed_limit(const JointState<double>& state, StepReport& report);
    void note_passed_contact(StepReport& report);

    const std::shared_ptr<const Model> model_;
    const SimulationOptions& options_;
    Way way_;
    impulse::MovingBodies bodies_;
    impulse::UnmetTrees unmet_;
    impulse::JointBlocks joints_;
    impulse::JointLimits limits_;
    impulse::ContactPoints contacts_;
    impulse::PassedContacts passed_contacts_;
    impulse::GeneralForces general_;
    Surroundings surroundings_;
    impulse::ContactSettings settings_{};
    impulse::ContactIslands islands_;
    impulse::Sleeping sleeping_;
    std::vector<impulse::ContactPoints::List> lists_;  // (bodies) which their contacts go to
    std::vector<char> tempers_;   // (links) of islands, by their lowest link
    // (links) Contacts are to be looked for again as these turn: by their shapes, and with what they touch.
    // Empty: the model is too large for that.
    std::vector<char> rolling_, turning_;
    double apart_ = 0;            // m, rad: joints at the beginning of this sub-step,
    double off_ = 0;              // and contacts, limits and equalities
    double missed_ = 0;           // m/s: by how much velocities were missed at most in this sub-step,
    double rough_ = 0;            // and in the last step
    double swept_ = 0;            // m/s: what blocks have missed at most in the last sweep
    double longest_ = 0;          // s: sub-steps without tension; 0: they are as they are asked for
    double tension_rate_ = 0;     // 1/s: sub-steps that follow the tension there was in the last one
    std::vector<double> q_;       // (nq) scratch,
    JointState<double> stretched_;  // … and where corrections stretch bodies
    std::vector<double> elastic_before_, elastic_after_;  // (nv)
    bool mending_ = true;   // what was off in a state that was set is still being mended
    bool equalities_looked_at_ = false;  // whether a pose closes those of that state
    // m: how deep contacts of a state that was set were, until they are out; negative: not looked at yet.
    double given_deep_ = -1;
    bool fitting_ = false;  // whether the bodies are those of the state
    bool gives_unseen_ = false;  // something does work that is not in the ledger
    std::vector<BaseMotion<double>> bases_;  // kinematic bodies at the beginning of a sub-step
    // Bodies at the beginning of the last sub-step, and whether rows_ and the like have been made of them.
    std::vector<impulse::Place> places_before_;
    std::vector<impulse::Velocity> velocities_before_;
    std::vector<impulse::Shape> shapes_before_;
    std::vector<impulse::Spin> spins_;
    // Rows follow bodies (Bend): not those of the slides, nor beside tendons with inertia, which take the
    // acceleration of bases. Joints that are swept do in small models; in a pile a blow changes within a
    // sub-step what they would follow.
    bool equalities_follow_, follows_;
    std::vector<impulse::Velocity> means_;  // for the ledger: before impulses, then the mean with those after
    bool looked_back_ = false;
    std::unique_ptr<impulse::DirectSolve> direct_;  // null: the model is too large, or sweeps were asked for
    std::unique_ptr<impulse::DirectIslands> direct_islands_;  // null: none, or all of a small model as one
    std::vector<int> all_links_;
    double damping_time_ = 0;  // s: the least of the bodies that deform
    bool carries_heavy_ = false;  // a link carries much more than it weighs
    bool always_direct_ = false;  // a small model of which sweeps would leave too much
    impulse::TreeMasses masses_;
    bool touch_unequally_ = false;  // … and so where something touches what is much heavier
    int direct_left_ = 0;  // so many sub-steps are solved directly before sweeps are tried again
    std::vector<impulse::Velocity> pushed_;  // velocities before impulses of rows
};

}  // namespace lig
