#pragma once

// Acceleration constraints (Kokkevis 2004, sec. 4) and impact constraints (sec. 5): forces along chosen
// directions that give joints, points and functions of them wanted accelerations, all at once and at one
// instant; impulses that give them wanted changes of velocity. docs/acceleration-constraints.md.
//
// A constraint states a linear function of the joint accelerations, h(v̇) = J v̇ + k, and what it should
// be. The forces that bring this about act along the same functions, Jᵀ f: a torque at the joint, a
// force at the point along the direction. With v̇₀ the accelerations without them,
//     h(v̇) = h(v̇₀) + K f,   K = J M⁻¹ Jᵀ,
// symmetric and positive semidefinite. Forces that only push, or are only so strong, have a range
// (sec. 6): then they solve a complementarity problem with the matrix K (lcp.h). At its lower bound h may be
// larger than wanted, at its upper one smaller; between them it is as wanted. {.lower = 0} only pushes: a
// contact, where h ≥ wanted [K04 eq. 16]. {.lower = −F, .upper = F} is a motor that is only so strong.

#include <ligament/lcp.h>
#include <ligament/specs.h>
#include <ligament/workspace.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lig {

// The acceleration of a freedom, an index in v. Acts as a force or torque of the joint.
struct JointAcceleration {
    int dof;
    double wanted = 0;
    Range force;
};

// a · direction, a the acceleration of a point of a body (in its frame) in world axes. Acts as the force
// f · direction at the point.
struct PointAcceleration {
    int body;
    Vec3d point;
    Vec3d direction;
    double wanted = 0;
    Range force;
};

// (a_B − a_A) · direction of two points. Acts as f · direction on B and its opposite on A, each at its point.
struct RelativeAcceleration {
    int body_a;
    Vec3d point_a;
    int body_b;
    Vec3d point_b;
    Vec3d direction;
    double wanted = 0;
    Range force;
};

// d²C/dt² of the residual of a loop of the model (see loop_residual), active or not: as many rows as it has.
// Acts as the forces of the loop.
struct LoopAcceleration {
    int loop;
    std::array<double, 6> wanted = {};
};

// Σ coefficient · v̇ of the freedoms named, plus a constant. Acts as forces of the joints in these
// proportions.
struct LinearAcceleration {
    std::vector<std::pair<int, double>> terms;  // freedom, coefficient
    double constant = 0;
    double wanted = 0;
    Range force;
};

using AccelerationConstraint = std::variant<JointAcceleration, PointAcceleration, RelativeAcceleration,
                                            LoopAcceleration, LinearAcceleration>;

// How K is found. All give the same to rounding.
enum class ResponseMethod : unsigned char {
    evaluations,  // sec. 4.2: a test force and an evaluation of the forward dynamics for each row. O(nm + m²)
    lanes,        // the same, several evaluations side by side; the same bits
    deltas,       // sec. 4.3: AccelerationDeltas, what a test force adds to the accelerations. O(nm + m²)
    propagation   // each row carried to the root once. O(n + md + m²), d links from a row to the root
};

struct ConstraintOptions {
    ResponseMethod method = ResponseMethod::propagation;
    // Magnitude of the test forces of `evaluations` and `lanes`. The larger, the better: what the state
    // itself contributes is then lost in rounding before it is subtracted. A power of two costs no rounding.
    double test_force = 0x1p60;
    // With `acting`: the least share of a force that reaches what it is for, as a sine. Else the
    // sine of the angle between a row and those before it, in the measure of the inertia, below which it is
    // taken to follow from them. The methods other than `propagation` do not see sines below 10⁻⁶.
    double smallest_sine = 1e-6;
    // A row that follows from others contradicts them when it is missed by more than this share of its terms.
    double contradiction = 1e-9;
    // Where some force has a range: who solves for the forces, one of lcp_solvers(), and how well. With
    // `acting` it is Lemke's method, to rounding: the others want a symmetric matrix.
    std::string_view solver = "dantzig";
    LcpOptions lcp = {};
};

enum class ConstraintStatus : unsigned char {
    ok,
    contradictory,     // some constraints cannot hold together: see contradictions(). The others hold
    uncontrollable,    // no forces along `acting`, in their ranges, do what is wanted; they are 0
    not_converged,     // the solver of forces with a range has ended before all constraints hold
    singular_inertia,  // a link can be moved without effort
    non_finite         // a number of the state, of a force or of a constraint is not finite
};
std::string_view constraint_status_name(ConstraintStatus status);

struct ConstraintReport {
    ConstraintStatus status = ConstraintStatus::ok;
    int rows = 0;
    int redundant_rows = 0;   // of these, how many follow from the others; their forces are 0
    int link = -1;            // singular_inertia: which
    // Of all rows, of h from what is wanted; where the force is at the end of its range, only on the side
    // where it may not be.
    double largest_miss = 0;
};

// Sized once; after the first use with as many constraints no call allocates. Throws std::invalid_argument
// where sizes or indices do not fit, a direction or test force is zero, a range is empty, there is no such
// solver, or the model has tendons with inertia. Begins with the reference configuration at rest.
class ConstraintSolver {
public:
    explicit ConstraintSolver(std::shared_ptr<const Model> model);
    ConstraintSolver(ConstraintSolver&&) noexcept;
    ConstraintSolver& operator=(ConstraintSolver&&) noexcept;
    ~ConstraintSolver();

    ConstraintOptions options;

    // The state and the forces that act in it anyway: tau (nv) on the joints, what add_smooth_forces
    // gives for instance; on the bodies (nbody, or none) moment and force at the centre of mass in world
    // axes, as SmoothDynamics::xfrc_applied. The model's loops count only as far as they are among the
    // constraints.
    void set_state(const JointState<double>& state, std::span<const double> tau,
                   std::span<const Force<double>> on_bodies = {});
    // After set_state, and again after each: directions and points are of that state.
    void set_constraints(std::span<const AccelerationConstraint> constraints);
    // The same with forces that act along something else than what they bring about [B96 sec. 8.1]: for each
    // constraint another one with as many rows, along which its force acts; what that one wants does not
    // count. A motor at the knee holds up the hip, say. K is not symmetric then, whatever the method. Ranges
    // of forces are those of the first list.
    void set_constraints(std::span<const AccelerationConstraint> constraints,
                         std::span<const AccelerationConstraint> acting);

    int rows() const;
    // The rows of a constraint: first and one past the last. Loops have several, everything else one.
    std::pair<int, int> rows_of(int constraint) const;

    std::span<const double> free_acceleration() const;  // v̇₀ (nv)
    std::span<const double> free_values() const;        // h(v̇₀) (rows)
    // K by options.method, rows × rows, row-major.
    std::span<const double> matrix();

    // The force for one row, within its range, the others left alone, by one test force (sec. 4.1). Nothing
    // where the test force has no effect.
    std::optional<double> single_force(int row);

    // Forces within their ranges that satisfy all rows.
    ConstraintReport solve();
    std::span<const double> forces() const;        // f (rows)
    std::span<const double> acceleration() const;  // v̇ (nv), with them
    std::span<const double> values() const;        // h(v̇) (rows)

    // Impulses that change dh/dt = J v of each row by what is wanted (rows), at once, whatever forces act. Of
    // ranges only signs count: a force that is not infinite does nothing in an instant.
    // state.v becomes the velocity after it; with a status other than ok it is left alone.
    ConstraintReport apply_impact(std::span<const double> wanted_changes, JointState<double>& state);
    std::span<const double> impulses() const;         // (rows)
    std::span<const double> velocity_change() const;  // (nv)

    // The constraints that the last solve or impact could not satisfy beside the others, in their order.
    std::span<const int> contradictions() const;

    // What the forces (or impulses) of all rows, `per_row`, do to the bodies and joints, for
    // forward_dynamics: adds to tau (nv) and to external forces of the links as Workspace::f_ext has them.
    void add_forces(std::span<const double> per_row, std::span<double> tau,
                    std::span<Force<double>> f_ext) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace lig
