#pragma once

// What moves a scene and what is measured in it: tendons, actuators, sensors.

#include <ligament/specs.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace lig {

// One stop of a spatial tendon on its way.
struct TendonStop {
    enum class Kind {
        site,
        geom,   // wraps over a sphere or a cylinder where the straight line would pass through it
        pulley  // begins a new branch; lengths of the branch are divided by `divisor`
    };
    Kind kind = Kind::site;
    SiteId site;
    GeomId geom;
    SiteId side_site;    // geom: the side on which the tendon passes; inside the geom: it passes within
    double divisor = 1;  // pulley
};

// A length. Fixed: a linear combination of joint coordinates. Spatial: the shortest path through its stops.
struct TendonSpec {
    struct JointTerm {
        JointId joint;
        double coefficient = 1;
        LoopId loop;  // instead of `joint`: the joint that closes this loop, of one freedom
    };
    std::string name;
    std::vector<JointTerm> joints;  // fixed; then `stops` is empty
    std::vector<TendonStop> stops;  // spatial
    Range range;
    double margin = 0;
    double stiffness = 0, damping = 0, friction_loss = 0, armature = 0;
    std::array<double, 2> stiffness_poly{0, 0}, damping_poly{0, 0};  // as in JointSpec; x signed
    // The spring is slack between these lengths. Absent: the length at the reference configuration.
    std::optional<std::array<double, 2>> spring_length;
    Range effort;  // of all actuators on this tendon together
    Softness soft_limit, soft_friction;
    int group = 0;
    double width = 0.003;
    std::array<double, 4> rgba{0.5, 0.5, 0.5, 1};
    SourceLocation where;
};

enum class Transmission {
    joint,            // gear times the coordinate; ball and free: three or six gears in the child's axes
    joint_in_parent,  // the same with the gears of ball and free joints in the parent's axes
    tendon,
    site,             // a wrench of six gears in the axes of `site`, or of `reference_site`
    slider_crank,     // `site` is the crank's pin, `slider_site` the slider; it moves along its z axis
    body              // draws together all contacts of `body`, in equal parts
};

enum class Activation {
    none,
    integrator,   // ȧ = u
    filter,       // ȧ = (u − a) / time constant
    filter_exact,  // the same, integrated exactly over a step
    muscle         // … with one time constant to rise and one to fall, both dependent on a
};

// The force of a muscle over its length and velocity, in units of its peak force, its optimal length L₀ and
// its largest velocity of shortening. docs/drives.md has the curves. The defaults are MuJoCo's.
struct MuscleSpec {
    // What ActuatorSpec::length_range is in units of L₀.
    // That is the range of the lengths of the muscle.
    std::array<double, 2> range{0.75, 1.05};
    double force = -1;  // peak active force; negative: scale / acceleration by a unit force
    double scale = 200;
    double min_length = 0.5, max_length = 1.6;  // between which it can pull, in L₀
    double max_velocity = 1.5;    // at which it cannot pull while it gets shorter, in L₀ per second
    double passive_force = 1.3;   // at max_length
    double lengthening_force = 1.2;  // at most, while it gets longer
};

// force = gain · (a or u) + bias; gain and bias are affine in length and velocity of the transmission, or
// those of a muscle.
struct ActuatorSpec {
    std::string name;
    Transmission transmission = Transmission::joint;
    JointId joint;
    LoopId loop;            // instead of `joint`: the joint that closes this loop
    TendonId tendon;
    SiteId site;            // site; slider_crank: the crank's pin
    SiteId reference_site;  // site: optional
    SiteId slider_site;
    BodyId body;
    double crank_length = 0;
    std::array<double, 6> gear{1, 0, 0, 0, 0, 0};

    Activation activation = Activation::none;
    double time_constant = 1;  // filters; muscle: of the activation
    double deactivation_time = 0.04;   // muscle
    double activation_smoothing = 0;   // muscle: over which u − a it passes from one time to the other
    bool act_early = false;    // the force uses the activation of the end of the step
    std::array<double, 3> gain{1, 0, 0};  // constant, per length, per velocity
    std::array<double, 3> bias{0, 0, 0};
    std::optional<MuscleSpec> muscle_gain, muscle_bias;  // instead of `gain`, of `bias`
    // Muscles: the least and greatest length of the transmission. Absent: compile searches for them.
    std::optional<std::array<double, 2>> length_range;
    // Position servos: the velocity coefficient of the bias from a damping ratio, and with a frequency
    // (hertz) the stiffness as well. compile computes both from the inertia at the reference configuration.
    std::optional<double> damping_ratio, frequency;

    Range ctrl_range, force_range, act_range;
    double damping = 0, armature = 0;  // on the transmission, whatever the control is
    std::array<double, 2> damping_poly{0, 0};
    int group = 0;
    SourceLocation where;
};

// The sensors of MJCF under its own names. The order is that of the list in src/sensors/sensor_list.h.
enum class SensorType {
    touch,
    accelerometer,
    velocimeter,
    gyro,
    force,
    torque,
    magnetometer,
    camprojection,
    rangefinder,
    jointpos,
    jointvel,
    tendonpos,
    tendonvel,
    actuatorpos,
    actuatorvel,
    actuatorfrc,
    jointactuatorfrc,
    tendonactuatorfrc,
    ballquat,
    ballangvel,
    jointlimitpos,
    jointlimitvel,
    jointlimitfrc,
    tendonlimitpos,
    tendonlimitvel,
    tendonlimitfrc,
    framepos,
    framequat,
    framexaxis,
    frameyaxis,
    framezaxis,
    framelinvel,
    frameangvel,
    framelinacc,
    frameangacc,
    subtreecom,
    subtreelinvel,
    subtreeangmom,
    insidesite,
    distance,
    normal,
    fromto,
    contact,
    e_potential,
    e_kinetic,
    clock,
    user
};

// An object of any kind, as sensors name it. `body` is the frame of the centre of mass and principal axes,
// `xbody` the body's own frame.
struct ObjectRef {
    enum class Kind {
        none,
        body,
        xbody,
        geom,
        site,
        camera,
        joint,
        tendon,
        actuator,
        subtree,
        loop  // the joint that closes it
    };
    Kind kind = Kind::none;
    int index = -1;
    friend bool operator==(const ObjectRef&, const ObjectRef&) = default;
};

struct SensorSpec {
    std::string name;
    SensorType type = SensorType::clock;
    ObjectRef object;  // what is measured
    ObjectRef reference;  // in whose frame, or the second object of distance, normal, fromto and contact
    ObjectRef site;  // contact: the volume that counts
    double cutoff = 0;  // 0: none; otherwise the values are clamped to ±cutoff (or to [0, cutoff])
    double noise = 0;  // kept for those who add noise themselves
    std::vector<std::string> data;  // contact, rangefinder: which fields
    int count = 1;  // contact: how many slots; user: how many numbers
    std::string reduce;  // contact
    SourceLocation where;
};

}  // namespace lig
