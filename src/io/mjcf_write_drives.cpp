// Actuators and sensors.

#include "io/mjcf_write.h"
#include "sensors/sensor_list.h"

namespace lig::io::mjcf {

namespace {

using Kind = WrittenNames::Kind;

void write_transmission(WriteContext& context, const ActuatorSpec& actuator, XmlWriter& xml) {
    switch (actuator.transmission) {
        case Transmission::joint:
        case Transmission::joint_in_parent:
            xml.word(actuator.transmission == Transmission::joint ? "joint" : "jointinparent",
                     actuator.loop.index >= 0 ? context.names.to_refer(actuator.loop)
                                              : context.names.to_refer(actuator.joint));
            break;
        case Transmission::tendon: xml.word("tendon", context.names.to_refer(actuator.tendon)); break;
        case Transmission::site:
            xml.word("site", context.names.to_refer(actuator.site));
            if (actuator.reference_site.index >= 0)
                xml.word("refsite", context.names.to_refer(actuator.reference_site));
            break;
        case Transmission::slider_crank:
            xml.word("cranksite", context.names.to_refer(actuator.site));
            xml.word("slidersite", context.names.to_refer(actuator.slider_site));
            xml.number("cranklength", actuator.crank_length, 0);
            break;
        case Transmission::body: xml.word("body", context.names.to_refer(actuator.body)); break;
    }
    xml.numbers("gear", actuator.gear, ActuatorSpec{}.gear, true);
}

// How the force follows from control, length and velocity. Everything is a <general>; <motor> stands for the
// plainest, and servos by frequency, our addition, need their own element.
std::string_view element_of(const ActuatorSpec& actuator) {
    const ActuatorSpec usual;
    if (actuator.frequency)
        return actuator.activation == Activation::integrator ? "intvelocity" : "position";
    const bool plain = actuator.transmission != Transmission::body && !actuator.muscle_gain &&
                       !actuator.muscle_bias && actuator.activation == Activation::none &&
                       !actuator.act_early && !actuator.damping_ratio &&
                       same_bits(actuator.time_constant, usual.time_constant) &&
                       same_bits(actuator.gain, usual.gain) && same_bits(actuator.bias, usual.bias);
    return plain ? "motor" : "general";
}

void write_servo_law(const ActuatorSpec& actuator, XmlWriter& xml) {
    xml.numbers("frequency", {&*actuator.frequency, 1});
    if (actuator.damping_ratio)
        xml.numbers("dampratio", {&*actuator.damping_ratio, 1});
    else
        xml.number("kv", -actuator.bias[2], -0.0);
    if (actuator.activation == Activation::filter_exact)
        xml.numbers("timeconst", {&actuator.time_constant, 1});
}

void write_muscle_law(const MuscleSpec& muscle, const std::string& which, XmlWriter& xml) {
    xml.word(which + "type", "muscle");
    xml.numbers(which + "prm",
                std::array{muscle.range[0], muscle.range[1], muscle.force, muscle.scale, muscle.min_length,
                           muscle.max_length, muscle.max_velocity, muscle.passive_force,
                           muscle.lengthening_force});
}

void write_general_law(const ActuatorSpec& actuator, XmlWriter& xml) {
    constexpr std::string_view dynamics[] = {"none", "integrator", "filter", "filterexact", "muscle"};
    const ActuatorSpec usual;
    if (actuator.activation != Activation::none)
        xml.word("dyntype", dynamics[static_cast<int>(actuator.activation)]);
    if (actuator.activation == Activation::muscle)
        xml.numbers("dynprm", std::array{actuator.time_constant, actuator.deactivation_time,
                                         actuator.activation_smoothing});
    else
        xml.number("dynprm", actuator.time_constant, usual.time_constant);
    xml.flag("actearly", actuator.act_early);
    const auto& gain = actuator.gain;
    if (actuator.muscle_gain)
        write_muscle_law(*actuator.muscle_gain, "gain", xml);
    else if (!same_bits(gain[1], 0) || !same_bits(gain[2], 0)) {
        xml.word("gaintype", "affine");
        xml.numbers("gainprm", gain);
    } else {
        xml.number("gainprm", gain[0], usual.gain[0]);
    }
    if (actuator.muscle_bias) write_muscle_law(*actuator.muscle_bias, "bias", xml);
    if (actuator.length_range) xml.numbers("lengthrange", *actuator.length_range);
    if (actuator.muscle_bias) return;
    // A positive coefficient of the velocity is MuJoCo's way to write the damping ratio of a servo.
    std::array<double, 3> bias = actuator.bias;
    if (actuator.damping_ratio) bias[2] = *actuator.damping_ratio;
    if (!same_bits(bias, usual.bias)) {
        xml.word("biastype", "affine");
        xml.numbers("biasprm", bias);
    }
}

void write_actuator(WriteContext& context, const ActuatorSpec& actuator, int index, XmlWriter& xml) {
    const std::string_view element = element_of(actuator);
    xml.open(element);
    xml.text("name", context.names.of(Kind::actuator, index));
    write_transmission(context, actuator, xml);
    if (element == "general")
        write_general_law(actuator, xml);
    else if (element != "motor")
        write_servo_law(actuator, xml);
    write_range(xml, "ctrllimited", "ctrlrange", actuator.ctrl_range);
    write_range(xml, "forcelimited", "forcerange", actuator.force_range);
    write_range(xml, "actlimited", "actrange", actuator.act_range);
    write_polynomial(xml, "damping", actuator.damping, actuator.damping_poly);
    xml.number("armature", actuator.armature, 0);
    xml.integer("group", actuator.group, 0);
    xml.close();
}

constexpr std::string_view object_words[] = {"", "body", "xbody", "geom", "site",
                                             "camera", "joint", "tendon", "actuator", "subtree", "joint"};

const std::string& name_of(WriteContext& context, const ObjectRef& object) {
    using enum ObjectRef::Kind;
    switch (object.kind) {
        case geom: return context.names.to_refer(Kind::geom, object.index);
        case site: return context.names.to_refer(Kind::site, object.index);
        case camera: return context.names.to_refer(Kind::camera, object.index);
        case joint: return context.names.to_refer(Kind::joint, object.index);
        case tendon: return context.names.to_refer(Kind::tendon, object.index);
        case actuator: return context.names.to_refer(Kind::actuator, object.index);
        case loop: return context.names.to_refer(Kind::loop, object.index);
        case none:
        case body:
        case xbody:
        case subtree: break;
    }
    return context.names.to_refer(Kind::body, object.index);
}

std::string_view word_of(const ObjectRef& object) { return object_words[static_cast<int>(object.kind)]; }

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

// objtype="site" objname="tip", or reftype and refname.
void write_typed(WriteContext& context, const std::string& prefix, const ObjectRef& object, XmlWriter& xml) {
    if (object.kind == ObjectRef::Kind::none) return;
    xml.word(prefix + "type", word_of(object));
    xml.word(prefix + "name", name_of(context, object));
}

// site="tip" or, with a number behind it, geom1="ball".
void write_by_kind(WriteContext& context, const ObjectRef& object, const char* number, XmlWriter& xml) {
    if (object.kind == ObjectRef::Kind::none) return;
    xml.word(std::string(word_of(object)) + number, name_of(context, object));
}

void write_sensor_objects(WriteContext& context, const SensorSpec& sensor, XmlWriter& xml) {
    using enum sensors::Measures;
    switch (sensors::sensor_info(sensor.type).measures) {
        case frame:
        case frame_in_frame:
        case any:
            write_typed(context, "obj", sensor.object, xml);
            write_typed(context, "ref", sensor.reference, xml);
            break;
        case frame_in_site:
            write_typed(context, "obj", sensor.object, xml);
            write_by_kind(context, sensor.reference, "", xml);
            break;
        case two_shapes:
        case contact:
            write_by_kind(context, sensor.object, "1", xml);
            write_by_kind(context, sensor.reference, "2", xml);
            break;
        case subtree: xml.word("body", name_of(context, sensor.object)); break;
        default:
            write_by_kind(context, sensor.object, "", xml);
            write_by_kind(context, sensor.reference, "", xml);
    }
    write_by_kind(context, sensor.site, "", xml);
}

void write_sensor(WriteContext& context, const SensorSpec& sensor, XmlWriter& xml) {
    xml.open(sensors::sensor_info(sensor.type).name);
    xml.text("name", sensor.name);
    write_sensor_objects(context, sensor, xml);
    if (sensor.type == SensorType::contact) xml.integer("num", sensor.count, 1);
    if (sensor.type == SensorType::user) xml.integers("dim", {&sensor.count, 1});
    xml.text("data", joined(sensor.data));
    xml.text("reduce", sensor.reduce);
    xml.number("cutoff", sensor.cutoff, 0);
    xml.number("noise", sensor.noise, 0);
    xml.close();
}

}  // namespace

void write_actuators(WriteContext& context, XmlWriter& xml) {
    for (std::size_t a = 0; a < context.scene.actuators().size(); ++a)
        write_actuator(context, context.scene.actuators()[a], static_cast<int>(a), xml);
}

void write_sensors(WriteContext& context, XmlWriter& xml) {
    for (const SensorSpec& sensor : context.scene.sensors()) write_sensor(context, sensor, xml);
}

}  // namespace lig::io::mjcf
