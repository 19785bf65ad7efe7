#pragma once

// Dynamics in the independent coordinates of a model whose loops, couplings and other equalities hold. They
// leave fewer freedoms than there are joint velocities v: with w the velocities of the independent ones
//     v = N w + n,    v̇ = N ẇ + m,
// and forces τ at the joints move the model along them by Nᵀ τ. n is what kinematic bodies and the time
// prescribe, m what velocities and their accelerations leave. docs/loops.md has the equations and what
// happens at singular positions.

#include <ligament/drives.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lig {

class EqualityClosure;  // inside
struct ForcesBesides;   // inside
class LeastForces;      // inside

enum class LoopStatus {
    ok,
    open,         // an equality of the state is open
    dependent,    // the velocities that were asked for are not independent here, or not all there are
    no_inertia,   // a link can be moved without force
    unreachable  // no actuator can do what the motion asks for
};

class LoopDynamics {
public:
    // Throws std::invalid_argument for independent velocities (indices of v) that are none. Empty: they are
    // chosen in each state, those that actuators drive before others.
    explicit LoopDynamics(std::shared_ptr<const Model> model, std::vector<int> independent = {});
    LoopDynamics(LoopDynamics&&) noexcept;
    LoopDynamics& operator=(LoopDynamics&&) noexcept;
    ~LoopDynamics();

    const Model& model() const { return ws.model(); }

    // Finds the map in a state that is on its equalities: SmoothDynamics::close_equalities puts it there.
    // With any status but ok the rest must not be asked for; `where` says why. Allocates.
    LoopStatus set_state(const JointState<double>& state);
    std::string where;

    int freedoms() const { return static_cast<int>(independent_.size()); }
    std::span<const int> independent() const { return independent_; }  // indices of v, rising
    std::span<const double> map() const { return map_; }  // N, nv × freedoms, row-major
    // v and v̇ from those of the independent coordinates. (freedoms) → (nv)
    void velocities(std::span<const double> w, std::span<double> v) const;
    void accelerations(std::span<const double> dw, std::span<double> qacc) const;
    // frame_jacobian of a body's point towards w: 6 × freedoms, row-major.
    void jacobian(int body, const Vec3d& point, Axes axes, std::span<double> out) const;

    // What acts on joints, in sum, while the model moves with these accelerations: all that is applied, by
    // actuators and from outside. Of qacc (nv) the independent ones count; the others are written. Where
    // actuators may act it is theirs, the forces of least sum of squares of those that serve; else it acts
    // along the independent coordinates alone.
    LoopStatus find_forces(std::span<double> qacc);
    // What actuators cannot give is not `unreachable` but told as a residual, as small as may be.
    bool allow_residual = false;
    std::vector<double> joint_force;     // (nv)
    std::vector<double> actuator_force;  // (nu) along the transmissions; 0 where they do not act
    // (nv) Along the independent velocities that no actuator drives: of a free base, say, or of springs.
    std::vector<double> residual;
    // How many more actuators there are than the motion needs.
    int spare_actuators = 0;
    // Forces of the equalities with these, in the order of smooth_motion.h; redundant rows have 0.
    std::vector<double> multipliers;

    // For ContactDynamics: the same with forces besides, of least sum of squares as well, by weights that
    // spare actuators first. And those alone: they become the least ones that do the same (`pushed`, nv),
    // as far as these are found, with the multipliers that belong to them where equalities do `held` (nv)
    // beside.
    LoopStatus find_forces(std::span<double> qacc, ForcesBesides& besides);
    void share(std::span<const double> pushed, std::span<const double> held, ForcesBesides& besides);

    Workspace<double> ws;           // of the state
    DriveWorkspace<double> drives;  // likewise

private:
    LoopStatus choose_independent();
    void find_map();
    std::vector<double> along_independent(std::span<const double> tau) const;
    std::vector<double> actuator_columns() const;
    void add_besides(const ForcesBesides& besides, double weight, LeastForces& least) const;
    void take_besides(const LeastForces& least, int first, ForcesBesides& besides) const;
    void act(int actuator, double force);
    LoopStatus find_actuation(std::span<const double> wanted);
    LoopStatus find_bounded(std::span<const double> wanted, ForcesBesides& besides, bool with_residual);
    LoopStatus tell_missing(std::span<const double> left, std::span<const double> size);
    void find_multipliers(std::span<const double> missing);

    std::shared_ptr<const Model> model_;
    JointState<double> state_;
    std::vector<int> asked_;                  // velocities, rising; empty: any
    std::vector<char> driven_;                // (nv) by an actuator
    std::vector<int> actuators_;              // those that act
    std::unique_ptr<EqualityClosure> closure_;

    std::vector<int> rows_;                   // of the closure's, those that count
    std::vector<double> J_;                   // (rows × nv)
    std::vector<double> base_, product_;      // (rows)
    std::vector<int> independent_, dependent_;
    std::vector<double> inverse_;             // (rows × rows) of J's columns of the dependent ones
    std::vector<double> map_, drift_, acceleration_drift_;  // N, n, m
    std::vector<double> column_scale_;        // (nv) what a unit of each velocity counts
    std::vector<double> free_force_;          // (nv)
};

}  // namespace lig
