// Constraints between two bodies, as mjcf_pair_constraints.cpp reads them.

#include "core/unit_quaternion.h"
#include "io/mjcf_pair_kinds.h"
#include "io/mjcf_write.h"

#include <cmath>
#include <stdexcept>

namespace lig::io::mjcf {

void write_frame(XmlWriter& xml, std::string_view pos, std::string_view quat, const Pose& frame) {
    const Vec3d zero = Vec3d::zero();
    const Quatd none = Quatd::identity(), turned = unit_quaternion(frame.quat);
    xml.numbers(pos, span_of(frame.pos), span_of(zero));
    xml.numbers(quat, span_of(turned), span_of(none));
}

void write_body_pair(WriteContext& context, BodyId a, BodyId b, XmlWriter& xml) {
    // One of the two tells the other.
    if (a != world || b == world) xml.word("body1", context.names.to_refer(a));
    if (b != world) xml.word("body2", context.names.to_refer(b));
}

void write_pair_constraint(WriteContext& context, const ConstraintSpec& spec, XmlWriter& xml) {
    if (!spec.constraint) throw std::invalid_argument("lig: constraint '" + spec.name + "' is empty");
    xml.open(spec.constraint->kind());
    xml.text("name", spec.name);
    write_body_pair(context, spec.body_a, spec.body_b, xml);
    write_frame(xml, "pos1", "quat1", spec.frame_a);
    write_frame(xml, "pos2", "quat2", spec.frame_b);
    const PairFormat* const format = find_pair_format(spec.constraint->kind());
    if (!format || !format->write(*spec.constraint, format->attribute, xml))
        throw std::invalid_argument("lig: constraint '" + spec.name + "' is of the kind '" +
                                    std::string(spec.constraint->kind()) +
                                    "', which only the program has that made it: a file cannot hold it");
    if (std::isfinite(spec.force.lower)) xml.numbers("forcemin", {&spec.force.lower, 1});
    if (std::isfinite(spec.force.upper)) xml.numbers("forcemax", {&spec.force.upper, 1});
    xml.flag("active", spec.active, true);
    write_softness(xml, "solref", "solimp", spec.soft);
    xml.close();
}

}  // namespace lig::io::mjcf
