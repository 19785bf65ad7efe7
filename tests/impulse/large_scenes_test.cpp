// What is hard for sweeps stays right beside a pile that is too large to be solved directly: each part of the
// scene is compared with itself alone, and with `reduced`.

#include "core/length.h"
#include "support/impulse_runs.h"

#include <ligament/simulation.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

struct Part {
    std::string name;
    std::string bodies, equality, actuator;
    std::vector<std::string> watched;  // bodies
};

const std::string no_contact = " contype='0' conaffinity='0'";

// A box of a ton on one of a kilogram.
Part heavy_on_light() {
    return {"heavy",
            "<body name='light' pos='0 0 0.06'><freejoint/><geom type='box' size='0.2 0.2 0.06' mass='1'/>"
            "</body>"
            "<body name='heavy' pos='0.02 0 0.42'><freejoint/><geom type='box' size='0.3 0.3 0.3' "
            "mass='1000'/></body>",
            "",
            "",
            {"light", "heavy"}};
}

// A light link that carries a heavy one and another.
Part three_hinges() {
    return {"hinges",
            "<body name='middle' pos='10 0 1'><joint axis='0 1 0' pos='0.05 0 -0.2'/><geom type='box' "
            "size='0.1 0.08 0.06' mass='0.2'" +
                no_contact +
                "/><body name='carried' pos='0.2 0.1 -0.1' euler='0.4 -0.7 0.2'><joint axis='0.2 0.9 0.4'/>"
                "<geom type='box' size='0.2 0.15 0.18' pos='0.05 0.1 0' mass='9'" +
                no_contact +
                "/></body><body name='other' pos='-0.3 0.4 0.3'><joint axis='1 0 0.3'/><geom type='box' "
                "size='0.08 0.07 0.1' pos='0 0.05 0.02' mass='0.8'" +
                no_contact + "/></body></body>",
            "",
            "",
            {"middle", "carried", "other"}};
}

// 300 kg in the middle of a rope of 12 links of 0.2 kg that is held at both ends.
Part rope() {
    Part part{"rope", "", "<connect body1='r11' anchor='0.25 0 0'/>", "", {"load", "r0", "r11"}};
    std::string close;
    for (int k = 0; k < 12; ++k) {
        const std::string turn = k == 0 ? " euler='0 0.2 0'" : k == 6 ? " euler='0 -0.4 0'"
                                                                      : "";
        part.bodies += "<body name='r" + std::to_string(k) + "' pos='";
        part.bodies += k == 0 ? "20 0 3'" : "0.25 0 0'";
        part.bodies += turn + "><joint type='ball' damping='0.05'/><geom type='capsule' ";
        part.bodies += "fromto='0 0 0 0.25 0 0' size='0.02' mass='0.2'" + no_contact + "/>";
        if (k == 6)
            part.bodies +=
                "<body name='load'><joint type='ball' damping='0.05'/><geom type='sphere' "
                "size='0.2' pos='0 0 -0.3' mass='300'" +
                no_contact + "/></body>";
        close += "</body>";
    }
    part.bodies += close;
    return part;
}

// 100 kg on the knee of two struts, whose foot a stiff servo holds in place.
Part lift() {
    const std::string strut =
        "<joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.6 0 0' size='0.02' "
        "mass='1'" +
        no_contact + "/>";
    return {"lift",
            "<body name='left' pos='30 0 0.3' euler='0 -0.5 0'>" + strut +
                "<body name='deck' pos='0.6 0 0'><joint axis='0 1 0'/><geom type='box' size='0.2 0.2 0.03' "
                "mass='100'" +
                no_contact + "/></body><body name='right' pos='0.6 0 0' euler='0 1 0'>" + strut +
                "</body></body><body name='foot' pos='31.0530991 0 0.3'><joint name='foot' type='slide' "
                "axis='1 0 0' damping='50'/><geom type='box' size='0.04 0.1 0.04' mass='4'" +
                no_contact + "/></body>",
            "<connect body1='foot' body2='right' anchor='0 0 0'/>",
            "<position joint='foot' kp='3e6' kv='1e5'/>",
            {"deck", "left", "right", "foot"}};
}

// Bodies with four limbs each, far away, that fall on each other: 100 links.
std::string pile() {
    std::string text;
    for (int k = 0; k < 20; ++k) {
        const double at[] = {-50 + 0.7 * (k % 4), 0.6 * (k / 4 % 2), 0.8 + 0.5 * (k / 8)};
        text += "<body pos='";
        for (const double x : at) text += std::to_string(x) + " ";
        text += "' euler='" + std::to_string(0.3 * k) + " " + std::to_string(0.2 * k) +
                " 0'><freejoint/><geom type='capsule' fromto='0 0 -0.2 0 0 0.2' size='0.12' mass='30'/>";
        for (const char* limb : {"0.14 0 -0.2' euler='0 -0.3 0", "-0.14 0 -0.2' euler='0 0.3 0",
                                 "0.16 0 0.2' euler='0 -0.8 0", "-0.16 0 0.2' euler='0 0.8 0"})
            text += "<body pos='" + std::string(limb) +
                    "'><joint type='ball'/><geom type='capsule' fromto='0 0 -0.05 0 0 -0.5' size='0.05' "
                    "mass='6'/></body>";
        text += "</body>";
    }
    return text;
}

std::shared_ptr<const Model> scene_of(const std::vector<Part>& parts, bool with_pile) {
    std::string bodies, equality, actuator;
    for (const Part& part : parts) {
        bodies += part.bodies;
        equality += part.equality;
        actuator += part.actuator;
    }
    const std::string text =
        "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='0 0 1'/>" + bodies +
        (with_pile ? pile() : "") + "</worldbody><equality>" + equality + "</equality><actuator>" + actuator +
        "</actuator></mujoco>";
    return model_of(text.c_str());
}

double distance_of(const std::vector<std::string>& watched, Simulation& one, Simulation& other) {
    std::vector<Transformd> poses(one.model().bodies.size()), others(other.model().bodies.size());
    one.body_poses(poses);
    other.body_poses(others);
    double largest = 0;
    for (const std::string& name : watched)
        largest = std::max(largest, length(poses[one.model().find_body(name.c_str())].p -
                                           others[other.model().find_body(name.c_str())].p));
    return largest;
}

}  // namespace

TEST_CASE("impulse: what is hard for sweeps is as good beside a pile as alone") {
    const std::vector<Part> parts = {heavy_on_light(), three_hinges(), rope(), lift()};
    constexpr double seconds = 0.5;
    Simulation together(scene_of(parts, true), usual());
    double open = 0;
    const auto watch = [&](const StepReport& report) { open = std::max(open, report.equality_error); };
    run(together, seconds, frame, watch);
    CHECK(open < 1e-3);
    for (const Part& part : parts) {
        CAPTURE(part.name);
        Simulation alone(scene_of({part}, false), usual()), exact(scene_of({part}, false), {});
        run(alone, seconds);
        run(exact, seconds, frame / 8);
        const double off = distance_of(part.watched, together, exact);
        const double off_alone = distance_of(part.watched, alone, exact);
        MESSAGE(part.name << ": off by " << off << " m, alone by " << off_alone);
        CHECK(off < 2 * off_alone + 1e-4);
    }
}
