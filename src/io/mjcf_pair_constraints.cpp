// Constraints between two bodies in <equality>, our own addition: an element per kind of pair_list.
// docs/constraints.md has their attributes.
//
// All have body1, body2 (one that is absent is the world) and a frame on each: pos1, pos2, and quat1, quat2
// or the direction of their z axes, axis1, axis2; and forcemin, forcemax, the bounds of their forces.

#include "io/mjcf_equality.h"
#include "io/mjcf_orientation.h"
#include "io/mjcf_pair_kinds.h"

namespace lig::io::mjcf {

std::optional<BodyPair> read_body_pair(Context& context, ElementReader& in) {
    if (!in.has("body1") && !in.has("body2")) {
        in.required_text("body1");
        return {};
    }
    const BodyPair pair{in.has("body1") ? BodyId{context.bodies.find(in, "body1")} : world,
                        in.has("body2") ? BodyId{context.bodies.find(in, "body2")} : world};
    return pair.a.index >= 0 && pair.b.index >= 0 ? std::optional(pair) : std::nullopt;
}

// MuJoCo once had a <distance> between two geoms; that one is still refused.
bool is_pair_constraint(ElementReader& in) {
    if (in.node().attribute("geom1") || in.node().attribute("geom2")) return false;
    return find_pair_format(in.name());
}

void read_pair_constraint(Context& context, ElementReader& in, ConstraintSpec spec) {
    const bool first = read_frame(in, "pos1", "quat1", "axis1", spec.frame_a);
    const bool second = read_frame(in, "pos2", "quat2", "axis2", spec.frame_b);
    const std::optional<BodyPair> found = read_body_pair(context, in);
    spec.force.lower = in.number_or("forcemin", spec.force.lower);
    spec.force.upper = in.number_or("forcemax", spec.force.upper);
    if (found) {
        spec.body_a = found->a;
        spec.body_b = found->b;
    }
    // Lengths are measured between bodies that are there.
    const PairFormat& format = *find_pair_format(in.name());
    if (first && second && found) spec.constraint = format.read({context, in, spec}, format.attribute);
    if (spec.constraint) {
        in.warn_unknown();
        context.scene.add_constraint(std::move(spec));
    }
}

}  // namespace lig::io::mjcf
