#include "io/mjcf_settings.h"

#include "core/diagnostic_codes.h"
#include "io/mjcf_lists.h"
#include "io/mjcf_values.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lig::io::mjcf {

double Settings::angle(double value) const { return degrees ? value * std::numbers::pi / 180 : value; }

namespace {

// That many groups of actuators may be switched off; others may exist.
constexpr int actuator_groups = 31;

void read_euler_sequence(ElementReader& in, Settings& settings) {
    const std::optional<std::string> text = in.text("eulerseq");
    if (!text) return;
    const bool good = text->size() == 3 && text->find_first_not_of("xyzXYZ") == std::string::npos;
    if (good)
        std::copy(text->begin(), text->end(), settings.euler_sequence.begin());
    else
        in.log().report(codes::E008, in.where("eulerseq"),
                        "attribute 'eulerseq' of <compiler>: '" + *text + "' is not a sequence of three axes",
                        "write three of x, y, z (axes that turn along) or X, Y, Z (fixed axes)");
}

// A bound that has no effect unless it is positive.
void read_bound(ElementReader& in, const char* attribute, double& bound) {
    assign(bound, non_negative(in, attribute));
}

void read_inertia_rules(ElementReader& in, InertiaRules& rules) {
    read_bound(in, "boundmass", rules.min_mass);
    read_bound(in, "boundinertia", rules.min_inertia);
    assign(rules.balance, in.boolean("balanceinertia"));
    assign(rules.fuse_static, in.boolean("fusestatic"));
    if (const auto total = in.number("settotalmass"))
        rules.total_mass = *total > 0 ? std::optional<double>(*total) : std::nullopt;
}

void read_disabled_groups(ElementReader& in, Options& options) {
    const auto groups = in.numbers("actuatorgroupdisable", 0, actuator_groups);
    if (!groups) return;
    options.disabled_actuator_groups.clear();
    for (const double group : *groups) {
        if (group >= 0 && group < actuator_groups && group == std::floor(group))
            options.disabled_actuator_groups.push_back(static_cast<int>(group));
        else
            in.log().report(codes::E006, in.where("actuatorgroupdisable"),
                            "attribute 'actuatorgroupdisable' of <option>: a group is a whole number from 0 "
                            "to " +
                                std::to_string(actuator_groups - 1));
    }
}

// Those that a model means something by.
struct OptionAttribute {
    const char* name;
    bool (*differs)(const Options&, const Options&);
};
template <auto member>
bool differs(const Options& a, const Options& b) {
    if constexpr (requires { (a.*member).x; })
        return (a.*member).x != (b.*member).x || (a.*member).y != (b.*member).y ||
               (a.*member).z != (b.*member).z;
    else
        return a.*member != b.*member;
}
constexpr OptionAttribute option_attributes[] = {
    {"timestep", differs<&Options::timestep>},
    {"gravity", differs<&Options::gravity>},
    {"integrator", differs<&Options::integrator>},
    {"wind", differs<&Options::wind>},
    {"density", differs<&Options::density>},
    {"viscosity", differs<&Options::viscosity>},
    {"magnetic", differs<&Options::magnetic>},
    {"impratio", differs<&Options::impratio>},
    {"cone", differs<&Options::elliptic_cone>},
    {"actuatorgroupdisable", differs<&Options::disabled_actuator_groups>},
};

}  // namespace

void read_compiler(ElementReader& in, Settings& settings, InertiaRules& rules) {
    static constexpr std::string_view angles[] = {"radian", "degree"};
    static constexpr std::string_view sources[] = {"false", "true", "auto"};
    static constexpr std::string_view coordinates[] = {"local", "global"};
    if (const auto unit = in.choice("angle", angles)) settings.degrees = *unit == 1;
    if (const auto source = in.choice("inertiafromgeom", sources))
        settings.inertia = static_cast<InertiaSource>(*source);
    if (in.choice("coordinate", coordinates) == 1)
        in.log().report(codes::U091, in.where("coordinate"), "global coordinates are not supported",
                        "MuJoCo dropped them in 2.3.4; load and save the model with an older version");
    assign(settings.auto_limits, in.boolean("autolimits"));
    assign(settings.strip_path, in.boolean("strippath"));
    assign(settings.fit_aabb, in.boolean("fitaabb"));
    assign(settings.mesh_folder, in.text("meshdir"));
    assign(settings.asset_folder, in.text("assetdir"));
    if (const auto groups = in.numbers("inertiagrouprange", 2, 2)) {
        settings.first_inertia_group = static_cast<int>(std::clamp((*groups)[0], -1e6, 1e6));
        settings.last_inertia_group = static_cast<int>(std::clamp((*groups)[1], -1e6, 1e6));
    }
    static constexpr std::string_view policies[] = {"warning", "merge", "error"};
    if (const auto policy = in.choice("conflict", policies))
        settings.conflicts = static_cast<ConflictPolicy>(*policy);
    read_euler_sequence(in, settings);
    read_inertia_rules(in, rules);
    assign(settings.align_free, in.boolean("alignfree"));
    // How MuJoCo loads and saves, and what it keeps for drawing; none of it changes the physics.
    in.ignore({"discardvisual", "usethread", "exactmeshinertia", "saveinertial", "convexhull", "texturedir"});
    in.warn_unknown();
}

void read_length_range(ElementReader& in, Settings& settings) {
    static constexpr std::string_view modes[] = {"none", "muscle", "muscleuser", "all"};
    // A muscle needs a range whatever the mode is, and nothing else has one.
    in.choice("mode", modes);
    assign(settings.use_existing_lengths, in.boolean("useexisting"));
    assign(settings.use_limits_as_lengths, in.boolean("uselimit"));
    // How MuJoCo searches; ours is another search.
    in.ignore({"accel", "maxforce", "timeconst", "timestep", "inttotal", "interval", "tolrange"});
    in.warn_unknown();
}

void read_option(ElementReader& in, Options& options, Settings& settings) {
    for (const OptionAttribute& attribute : option_attributes)
        if (in.has(attribute.name)) settings.written_options.insert(attribute.name);
    static constexpr std::string_view integrators[] = {"Euler", "RK4", "implicit", "implicitfast"};
    static constexpr std::string_view cones[] = {"pyramidal", "elliptic"};
    if (const auto step = in.number("timestep")) {
        if (*step > 0)
            options.timestep = *step;
        else
            in.log().report(codes::E006, in.where("timestep"), "the timestep must be positive");
    }
    assign(options.gravity, in.vec3("gravity"));
    if (const auto which = in.choice("integrator", integrators))
        options.integrator = static_cast<Integrator>(*which);
    assign(options.wind, in.vec3("wind"));
    assign(options.density, non_negative(in, "density"));
    assign(options.viscosity, non_negative(in, "viscosity"));
    assign(options.magnetic, in.vec3("magnetic"));
    assign(options.impratio, non_negative(in, "impratio"));
    if (const auto cone = in.choice("cone", cones)) options.elliptic_cone = *cone == 1;
    read_disabled_groups(in, options);
    // How MuJoCo's own solvers run, and the values that only count with the flag `override`, which is
    // refused.
    in.ignore({"apirate", "tolerance", "ls_tolerance", "noslip_tolerance", "mpr_tolerance",
               "ccd_tolerance", "noslip_iterations", "o_margin", "o_solref", "o_solimp",
               "o_friction", "collision", "jacobian", "solver", "iterations",
               "ls_iterations", "mpr_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints",
               "sleep_tolerance"});
    in.warn_unknown();
}

std::vector<std::string_view> different_options(const std::set<std::string_view>& written, const Options& a,
                                                const Options& b) {
    std::vector<std::string_view> names;
    for (const OptionAttribute& attribute : option_attributes)
        if (written.contains(attribute.name) && attribute.differs(a, b)) names.emplace_back(attribute.name);
    return names;
}

void read_flags(ElementReader& in, Settings& settings, Switches& enabled) {
    static constexpr std::string_view words[] = {"disable", "enable"};
    const auto read = [&](const char* name, bool& is_on) {
        if (const auto word = in.choice(name, words)) is_on = *word == 1;
    };
    // Springs and dampers at once, until MuJoCo 3.3.
    if (const auto word = in.choice("passive", words)) enabled.spring = enabled.damper = *word == 1;
    for (const SwitchName& flag : switch_names) read(flag.name, enabled.*flag.is_on);
    read("gravity", settings.gravity);
    if (in.choice("override", words) == 1)
        in.log().report(codes::U091, in.where("override"),
                        "the flag 'override', one set of contact properties for all, is not supported",
                        "give the properties to the geoms, through <default><geom …/>");
    // How MuJoCo computes and what it reports.
    in.ignore({"warmstart", "refsafe", "midphase", "nativeccd", "eulerdamp", "autoreset", "island", "energy",
               "fwdinv", "invdiscrete", "sensornoise", "multiccd", "sleep", "diagexact"});
    in.warn_unknown();
}

}  // namespace lig::io::mjcf
