#include "io/mjcf.h"

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "io/mjcf_values.h"

#include <algorithm>

namespace lig::io {

namespace mjcf {

namespace {

void read_compiler_section(Context& context, int section) {
    ElementReader in = context.document.reader(section);
    read_compiler(in, context.settings, context.notes);
    static constexpr std::string_view known[] = {"lengthrange"};
    for (const int child : context.document.children(section)) {
        ElementReader inner = context.document.reader(child);
        // lengthrange is about actuators.
        if (inner.name() != "lengthrange") report_unknown_element(inner, "compiler", known);
    }
}

void read_option_section(Context& context, int section) {
    ElementReader in = context.document.reader(section);
    read_option(in, context.scene.options, context.notes);
    static constexpr std::string_view known[] = {"flag"};
    for (const int child : context.document.children(section)) {
        ElementReader inner = context.document.reader(child);
        if (inner.name() != "flag")
            report_unknown_element(inner, "option", known);
        else if (!read_flags(inner, context.notes))
            context.gravity_is_off = true;
    }
}

void read_default_section(Context& context, int section) {
    context.defaults.read(context.document, section, context.notes);
}

void note_section(Context& context, int section) {
    for (const int child : context.document.children(section))
        context.notes.element(context.document.name(child), context.document.name(section),
                              context.document.where(child));
}

void skip_section(Context&, int) {}

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
    {"tendon", read_tendon},
    {"equality", read_equality},
    {"actuator", read_actuator},
    {"sensor", read_sensor},
    {"keyframe", read_keyframe},
    {"deformable", note_section},
    {"extension", note_section},
    {"size", skip_section},
    {"statistic", skip_section},
    {"visual", skip_section},
    {"custom", skip_section},
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

}  // namespace mjcf

Scene read_mjcf(const XmlSource& source, const LoadOptions&, Diagnostics& log) {
    using namespace mjcf;
    Context context(source, log);
    ElementReader root = context.document.reader(Document::root);
    context.scene.name = root.text_or("model", "");
    root.warn_unknown();
    context.bodies.add("world", world.index, {}, log);
    context.X_WB.push_back(Pose{});

    for (const Section& section : sections)
        for (const int child : context.document.children(Document::root))
            if (context.document.name(child) == section.name) section.read(context, child);
    report_unknown_sections(context);

    resolve_camera_targets(context);
    check_static_shapes(context);
    if (context.gravity_is_off) context.scene.options.gravity = {0, 0, 0};
    context.notes.report(log);
    return std::move(context.scene);
}

}  // namespace lig::io
