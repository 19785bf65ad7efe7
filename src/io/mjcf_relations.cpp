// What refers to the tree by name: contact exclusions and keyframes.

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "io/mjcf_values.h"

#include <limits>

namespace lig::io::mjcf {

namespace {

BodyId find_body(Context& context, ElementReader& in, const char* attribute) {
    return {context.bodies.find(in, attribute)};
}

}  // namespace

void read_contact(Context& context, int section) {
    static constexpr std::string_view known[] = {"pair", "exclude"};
    for (const int child : context.document.children(section)) {
        ElementReader in = context.document.reader(child);
        if (in.name() == "pair") {
            context.notes.element("pair", "contact", in.where());
            continue;
        }
        if (in.name() != "exclude") {
            report_unknown_element(in, "contact", known);
            continue;
        }
        for (const char* attribute : {"body1", "body2"})
            if (!in.has(attribute)) in.required_text(attribute);
        const BodyId a = find_body(context, in, "body1"), b = find_body(context, in, "body2");
        in.ignore({"name", "class"});
        in.warn_unknown();
        if (a.index >= 0 && b.index >= 0) context.scene.exclude_collision(a, b);
    }
}

void read_keyframe(Context& context, int section) {
    static constexpr std::string_view known[] = {"key"};
    for (const int child : context.document.children(section)) {
        ElementReader in = context.document.reader(child);
        if (in.name() != "key") {
            report_unknown_element(in, "keyframe", known);
            continue;
        }
        KeyframeSpec key{
            .name = in.text_or("name", ""), .time = in.number_or("time", 0), .where = in.where()};
        assign(key.qpos, in.numbers("qpos", 0, std::numeric_limits<int>::max()));
        assign(key.qvel, in.numbers("qvel", 0, std::numeric_limits<int>::max()));
        for (const char* attribute : {"act", "ctrl", "mpos", "mquat"})
            if (in.has(attribute)) context.notes.attribute(attribute, "key", in.where(attribute));
        in.warn_unknown();
        context.scene.add_keyframe(std::move(key));
    }
}

}  // namespace lig::io::mjcf
