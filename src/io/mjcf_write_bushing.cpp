// Springs and dampers between two bodies, as mjcf_bushing.cpp reads them.

#include "core/unit_quaternion.h"
#include "io/mjcf_write.h"

namespace lig::io::mjcf {

namespace {

void write_axes(XmlWriter& xml, std::string_view name, const Vec3d& a) {
    const Vec3d zero = Vec3d::zero();
    const bool same = same_bits(a.x, a.y) && same_bits(a.y, a.z);
    xml.numbers(name, span_of(a).first(same ? 1 : 3), span_of(zero).first(same ? 1 : 3));
}

void write_bushing(WriteContext& context, const BushingSpec& spec, XmlWriter& xml) {
    xml.open("bushing");
    xml.text("name", spec.name);
    write_body_pair(context, spec.body_a, spec.body_b, xml);
    write_frame(xml, "pos1", "quat1", spec.frame_a);
    // Absent as a whole, the second frame would be where the first is.
    const Quatd quat = unit_quaternion(spec.frame_b.quat), none = Quatd::identity();
    xml.numbers("pos2", span_of(spec.frame_b.pos));
    xml.numbers("quat2", span_of(quat), span_of(none));
    write_axes(xml, "stiffness", spec.stiffness);
    write_axes(xml, "damping", spec.damping);
    write_axes(xml, "turnstiffness", spec.turn_stiffness);
    write_axes(xml, "turndamping", spec.turn_damping);
    if (spec.frequency) xml.numbers("frequency", {&*spec.frequency, 1});
    if (spec.turn_frequency) xml.numbers("turnfrequency", {&*spec.turn_frequency, 1});
    if (spec.damping_ratio) xml.numbers("dampratio", {&*spec.damping_ratio, 1});
    xml.flag("active", spec.active, true);
    xml.close();
}

}  // namespace

void write_forces(WriteContext& context, XmlWriter& xml) {
    for (const BushingSpec& bushing : context.scene.bushings()) write_bushing(context, bushing, xml);
}

}  // namespace lig::io::mjcf
