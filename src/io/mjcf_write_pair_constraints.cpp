// Constraints between two bodies, as mjcf_pair_constraints.cpp reads them. Curves are written by their
// coefficients, whatever they were made from.

#include "core/unit_quaternion.h"
#include "io/mjcf_write.h"

#include <ligament/pair_kinds.h>

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

namespace {

void write_quadric(XmlWriter& xml, std::string_view name, const Quadric& s) {
    const double numbers[] = {s.Q.xx, s.Q.yy, s.Q.zz, s.Q.xy, s.Q.xz, s.Q.yz, s.b.x, s.b.y, s.b.z, s.c};
    xml.numbers(name, numbers);
}

void write_axes(XmlWriter& xml, const std::string& prefix, const PrescribedConstraint::Axes& axes) {
    static constexpr const char* letters[] = {"x", "y", "z"};
    static constexpr double none[6] = {};
    for (int k = 0; k < 3; ++k) {
        if (!axes[k]) continue;
        const MotionProfile& profile = *axes[k];
        const double wave[] = {profile.amplitude, profile.frequency, profile.phase};
        const bool swings = !same_bits(wave, std::span(none).first(3));
        // One of the two tells that the axis is held.
        if (swings)
            xml.numbers(prefix + letters[k], profile.polynomial, none, true);
        else
            xml.numbers(prefix + letters[k], profile.polynomial);
        if (swings) xml.numbers(prefix + letters[k] + "wave", wave);
    }
}

class KindWriter {
public:
    explicit KindWriter(XmlWriter& xml) : xml_(xml) {}

    // Whether it is of a kind that a file can hold.
    bool write(const PairConstraint& constraint) {
        return number<DistanceConstraint>(constraint, "length", &DistanceConstraint::length) ||
               number<PointOnPlaneConstraint>(constraint, "offset", &PointOnPlaneConstraint::offset) ||
               number<GearConstraint>(constraint, "ratio", &GearConstraint::ratio) ||
               number<RollingBallConstraint>(constraint, "radius", &RollingBallConstraint::radius) ||
               number<RollingDiskConstraint>(constraint, "radius", &RollingDiskConstraint::radius) ||
               dynamic_cast<const PointOnLineConstraint*>(&constraint) ||
               dynamic_cast<const KnifeEdgeConstraint*>(&constraint) || curve(constraint) ||
               prescribed(constraint);
    }

private:
    template <class Kind>
    bool number(const PairConstraint& constraint, std::string_view name, const double Kind::* value) {
        const auto* const own = dynamic_cast<const Kind*>(&constraint);
        if (own) xml_.numbers(name, {&(own->*value), 1});
        return own;
    }
    bool curve(const PairConstraint& constraint) {
        const auto* const own = dynamic_cast<const CurveConstraint*>(&constraint);
        if (!own) return false;
        write_quadric(xml_, "quadric", own->first);
        if (own->second) write_quadric(xml_, "quadric2", *own->second);
        return true;
    }
    bool prescribed(const PairConstraint& constraint) {
        const auto* const own = dynamic_cast<const PrescribedConstraint*>(&constraint);
        if (!own) return false;
        write_axes(xml_, "", own->position);
        write_axes(xml_, "r", own->rotation);
        return true;
    }

    XmlWriter& xml_;
};

}  // namespace

void write_pair_constraint(WriteContext& context, const ConstraintSpec& spec, XmlWriter& xml) {
    if (!spec.constraint) throw std::invalid_argument("lig: constraint '" + spec.name + "' is empty");
    xml.open(spec.constraint->kind());
    xml.text("name", spec.name);
    write_body_pair(context, spec.body_a, spec.body_b, xml);
    write_frame(xml, "pos1", "quat1", spec.frame_a);
    write_frame(xml, "pos2", "quat2", spec.frame_b);
    if (!KindWriter(xml).write(*spec.constraint))
        throw std::invalid_argument("lig: constraint '" + spec.name + "' is of the kind '" +
                                    std::string(spec.constraint->kind()) +
                                    "', which only the program has that made it: a file cannot hold it");
    xml.flag("active", spec.active, true);
    write_softness(xml, "solref", "solimp", spec.soft);
    xml.close();
}

}  // namespace lig::io::mjcf
