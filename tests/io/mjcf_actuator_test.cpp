// Actuators: the laws, ranges and default classes against MuJoCo; transmissions and refusals.

#include "io/mjcf_support.h"

#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

// A ball of 10 cm on a slide, a tendon with limits and one without.
const std::string slide =
    "<worldbody><body name='b'><joint name='h' type='slide' range='-1 2'/><geom name='g' size='0.1'/>"
    "<site name='s'/><site name='r'/><body><joint name='ball' type='ball'/><geom size='0.1' mass='0'/>"
    "</body></body></worldbody><tendon><fixed name='t' range='-3 5'><joint joint='h' coef='2'/></fixed>"
    "<fixed name='u'><joint joint='h' coef='2'/></fixed></tendon>";
const double slide_mass = 4 * std::numbers::pi / 3;  // kg, at the density of water

ReadMjcf read_actuator(const std::string& element, const std::string& presets = "") {
    const std::string classes = presets.empty() ? "" : "<default><" + presets + "/></default>";
    return read_model(classes + slide + "<actuator><" + element + "/></actuator>");
}

// What is said about one element, without its place.
std::string said_of(const std::string& element, const std::string& presets = "") {
    const std::string text = read_actuator(element, presets).messages();
    return text.substr(text.find(' ') + 1);
}

// Computed with MuJoCo 3.14: m->actuator_* of the first actuator, the first three of the parameters. Types
// are its numbers: dynamics none, integrator, filter, filterexact; gain fixed, affine; bias none, affine. A
// range of 0 0 is none.
struct Row {
    const char* presets;
    const char* element;
    bool accepted;
    int dynamics, gain_type, bias_type;
    double time_constant;
    std::array<double, 3> gain, bias;
    std::array<double, 2> ctrl, force, act;
    std::array<double, 6> gear;
};
const Row table[] = {
    // clang-format off: two lines a row
    {"", "position", true, 0, 0, 1, 1, {1, 0, 0}, {0, -1, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "motor", true, 0, 0, 0, 1, {1, 0, 0}, {0, 0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "velocity", true, 0, 0, 1, 1, {1, 0, 0}, {0, 0, -1}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "general", true, 0, 0, 0, 1, {1, 0, 0}, {0, 0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "intvelocity", true, 1, 0, 1, 1, {1, 0, 0}, {0, -1, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "cylinder", true, 2, 0, 1, 1, {1, 0, 0}, {0, 0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "damper ctrlrange='0 1'", true,
     0, 1, 0, 1, {0, 0, 0}, {0, 0, 0}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' kv='3'", "position", true,
     0, 0, 1, 1, {7, 0, 0}, {0, -7, -3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' kv='3'", "motor", true,
     0, 0, 0, 1, {1, 0, 0}, {0, -7, -3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' kv='3'", "velocity", true,
     0, 0, 1, 1, {7, 0, 0}, {0, 0, -7}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' kv='3'", "general", true,
     0, 0, 1, 1, {7, 0, 0}, {0, -7, -3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' kv='3'", "intvelocity", true,
     1, 0, 1, 1, {7, 0, 0}, {0, -7, -3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' kv='3'", "cylinder", true,
     2, 0, 1, 1, {7, 0, 0}, {0, -7, -3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' kv='3'", "damper ctrlrange='0 1'", true,
     0, 1, 0, 1, {0, 0, 0}, {0, -7, -3}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' dampratio='1'", "position", true,
     0, 0, 1, 1, {7, 0, 0}, {0, -7, -10.829871916787333}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' dampratio='1'", "motor", true,
     0, 0, 0, 1, {1, 0, 0}, {0, -7, 1}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' dampratio='1'", "velocity", true,
     0, 0, 1, 1, {7, 0, 0}, {0, 0, -7}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' dampratio='1'", "general", true,
     0, 0, 1, 1, {7, 0, 0}, {0, -7, -10.829871916787333}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' dampratio='1'", "intvelocity", true,
     1, 0, 1, 1, {7, 0, 0}, {0, -7, -10.829871916787333}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' dampratio='1'", "cylinder", true,
     2, 0, 1, 1, {7, 0, 0}, {0, -7, -10.829871916787333}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' dampratio='1'", "damper ctrlrange='0 1'", true,
     0, 1, 0, 1, {0, 0, 0}, {0, -7, 1}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' timeconst='0.5'", "position", true,
     3, 0, 1, 0.5, {7, 0, 0}, {0, -7, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' timeconst='0.5'", "motor", true,
     0, 0, 0, 0.5, {1, 0, 0}, {0, -7, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' timeconst='0.5'", "velocity", true,
     0, 0, 1, 0.5, {7, 0, 0}, {0, 0, -7}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' timeconst='0.5'", "general", true,
     3, 0, 1, 0.5, {7, 0, 0}, {0, -7, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' timeconst='0.5'", "intvelocity", true,
     1, 0, 1, 0.5, {7, 0, 0}, {0, -7, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' timeconst='0.5'", "cylinder", true,
     2, 0, 1, 0.5, {7, 0, 0}, {0, -7, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position kp='7' timeconst='0.5'", "damper ctrlrange='0 1'", true,
     0, 1, 0, 0.5, {0, 0, 0}, {0, -7, 0}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"motor gear='3' ctrlrange='-2 2'", "position", true,
     0, 0, 1, 1, {1, 0, 0}, {0, -1, 0}, {-2, 2}, {0, 0}, {0, 0}, {3, 0, 0, 0, 0, 0}},
    {"motor gear='3' ctrlrange='-2 2'", "motor", true,
     0, 0, 0, 1, {1, 0, 0}, {0, 0, 0}, {-2, 2}, {0, 0}, {0, 0}, {3, 0, 0, 0, 0, 0}},
    {"motor gear='3' ctrlrange='-2 2'", "velocity", true,
     0, 0, 1, 1, {1, 0, 0}, {0, 0, -1}, {-2, 2}, {0, 0}, {0, 0}, {3, 0, 0, 0, 0, 0}},
    {"motor gear='3' ctrlrange='-2 2'", "general", true,
     0, 0, 0, 1, {1, 0, 0}, {0, 0, 0}, {-2, 2}, {0, 0}, {0, 0}, {3, 0, 0, 0, 0, 0}},
    {"motor gear='3' ctrlrange='-2 2'", "intvelocity", true,
     1, 0, 1, 1, {1, 0, 0}, {0, -1, 0}, {-2, 2}, {0, 0}, {0, 0}, {3, 0, 0, 0, 0, 0}},
    {"motor gear='3' ctrlrange='-2 2'", "cylinder", true,
     2, 0, 1, 1, {1, 0, 0}, {0, 0, 0}, {-2, 2}, {0, 0}, {0, 0}, {3, 0, 0, 0, 0, 0}},
    {"motor gear='3' ctrlrange='-2 2'", "damper ctrlrange='0 1'", true,
     0, 1, 0, 1, {0, 0, 0}, {0, 0, 0}, {0, 1}, {0, 0}, {0, 0}, {3, 0, 0, 0, 0, 0}},
    {"velocity kv='4'", "position", true,
     0, 0, 1, 1, {4, 0, 0}, {0, -4, -4}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"velocity kv='4'", "motor", true,
     0, 0, 0, 1, {1, 0, 0}, {0, 0, -4}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"velocity kv='4'", "velocity", true,
     0, 0, 1, 1, {4, 0, 0}, {0, 0, -4}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"velocity kv='4'", "general", true,
     0, 0, 1, 1, {4, 0, 0}, {0, 0, -4}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"velocity kv='4'", "intvelocity", true,
     1, 0, 1, 1, {4, 0, 0}, {0, -4, -4}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"velocity kv='4'", "cylinder", true,
     2, 0, 1, 1, {4, 0, 0}, {0, 0, -4}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"velocity kv='4'", "damper ctrlrange='0 1'", true,
     0, 1, 0, 1, {0, 0, 0}, {0, 0, -4}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"damper kv='2' ctrlrange='0 1'", "position", true,
     0, 0, 1, 1, {0, 0, -2}, {0, 0, 0}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"damper kv='2' ctrlrange='0 1'", "motor", true,
     0, 0, 0, 1, {1, 0, -2}, {0, 0, 0}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"damper kv='2' ctrlrange='0 1'", "velocity", true,
     0, 0, 1, 1, {0, 0, -2}, {0, 0, 0}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"damper kv='2' ctrlrange='0 1'", "general", true,
     0, 1, 0, 1, {0, 0, -2}, {0, 0, 0}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"damper kv='2' ctrlrange='0 1'", "intvelocity", true,
     1, 0, 1, 1, {0, 0, -2}, {0, 0, 0}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"damper kv='2' ctrlrange='0 1'", "cylinder", true,
     2, 0, 1, 1, {0, 0, -2}, {0, 0, 0}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"damper kv='2' ctrlrange='0 1'", "damper ctrlrange='0 1'", true,
     0, 1, 0, 1, {0, 0, -2}, {0, 0, 0}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"intvelocity kp='7' kv='2'", "position", true,
     1, 0, 1, 1, {7, 0, 0}, {0, -7, -2}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"intvelocity kp='7' kv='2'", "motor", true,
     0, 0, 0, 1, {1, 0, 0}, {0, -7, -2}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"intvelocity kp='7' kv='2'", "velocity", true,
     0, 0, 1, 1, {7, 0, 0}, {0, 0, -7}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"intvelocity kp='7' kv='2'", "general", true,
     1, 0, 1, 1, {7, 0, 0}, {0, -7, -2}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"intvelocity kp='7' kv='2'", "intvelocity", true,
     1, 0, 1, 1, {7, 0, 0}, {0, -7, -2}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"intvelocity kp='7' kv='2'", "cylinder", true,
     2, 0, 1, 1, {7, 0, 0}, {0, -7, -2}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"intvelocity kp='7' kv='2'", "damper ctrlrange='0 1'", true,
     0, 1, 0, 1, {0, 0, 0}, {0, -7, -2}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"cylinder area='3' bias='1 2 3' timeconst='0.3'", "position", true,
     2, 0, 1, 0.3, {3, 0, 0}, {1, -3, -21.269446210866192}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"cylinder area='3' bias='1 2 3' timeconst='0.3'", "motor", true,
     0, 0, 0, 0.3, {1, 0, 0}, {1, 2, 3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"cylinder area='3' bias='1 2 3' timeconst='0.3'", "velocity", true,
     0, 0, 1, 0.3, {3, 0, 0}, {0, 0, -3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"cylinder area='3' bias='1 2 3' timeconst='0.3'", "general", true,
     2, 0, 1, 0.3, {3, 0, 0}, {1, 2, 3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"cylinder area='3' bias='1 2 3' timeconst='0.3'", "intvelocity", true,
     1, 0, 1, 0.3, {3, 0, 0}, {1, -3, -21.269446210866192}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"cylinder area='3' bias='1 2 3' timeconst='0.3'", "cylinder", true,
     2, 0, 1, 0.3, {3, 0, 0}, {1, 2, 3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"cylinder area='3' bias='1 2 3' timeconst='0.3'", "damper ctrlrange='0 1'", true,
     0, 1, 0, 0.3, {0, 0, 0}, {1, 2, 3}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},

        {"general gainprm='5 6 7' biasprm='1 2 -3' biastype='affine' gaintype='affine' dyntype='filter' "
         "dynprm='0.2'", "position", true,
     2, 0, 1, 0.2, {5, 6, 7}, {1, -5, -3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},

        {"general gainprm='5 6 7' biasprm='1 2 -3' biastype='affine' gaintype='affine' dyntype='filter' "
         "dynprm='0.2'", "motor", true,
     0, 0, 0, 0.2, {1, 6, 7}, {1, 2, -3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},

        {"general gainprm='5 6 7' biasprm='1 2 -3' biastype='affine' gaintype='affine' dyntype='filter' "
         "dynprm='0.2'", "velocity", true,
     0, 0, 1, 0.2, {5, 6, 7}, {0, 0, -5}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},

        {"general gainprm='5 6 7' biasprm='1 2 -3' biastype='affine' gaintype='affine' dyntype='filter' "
         "dynprm='0.2'", "general", true,
     2, 1, 1, 0.2, {5, 6, 7}, {1, 2, -3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},

        {"general gainprm='5 6 7' biasprm='1 2 -3' biastype='affine' gaintype='affine' dyntype='filter' "
         "dynprm='0.2'", "intvelocity", true,
     1, 0, 1, 0.2, {5, 6, 7}, {1, -5, -3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},

        {"general gainprm='5 6 7' biasprm='1 2 -3' biastype='affine' gaintype='affine' dyntype='filter' "
         "dynprm='0.2'", "cylinder", true,
     2, 0, 1, 0.2, {5, 6, 7}, {1, 2, -3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},

        {"general gainprm='5 6 7' biasprm='1 2 -3' biastype='affine' gaintype='affine' dyntype='filter' "
         "dynprm='0.2'", "damper ctrlrange='0 1'", false,
     0, 0, 0, 0, {}, {}, {}, {}, {}, {}},
    {"position inheritrange='0.5'", "position", true,
     0, 0, 1, 1, {1, 0, 0}, {0, -1, 0}, {-0.25, 1.25}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position inheritrange='0.5'", "motor", true,
     0, 0, 0, 1, {1, 0, 0}, {0, -1, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position inheritrange='0.5'", "velocity", true,
     0, 0, 1, 1, {1, 0, 0}, {0, 0, -1}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position inheritrange='0.5'", "general", true,
     0, 0, 1, 1, {1, 0, 0}, {0, -1, 0}, {-0.25, 1.25}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"position inheritrange='0.5'", "intvelocity", true,
     1, 0, 1, 1, {1, 0, 0}, {0, -1, 0}, {0, 0}, {0, 0}, {-0.25, 1.25}, {1, 0, 0, 0, 0, 0}},
    {"position inheritrange='0.5'", "cylinder", false, 0, 0, 0, 0, {}, {}, {}, {}, {}, {}},
    {"position inheritrange='0.5'", "damper ctrlrange='0 1'", true,
     0, 1, 0, 1, {0, 0, 0}, {0, -1, 0}, {0, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "position kp='5' kv='2' gear='2'", true,
     0, 0, 1, 1, {5, 0, 0}, {0, -5, -2}, {0, 0}, {0, 0}, {0, 0}, {2, 0, 0, 0, 0, 0}},
    {"", "position inheritrange='1'", true,
     0, 0, 1, 1, {1, 0, 0}, {0, -1, 0}, {-1, 2}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "position inheritrange='1.5' kp='3'", true,
     0, 0, 1, 1, {3, 0, 0}, {0, -3, 0}, {-1.75, 2.75}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "intvelocity inheritrange='1'", true,
     1, 0, 1, 1, {1, 0, 0}, {0, -1, 0}, {0, 0}, {0, 0}, {-1, 2}, {1, 0, 0, 0, 0, 0}},
    {"", "intvelocity actrange='-1 2' kp='4'", true,
     1, 0, 1, 1, {4, 0, 0}, {0, -4, 0}, {0, 0}, {0, 0}, {-1, 2}, {1, 0, 0, 0, 0, 0}},
    {"", "cylinder diameter='2'", true,
     2, 0, 1, 1, {3.141592653589793, 0, 0}, {0, 0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "cylinder diameter='2' area='5' bias='1 -2 -3'", true,
     2, 0, 1, 1, {3.141592653589793, 0, 0}, {1, -2, -3}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "position timeconst='0'", true,
     0, 0, 1, 0, {1, 0, 0}, {0, -1, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "position timeconst='0.25' kp='9'", true,
     3, 0, 1, 0.25, {9, 0, 0}, {0, -9, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "general gaintype='affine' gainprm='1 2 3' biastype='affine' biasprm='4 5 6'", true,
     0, 1, 1, 1, {1, 2, 3}, {4, 5, 6}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "general biastype='none' biasprm='4 5 6'", true,
     0, 0, 0, 1, {1, 0, 0}, {4, 5, 6}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "general gaintype='fixed' gainprm='2 3 4'", true,
     0, 0, 0, 1, {2, 3, 4}, {0, 0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "general dyntype='integrator' actrange='-1 1'", true,
     1, 0, 0, 1, {1, 0, 0}, {0, 0, 0}, {0, 0}, {0, 0}, {-1, 1}, {1, 0, 0, 0, 0, 0}},
    {"", "general dyntype='filterexact' dynprm='0.3'", true,
     3, 0, 0, 0.3, {1, 0, 0}, {0, 0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "motor gear='1 2 3 4 5 6'", true,
     0, 0, 0, 1, {1, 0, 0}, {0, 0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 2, 3, 4, 5, 6}},
    {"", "motor ctrlrange='-1 3' forcerange='-5 6'", true,
     0, 0, 0, 1, {1, 0, 0}, {0, 0, 0}, {-1, 3}, {-5, 6}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "motor ctrlrange='2 1'", true,
     0, 0, 0, 1, {1, 0, 0}, {0, 0, 0}, {2, 1}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "velocity kv='-2'", true,
     0, 0, 1, 1, {-2, 0, 0}, {0, 0, 2}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "damper kv='3' ctrlrange='0 2'", true,
     0, 1, 0, 1, {0, 0, -3}, {0, 0, 0}, {0, 2}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "general gainprm='2 0 0 5 6' biastype='affine' biasprm='0 -3 -1 7'", true,
     0, 0, 1, 1, {2, 0, 0}, {0, -3, -1}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "position inheritrange='1' tendon='t'", true,
     0, 0, 1, 1, {1, 0, 0}, {0, -1, 0}, {-3, 5}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "motor tendon='t'", true,
     0, 0, 0, 1, {1, 0, 0}, {0, 0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    {"", "position inheritrange='1' tendon='u'", false, 0, 0, 0, 0, {}, {}, {}, {}, {}, {}},
    {"", "motor tendon='u'", true,
     0, 0, 0, 1, {1, 0, 0}, {0, 0, 0}, {0, 0}, {0, 0}, {0, 0}, {1, 0, 0, 0, 0, 0}},
    // clang-format on
};

void check_range(const Range& got, const std::array<double, 2>& expected) {
    if (expected[0] < expected[1]) {
        CHECK(got.lower == doctest::Approx(expected[0]).epsilon(1e-15));
        CHECK(got.upper == doctest::Approx(expected[1]).epsilon(1e-15));
    } else {
        CHECK(got == Range{});
    }
}

}  // namespace

TEST_CASE("MJCF actuators of every kind, with presets of every kind, mean what they mean in MuJoCo") {
    for (const Row& row : table) {
        CAPTURE(row.presets);
        CAPTURE(row.element);
        const std::string element = row.element;
        const bool on_tendon = element.find("tendon=") != element.npos;
        const ReadMjcf m = read_actuator(element + (on_tendon ? "" : " joint='h'"), row.presets);
        CAPTURE(m.messages());
        CHECK((m.log.error_count() == 0) == row.accepted);
        if (!row.accepted) continue;
        REQUIRE(m.scene.actuators().size() == 1);
        const ActuatorSpec& a = m.scene.actuators()[0];
        CHECK(static_cast<int>(a.activation) == row.dynamics);
        CHECK(a.time_constant == row.time_constant);
        CHECK(a.gain == (row.gain_type == 1 ? row.gain : std::array<double, 3>{row.gain[0], 0, 0}));
        std::array<double, 3> bias = a.bias;
        if (a.damping_ratio) {
            CHECK(a.bias[2] == 0);
            bias[2] = -2 * *a.damping_ratio * std::sqrt(a.gain[0] * slide_mass) / a.gear[0];
        }
        for (int k = 0; k < 3; ++k)
            CHECK(bias[k] == doctest::Approx(row.bias_type == 1 ? row.bias[k] : 0).epsilon(1e-14));
        check_range(a.ctrl_range, row.ctrl);
        check_range(a.force_range, row.force);
        check_range(a.act_range, row.act);
        CHECK(a.gear == row.gear);
        CHECK(a.transmission == (on_tendon ? Transmission::tendon : Transmission::joint));
    }
}

TEST_CASE("MJCF inheritrange: whether the range holds is still up to the flag") {
    const auto range = [](const std::string& flag) {
        const ReadMjcf m = read_actuator("position joint='h' inheritrange='1' ctrllimited='" + flag + "'");
        CHECK(m.messages() == "");
        return m.scene.actuators()[0].ctrl_range;
    };
    CHECK(range("true") == Range{-1, 2});
    CHECK(range("auto") == Range{-1, 2});
    CHECK(range("false") == Range{});
}

TEST_CASE("MJCF transmissions") {
    const auto only = [](const std::string& element) {
        const ReadMjcf m = read_actuator(element);
        CHECK(m.messages() == "");
        REQUIRE(m.scene.actuators().size() == 1);
        return m.scene.actuators()[0];
    };
    CHECK(only("motor name='a' joint='h'").name == "a");
    CHECK(only("motor joint='ball' gear='1 2 3'").joint.index == 1);
    CHECK(only("motor jointinparent='ball'").transmission == Transmission::joint_in_parent);
    CHECK(only("motor tendon='u'").tendon.index == 1);
    const ActuatorSpec wrench = only("motor site='s' refsite='r' gear='0 0 1 0 0 2'");
    CHECK(wrench.transmission == Transmission::site);
    CHECK(wrench.site.index == 0);
    CHECK(wrench.reference_site.index == 1);
    CHECK(only("motor site='s'").reference_site.index == -1);
    const ActuatorSpec crank = only("motor cranksite='s' slidersite='r' cranklength='0.3'");
    CHECK(crank.transmission == Transmission::slider_crank);
    CHECK(crank.site.index == 0);
    CHECK(crank.slider_site.index == 1);
    CHECK(crank.crank_length == 0.3);
    const ActuatorSpec rotor = only("motor joint='h' damping='1 2 3' armature='4' group='2'");
    CHECK(rotor.damping == 1);
    CHECK(rotor.damping_poly == std::array<double, 2>{2, 3});
    CHECK(rotor.armature == 4);
    CHECK(rotor.group == 2);
    CHECK(only("general joint='h' dyntype='filter' actearly='true'").act_early);

    CHECK(
        said_of("motor") ==
        "error[E122]: <motor>: it is not said what it acts on (add joint=\"…\", tendon=\"…\", site=\"…\", "
        "cranksite=\"…\" or body=\"…\")\n");
    CHECK(said_of("motor joint='h' tendon='t'") ==
          "error[E122]: <motor>: it has both 'joint' and 'tendon' (keep one)\n");
    CHECK(said_of("motor joint='hh'") == "error[E084]: there is no joint 'hh' (did you mean 'h'?)\n");
    CHECK(said_of("motor joint='h' refsite='r'") == "error[E122]: <motor>: 'refsite' goes with 'site'\n");
    CHECK(said_of("motor joint='h' slidersite='r'") ==
          "error[E122]: <motor>: 'slidersite' goes with 'cranksite'\n");
    CHECK(said_of("motor cranksite='s' cranklength='1'") ==
          "error[E122]: <motor>: a slider-crank needs a 'slidersite'\n");
    CHECK(said_of("motor cranksite='s' slidersite='r'") ==
          "error[E122]: <motor>: a slider-crank needs a positive 'cranklength'\n");
}

TEST_CASE("our own: a position servo by its frequency") {
    const ReadMjcf m = read_actuator("position joint='h' frequency='2' dampratio='0.7'");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.actuators().size() == 1);
    CHECK(m.scene.actuators()[0].frequency == 2.0);
    CHECK(m.scene.actuators()[0].damping_ratio == 0.7);
    // Another gain in the element replaces the frequency of the class; a motor has none.
    const ReadMjcf replaced = read_actuator("position joint='h' kp='3'", "position frequency='2'");
    CHECK(!replaced.scene.actuators()[0].frequency);
    CHECK(replaced.scene.actuators()[0].gain[0] == 3);
    CHECK(!read_actuator("motor joint='h'", "position frequency='2'").scene.actuators()[0].frequency);
    CHECK(said_of("position joint='h' kp='1' frequency='2'") ==
          "error[E123]: <position>: it has both 'kp' and 'frequency' (keep one)\n");
}

TEST_CASE("MJCF actuators whose values contradict each other") {
    CHECK(said_of("position joint='h' kv='1' dampratio='1'") ==
          "error[E123]: <position>: it has both 'kv' and 'dampratio' (keep one)\n");
    CHECK(said_of("position joint='h' inheritrange='1' ctrlrange='0 1'") ==
          "error[E123]: <position>: it has both 'inheritrange' and 'ctrlrange' (keep one)\n");
    CHECK(said_of("position joint='ball' inheritrange='1'") ==
          "error[E123]: <position>: there is no range to inherit: what it acts on has no limits (give the "
          "joint "
          "or tendon a range, or the actuator one of its own)\n");
    CHECK(
        said_of("motor joint='h' ctrllimited='true'") ==
        "error[E120]: <motor> needs 'ctrlrange': it is limited, but no range is given (add ctrlrange=\"lower "
        "upper\")\n");
    CHECK(said_of("motor joint='h' ctrlrange='1 0' ctrllimited='true'") ==
          "error[E120]: <motor>: the lower end of 'ctrlrange' is not below the upper end\n");
    CHECK(said_of("motor joint='h' ctrlrange='1 0'") ==
          "warning[W094]: <motor>: the lower end of 'ctrlrange' is not below the upper end, so it does not "
          "hold "
          "(swap the numbers, or remove it)\n");
    CHECK(said_of("damper joint='h' ctrlrange='-1 1'") ==
          "error[E123]: <damper>: the control of a damper must not be negative\n");
    CHECK(said_of("general joint='h' actrange='0 1'") ==
          "error[E123]: <general>: 'actrange' bounds an activation, and it has none (add dyntype=\"…\", or "
          "remove "
          "'actrange')\n");
    CHECK(said_of("general joint='h' actdim='2' dyntype='filter'") ==
          "error[E123]: <general>: with this 'dyntype' it has 1 activations\n");
    CHECK(count_code(read_actuator("position joint='h' kv='-1'").log, "E006") == 1);
    CHECK(count_code(read_actuator("position joint='h' timeconst='-1'").log, "E006") == 1);
    // Whether a range holds must be said.
    const ReadMjcf m =
        read_model(
            "<compiler autolimits='false'/><worldbody><body><joint name='h'/><geom size='1'/></body>"
            "</worldbody><actuator><motor joint='h' ctrlrange='0 1'/></actuator>");
    CHECK(count_code(m.log, "E085") == 1);
}

TEST_CASE("MJCF actuators that are refused by name") {
    for (const char* element : {"dcmotor joint='h' motorconst='1' resistance='1' cogging='1'",
                                "pid joint='h'",
                                "dcmotor joint='h' motorconst='1' resistance='1' saturation='0 0 1'",
                                "dcmotor joint='h' motorconst='1' resistance='1' input='pos voltage'",
                                "orientation joint='ball'", "plugin joint='h' plugin='x'",
                                "general joint='h' dyntype='user'", "general joint='h' gaintype='user'",
                                "general joint='h' biastype='dcmotor'", "general joint='h' input='pos'",
                                "motor joint='h' delay='0.1' nsample='3'", "motor joint='h' nsample='3'"}) {
        CAPTURE(element);
        const ReadMjcf m = read_actuator(element);
        CHECK(m.log.all().size() == 1);
        CHECK(count_code(m.log, "U124") == 1);
        CHECK(m.log.all()[0].where.line == 1);
        CHECK(m.scene.actuators().empty());
    }
    // Presets of a kind that is not supported matter only to those who would use them.
    CHECK(said_of("motor joint='h'", "pid kp='3'") == "");
    CHECK(said_of("position joint='h'", "pid kp='3'") ==
          "error[U124]: <position>: its default class takes parameters from <pid>, which is not "
          "supported\n");
    CHECK(said_of("motor joint='h' delay='0' nsample='0' interp='linear' lengthrange='0 1' user='1 2'") ==
          "");
    CHECK(said_of("motr joint='h'") ==
          "warning[W011]: <motr> inside <actuator> is not known and was not read (did you mean 'motor'?)\n");
    CHECK(said_of("motor joint='h' kp='3'").substr(0, 14) == "warning[W010]:");
}

TEST_CASE("MJCF adhesion: the force is gain times control, at a body") {
    const ReadMjcf m = read_actuator("adhesion body='b' gain='0.985' ctrlrange='0 1'");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.actuators().size() == 1);
    const ActuatorSpec& a = m.scene.actuators()[0];
    CHECK(a.transmission == Transmission::body);
    CHECK(a.body == m.scene.find_body("b"));
    CHECK(a.gain == std::array<double, 3>{0.985, 0, 0});
    CHECK(a.ctrl_range == Range{0, 1});
    // As the fruit fly of the Menagerie has it: the class says all but the body.
    const ReadMjcf fly =
        read_actuator("adhesion body='b'", "adhesion group='3' ctrlrange='0 1' gain='0.985'");
    CHECK(fly.messages() == "");
    CHECK(fly.scene.actuators().at(0).gain[0] == 0.985);
    CHECK(read_actuator("general body='b' ctrlrange='0 2'").scene.actuators().at(0).transmission ==
          Transmission::body);
    CHECK(count_code(read_actuator("adhesion body='b' gain='-1' ctrlrange='0 1'").log, "E123") == 1);
    CHECK(count_code(read_actuator("adhesion body='b' ctrlrange='-1 1'").log, "E123") == 1);
}

TEST_CASE("MJCF DC motors: constants from what is given, and the law that follows") {
    struct Case {
        const char* given;
        double K, R, torque;  // no torque: not limited
    };
    const Case cases[] = {
        {"motorconst='0.05' resistance='2'", 0.05, 2, 0},
        {"motorconst='0.04 0.09' resistance='2' saturation='0.3'", 0.06, 2, 0.3},
        {"motorconst='0 0.05' resistance='2' saturation='0 4'", 0.05, 2, 0.2},
        // 24 V, 1.2 N·m stalled, 480 rad/s without load.
        {"nominal='24 1.2 480'", 0.05, 1, 0},
        // Without load it runs against its damping B: V = K ω₀ + R B ω₀ / K, here 12 = 10 + 2.
        {"nominal='12 1 200' resistance='2' damping='2.5e-4'", 0.05, 2, 0},
    };
    for (const Case& c : cases) {
        CAPTURE(c.given);
        const ReadMjcf m = read_actuator("dcmotor joint='h' " + std::string(c.given));
        CHECK(m.messages() == "");
        REQUIRE(m.scene.actuators().size() == 1);
        const ActuatorSpec& a = m.scene.actuators()[0];
        CHECK(a.gain[0] == doctest::Approx(c.K / c.R).epsilon(1e-14));
        CHECK(a.bias[2] == doctest::Approx(-c.K * c.K / c.R).epsilon(1e-14));
        if (c.torque > 0)
            CHECK(a.force_range.upper == doctest::Approx(c.torque).epsilon(1e-14));
        else
            CHECK(a.force_range == Range{});
    }
    CHECK(count_code(read_actuator("dcmotor joint='h'").log, "E123") == 1);
    CHECK(count_code(read_actuator("dcmotor joint='h' motorconst='1'").log, "E123") == 1);
}
