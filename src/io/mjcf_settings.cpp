#include "io/mjcf_settings.h"

#include "core/diagnostic_codes.h"
#include "io/mjcf_values.h"

#include <algorithm>
#include <numbers>

namespace lig::io::mjcf {

double Settings::angle(double value) const { return degrees ? value * std::numbers::pi / 180 : value; }

namespace {

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

// Settings that change the model and that we do not follow are named when they are not at their default.
void note_compiler(ElementReader& in, NotRead& notes) {
    for (const char* name : {"boundmass", "boundinertia"})
        if (in.number_or(name, 0) != 0) notes.attribute(name, "compiler", in.where(name));
    if (in.number_or("settotalmass", -1) > 0)
        notes.attribute("settotalmass", "compiler", in.where("settotalmass"));
    for (const char* name : {"balanceinertia", "fusestatic", "alignfree"})
        if (in.boolean(name).value_or(false)) notes.attribute(name, "compiler", in.where(name));
    in.ignore({"discardvisual", "usethread", "exactmeshinertia", "saveinertial", "convexhull", "texturedir"});
}

}  // namespace

void read_compiler(ElementReader& in, Settings& settings, NotRead& notes) {
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
    read_euler_sequence(in, settings);
    note_compiler(in, notes);
    in.warn_unknown();
}

void read_option(ElementReader& in, Options& options, NotRead& notes) {
    static constexpr std::string_view integrators[] = {"Euler", "RK4", "implicit", "implicitfast"};
    if (const auto step = in.number("timestep")) {
        if (*step > 0)
            options.timestep = *step;
        else
            in.log().report(codes::E006, in.where("timestep"), "the timestep must be positive");
    }
    assign(options.gravity, in.vec3("gravity"));
    if (const auto which = in.choice("integrator", integrators))
        options.integrator = static_cast<Integrator>(*which);

    if (const auto wind = in.vec3("wind"); wind && dot(*wind, *wind) > 0)
        notes.attribute("wind", "option", in.where("wind"));
    for (const char* name : {"density", "viscosity", "noslip_iterations"})
        if (in.number_or(name, 0) != 0) notes.attribute(name, "option", in.where(name));
    if (in.number_or("impratio", 1) != 1) notes.attribute("impratio", "option", in.where("impratio"));
    if (in.text_or("cone", "pyramidal") != "pyramidal") notes.attribute("cone", "option", in.where("cone"));
    if (in.has("actuatorgroupdisable"))
        notes.attribute("actuatorgroupdisable", "option", in.where("actuatorgroupdisable"));
    // How MuJoCo's own solvers run, what its sensors see, and values that only count with the flag
    // `override`.
    in.ignore({"apirate", "tolerance", "ls_tolerance", "noslip_tolerance", "mpr_tolerance",
               "ccd_tolerance", "magnetic", "o_margin", "o_solref", "o_solimp",
               "o_friction", "collision", "jacobian", "solver", "iterations",
               "ls_iterations", "mpr_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints",
               "sleep_tolerance"});
    in.warn_unknown();
}

bool read_flags(ElementReader& in, NotRead& notes) {
    static constexpr std::string_view words[] = {"disable", "enable"};
    const auto is = [&](const char* name, int word) { return in.choice(name, words) == word; };
    const auto note = [&](const char* name, const char* state) {
        notes.add(codes::W093,
                  "flag '" + std::string(name) + "' " + state + "d in the file is not honoured yet",
                  in.where(name));
    };
    for (const char* name : {"constraint", "equality", "frictionloss", "limit", "contact", "passive",
                             "spring", "damper", "clampctrl", "filterparent", "actuation"})
        if (is(name, 0)) note(name, "disable");
    if (is("override", 1)) note("override", "enable");
    const bool gravity = !is("gravity", 0);
    in.ignore({"warmstart", "refsafe", "sensor", "midphase", "nativeccd", "eulerdamp", "autoreset", "island",
               "energy", "fwdinv", "invdiscrete", "sensornoise", "multiccd", "sleep"});
    in.warn_unknown();
    return gravity;
}

}  // namespace lig::io::mjcf
