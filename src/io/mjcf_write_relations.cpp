// What refers to the tree: contact pairs and exclusions, equalities, tendons.
//
// A loop is written as <connect> or <weld>, which other programs read too, wherever that gives the same two
// frames to the last bit; otherwise as <loop>, our addition, which holds the frames as they are.

#include "core/unit_quaternion.h"
#include "io/mjcf_orientation.h"
#include "io/mjcf_write.h"
#include "joints/joint_list.h"

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace lig::io::mjcf {

namespace {

bool same(const Pose& a, const Pose& b) {
    return same_bits(span_of(a.pos), span_of(b.pos)) && same_bits(span_of(a.quat), span_of(b.quat));
}
bool is_unturned(const Pose& pose) {
    const Quatd none = Quatd::identity();
    return same_bits(span_of(pose.quat), span_of(none));
}

// Two numbers of which the first and a known one make up a sum: x + known = sum, to the last bit where there
// is such an x.
double part_of_sum(double sum, double known) {
    const double x = sum - known;
    for (const double towards : {x, std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity()}) {
        const double candidate = std::nextafter(x, towards);
        if (same_bits(candidate + known, sum)) return candidate;
    }
    return x;
}

class EqualityWriter {
public:
    EqualityWriter(WriteContext& context, XmlWriter& xml) : c_(context), xml_(xml) {
        if (c_.scene.loops().empty()) return;
        X_WB_.emplace_back();
        for (std::size_t b = 1; b < c_.scene.bodies().size(); ++b) {
            const Scene::Body& body = c_.scene.bodies()[b];
            X_WB_.push_back(
                compose(X_WB_[static_cast<std::size_t>(body.parent.index)], unit(body.spec.pose)));
        }
    }

    void write(const LoopSpec& loop, const std::string& name) {
        LoopSpec unit_loop = with_unit_frames(loop);
        unit_loop.name = name;
        unit_loop.joint.type = loop.type;
        XmlWriter probe;
        write_loop_joint(unit_loop.joint, probe);
        const bool plain = probe.is_empty();
        if (plain && loop.type == JointType::ball && loop.torque_scale == 1 &&
            (write_connect(unit_loop) || write_between_sites(unit_loop, "connect")))
            return;
        if (plain && loop.type == JointType::fixed &&
            (write_weld(unit_loop) || write_between_sites(unit_loop, "weld")))
            return;
        write_loop(unit_loop);
    }

    void write(const CouplingSpec& coupling) {
        const auto spec = [&](JointId id) -> const JointSpec& {
            return c_.scene.joints()[static_cast<std::size_t>(id.index)].spec;
        };
        const bool has_leader = coupling.leader.index >= 0;
        // compile leaves out what names a fixed joint.
        if (spec(coupling.follower).type == JointType::fixed) return;
        if (has_leader && spec(coupling.leader).type == JointType::fixed) return;
        open("joint", coupling);
        xml_.word("joint1", c_.names.to_refer(coupling.follower));
        if (has_leader) xml_.word("joint2", c_.names.to_refer(coupling.leader));
        // The format counts the follower from its reference, the scene from zero.
        std::array<double, 5> coefficients = coupling.coefficients;
        coefficients[0] = part_of_sum(coefficients[0], spec(coupling.follower).reference);
        xml_.numbers("polycoef", coefficients, CouplingSpec{}.coefficients, true);
        finish(coupling);
    }

    void write(const TendonCouplingSpec& coupling) {
        open("tendon", coupling);
        xml_.word("tendon1", c_.names.to_refer(coupling.follower));
        if (coupling.leader.index >= 0) xml_.word("tendon2", c_.names.to_refer(coupling.leader));
        xml_.numbers("polycoef", coupling.coefficients, TendonCouplingSpec{}.coefficients, true);
        finish(coupling);
    }

    void write(const SubtreeConstraintSpec& held) {
        open(subtree_quantity_words[static_cast<int>(held.quantity)], held);
        xml_.word("body", c_.names.to_refer(held.body));
        std::string axes;
        for (std::size_t k = 0; k < 3; ++k)
            if (held.axes[k]) axes += "xyz"[k];
        if (axes != "xyz") xml_.word("axes", axes);
        if (held.target) xml_.numbers("target", span_of(*held.target));
        finish(held);
    }

private:
    static void write_loop_joint(const JointSpec& joint, XmlWriter& xml) {
        if (joint.type == JointType::ball)
            xml.numbers("axis", span_of(joint.axis), span_of(JointSpec{}.axis));
        write_joint_properties(joint, xml);
    }
    static Pose unit(const Pose& pose) { return {pose.pos, unit_quaternion(pose.quat)}; }
    static LoopSpec with_unit_frames(LoopSpec loop) {
        loop.frame_a = unit(loop.frame_a);
        loop.frame_b = unit(loop.frame_b);
        return loop;
    }
    // Body b in body a at the reference configuration, computed as the reader does.
    Pose relative_pose(const LoopSpec& loop) const {
        return compose(inverse(X_WB_[static_cast<std::size_t>(loop.body_a.index)]),
                       X_WB_[static_cast<std::size_t>(loop.body_b.index)]);
    }

    template <class Spec>
    void open(std::string_view element, const Spec& spec) {
        xml_.open(element);
        xml_.text("name", spec.name);
    }
    template <class Spec>
    void finish(const Spec& spec) {
        if constexpr (requires { spec.closing_time; }) xml_.number("closingtime", spec.closing_time, 0);
        xml_.flag("active", spec.active, true);
        write_softness(xml_, "solref", "solimp", spec.soft);
        xml_.close();
    }
    void write_bodies(const LoopSpec& loop) {
        xml_.word("body1", c_.names.to_refer(loop.body_a));
        if (loop.body_b != world) xml_.word("body2", c_.names.to_refer(loop.body_b));
    }

    bool write_connect(const LoopSpec& loop) {
        if (!is_unturned(loop.frame_a)) return false;
        if (!same(compose(inverse(relative_pose(loop)), loop.frame_a), loop.frame_b)) return false;
        open("connect", loop);
        write_bodies(loop);
        xml_.numbers("anchor", span_of(loop.frame_a.pos));
        finish(loop);
        return true;
    }

    bool write_weld(const LoopSpec& loop) {
        if (!is_unturned(loop.frame_b)) return false;
        const Pose& anchor = loop.frame_b;
        const bool as_in_reference = same(compose(relative_pose(loop), anchor), loop.frame_a);
        const Pose relative{loop.frame_a.pos - rotation_matrix(loop.frame_a.quat) * anchor.pos,
                            loop.frame_a.quat};
        if (!as_in_reference && !same(compose(relative, anchor), loop.frame_a)) return false;
        open("weld", loop);
        write_bodies(loop);
        const Vec3d none = Vec3d::zero();
        xml_.numbers("anchor", span_of(anchor.pos), span_of(none));
        if (!as_in_reference) {
            const double numbers[] = {relative.pos.x, relative.pos.y, relative.pos.z, relative.quat.w,
                                      relative.quat.x, relative.quat.y, relative.quat.z};
            xml_.numbers("relpose", numbers);
        }
        xml_.number("torquescale", loop.torque_scale, 1);
        finish(loop);
        return true;
    }

    bool write_between_sites(const LoopSpec& loop, std::string_view element) {
        const std::optional<int> a = site_at(loop.body_a, loop.frame_a);
        const std::optional<int> b = site_at(loop.body_b, loop.frame_b);
        if (!a || !b) return false;
        open(element, loop);
        xml_.word("site1", c_.names.of(WrittenNames::Kind::site, *a));
        xml_.word("site2", c_.names.of(WrittenNames::Kind::site, *b));
        xml_.number("torquescale", loop.torque_scale, 1);
        finish(loop);
        return true;
    }
    std::optional<int> site_at(BodyId body, const Pose& pose) const {
        const auto& sites = c_.scene.sites();
        for (std::size_t s = 0; s < sites.size(); ++s)
            if (sites[s].body == body && !sites[s].spec.name.empty() && same(unit(sites[s].spec.pose), pose))
                return static_cast<int>(s);
        return {};
    }

    void write_loop(const LoopSpec& loop) {
        const Quatd none = Quatd::identity();
        const Vec3d zero = Vec3d::zero();
        open("loop", loop);
        xml_.word("type", joints::joint_info(loop.type).name);
        write_bodies(loop);
        xml_.numbers("pos1", span_of(loop.frame_a.pos), span_of(zero));
        xml_.numbers("quat1", span_of(loop.frame_a.quat), span_of(none));
        // Without both, the second frame would be where the first one is.
        xml_.numbers("pos2", span_of(loop.frame_b.pos));
        xml_.numbers("quat2", span_of(loop.frame_b.quat), span_of(none));
        xml_.number("pitch", loop.pitch, 0);
        xml_.number("torquescale", loop.torque_scale, 1);
        write_loop_joint(loop.joint, xml_);
        finish(loop);
    }

    WriteContext& c_;
    XmlWriter& xml_;
    std::vector<Pose> X_WB_;  // at the reference configuration, as the reader computes them
};

void write_tendon(WriteContext& context, const TendonSpec& tendon, int index, XmlWriter& xml) {
    const TendonSpec usual;
    const bool fixed = tendon.stops.empty();
    xml.open(fixed ? "fixed" : "spatial");
    xml.text("name", context.names.of(WrittenNames::Kind::tendon, index));
    write_range(xml, "limited", "range", tendon.range);
    write_range(xml, "actuatorfrclimited", "actuatorfrcrange", tendon.effort);
    xml.number("margin", tendon.margin, 0);
    write_polynomial(xml, "stiffness", tendon.stiffness, tendon.stiffness_poly);
    write_polynomial(xml, "damping", tendon.damping, tendon.damping_poly);
    xml.number("frictionloss", tendon.friction_loss, 0);
    xml.number("armature", tendon.armature, 0);
    if (tendon.spring_length) {
        const auto& ends = *tendon.spring_length;
        xml.numbers("springlength", std::span(ends).first(same_bits(ends[0], ends[1]) ? 1 : 2));
    }
    write_softness(xml, "solreflimit", "solimplimit", tendon.soft_limit);
    write_softness(xml, "solreffriction", "solimpfriction", tendon.soft_friction);
    xml.integer("group", tendon.group, 0);
    if (!fixed) {
        xml.number("width", tendon.width, usual.width);
        write_rgba(xml, tendon.rgba);
    }
    for (const TendonSpec::JointTerm& term : tendon.joints) {
        xml.open("joint");
        xml.word("joint", term.loop.index >= 0 ? context.names.to_refer(term.loop)
                                               : context.names.to_refer(term.joint));
        xml.numbers("coef", {&term.coefficient, 1});
        xml.close();
    }
    for (const TendonStop& stop : tendon.stops) {
        switch (stop.kind) {
            case TendonStop::Kind::site:
                xml.open("site");
                xml.word("site", context.names.to_refer(stop.site));
                break;
            case TendonStop::Kind::geom:
                xml.open("geom");
                xml.word("geom", context.names.to_refer(stop.geom));
                if (stop.side_site.index >= 0)
                    xml.word("sidesite", context.names.to_refer(stop.side_site));
                break;
            case TendonStop::Kind::pulley:
                xml.open("pulley");
                xml.numbers("divisor", {&stop.divisor, 1});
                break;
        }
        xml.close();
    }
    xml.close();
}

}  // namespace

void write_contacts(WriteContext& context, XmlWriter& xml) {
    const PairSpec usual;
    for (const PairSpec& pair : context.scene.pairs()) {
        xml.open("pair");
        xml.text("name", pair.name);
        xml.word("geom1", context.names.to_refer(pair.a));
        xml.word("geom2", context.names.to_refer(pair.b));
        xml.integer("condim", pair.condim, usual.condim);
        xml.numbers("friction", pair.friction, usual.friction, true);
        xml.number("restitution", pair.restitution, usual.restitution);
        xml.number("margin", pair.margin, usual.margin);
        xml.number("gap", pair.gap, usual.gap);
        xml.number("adhesion", pair.adhesion, usual.adhesion);
        write_softness(xml, "solref", "solimp", pair.soft);
        if (pair.solref_friction) xml.numbers("solreffriction", *pair.solref_friction);
        xml.close();
    }
    for (const Scene::Exclusion& exclusion : context.scene.exclusions()) {
        xml.open("exclude");
        xml.text("name", exclusion.name);
        xml.word("body1", context.names.to_refer(exclusion.a));
        xml.word("body2", context.names.to_refer(exclusion.b));
        xml.close();
    }
}

void write_equalities(WriteContext& context, XmlWriter& xml) {
    EqualityWriter writer(context, xml);
    for (std::size_t i = 0; i < context.scene.loops().size(); ++i)
        writer.write(context.scene.loops()[i],
                     context.names.of(WrittenNames::Kind::loop, static_cast<int>(i)));
    for (const ConstraintSpec& constraint : context.scene.constraints())
        write_pair_constraint(context, constraint, xml);
    for (const CouplingSpec& coupling : context.scene.couplings()) writer.write(coupling);
    for (const TendonCouplingSpec& coupling : context.scene.tendon_couplings()) writer.write(coupling);
    for (const SubtreeConstraintSpec& held : context.scene.subtree_constraints()) writer.write(held);
    if (!context.scene.group_constraints().empty())
        throw std::invalid_argument("lig: constraint '" + context.scene.group_constraints()[0].name +
                                    "' is between a group of bodies, by a function that only the program "
                                    "has that made it: a file cannot hold it");
}

void write_tendons(WriteContext& context, XmlWriter& xml) {
    for (std::size_t t = 0; t < context.scene.tendons().size(); ++t)
        write_tendon(context, context.scene.tendons()[t], static_cast<int>(t), xml);
}

}  // namespace lig::io::mjcf
