#include "model/compile.h"

#include "bodies/body_list.h"
#include "core/diagnostic_codes.h"
#include "joints/joint_list.h"
#include "shapes/shape_mass.h"

#include <cmath>
#include <string>
#include <unordered_map>

namespace lig::compiling {

namespace {

bool finite(const Vec3d& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }
bool finite(const Quatd& q) {
    return std::isfinite(q.w) && std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z);
}
bool finite(const Sym3d& m) {
    return std::isfinite(m.xx) && std::isfinite(m.yy) && std::isfinite(m.zz) && std::isfinite(m.xy) &&
           std::isfinite(m.xz) && std::isfinite(m.yz);
}

class Checker {
public:
    Checker(const Scene& scene, Diagnostics& log) : scene_(scene), log_(log) {}

    void run() {
        check_options();
        for (std::size_t i = 0; i < scene_.bodies().size(); ++i) check_body(static_cast<int>(i));
        for (std::size_t i = 0; i < scene_.joints().size(); ++i) check_joint(static_cast<int>(i));
        for (std::size_t i = 0; i < scene_.geoms().size(); ++i) check_geom(static_cast<int>(i));
        for (std::size_t i = 0; i < scene_.sites().size(); ++i) {
            const SiteSpec& site = scene_.sites()[i].spec;
            check_pose(site.pose, named("site", site.name, static_cast<int>(i)), site.where);
        }
        for (std::size_t i = 0; i < scene_.loops().size(); ++i) {
            const LoopSpec& loop = scene_.loops()[i];
            const std::string who = named("loop", loop.name, static_cast<int>(i));
            check_pose(loop.frame_a, who, loop.where);
            check_pose(loop.frame_b, who, loop.where);
            require_finite(loop.pitch, who, "pitch", loop.where);
            require_not_negative(loop.closing_time, who, "closing_time", loop.where);
            JointSpec joint = loop.joint;
            joint.type = loop.type;
            joint.where = loop.where;
            if (loop.type != JointType::free) check_joint_spec(joint, who);
        }
        for (std::size_t i = 0; i < scene_.constraints().size(); ++i) check_constraint(static_cast<int>(i));
        for (std::size_t i = 0; i < scene_.bushings().size(); ++i) check_bushing(static_cast<int>(i));
        for (std::size_t i = 0; i < scene_.couplings().size(); ++i)
            for (const double c : scene_.couplings()[i].coefficients)
                require_finite(c, named("coupling", scene_.couplings()[i].name, static_cast<int>(i)),
                               "coefficients", scene_.couplings()[i].where);
        for (std::size_t i = 0; i < scene_.pairs().size(); ++i) check_pair(static_cast<int>(i));
        for (std::size_t i = 0; i < scene_.keyframes().size(); ++i) check_keyframe(static_cast<int>(i));

        check_names("body", scene_.bodies());
        check_names("joint", scene_.joints());
        check_own_joint_names();
        check_names("geom", scene_.geoms());
        check_names("site", scene_.sites());
        check_names("tendon", scene_.tendons());
        check_names("bushing", scene_.bushings());
        check_names("actuator", scene_.actuators());
    }

private:
    void out_of_range(const std::string& who, const char* what, double value, const char* wanted,
                      const SourceLocation& where) {
        log_.report(codes::E031, where, who + ": " + what + " is " + std::to_string(value), wanted);
    }
    void require_finite(double x, const std::string& who, const char* what, const SourceLocation& where) {
        if (!std::isfinite(x)) out_of_range(who, what, x, "it must be a finite number", where);
    }
    void require_not_negative(double x, const std::string& who, const char* what,
                              const SourceLocation& where) {
        if (!(x >= 0) || std::isinf(x))
            out_of_range(who, what, x, "it must be finite and not negative", where);
    }
    void check_pose(const Pose& pose, const std::string& who, const SourceLocation& where) {
        if (!finite(pose.pos) || !finite(pose.quat)) {
            log_.report(codes::E031, where, who + ": its pose is not finite",
                        "check for overflow or division by zero");
        } else if (!(dot(pose.quat, pose.quat) > 1e-20)) {
            log_.report(codes::E031, where, who + ": the quaternion of its pose is zero",
                        "use 1 0 0 0 for no rotation");
        }
    }

    void check_constraint(int index) {
        const ConstraintSpec& spec = scene_.constraints()[index];
        const std::string who = named("constraint", spec.name, index);
        check_pose(spec.frame_a, who, spec.where);
        check_pose(spec.frame_b, who, spec.where);
        if (!spec.constraint) {
            log_.report(codes::E160, spec.where, who + " has no PairConstraint",
                        "set ConstraintSpec::constraint");
            return;
        }
        if (const std::string fault = spec.constraint->fault(); !fault.empty())
            log_.report(codes::E160, spec.where,
                        who + " of kind '" + std::string(spec.constraint->kind()) + "': " + fault,
                        "docs/constraints.md has its parameters");
        else if (const int rows = spec.constraint->rows(); rows < 1 || rows > PairConstraint::max_rows)
            log_.report(codes::E160, spec.where, who + " has " + std::to_string(rows) + " rows",
                        "one to " + std::to_string(PairConstraint::max_rows) + " are possible");
        check_force(spec.force, who, spec.where, log_);
    }

    void check_options() {
        const Options& options = scene_.options;
        if (!(options.timestep > 0) || std::isinf(options.timestep))
            out_of_range("options", "timestep", options.timestep, "it must be positive", {});
        if (!finite(options.gravity))
            log_.report(codes::E031, {}, "options: gravity is not finite", "three finite numbers are needed");
    }

    void check_body(int index) {
        const Scene::Body& body = scene_.bodies()[index];
        const BodySpec& spec = body.spec;
        const std::string who = named("body", spec.name, index);
        check_pose(spec.pose, who, spec.where);
        require_finite(spec.gravity_scale, who, "gravity_scale", spec.where);
        if (spec.inertial) {
            const InertialSpec& inertial = *spec.inertial;
            const SourceLocation& where = inertial.where.file ? inertial.where : spec.where;
            check_pose(inertial.frame, who + " (inertial)", where);
            if (!std::isfinite(inertial.mass))
                out_of_range(who, "mass", inertial.mass, "it must be finite", where);
            else if (inertial.mass < 0)
                log_.report(codes::E033, where,
                            who + ": its mass is " + std::to_string(inertial.mass) + " kg",
                            "a mass is zero or positive");
            if (!finite(inertial.inertia))
                log_.report(codes::E031, where, who + ": its inertia is not finite",
                            "six finite numbers are needed");
        }
        if (spec.kinematic && (body.parent.index != 0 || !body.joints.empty()))
            log_.report(codes::E039, spec.where,
                        who + " is kinematic but " +
                            (body.joints.empty() ? "not directly below the world" : "has joints"),
                        "its pose is prescribed: put it below the world, without joints");
        const bool deforms = bodies::body_info(spec.kind).stretches > 0;
        if (spec.kind != BodyKind::rigid &&
            (spec.kinematic || (!deforms && (body.parent.index != 0 || !body.joints.empty()))))
            log_.report(codes::E059, spec.where,
                        who + " is of the kind " + std::string(bodies::body_info(spec.kind).name) + " but " +
                            (spec.kinematic        ? "kinematic"
                             : body.joints.empty() ? "not directly below the world"
                                                   : "has joints"),
                        "it moves by itself: put it below the world, without joints");
        check_elastic(spec, who, log_);
        check_program(spec, who, log_);
    }

    void check_joint(int index) {
        const Scene::Joint& joint = scene_.joints()[index];
        const JointSpec& spec = joint.spec;
        const std::string who = named("joint", spec.name, index);
        check_joint_spec(spec, who);
        if (spec.type == JointType::free && scene_.bodies()[joint.body.index].joints.size() > 1)
            log_.report(codes::E040, spec.where, who + " is free and stands beside other joints of its body",
                        "a free joint allows every motion already; remove the others");
        if (joint.body.index == 0)
            log_.report(codes::E031, spec.where, who + " is attached to the world, which does not move",
                        "attach it to a body");
    }

    // Of a joint of the tree, or of a loop.
    void check_joint_spec(const JointSpec& spec, const std::string& who) {
        const joints::JointInfo& info = joints::joint_info(spec.type);
        if (!finite(spec.pos))
            log_.report(codes::E031, spec.where, who + ": its position is not finite",
                        "three finite numbers are needed");
        check_axis(spec.axis, who, "axis", spec.where);
        if (spec.type == JointType::universal) {
            check_axis(spec.axis2, who, "axis2", spec.where);
            const double lengths = std::sqrt(dot(spec.axis, spec.axis) * dot(spec.axis2, spec.axis2));
            if (lengths > 0 && std::abs(dot(spec.axis, spec.axis2)) > 1e-6 * lengths)
                log_.report(codes::E032, spec.where,
                            who + ": the two axes of a universal joint are not at a right angle",
                            "choose axis2 orthogonal to axis, or use two hinges");
        }
        require_finite(spec.pitch, who, "pitch", spec.where);
        require_finite(spec.reference, who, "reference", spec.where);
        require_not_negative(spec.armature, who, "armature", spec.where);
        require_not_negative(spec.damping, who, "damping", spec.where);
        require_not_negative(spec.stiffness, who, "stiffness", spec.where);
        require_not_negative(spec.friction_loss, who, "friction loss", spec.where);
        for (const double c : spec.damping_poly)
            require_finite(c, who, "a coefficient of its damping", spec.where);
        for (const double c : spec.stiffness_poly)
            require_finite(c, who, "a coefficient of its stiffness", spec.where);
        check_axis_stiffness(spec, who);
        if (!(spec.effort.lower <= spec.effort.upper))
            log_.report(codes::E038, spec.where, who + ": the range of its effort is upside down",
                        "the lower end must not be above the upper");
        if (!(spec.velocity_limit >= 0))
            out_of_range(who, "velocity limit", spec.velocity_limit, "it must not be negative", spec.where);
        if (spec.spring_reference)
            require_finite(*spec.spring_reference, who, "spring reference", spec.where);

        for (std::size_t k = 0; k < spec.range.size(); ++k)
            check_range(spec.range[k], who, static_cast<int>(k), info, spec.where);
        if (spec.type != JointType::ball && (spec.cone || spec.swing || spec.twist))
            log_.report(codes::W048, spec.where,
                        who + ": cone, swing and twist limits apply to ball joints only",
                        "remove them or use a ball joint");
        for (const std::optional<double>& angle : {spec.cone, spec.swing})
            if (angle) require_not_negative(*angle, who, "cone or swing limit", spec.where);
        if (spec.twist && !(spec.twist->lower <= spec.twist->upper))
            log_.report(codes::E038, spec.where, who + ": its twist range is upside down",
                        "lower must not exceed upper");

        const bool shifted = joints::joint_info(spec.type).nq == 1;
        if (!shifted && (spec.reference != 0 || spec.spring_reference))
            log_.report(codes::W048, spec.where,
                        who + ": a reference coordinate applies to hinge, slide and screw joints only",
                        "remove it");
    }

    void check_bushing(int index) {
        const BushingSpec& spec = scene_.bushings()[index];
        const std::string who = named("bushing", spec.name, index);
        check_pose(spec.frame_a, who, spec.where);
        check_pose(spec.frame_b, who, spec.where);
        const auto wrong = [&](const std::string& what, const char* hint) {
            log_.report(codes::E171, spec.where, who + what, hint);
        };
        const auto check = [&](const Vec3d& numbers, const char* what) {
            for (int k = 0; k < 3; ++k)
                if (!(numbers[k] >= 0) || std::isinf(numbers[k]))
                    return wrong(": its " + std::string(what) + " is " + std::to_string(numbers[k]),
                                 "it must be finite and not negative");
        };
        check(spec.stiffness, "stiffness");
        check(spec.damping, "damping");
        check(spec.turn_stiffness, "turn stiffness");
        check(spec.turn_damping, "turn damping");
        const auto check_frequency = [&](const std::optional<double>& frequency, const Vec3d& stiffness,
                                         const Vec3d& damping, const char* what) {
            if (!frequency) return;
            if (!(*frequency > 0) || std::isinf(*frequency))
                wrong(": its " + std::string(what) + " is " + std::to_string(*frequency),
                      "it must be finite and positive");
            else if (dot(stiffness, stiffness) + dot(damping, damping) > 0)
                wrong(" has both a " + std::string(what) + " and the stiffness or damping that it stands for",
                      "keep one of them");
        };
        check_frequency(spec.frequency, spec.stiffness, spec.damping, "frequency");
        check_frequency(spec.turn_frequency, spec.turn_stiffness, spec.turn_damping, "turn frequency");
        if (spec.damping_ratio && (!(*spec.damping_ratio >= 0) || std::isinf(*spec.damping_ratio)))
            wrong(": its damping ratio is " + std::to_string(*spec.damping_ratio),
                  "it must be finite and not negative");
        else if (spec.damping_ratio && !spec.frequency && !spec.turn_frequency)
            wrong(" has a damping ratio but no frequency", "give a frequency, or 'damping' instead");
    }

    void check_axis_stiffness(const JointSpec& spec, const std::string& who) {
        if (!spec.axis_stiffness) return;
        for (int k = 0; k < 3; ++k)
            require_not_negative((*spec.axis_stiffness)[k], who, "stiffness about an axis", spec.where);
        check_pose({{0, 0, 0}, spec.stiffness_axes}, who + " (axes of its stiffness)", spec.where);
        if (spec.type != JointType::ball)
            log_.report(codes::E170, spec.where, who + " has a stiffness about three axes but is not a ball",
                        "give its stiffness by one number");
        else if (spec.stiffness != 0 || spec.stiffness_poly != std::array<double, 2>{0, 0} ||
                 spec.spring_damper)
            log_.report(codes::E170, spec.where,
                        who + " has a stiffness about three axes and another spring beside it",
                        "keep one of them");
    }

    void check_axis(const Vec3d& axis, const std::string& who, const char* what,
                    const SourceLocation& where) {
        if (!finite(axis))
            log_.report(codes::E031, where, who + ": its " + what + " is not finite",
                        "three finite numbers are needed");
        else if (!(dot(axis, axis) > 1e-20))
            log_.report(codes::E032, where, who + ": its " + what + " has length zero",
                        "give it a direction, such as 0 0 1");
    }

    void check_range(const Range& range, const std::string& who, int k, const joints::JointInfo& info,
                     const SourceLocation& where) {
        if (std::isnan(range.lower) || std::isnan(range.upper)) {
            log_.report(codes::E031, where, who + ": its range is not a number", "leave it out for no limit");
        } else if (range.lower > range.upper) {
            log_.report(codes::E038, where,
                        who + ": its range is upside down, " + std::to_string(range.lower) + " to " +
                            std::to_string(range.upper),
                        "the lower end comes first");
        } else if ((std::isfinite(range.lower) || std::isfinite(range.upper)) &&
                   (k >= info.nq || info.coordinate_kinds[k] == joints::Coordinate::quaternion ||
                    info.type == JointType::free)) {
            log_.report(codes::W048, where,
                        who + ": a " + std::string(info.name) + " joint has no coordinate for this range",
                        info.type == JointType::ball ? "use cone, swing and twist" : "remove it");
        }
    }

    void check_geom(int index) {
        const GeomSpec& spec = scene_.geoms()[index].spec;
        const std::string who = named("geom", spec.name, index);
        check_pose(spec.pose, who, spec.where);
        if (const std::optional<std::string> wrong = shape_size_error(spec.shape, spec.size))
            log_.report(codes::E037, spec.where, who + ": " + *wrong,
                        "see docs/format.md for what each shape needs");
        require_not_negative(spec.density, who, "density", spec.where);
        if (spec.mass) {
            if (!std::isfinite(*spec.mass))
                out_of_range(who, "mass", *spec.mass, "it must be finite", spec.where);
            else if (*spec.mass < 0)
                log_.report(codes::E033, spec.where, who + ": its mass is negative",
                            "a mass is zero or positive");
        }
        for (int k = 0; k < 3; ++k) require_not_negative(spec.friction[k], who, "friction", spec.where);
        if (!(spec.restitution >= 0 && spec.restitution <= 1))
            out_of_range(who, "restitution", spec.restitution, "it lies between 0 and 1", spec.where);
        require_finite(spec.margin, who, "margin", spec.where);
        require_finite(spec.gap, who, "gap", spec.where);
        require_not_negative(spec.adhesion, who, "adhesion", spec.where);
        require_finite(spec.solmix, who, "solmix", spec.where);
    }

    void check_pair(int index) {
        const PairSpec& pair = scene_.pairs()[index];
        const std::string who = named("pair", pair.name, index);
        if (pair.a == pair.b)
            log_.report(codes::E110, pair.where, who + " names the same geom twice",
                        "a pair needs two geoms");
        for (const double friction : pair.friction)
            require_not_negative(friction, who, "friction", pair.where);
        if (!(pair.restitution >= 0 && pair.restitution <= 1))
            out_of_range(who, "restitution", pair.restitution, "it lies between 0 and 1", pair.where);
        require_finite(pair.margin, who, "margin", pair.where);
        require_finite(pair.gap, who, "gap", pair.where);
        require_not_negative(pair.adhesion, who, "adhesion", pair.where);
    }

    void check_keyframe(int index) {
        const KeyframeSpec& key = scene_.keyframes()[index];
        const std::string who = named("keyframe", key.name, index);
        require_finite(key.time, who, "time", key.where);
        for (const std::vector<double>* list :
             {&key.qpos, &key.qvel, &key.act, &key.ctrl, &key.mpos, &key.mquat})
            for (const double x : *list)
                if (!std::isfinite(x)) {
                    out_of_range(who, "a coordinate", x, "all numbers must be finite", key.where);
                    break;
                }
    }

    template <class Object>
    static const auto& spec_of(const Object& object) {
        if constexpr (requires { object.spec; })
            return object.spec;
        else
            return object;  // tendons and actuators belong to no body and are their own specs
    }

    template <class List>
    void check_names(const char* kind, const List& list) {
        std::unordered_map<std::string_view, int> seen;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const auto& spec = spec_of(list[i]);
            // A file may call one of its own bodies "world".
            if (spec.name.empty() || (i == 0 && std::is_same_v<List, std::vector<Scene::Body>>)) continue;
            const auto [first, is_new] = seen.emplace(spec.name, static_cast<int>(i));
            if (is_new) continue;
            const std::string place = spec_of(list[first->second]).where.to_string();
            log_.report(codes::E030, spec.where,
                        std::string("two of kind ") + kind + " are named '" + spec.name + "'",
                        place.empty() ? "give each a name of its own" : "the other stands at " + place);
        }
    }

    // The joints that planar bodies and particles have by their kind are named after them.
    void check_own_joint_names() {
        std::unordered_map<std::string, const BodySpec*> own;
        for (const Scene::Body& body : scene_.bodies())
            for (const bodies::OwnJoint& joint : bodies::body_info(body.spec.kind).own_joints)
                if (!body.spec.name.empty())
                    own.emplace(body.spec.name + std::string(joint.ending), &body.spec);
        if (own.empty()) return;
        for (const Scene::Joint& joint : scene_.joints())
            if (const auto found = own.find(joint.spec.name); found != own.end())
                log_.report(codes::E030, joint.spec.where,
                            "joint '" + joint.spec.name + "' is named like a freedom of the " +
                                std::string(bodies::body_info(found->second->kind).name) + " body '" +
                                found->second->name + "'",
                            "give it another name");
    }

    const Scene& scene_;
    Diagnostics& log_;
};

}  // namespace

std::string named(std::string_view kind, std::string_view name, int index) {
    std::string text(kind);
    if (name.empty()) return text + " " + std::to_string(index) + " (without a name)";
    return text + " '" + std::string(name) + "'";
}

void check_scene(const Scene& scene, Diagnostics& log) { Checker(scene, log).run(); }

}  // namespace lig::compiling
