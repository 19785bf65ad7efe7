#include "io/mjcf_drive_fields.h"

#include "core/diagnostic_codes.h"
#include "io/mjcf_values.h"

#include <algorithm>
#include <numbers>

namespace lig::io::mjcf {

namespace {

constexpr std::string_view dynamics_words[] = {"none", "integrator", "filter", "filterexact",
                                               "muscle", "dcmotor", "pid", "user"};
constexpr std::string_view gain_words[] = {"fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user"};
constexpr std::string_view bias_words[] = {"none", "affine", "muscle", "dcmotor", "so3", "user"};

template <class Word>
void read_word(ElementReader& in, const char* attribute, std::span<const std::string_view> words,
               Word& word) {
    if (const auto index = in.choice(attribute, words)) word = static_cast<Word>(*index);
}

// gainprm, biasprm, dynprm have room for ten numbers; dynprm of what is supported counts at most three.
void read_parameters(ElementReader& in, const char* attribute, std::span<double> target) {
    const auto numbers = in.numbers(attribute, 1, 10);
    if (!numbers) return;
    std::copy_n(numbers->begin(), std::min(numbers->size(), target.size()), target.begin());
}

void report(ElementReader& in, const char* attribute, const std::string& what, std::string hint = {}) {
    in.log().report(codes::E123, in.where(attribute), in.label() + ": " + what, std::move(hint));
}

void read_general(ElementReader& in, ActuatorFields& fields) {
    read_range(in, "ctrllimited", "ctrlrange", fields.ctrl);
    read_range(in, "actlimited", "actrange", fields.act);
    read_word(in, "dyntype", dynamics_words, fields.dynamics);
    read_word(in, "gaintype", gain_words, fields.gain_type);
    read_word(in, "biastype", bias_words, fields.bias_type);
    if (in.has("gainprm") || in.has("biasprm")) fields.frequency.reset();
    read_parameters(in, "gainprm", fields.gain);
    read_parameters(in, "biasprm", fields.bias);
    read_parameters(in, "dynprm", fields.dynamics_parameters);
    assign(fields.act_early, in.boolean("actearly"));
    if (const auto dimension = integer(in, "actdim"); dimension && *dimension >= 0) {
        const int expected = fields.dynamics == DynamicsWord::none ? 0 : 1;
        if (*dimension != expected && fields.dynamics <= DynamicsWord::muscle)
            report(in, "actdim", "with this 'dyntype' it has " + std::to_string(expected) + " activations");
    }
    // Inputs of several parts belong to pid and so3, which are refused.
    in.ignore({"input", "velrange", "ffrange"});
}

void read_motor(ElementReader& in, ActuatorFields& fields) {
    read_range(in, "ctrllimited", "ctrlrange", fields.ctrl);
    fields.gain[0] = 1;
    fields.dynamics = DynamicsWord::none;
    fields.gain_type = GainWord::fixed;
    fields.bias_type = BiasWord::none;
    fields.frequency.reset();
}

// position and intvelocity. The velocity coefficient of the bias is -kv, or the damping ratio when positive.
void read_servo(ElementReader& in, ActuatorFields& fields, bool integrates) {
    read_range(in, "ctrllimited", "ctrlrange", fields.ctrl);
    assign(fields.inherit_range, in.number("inheritrange"));
    if (in.has("kp") && in.has("frequency"))
        report(in, "frequency", "it has both 'kp' and 'frequency'", "keep one");
    if (const auto stiffness = in.number("kp")) {
        fields.gain[0] = *stiffness;
        fields.frequency.reset();
    }
    if (const auto frequency = in.number("frequency")) {
        if (*frequency > 0)
            fields.frequency = frequency;
        else
            report(in, "frequency", "the frequency must be positive");
    }
    if (in.has("kv") && in.has("dampratio")) report(in, "kv", "it has both 'kv' and 'dampratio'", "keep one");
    if (const auto damping = non_negative(in, "kv")) fields.bias[2] = -*damping;
    if (const auto ratio = non_negative(in, "dampratio")) fields.bias[2] = *ratio;
    if (integrates) {
        read_range(in, "actlimited", "actrange", fields.act);
        fields.dynamics = DynamicsWord::integrator;
    } else if (const auto constant = non_negative(in, "timeconst")) {
        fields.dynamics_parameters[0] = *constant;
        fields.dynamics = *constant == 0 ? DynamicsWord::none : DynamicsWord::filterexact;
    }
    const RangeFields& inherited = integrates ? fields.act : fields.ctrl;
    const char* attribute = integrates ? "actrange" : "ctrlrange";
    if (fields.inherit_range > 0 && inherited.range)
        report(in, "inheritrange", "it has both 'inheritrange' and '" + std::string(attribute) + "'",
               "keep one");
    fields.bias[1] = -fields.gain[0];
    fields.gain_type = GainWord::fixed;
    fields.bias_type = BiasWord::affine;
}

void read_velocity(ElementReader& in, ActuatorFields& fields) {
    read_range(in, "ctrllimited", "ctrlrange", fields.ctrl);
    assign(fields.gain[0], in.number("kv"));
    fields.bias = {0, 0, -fields.gain[0]};
    fields.dynamics = DynamicsWord::none;
    fields.gain_type = GainWord::fixed;
    fields.bias_type = BiasWord::affine;
    fields.frequency.reset();
}

void read_damper(ElementReader& in, ActuatorFields& fields) {
    fields.ctrl.limited = Limited::yes;
    if (const auto numbers = in.numbers("ctrlrange", 2, 2))
        fields.ctrl.range = {(*numbers)[0], (*numbers)[1]};
    double damping = fields.gain_type == GainWord::affine ? -fields.gain[2] : 0;
    assign(damping, in.number("kv"));
    if (damping < 0) report(in, "kv", "'kv' must not be negative");
    if (fields.ctrl.range && ((*fields.ctrl.range)[0] < 0 || (*fields.ctrl.range)[1] < 0))
        report(in, "ctrlrange", "the control of a damper must not be negative");
    fields.gain = {0, 0, -damping};
    fields.dynamics = DynamicsWord::none;
    fields.gain_type = GainWord::affine;
    fields.bias_type = BiasWord::none;
    fields.frequency.reset();
}

void read_adhesion(ElementReader& in, ActuatorFields& fields) {
    fields.ctrl.limited = Limited::yes;
    if (const auto numbers = in.numbers("ctrlrange", 2, 2))
        fields.ctrl.range = {(*numbers)[0], (*numbers)[1]};
    if (const auto gain = in.number("gain")) {
        fields.gain[0] = *gain;
        if (*gain < 0) report(in, "gain", "'gain' must not be negative: contacts are drawn together");
    }
    if (fields.ctrl.range && ((*fields.ctrl.range)[0] < 0 || (*fields.ctrl.range)[1] < 0))
        report(in, "ctrlrange", "the control of an adhesion must not be negative");
    fields.dynamics = DynamicsWord::none;
    fields.gain_type = GainWord::fixed;
    fields.bias_type = BiasWord::none;
    fields.frequency.reset();
}

void read_dc_motor(ElementReader& in, ActuatorFields& fields) {
    read_range(in, "ctrllimited", "ctrlrange", fields.ctrl);
    DcMotorFields motor = fields.dc_motor.value_or(DcMotorFields{});
    assign(motor.resistance, non_negative(in, "resistance"));
    const auto take = [&](const char* attribute, std::span<double* const> targets) {
        const auto numbers = in.numbers(attribute, 1, static_cast<int>(targets.size()));
        if (!numbers) return;
        for (std::size_t k = 0; k < numbers->size(); ++k) *targets[k] = (*numbers)[k];
    };
    double rate = 0;
    take("motorconst", std::array{&motor.torque_constant, &motor.speed_constant});
    take("nominal", std::array{&motor.voltage, &motor.stall_torque, &motor.no_load_speed});
    take("saturation", std::array{&motor.greatest_torque, &motor.greatest_current, &rate});
    if (rate > 0) motor.unsupported = "saturation";
    for (const char* attribute : {"inductance", "thermal", "cogging", "lugre", "controller"})
        if (const auto numbers = in.numbers(attribute, 1, 6);
            numbers && std::any_of(numbers->begin(), numbers->end(), [](double x) { return x != 0; }))
            motor.unsupported = attribute;
    if (const auto input = in.text("input"); input && *input != "voltage") motor.unsupported = "input";
    fields.dc_motor = motor;
    fields.dynamics = DynamicsWord::none;
    fields.gain_type = GainWord::dcmotor;
    fields.bias_type = BiasWord::dcmotor;
    fields.frequency.reset();
}

void read_cylinder(ElementReader& in, ActuatorFields& fields) {
    read_range(in, "ctrllimited", "ctrlrange", fields.ctrl);
    assign(fields.dynamics_parameters[0], in.number("timeconst"));
    if (const auto bias = in.numbers("bias", 3, 3)) std::copy_n(bias->begin(), 3, fields.bias.begin());
    assign(fields.gain[0], in.number("area"));
    // The diameter wins over the area.
    if (const auto diameter = in.number("diameter"); diameter && *diameter >= 0)
        fields.gain[0] = std::numbers::pi / 4 * *diameter * *diameter;
    fields.dynamics = DynamicsWord::filter;
    fields.gain_type = GainWord::fixed;
    fields.bias_type = BiasWord::affine;
    fields.frequency.reset();
}

// Sets the laws of force and activation at once. What is negative or as in no class counts as not given, as
// in MuJoCo.
void read_muscle(ElementReader& in, ActuatorFields& fields) {
    read_range(in, "ctrllimited", "ctrlrange", fields.ctrl);
    struct Parameter {
        double& value;
        double elsewhere, in_muscles;  // defaults
    };
    auto& [activation, deactivation, smoothing] = fields.dynamics_parameters;
    auto& gain = fields.gain;
    for (const Parameter& p :
         {Parameter{activation, 1, 0.01}, Parameter{deactivation, 0, 0.04}, Parameter{gain[0], 1, 0.75},
          Parameter{gain[1], 0, 1.05}, Parameter{gain[2], 0, -1}, Parameter{gain[3], 0, 200},
          Parameter{gain[4], 0, 0.5}, Parameter{gain[5], 0, 1.6}, Parameter{gain[6], 0, 1.5},
          Parameter{gain[7], 0, 1.3}, Parameter{gain[8], 0, 1.2}})
        if (p.value == p.elsewhere) p.value = p.in_muscles;
    const auto take = [](double& target, double value) {
        if (value >= 0) target = value;
    };
    if (const auto times = in.numbers("timeconst", 2, 2)) {
        take(activation, (*times)[0]);
        take(deactivation, (*times)[1]);
    }
    assign(smoothing, non_negative(in, "tausmooth"));
    if (const auto range = in.numbers("range", 2, 2)) {
        take(gain[0], (*range)[0]);
        take(gain[1], (*range)[1]);
    }
    constexpr const char* names[] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
    for (int k = 0; k < 7; ++k)
        if (const auto value = in.number(names[k])) take(gain[2 + k], *value);
    fields.bias = gain;
    fields.dynamics = DynamicsWord::muscle;
    fields.gain_type = GainWord::muscle;
    fields.bias_type = BiasWord::muscle;
    fields.frequency.reset();
}

struct ActuatorKind {
    std::string_view name;
    void (*read)(ElementReader&, ActuatorFields&);  // none: the kind is not supported
    bool replaces_parameters;  // nothing of another kind's parameters is left that has an effect
};
constexpr ActuatorKind kinds[] = {
    {"general", read_general, false},
    {"motor", read_motor, true},
    {"position", [](ElementReader& in, ActuatorFields& fields) { read_servo(in, fields, false); }, false},
    {"velocity", read_velocity, false},
    {"intvelocity", [](ElementReader& in, ActuatorFields& fields) { read_servo(in, fields, true); }, false},
    {"damper", read_damper, true},
    {"cylinder", read_cylinder, false},
    {"muscle", read_muscle, false},
    {"adhesion", read_adhesion, true},
    {"dcmotor", read_dc_motor, false},
    {"pid", nullptr, false},
    {"orientation", nullptr, false},
    {"plugin", nullptr, false},
};
constexpr int kind_count = sizeof(kinds) / sizeof(kinds[0]);

constexpr auto kind_names = [] {
    std::array<std::string_view, kind_count> names;
    for (int i = 0; i < kind_count; ++i) names[i] = kinds[i].name;
    return names;
}();

const ActuatorKind* find_kind(std::string_view name) {
    for (const ActuatorKind& kind : kinds)
        if (kind.name == name) return &kind;
    return nullptr;
}

}  // namespace

std::span<const std::string_view> actuator_elements() { return kind_names; }

bool is_actuator(std::string_view element) { return find_kind(element) != nullptr; }

void read_tendon_fields(ElementReader& in, TendonFields& fields, bool with_looks) {
    read_range(in, "limited", "range", fields.length);
    read_range(in, "actuatorfrclimited", "actuatorfrcrange", fields.force);
    assign_first(fields.stiffness, in.numbers("stiffness", 1, 3));
    assign_first(fields.damping, in.numbers("damping", 1, 3));
    if (const auto length = in.numbers("springlength", 1, 2))
        fields.spring_length = {length->front(), length->back()};
    assign(fields.margin, in.number("margin"));
    assign(fields.armature, non_negative(in, "armature"));
    assign(fields.friction_loss, non_negative(in, "frictionloss"));
    read_softness(in, "solreflimit", "solimplimit", fields.soft_limit);
    read_softness(in, "solreffriction", "solimpfriction", fields.soft_friction);
    assign(fields.group, integer(in, "group"));
    if (with_looks) {
        assign(fields.width, in.number("width"));
        read_array(in, "rgba", fields.rgba);
        assign(fields.material, in.text("material"));
    }
    in.ignore({"user"});
}

void read_actuator_fields(ElementReader& in, ActuatorFields& fields) {
    const ActuatorKind& kind = *find_kind(in.name());
    assign(fields.group, integer(in, "group"));
    read_range(in, "forcelimited", "forcerange", fields.force);
    assign_first(fields.gear, in.numbers("gear", 1, 6));
    assign_first(fields.damping, in.numbers("damping", 1, 3));
    assign(fields.armature, non_negative(in, "armature"));
    assign(fields.crank_length, in.number("cranklength"));
    const double delay = in.number_or("delay", 0), samples = in.number_or("nsample", 0);
    if (in.has("delay") || in.has("nsample")) fields.delayed = delay != 0 || samples != 0;
    if (const auto range = in.numbers("lengthrange", 2, 2)) fields.length_range = {(*range)[0], (*range)[1]};
    in.ignore({"interp", "user"});  // interp is only about delayed controls
    if (!kind.read) {
        fields.foreign = kind.name;
        return;
    }
    if (kind.replaces_parameters) fields.foreign = {};
    kind.read(in, fields);
}

}  // namespace lig::io::mjcf
