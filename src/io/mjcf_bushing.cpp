// <force>, a section of our own: springs and dampers between two bodies. docs/bushings.md has their
// attributes.

#include "core/diagnostic_codes.h"
#include "io/mjcf_equality.h"
#include "io/mjcf_values.h"

namespace lig::io::mjcf {

namespace {

// One number for all axes, or one for each. False after an error; absent, the numbers stay.
bool read_axes(ElementReader& in, const char* attribute, Vec3d& out) {
    const auto numbers = in.numbers(attribute, 1, 3);
    if (!numbers) return !in.has(attribute);
    const std::vector<double>& n = *numbers;
    if (n.size() == 2) {
        in.log().report(codes::E007, in.where(attribute),
                        in.label() + ": '" + attribute + "' has 2 numbers",
                        "one for all axes, or one for each of the three");
        return false;
    }
    out = n.size() == 1 ? Vec3d{n[0], n[0], n[0]} : Vec3d{n[0], n[1], n[2]};
    return true;
}

void read_bushing(Context& context, ElementReader& in) {
    BushingSpec spec{.name = in.text_or("name", ""), .where = in.where()};
    context.bushings.add(spec.name, 0, in.where(), context.log);
    spec.active = in.boolean("active").value_or(true);
    const std::optional<BodyPair> pair = read_body_pair(context, in);
    bool good = read_frame(in, "pos1", "quat1", "axis1", spec.frame_a);
    good = read_frame(in, "pos2", "quat2", "axis2", spec.frame_b) && good;
    good = read_axes(in, "stiffness", spec.stiffness) && good;
    good = read_axes(in, "damping", spec.damping) && good;
    good = read_axes(in, "turnstiffness", spec.turn_stiffness) && good;
    good = read_axes(in, "turndamping", spec.turn_damping) && good;
    spec.frequency = in.number("frequency");
    spec.turn_frequency = in.number("turnfrequency");
    spec.damping_ratio = in.number("dampratio");
    in.warn_unknown();
    if (!good || !pair) return;
    spec.body_a = pair->a;
    spec.body_b = pair->b;
    // It is at rest in the reference configuration unless the second frame says otherwise.
    if (!in.has("pos2") && !in.has("quat2") && !in.has("axis2"))
        spec.frame_b = compose(inverse(relative_pose(context, *pair)), spec.frame_a);
    context.scene.add_bushing(std::move(spec));
}

}  // namespace

void read_force(Context& context, int section) {
    static constexpr std::string_view known[] = {"bushing"};
    for (const int child : context.document.children(section)) {
        ElementReader in = context.document.reader(child);
        if (in.name() == "bushing")
            read_bushing(context, in);
        else
            report_unknown_element(in, "force", known);
    }
}

}  // namespace lig::io::mjcf
