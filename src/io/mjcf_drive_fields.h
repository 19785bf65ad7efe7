#pragma once

// The attributes of tendons and actuators that default classes may preset; see mjcf_fields.h for how such
// structs are used.

#include "io/mjcf_limits.h"

#include <ligament/scene.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lig::io::mjcf {

struct TendonFields {
    RangeFields length, force;
    // Constant and higher coefficients; length of the spring, -1 twice for that of the reference
    // configuration.
    std::array<double, 3> stiffness{0, 0, 0}, damping{0, 0, 0};
    std::array<double, 2> spring_length{-1, -1};
    double margin = 0, armature = 0, friction_loss = 0;
    Softness soft_limit, soft_friction;
    int group = 0;
    double width = 0.003;
    std::optional<std::array<double, 4>> rgba;
    std::string material;
};

// In the order of the words of MJCF.
enum class DynamicsWord {
    none,
    integrator,
    filter,
    filterexact,
    muscle,
    dcmotor,
    pid,
    user
};
enum class GainWord {
    fixed,
    affine,
    muscle,
    dcmotor,
    so3,
    pid,
    user
};
enum class BiasWord {
    none,
    affine,
    muscle,
    dcmotor,
    so3,
    user
};

// A motor without memory: torque = K/R (voltage − K ω). From any of these K and R follow; 0 is not given.
struct DcMotorFields {
    double resistance = 0;
    double torque_constant = 0, speed_constant = 0;                 // K_t, K_e; K is their geometric mean
    double voltage = 0, stall_torque = 0, no_load_speed = 0;        // the nominal operating point
    double greatest_torque = 0, greatest_current = 0;
    // The first attribute that asks for more than that. Empty: none.
    std::string_view unsupported;
};

// A class has one set of these, whichever element of the class writes them: <position kp="7"/> presets the
// gain of a <velocity>, too. That is how MuJoCo does it.
struct ActuatorFields {
    RangeFields ctrl, force, act;
    std::array<double, 6> gear{1, 0, 0, 0, 0, 0};
    std::array<double, 3> damping{0, 0, 0};
    double armature = 0, crank_length = 0;
    DynamicsWord dynamics = DynamicsWord::none;
    GainWord gain_type = GainWord::fixed;
    BiasWord bias_type = BiasWord::none;
    // As in MJCF: gainprm, biasprm, dynprm. A filter has one time constant, the laws that are affine three
    // numbers each; muscles have more.
    std::array<double, 10> gain{1}, bias{};
    std::array<double, 3> dynamics_parameters{1, 0, 0};
    std::optional<std::array<double, 2>> length_range;
    std::optional<DcMotorFields> dc_motor;  // with gain_type dcmotor
    std::optional<double> frequency;  // hertz; instead of the gain of a position servo
    double inherit_range = 0;
    bool act_early = false;
    bool delayed = false;  // `delay` or `nsample` is not zero
    int group = 0;
    // The shortcut that left parameters here that we have no place for, such as "muscle". Empty: none.
    std::string_view foreign;
};

void read_tendon_fields(ElementReader& in, TendonFields& fields, bool with_looks);
// Reads an element of <actuator>, or one of that name in a class. Of kinds that are not supported the
// attributes that all kinds have are read, and `foreign` is set.
void read_actuator_fields(ElementReader& in, ActuatorFields& fields);

// Whether a name is that of an actuator element.
bool is_actuator(std::string_view element);
std::span<const std::string_view> actuator_elements();

}  // namespace lig::io::mjcf
