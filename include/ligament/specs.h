#pragma once

// What a scene is made of: bodies, joints, geoms, sites and what holds them together. Names and units of the
// user; nothing is computed here. Tendons, actuators and sensors are in drive_specs.h.
//
// The words are MJCF's: body, joint, geom, site, keyframe. SI units, radians, Z up, quaternions w first.

#include <ligament/diagnostics.h>
#include <ligament/joint_type.h>
#include <ligament/vec.h>

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lig {

class GroupConstraint;
class PairConstraint;
class ProgramBody;

// The shapes. The order is that of the list in src/shapes/shape_list.h (checked there).
enum class ShapeType {
    plane,
    sphere,
    capsule,
    cylinder,
    ellipsoid,
    box,
    mesh,         // collides as its convex hull
    heightfield,
    trimesh       // the triangles of a mesh as they are, on bodies that do not move
};

// Position and orientation of a frame in its parent's. The quaternion is normalized by compile.
struct Pose {
    Vec3d pos{0, 0, 0};
    Quatd quat{1, 0, 0, 0};
};

// Handles into a Scene. Distinct types, so that a joint is not taken for a body.
struct BodyId {
    int index = -1;
    friend bool operator==(BodyId, BodyId) = default;
};
struct JointId {
    int index = -1;
    friend bool operator==(JointId, JointId) = default;
};
struct GeomId {
    int index = -1;
    friend bool operator==(GeomId, GeomId) = default;
};
struct SiteId {
    int index = -1;
    friend bool operator==(SiteId, SiteId) = default;
};
struct CameraId {
    int index = -1;
    friend bool operator==(CameraId, CameraId) = default;
};
struct TendonId {
    int index = -1;
    friend bool operator==(TendonId, TendonId) = default;
};
struct LoopId {
    int index = -1;
    friend bool operator==(LoopId, LoopId) = default;
};
struct ActuatorId {
    int index = -1;
    friend bool operator==(ActuatorId, ActuatorId) = default;
};

inline constexpr BodyId world{0};

struct Range {
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
    friend bool operator==(const Range&, const Range&) = default;
};

// MJCF's softness of a constraint, as written. Soft formulations read a frequency and a damping ratio from
// it; hard ones have no use for it.
struct Softness {
    std::array<double, 2> solref{0.02, 1};
    std::array<double, 5> solimp{0.9, 0.95, 0.001, 0.5, 2};
    friend bool operator==(const Softness&, const Softness&) = default;
};

// What a body is made of. All but rigid ones are children of the world without joints; they move by joints of
// their own (docs/joints.md): flat.x, flat.z, flat.angle about +y; bead.x, bead.y, bead.z; what deforms
// has the coordinates of a free joint and how far it is stretched (docs/bodies.md).
enum class BodyKind {
    rigid,
    planar,
    particle,
    affine,
    stretching,
    scaling,
    program  // what BodySpec::program says; not for files
};

// What a body that deforms is made of, between its geoms' volume and the forces against a change of shape.
struct ElasticSpec {
    double young = 0;    // Pa
    double poisson = 0;  // how much it gives sideways: more than −1, less than 0.5
    double damping = 0;  // s: stresses are those of the strain and of so much time of its rate
};

// Mass, centre of mass and rotational inertia about the centre of mass, the latter in the axes `quat`.
struct InertialSpec {
    double mass = 0;
    Pose frame;  // centre of mass and axes of `inertia` in the body frame
    Sym3d inertia = Sym3d::zero();
    SourceLocation where;
};

struct BodySpec {
    std::string name;
    Pose pose;                             // in the parent's frame, at the reference configuration
    std::optional<InertialSpec> inertial;  // without it the inertia comes from the geoms
    BodyKind kind = BodyKind::rigid;
    ElasticSpec elastic;                   // kinds of the library that deform
    std::shared_ptr<const ProgramBody> program;  // BodyKind::program: body_kind.h
    bool kinematic = false;                // pose prescribed by the user; only directly below the world
    double gravity_scale = 1;              // 0 floats, 1 falls
    SourceLocation where;
};

// A joint between a body and its parent. Several joints on one body act one after the other, the first
// nearest to the parent, and form one compound joint.
struct JointSpec {
    std::string name;
    JointType type = JointType::hinge;
    Vec3d pos{0, 0, 0};    // anchor in the body frame
    Vec3d axis{0, 0, 1};   // in the body frame; hinge, slide, cylindrical, screw; planar: the normal;
                           // universal: the axis fixed to the parent
    Vec3d axis2{0, 1, 0};  // universal only: the axis fixed to the body, orthogonal to `axis`
    double pitch = 0;      // screw only: metres along the axis per radian
    double reference = 0;  // hinge and slide: the coordinate at the reference configuration

    // Limits. `range` per coordinate for joints whose coordinates are angles or lengths (unused entries
    // stay infinite); a ball may have a cone (largest rotation angle) or swing and twist limits about `axis`.
    std::array<Range, 3> range{};
    std::optional<double> cone;         // ball: largest angle of rotation from the reference
    std::optional<double> swing;        // ball: largest angle of `axis` from its reference direction
    std::optional<Range> twist;         // ball: range of the rotation about `axis`
    double margin = 0;                  // distance from a limit at which it begins to count

    double armature = 0;      // rotor inertia or mass added to the joint-space inertia, per coordinate
    double damping = 0;       // force per velocity
    double stiffness = 0;     // force per displacement from `spring_reference`
    // Coefficients of higher order. A spring pulls with −(k x + k₂ x² + k₃ x³): k₂ makes it lopsided. A
    // damper with −(d v + d₂ |v| v + d₃ v³), per coordinate. The displacement x of a ball, and of the two
    // halves of a free joint, is a length or an angle and so never negative; the force is along it.
    std::array<double, 2> damping_poly{0, 0};
    std::array<double, 2> stiffness_poly{0, 0};
    // Ball, instead of `stiffness`: one for each of three axes, those of the body turned by `stiffness_axes`.
    // With the rotation vector e from the reference, in these axes, the energy is ½ Σ k e².
    std::optional<Vec3d> axis_stiffness;
    Quatd stiffness_axes{1, 0, 0, 0};
    // A spring given by its time constant and damping ratio; compile computes stiffness and damping from the
    // inertia at the reference configuration.
    std::optional<std::array<double, 2>> spring_damper;
    std::optional<double> spring_reference;  // hinge and slide; default: `reference`
    double friction_loss = 0; // dry friction force
    Range effort;             // of all actuators together, on joints of one freedom
    bool actuators_carry_gravity = false;  // gravity compensation counts as actuator force
    double velocity_limit = std::numeric_limits<double>::infinity();  // |velocity| the joint is built for
    bool align = false;       // free: move the body frame to the centre of mass and the principal axes
    Softness soft_limit, soft_friction;
    int group = 0;
    SourceLocation where;
};

// Any joint may also close a loop: it then holds frame F on body A and frame M on body B together in the
// way of its kind (for axes: z of both frames; universal: x of F, y of M).
struct LoopSpec {
    std::string name;
    JointType type = JointType::ball;
    BodyId body_a, body_b;
    Pose frame_a, frame_b;
    double pitch = 0;         // screw only
    bool active = true;       // an inactive one is kept and may be switched on
    double torque_scale = 1;  // soft formulations: weight of rotation against translation
    // Positive: it begins as open as it is at the reference configuration and closes gradually, until it is
    // closed at this time of the state.
    double closing_time = 0;
    // What its freedoms have, as those of a joint in the tree: reference, limits, springs, dampers, inertia,
    // dry friction, effort. Its coordinates count from where F and M coincide, axes of a ball are those of
    // M. Where the joint is and how it moves is said above; these members of `joint` are not read.
    JointSpec joint;
    Softness soft;
    SourceLocation where;
};

// Two bodies held together other than by a joint, through a frame on each: pair_constraint.h.
//
// With a range of forces it is no equality: each of its rows has a force λ within it, and gives where that is
// not enough. {.lower = −F, .upper = F} is a motor that is only so strong; {.lower = 0} only pushes, so it
// states C ≥ 0 (J v + rate ≥ 0 of a nonholonomic row), and {.upper = 0} C ≤ 0. 0 is within the range.
struct ConstraintSpec {
    std::string name;
    BodyId body_a = world, body_b = world;
    Pose frame_a, frame_b;
    std::shared_ptr<const PairConstraint> constraint;
    Range force;         // N, N·m along the rows: λ of pair_constraint.h
    bool active = true;  // an inactive one is kept and may be switched on
    Softness soft;
    SourceLocation where;
};

// A spring and a damper between frame F on body A and frame M on body B, along and about the axes of F: a
// force, not a constraint. They are at rest where the two frames coincide; docs/bushings.md has the forces.
struct BushingSpec {
    std::string name;
    BodyId body_a, body_b;
    Pose frame_a, frame_b;
    Vec3d stiffness{0, 0, 0};       // N/m
    Vec3d damping{0, 0, 0};         // N·s/m
    Vec3d turn_stiffness{0, 0, 0};  // N·m/rad
    Vec3d turn_damping{0, 0, 0};    // N·m·s/rad
    // Hertz, instead of stiffness and damping: compile computes both from the masses, or the rotational
    // inertias, of the two bodies, each by itself.
    std::optional<double> frequency, turn_frequency;
    std::optional<double> damping_ratio;  // with a frequency; default 1
    bool active = true;                   // an inactive one is kept
    SourceLocation where;
};

// follower = sum_k coefficients[k] * (leader - leader reference)^k, joints of one coordinate each. URDF's
// mimic is {offset, multiplier}. Without a leader the follower is held at coefficients[0].
struct CouplingSpec {
    std::string name;
    JointId follower;
    JointId leader;
    std::array<double, 5> coefficients{0, 1, 0, 0, 0};
    bool active = true;
    Softness soft;
    SourceLocation where;
};

// The same for the lengths of tendons, counted from their lengths at the reference configuration.
struct TendonCouplingSpec {
    std::string name;
    TendonId follower;
    TendonId leader;
    std::array<double, 5> coefficients{0, 1, 0, 0, 0};
    bool active = true;
    Softness soft;
    SourceLocation where;
};

// What of a subtree is held: a body and all below it, as far as they move; in the axes of the world.
enum class SubtreeQuantity {
    center_of_mass,
    linear_momentum,
    angular_momentum  // about the centre of mass of the subtree
};
inline constexpr const char* subtree_quantity_words[] = {"center_of_mass", "linear_momentum",
                                                         "angular_momentum"};
struct SubtreeConstraintSpec {
    std::string name;
    BodyId body;  // the world: everything
    SubtreeQuantity quantity = SubtreeQuantity::center_of_mass;
    std::array<bool, 3> axes{true, true, true};
    // m, N·s or N·m·s; absent: where the centre of mass is at the reference configuration, and no momentum.
    std::optional<Vec3d> target;
    bool active = true;
    Softness soft;
    SourceLocation where;
};

// Any number of bodies held by equations between all of them, through a frame on each: group_constraint.h.
// A range of forces is as in ConstraintSpec.
struct GroupConstraintSpec {
    std::string name;
    std::vector<BodyId> bodies;  // each once; the world, too
    std::vector<Pose> frames;    // one for each; empty: the frames of the bodies
    std::shared_ptr<const GroupConstraint> constraint;
    Range force;         // N, N·m along the rows
    bool active = true;
    Softness soft;
    SourceLocation where;
};

// Forces of a surrounding medium on the ellipsoid of a geom's half sizes.
struct FluidSpec {
    double blunt_drag = 0.5, slender_drag = 0.25, angular_drag = 1.5, kutta_lift = 1, magnus_lift = 1;
    friend bool operator==(const FluidSpec&, const FluidSpec&) = default;
};

// Sizes are half-sizes, as in MJCF: sphere {radius}; capsule and cylinder {radius, half length along z};
// ellipsoid and box {three half sizes}; plane {half x, half y, spacing of the drawn grid}, 0 = infinite.
struct GeomSpec {
    std::string name;
    ShapeType shape = ShapeType::sphere;
    Pose pose;                         // mesh: of the origin of the mesh as written in its file
    Vec3d size{0, 0, 0};
    std::string mesh;                  // mesh and heightfield: the name of the asset
    double density = 1000;             // kg/m³; used when `mass` is absent
    std::optional<double> mass;
    bool shell = false;                // the mass sits on the surface
    bool collides = true;              // false: only to be seen
    int contype = 1, conaffinity = 1, condim = 3, group = 0, priority = 0;
    Vec3d friction{1, 0.005, 0.0001};  // sliding, torsional, rolling
    double restitution = 0;
    double margin = 0, gap = 0;
    double adhesion = 0;               // N, by which each of its contacts is drawn together
    double solmix = 1;                 // weight when the softness of two geoms is mixed
    Softness soft;
    std::optional<FluidSpec> fluid;    // absent: the body's inertia box stands for it
    std::array<double, 4> rgba{0.5, 0.5, 0.5, 1};
    SourceLocation where;
};

struct SiteSpec {
    std::string name;
    Pose pose;
    ShapeType shape = ShapeType::sphere;
    Vec3d size{0.005, 0.005, 0.005};
    int group = 0;
    std::array<double, 4> rgba{0.5, 0.5, 0.5, 1};
    SourceLocation where;
};

enum class CameraMode {
    fixed,
    track,
    trackcom,
    targetbody,
    targetbodycom
};

// Looks along −z, x to the right.
struct CameraSpec {
    std::string name;
    Pose pose;
    CameraMode mode = CameraMode::fixed;
    BodyId target;
    bool orthographic = false;
    double fovy = 45;                          // degrees
    std::array<int, 2> resolution{1, 1};
    std::array<double, 2> sensor_size{0, 0};   // metres; when positive, the focal length counts, not fovy
    std::array<double, 2> focal_length{0, 0}, principal_point{0, 0};  // metres
    SourceLocation where;
};

// Two geoms that collide whatever their masks say, with properties of their own.
struct PairSpec {
    std::string name;
    GeomId a, b;
    int condim = 3;
    std::array<double, 5> friction{1, 1, 0.005, 0.0001, 0.0001};  // two sliding, torsional, two rolling
    double restitution = 0;
    double margin = 0, gap = 0;
    double adhesion = 0;  // N
    Softness soft;
    std::optional<std::array<double, 2>> solref_friction;
    SourceLocation where;
};

// A named state. Empty vectors mean the reference configuration, zero velocity, zero activation and control,
// kinematic bodies where the scene has them.
struct KeyframeSpec {
    std::string name;
    double time = 0;
    std::vector<double> qpos, qvel, act, ctrl;
    std::vector<double> mpos, mquat;  // 3 and 4 numbers per kinematic body
    SourceLocation where;
};

}  // namespace lig
