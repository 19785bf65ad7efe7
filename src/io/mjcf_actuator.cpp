// <actuator>: what an element and its class describe becomes an ActuatorSpec.

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "io/mjcf_values.h"

#include <cmath>

namespace lig::io::mjcf {

namespace {

constexpr const char* targets[] = {"joint", "jointinparent", "tendon", "cranksite", "site", "body"};

void refuse(ElementReader& in, const char* attribute, const std::string& what, std::string hint = {}) {
    in.log().report(codes::U124, in.where(attribute), in.label() + ": " + what, std::move(hint));
}

void report_transmission(ElementReader& in, const char* attribute, const std::string& what,
                         std::string hint = {}) {
    in.log().report(codes::E122, in.where(attribute), in.label() + ": " + what, std::move(hint));
}

// The sites of a slider-crank; MuJoCo's words for them.
bool read_slider_crank(Context& context, ElementReader& in, const ActuatorFields& fields,
                       ActuatorSpec& actuator) {
    actuator.transmission = Transmission::slider_crank;
    actuator.site = {context.sites.find(in, "cranksite")};
    actuator.slider_site = {context.sites.find(in, "slidersite")};
    actuator.crank_length = fields.crank_length;
    if (!in.has("slidersite")) {
        report_transmission(in, "cranksite", "a slider-crank needs a 'slidersite'");
        return false;
    }
    if (fields.crank_length <= 0) {
        report_transmission(in, "cranklength", "a slider-crank needs a positive 'cranklength'");
        return false;
    }
    return actuator.site.index >= 0 && actuator.slider_site.index >= 0;
}

// What the actuator pulls at. False after an error.
bool read_transmission(Context& context, ElementReader& in, const ActuatorFields& fields,
                       ActuatorSpec& actuator) {
    const char* target = nullptr;
    for (const char* attribute : targets) {
        if (!in.has(attribute)) continue;
        if (target) {
            report_transmission(in, attribute,
                                "it has both '" + std::string(target) + "' and '" + attribute + "'",
                                "keep one");
            return false;
        }
        target = attribute;
    }
    in.ignore({"slidersite", "refsite"});
    if (!target) {
        report_transmission(in, "name", "it is not said what it acts on",
                            "add joint=\"…\", tendon=\"…\", site=\"…\", cranksite=\"…\" or body=\"…\"");
        return false;
    }
    const std::string_view kind = target;
    if (kind != "cranksite" && in.has("slidersite")) {
        report_transmission(in, "slidersite", "'slidersite' goes with 'cranksite'");
        return false;
    }
    if (kind != "site" && in.has("refsite")) {
        report_transmission(in, "refsite", "'refsite' goes with 'site'");
        return false;
    }
    if (kind == "body") {
        actuator.transmission = Transmission::body;
        actuator.body = {context.bodies.find(in, target)};
        return actuator.body.index >= 0;
    }
    if (kind == "cranksite") return read_slider_crank(context, in, fields, actuator);
    if (kind == "tendon") {
        actuator.transmission = Transmission::tendon;
        actuator.tendon = {context.tendons.find(in, target)};
        return actuator.tendon.index >= 0;
    }
    if (kind == "site") {
        actuator.transmission = Transmission::site;
        actuator.site = {context.sites.find(in, target)};
        actuator.reference_site = {context.sites.find(in, "refsite")};
        return actuator.site.index >= 0 && (actuator.reference_site.index >= 0 || !in.has("refsite"));
    }
    actuator.transmission = kind == "joint" ? Transmission::joint : Transmission::joint_in_parent;
    if (closes_loop(context, in, target)) {
        actuator.loop = {context.loops.find(in, target)};
        return actuator.loop.index >= 0;
    }
    actuator.joint = {context.joints.find(in, target)};
    return actuator.joint.index >= 0;
}

bool is_position_servo(const ActuatorFields& fields) {
    return fields.gain_type == GainWord::fixed && fields.bias_type == BiasWord::affine &&
           fields.gain[0] == -fields.bias[1];
}

// The control of a position servo, or the activation of an integrated velocity servo, ranges over what its
// joint or tendon does, scaled about the middle.
void inherit_range(Context& context, ElementReader& in, const ActuatorSpec& actuator,
                   ActuatorFields& fields) {
    if (fields.inherit_range <= 0 || !is_position_servo(fields)) return;
    RangeFields* target = nullptr;
    if (fields.dynamics == DynamicsWord::none || fields.dynamics == DynamicsWord::filterexact)
        target = &fields.ctrl;
    else if (fields.dynamics == DynamicsWord::integrator)
        target = &fields.act;
    const bool on_tendon = actuator.transmission == Transmission::tendon;
    const bool on_joint = actuator.transmission == Transmission::joint ||
                          actuator.transmission == Transmission::joint_in_parent;
    if (!target || (!on_tendon && !on_joint)) {
        in.log().report(
            codes::E123, in.where("inheritrange"),
            in.label() + ": only position and intvelocity servos of joints and tendons inherit a range");
        return;
    }
    const Range source = on_tendon ? context.scene.tendons()[actuator.tendon.index].range
                         : actuator.loop.index >= 0
                             ? context.scene.loops()[actuator.loop.index].joint.range[0]
                             : context.scene.joints()[actuator.joint.index].spec.range[0];
    if (!std::isfinite(source.lower) || !std::isfinite(source.upper)) {
        in.log().report(codes::E123, in.where("inheritrange"),
                        in.label() + ": there is no range to inherit: what it acts on has no limits",
                        "give the joint or tendon a range, or the actuator one of its own");
        return;
    }
    const double middle = (source.lower + source.upper) / 2;
    const double radius = (source.upper - source.lower) / 2 * fields.inherit_range;
    target->range = {middle - radius, middle + radius};
}

// Laws of which we have no place for the parameters. True when there is one.
bool refuse_laws(ElementReader& in, const ActuatorFields& fields) {
    if (!fields.foreign.empty()) {
        const std::string name(fields.foreign);
        if (name == in.name())
            refuse(in, "name", "actuators of this kind are not supported",
                   "take it out, or write it as <general>, <motor>, <position> or <velocity>");
        else
            refuse(in, "class",
                   "its default class takes parameters from <" + name + ">, which is not supported");
        return true;
    }
    if (fields.gain_type == GainWord::dcmotor && in.name() == "dcmotor") {
        const std::string_view what = fields.dc_motor->unsupported;
        if (what.empty()) return false;
        refuse(in, what.data(), "'" + std::string(what) + "' of a DC motor is not supported as it is given",
               "supported are motors without memory, driven by voltage: resistance, motorconst, nominal, and "
               "torque or current of saturation");
        return true;
    }
    const bool known = fields.dynamics <= DynamicsWord::muscle && fields.gain_type <= GainWord::muscle &&
                       fields.bias_type <= BiasWord::muscle;
    if (!known) {
        const char* attribute = fields.dynamics > DynamicsWord::muscle ? "dyntype"
                                : fields.gain_type > GainWord::muscle  ? "gaintype"
                                                                       : "biastype";
        refuse(in, attribute, "this '" + std::string(attribute) + "' is not supported",
               "supported are dyntype none, integrator, filter, filterexact, muscle; gaintype fixed, affine, "
               "muscle; biastype none, affine, muscle");
        return true;
    }
    for (const char* attribute : {"input", "velrange", "ffrange"})
        if (in.name() == "general" && in.has(attribute)) {
            refuse(in, attribute,
                   "'" + std::string(attribute) + "' belongs to actuators that are not supported");
            return true;
        }
    if (fields.delayed) {
        refuse(in, in.has("delay") ? "delay" : "nsample", "controls that arrive later are not supported",
               "remove 'delay' and 'nsample'");
        return true;
    }
    return false;
}

std::array<double, 3> affine_law(const std::array<double, 10>& parameters) {
    return {parameters[0], parameters[1], parameters[2]};
}

MuscleSpec muscle_law(const std::array<double, 10>& p) {
    return {.range = {p[0], p[1]},
            .force = p[2],
            .scale = p[3],
            .min_length = p[4],
            .max_length = p[5],
            .max_velocity = p[6],
            .passive_force = p[7],
            .lengthening_force = p[8]};
}

// K and R of a DC motor as MuJoCo finds them. The speed without load is that against the linear damping B of
// the actuator: ω₀ (K² + R B) = V K. False: there is too little to find them from.
bool find_motor_constants(const DcMotorFields& motor, double B, double& K, double& R) {
    const double V = motor.voltage, stall = motor.stall_torque, speed = motor.no_load_speed;
    double speed_constant = motor.speed_constant;
    R = motor.resistance;
    if (V > 0 && speed > 0 && !(speed_constant > 0)) {
        speed_constant = V / speed;
        if (B > 0 && R > 0) {
            const double discriminant = V * V - 4 * R * B * speed * speed;
            if (discriminant > 0) speed_constant = (V + std::sqrt(discriminant)) / (2 * speed);
        } else if (B > 0 && stall > 0 && V / speed - V * B / stall > 0) {
            speed_constant = V / speed - V * B / stall;
        }
    }
    K = motor.torque_constant > 0 && speed_constant > 0 ? std::sqrt(motor.torque_constant * speed_constant)
        : motor.torque_constant > 0                     ? motor.torque_constant
                                                        : speed_constant;
    if (R == 0 && V > 0 && stall > 0) R = K * V / stall;
    return K > 0 && R > 0;
}

bool set_dc_motor(ElementReader& in, ActuatorFields& fields) {
    const DcMotorFields& motor = *fields.dc_motor;
    double K = 0, R = 0;
    if (!find_motor_constants(motor, fields.damping[0], K, R)) {
        in.log().report(codes::E123, in.where(in.has("resistance") ? "resistance" : "motorconst"),
                        in.label() + ": what is given tells no motor constant and resistance",
                        "give 'motorconst' and 'resistance', or 'nominal'");
        return false;
    }
    fields.gain_type = GainWord::fixed;
    fields.bias_type = BiasWord::affine;
    fields.gain = {K / R};
    fields.bias = {0, 0, -K * K / R};
    const double torque = motor.greatest_torque > 0 ? motor.greatest_torque : K * motor.greatest_current;
    if (torque > 0) {
        fields.force.limited = Limited::yes;
        fields.force.range = {-torque, torque};
    }
    return true;
}

void set_law(const ActuatorFields& fields, ActuatorSpec& actuator) {
    if (fields.gain_type == GainWord::muscle)
        actuator.muscle_gain = muscle_law(fields.gain);
    else
        actuator.gain[0] = fields.gain[0];
    if (fields.gain_type == GainWord::affine) actuator.gain = affine_law(fields.gain);
    if (fields.bias_type == BiasWord::muscle) actuator.muscle_bias = muscle_law(fields.bias);
    if (fields.bias_type == BiasWord::affine) {
        actuator.bias = affine_law(fields.bias);
        // MuJoCo's sign convention: a position servo whose velocity coefficient is positive means a damping
        // ratio.
        if (fields.gain[0] == -fields.bias[1] && fields.bias[2] > 0) {
            actuator.damping_ratio = fields.bias[2];
            actuator.bias[2] = 0;
        }
        if (is_position_servo(fields)) actuator.frequency = fields.frequency;
    }
    actuator.activation = static_cast<Activation>(fields.dynamics);
    actuator.time_constant = fields.dynamics_parameters[0];
    if (actuator.activation == Activation::muscle) {
        actuator.deactivation_time = fields.dynamics_parameters[1];
        actuator.activation_smoothing = fields.dynamics_parameters[2];
    }
    actuator.act_early = fields.act_early;
}

// The lengths that a muscle ranges over, as far as the file says: in the actuator, or with `uselimit` by the
// range of its joint or tendon, without the gear, as in MuJoCo.
void set_length_range(Context& context, ElementReader& in, const ActuatorFields& fields,
                      ActuatorSpec& actuator) {
    if (!actuator.muscle_gain && !actuator.muscle_bias) return;
    const auto& given = fields.length_range;
    if (given && context.settings.use_existing_lengths) {
        if ((*given)[0] < (*given)[1]) {
            actuator.length_range = given;
            return;
        }
        if ((*given)[0] != 0 || (*given)[1] != 0)
            in.log().report(codes::W094, in.where("lengthrange"),
                            in.label() +
                                ": the lower end of 'lengthrange' is not below the upper end, so it "
                                "was not used",
                            "swap the numbers, or remove it");
    }
    if (!context.settings.use_limits_as_lengths) return;
    Range range;
    if (actuator.transmission == Transmission::tendon)
        range = context.scene.tendons()[actuator.tendon.index].range;
    else if (actuator.transmission == Transmission::joint ||
             actuator.transmission == Transmission::joint_in_parent)
        range = context.scene.joints()[actuator.joint.index].spec.range[0];
    if (std::isfinite(range.lower) && std::isfinite(range.upper))
        actuator.length_range = std::array{range.lower, range.upper};
}

void set_ranges(Context& context, ElementReader& in, ActuatorFields fields, ActuatorSpec& actuator) {
    inherit_range(context, in, actuator, fields);
    const bool auto_limits = context.settings.auto_limits;
    actuator.ctrl_range = range_in_force(in, fields.ctrl, auto_limits, "ctrllimited", "ctrlrange");
    actuator.force_range = range_in_force(in, fields.force, auto_limits, "forcelimited", "forcerange");
    actuator.act_range = range_in_force(in, fields.act, auto_limits, "actlimited", "actrange");
    if (actuator.activation == Activation::none && actuator.act_range != Range{})
        in.log().report(codes::E123, in.where("actrange"),
                        in.label() + ": 'actrange' bounds an activation, and it has none",
                        "add dyntype=\"…\", or remove 'actrange'");
}

}  // namespace

void read_actuator(Context& context, int section) {
    for (const int child : context.document.children(section)) {
        ElementReader in = context.document.reader(child);
        if (!is_actuator(in.name())) {
            report_unknown_element(in, "actuator", actuator_elements());
            continue;
        }
        ActuatorFields fields =
            context.defaults[context.defaults.select(in, "class", DefaultClasses::main)].actuator;
        read_actuator_fields(in, fields);
        ActuatorSpec actuator{.name = in.text_or("name", ""), .where = in.where()};
        bool good = false;
        if (!refuse_laws(in, fields)) {
            good = read_transmission(context, in, fields, actuator);
            if (fields.gain_type == GainWord::dcmotor) good &= set_dc_motor(in, fields);
            in.warn_unknown();
        }
        context.actuators.add(
            actuator.name, good ? static_cast<int>(context.scene.actuators().size()) : NameTable::left_out,
            in.where(), context.log);
        if (!good) continue;
        actuator.gear = fields.gear;
        actuator.damping = fields.damping[0];
        actuator.damping_poly = {fields.damping[1], fields.damping[2]};
        actuator.armature = fields.armature;
        actuator.group = fields.group;
        set_law(fields, actuator);
        set_ranges(context, in, fields, actuator);
        set_length_range(context, in, fields, actuator);
        context.scene.add_actuator(std::move(actuator));
    }
}

}  // namespace lig::io::mjcf
