#include "io/mjcf.h"

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "io/mjcf_ignored.h"
#include "io/mjcf_values.h"

#include <algorithm>

namespace lig::io {

namespace mjcf {

namespace {

void read_compiler_section(Context& context, int section) {
    ElementReader in = context.document.reader(section);
    read_compiler(in, context.settings, context.scene.inertia_rules);
    static constexpr std::string_view known[] = {"lengthrange"};
    for (const int child : context.document.children(section)) {
        ElementReader inner = context.document.reader(child);
        if (inner.name() == "lengthrange")
            read_length_range(inner, context.settings);
        else
            report_unknown_element(inner, "compiler", known);
    }
}

void read_option_section(Context& context, int section) {
    ElementReader in = context.document.reader(section);
    read_option(in, context.scene.options, context.settings);
    static constexpr std::string_view known[] = {"flag"};
    for (const int child : context.document.children(section)) {
        ElementReader inner = context.document.reader(child);
        if (inner.name() == "flag")
            read_flags(inner, context.settings, context.scene.options.enabled);
        else
            report_unknown_element(inner, "option", known);
    }
}

void read_default_section(Context& context, int section) {
    context.defaults.read(context.document, section, context.notes);
}

void check_ignored_section(Context& context, int section) { check_ignored(context, section, "mujoco"); }

// Skins are drawn over bodies; anything else in here moves by itself.
void read_deformable(Context& context, int section) {
    static constexpr std::string_view known[] = {"skin", "flex"};
    for (const int child : context.document.children(section)) {
        ElementReader in = context.document.reader(child);
        if (in.name() == "flex")
            context.notes.add(codes::U114, "<flex> in <deformable> is not supported", in.where(),
                              "Ligament has no deformable bodies");
        else if (in.name() != "skin")
            report_unknown_element(in, "deformable", known);
    }
}

// A plugin may be anything; the place that uses it is refused as well, but the one here names it.
void read_extension(Context& context, int section) {
    static constexpr std::string_view known[] = {"plugin"};
    for (const int child : context.document.children(section)) {
        ElementReader in = context.document.reader(child);
        if (in.name() != "plugin") {
            report_unknown_element(in, "extension", known);
            continue;
        }
        context.notes.add(codes::U115, "the plugin '" + in.text_or("plugin", "") + "' is not supported",
                          in.where(), "Ligament has no plugins; take it out");
    }
}

// In the order in which they are read, which is not that of the file: units before angles, classes before
// elements, names before references. A section may occur several times.
struct Section {
    std::string_view name;
    void (*read)(Context&, int);
};
constexpr Section sections[] = {
    {"compiler", read_compiler_section},
    {"option", read_option_section},
    {"default", read_default_section},
    {"asset", read_asset},
    {"worldbody", read_worldbody},
    {"contact", read_contact},
    {"equality", read_loops},
    {"tendon", read_tendon},
    {"equality", read_equality},
    {"force", read_force},
    {"actuator", read_actuator},
    {"sensor", read_sensor},
    {"keyframe", read_keyframe},
    {"deformable", read_deformable},
    {"extension", read_extension},
    {"size", check_ignored_section},
    {"statistic", check_ignored_section},
    {"visual", check_ignored_section},
    {"custom", check_ignored_section},
};

void report_unknown_sections(Context& context) {
    std::vector<std::string_view> known;
    for (const Section& section : sections) known.push_back(section.name);
    for (const int child : context.document.children(Document::root)) {
        if (std::find(known.begin(), known.end(), context.document.name(child)) != known.end()) continue;
        ElementReader in = context.document.reader(child);
        report_unknown_element(in, "mujoco", known);
    }
}

}  // namespace

void read_document(Context& context) {
    ElementReader root = context.document.reader(Document::root);
    context.scene.name = root.text_or("model", "");
    root.warn_unknown();
    context.bodies.add("world", world.index, {}, context.log);
    context.X_WB.push_back(Pose{});

    for (const Section& section : sections)
        for (const int child : context.document.children(Document::root))
            if (context.document.name(child) == section.name) section.read(context, child);
    report_unknown_sections(context);

    resolve_camera_targets(context);
    std::vector<TreeMark*> marks;
    for (NamedFrame& frame : context.frames) {
        marks.push_back(&frame.begin);
        marks.push_back(&frame.end);
    }
    context.assembly.finish(context, marks);
    check_static_shapes(context);
    if (!context.settings.gravity) context.scene.options.gravity = {0, 0, 0};
    context.notes.report(context.log);
}

}  // namespace mjcf

Scene read_mjcf(const XmlSource& source, const LoadOptions&, Diagnostics& log) {
    mjcf::Context context(source, log);
    mjcf::read_document(context);
    return std::move(context.scene);
}

}  // namespace lig::io
