#include "model/compile_drives.h"

#include "core/diagnostic_codes.h"
#include "dynamics/drive_rows.h"
#include "dynamics/tendon_path.h"
#include "joints/joint_list.h"
#include "model/row_velocities.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace lig::compiling {

namespace {

bool is_joint(Transmission transmission) {
    return transmission == Transmission::joint || transmission == Transmission::joint_in_parent;
}

class DriveBuilder {
public:
    DriveBuilder(const Scene& scene, const ObjectMap& map, Model& model, Diagnostics& log)
        : scene_(scene), map_(map), model_(model), log_(log), velocities_(model) {}

    void run() {
        const std::vector<ReflectedLoad> loads = tendon_loads(scene_);
        for (std::size_t i = 0; i < scene_.tendons().size(); ++i) {
            const TendonSpec& spec = scene_.tendons()[i];
            enter("tendon", spec.name, static_cast<int>(i), spec.where);
            check(spec, loads[i]);
            add(spec, loads[i]);
        }
        add_loop_joints(scene_, model_, log_);
        for (std::size_t i = 0; i < scene_.actuators().size(); ++i) {
            const ActuatorSpec& spec = scene_.actuators()[i];
            enter("actuator", spec.name, static_cast<int>(i), spec.where);
            check(spec);
            add(spec);
        }
        for (std::size_t i = 0; i < scene_.tendon_couplings().size(); ++i) {
            const TendonCouplingSpec& spec = scene_.tendon_couplings()[i];
            enter("coupling", spec.name, static_cast<int>(i), spec.where);
            for (const double c : spec.coefficients) require(std::isfinite(c), "a coefficient", c, "finite");
            if (spec.follower == spec.leader)
                report(codes::E046, "couples a tendon with itself", "name two different tendons");
            model_.tendon_couplings.push_back({spec.name, spec.follower.index, spec.leader.index,
                                               spec.coefficients, spec.active, spec.soft, spec.where});
        }
    }

private:
    // --- what is wrong ----------------------------------------------------------------------------------

    void enter(const char* kind, const std::string& name, int index, const SourceLocation& where) {
        who_ = named(kind, name, index);
        where_ = where;
    }
    void report(const DiagnosticCode& code, const std::string& what, const std::string& hint) {
        log_.report(code, where_, who_ + " " + what, hint);
    }
    void require(bool fine, const char* what, double value, const char* wanted) {
        if (!fine)
            log_.report(codes::E031, where_, who_ + ": " + what + " is " + std::to_string(value),
                        std::string("it must be ") + wanted);
    }
    void require_not_negative(const char* what, double value) {
        require(value >= 0 && std::isfinite(value), what, value, "finite and not negative");
    }
    template <class Numbers>
    void require_finite(const char* what, const Numbers& values) {
        for (const double value : values) require(std::isfinite(value), what, value, "finite");
    }
    void require_ordered(const char* what, double lower, double upper) {
        if (lower <= upper) return;  // and neither is NaN
        log_.report(codes::E038, where_,
                    who_ + ": its " + what + " is upside down, " + std::to_string(lower) + " to " +
                        std::to_string(upper),
                    "the lower end comes first");
    }

    void check(const TendonSpec& spec, const ReflectedLoad& load) {
        require_ordered("range", spec.range.lower, spec.range.upper);
        require_ordered("range of its effort", spec.effort.lower, spec.effort.upper);
        if (spec.spring_length) {
            require_finite("a spring length", *spec.spring_length);
            require_ordered("spring length", (*spec.spring_length)[0], (*spec.spring_length)[1]);
        }
        require_not_negative("stiffness", spec.stiffness);
        require_not_negative("damping", spec.damping);
        require_not_negative("friction loss", spec.friction_loss);
        require_not_negative("armature", spec.armature);
        require_finite("a coefficient of its stiffness", spec.stiffness_poly);
        require_finite("a coefficient of its damping", spec.damping_poly);
        require(std::isfinite(spec.margin), "margin", spec.margin, "finite");

        if (spec.joints.empty() == spec.stops.empty())
            report(codes::E052, spec.joints.empty() ? "has neither joints nor stops" : "has joints and stops",
                   "a fixed tendon combines joints, a spatial one passes sites");
        check_joints(spec);
        check_path(spec);
        const auto is_geom = [](const TendonStop& stop) { return stop.kind == TendonStop::Kind::geom; };
        if (spec.armature + load.armature > 0 && std::any_of(spec.stops.begin(), spec.stops.end(), is_geom))
            report(codes::U056, "wraps around a geom and has inertia (armature)",
                   "give the inertia to a joint, or lead the tendon over sites only");
    }

    void check_joints(const TendonSpec& spec) {
        for (const TendonSpec::JointTerm& term : spec.joints) {
            require(std::isfinite(term.coefficient), "a coefficient", term.coefficient, "finite");
            if (term.loop.index >= 0) {
                if (joints::joint_info(scene_.loops()[term.loop.index].type).nv != 1)
                    report(codes::E051, "names a loop whose joint has not one freedom",
                           "a fixed tendon combines hinges, slides and screws");
                continue;
            }
            const int joint = map_.joints[term.joint.index];
            if (joint < 0)
                report(codes::E051, "names a joint that is fixed", "leave it out, or let the joint move");
            else if (model_.joints[joint].nq != 1)
                report(codes::E051,
                       "names joint '" + model_.joints[joint].name + "', which has several coordinates",
                       "a fixed tendon combines hinges, slides and screws");
        }
    }

    // Every branch has two sites or more, and a geom stands between two of them.
    void check_path(const TendonSpec& spec) {
        const auto& stops = spec.stops;
        const auto kind_at = [&](std::size_t i) {
            return i < stops.size() ? stops[i].kind : TendonStop::Kind::pulley;
        };
        std::size_t in_branch = 0;
        for (std::size_t i = 0; i < stops.size(); ++i) {
            const bool begins = in_branch == 0;
            switch (stops[i].kind) {
                case TendonStop::Kind::pulley:
                    require(stops[i].divisor > 0 && std::isfinite(stops[i].divisor),
                            "the divisor of a pulley", stops[i].divisor, "positive");
                    in_branch = 0;
                    if (kind_at(i + 1) == TendonStop::Kind::pulley) incomplete("a pulley begins no branch");
                    break;
                case TendonStop::Kind::geom: {
                    const GeomSpec& geom = scene_.geoms()[stops[i].geom.index].spec;
                    if (geom.shape != ShapeType::sphere && geom.shape != ShapeType::cylinder)
                        report(codes::E052,
                               "wraps around " + named("geom", geom.name, stops[i].geom.index) +
                                   ", which is neither a sphere nor a cylinder",
                               "tendons wrap around spheres and cylinders");
                    if (begins || kind_at(i + 1) != TendonStop::Kind::site)
                        incomplete("a geom does not stand between two sites");
                    ++in_branch;
                    break;
                }
                case TendonStop::Kind::site:
                    ++in_branch;
                    if (begins && kind_at(i + 1) == TendonStop::Kind::pulley)
                        incomplete("a branch has a single site");
                    break;
            }
        }
    }
    void incomplete(const char* what) {
        report(codes::E052, std::string("has an incomplete path: ") + what,
               "each branch needs two sites or more, geoms between them");
    }

    void check(const ActuatorSpec& spec) {
        require_finite("a gear", spec.gear);
        require_finite("a coefficient of its gain", spec.gain);
        require_finite("a coefficient of its bias", spec.bias);
        require_not_negative("damping", spec.damping);
        require_not_negative("armature", spec.armature);
        require_finite("a coefficient of its damping", spec.damping_poly);
        require_ordered("range of its control", spec.ctrl_range.lower, spec.ctrl_range.upper);
        require_ordered("range of its force", spec.force_range.lower, spec.force_range.upper);
        require_ordered("range of its activation", spec.act_range.lower, spec.act_range.upper);
        if (spec.activation != Activation::none && spec.activation != Activation::integrator)
            require_not_negative("time constant", spec.time_constant);
        if (spec.activation == Activation::muscle) {
            require_not_negative("time of deactivation", spec.deactivation_time);
            require_not_negative("smoothing of activation", spec.activation_smoothing);
        }
        for (const std::optional<MuscleSpec>& muscle : {spec.muscle_gain, spec.muscle_bias})
            if (muscle) check(*muscle);
        if (spec.length_range) {
            const auto [shortest, longest] = *spec.length_range;
            require_finite("an end of its range of lengths", *spec.length_range);
            if (std::isfinite(longest - shortest) && shortest >= longest)
                report(codes::E038, "has a range of lengths that is upside down or empty",
                       "the smaller length comes first");
        }
        if (spec.transmission == Transmission::slider_crank)
            require(spec.crank_length > 0 && std::isfinite(spec.crank_length), "crank length",
                    spec.crank_length, "positive");
        if (is_joint(spec.transmission) &&
            (spec.loop.index >= 0 ? joints::joint_info(scene_.loops()[spec.loop.index].type).nv == 0
                                  : map_.joints[spec.joint.index] < 0))
            report(codes::E051, "names a joint that is fixed", "leave it out, or let the joint move");
        const bool carries = is_joint(spec.transmission) || spec.transmission == Transmission::tendon;
        if (!carries && (spec.damping != 0 || spec.armature != 0 || spec.damping_poly[0] != 0 ||
                         spec.damping_poly[1] != 0))
            report(codes::E055, "has damping or armature, but acts on sites",
                   "only actuators on joints and tendons have them");
        check_servo(spec);
    }

    // Of the joint that it acts on.
    int freedoms_of(const ActuatorSpec& spec) const {
        if (!is_joint(spec.transmission)) return 0;
        if (spec.loop.index >= 0) return joints::joint_info(scene_.loops()[spec.loop.index].type).nv;
        const int joint = map_.joints[spec.joint.index];
        return joint < 0 ? 0 : model_.joints[joint].nv;
    }

    void check(const MuscleSpec& muscle) {
        require_finite("an end of a muscle's range", muscle.range);
        require(muscle.range[0] < muscle.range[1], "the lower end of a muscle's range", muscle.range[0],
                "below the upper end");
        require(std::isfinite(muscle.force), "a muscle's peak force", muscle.force, "finite");
        require(muscle.min_length < 1 && std::isfinite(muscle.min_length), "a muscle's least length",
                muscle.min_length, "below 1");
        require(muscle.max_length > 1 && std::isfinite(muscle.max_length), "a muscle's greatest length",
                muscle.max_length, "above 1");
        const auto positive = [&](const char* what, double value) {
            require(value > 0 && std::isfinite(value), what, value, "positive");
        };
        positive("a muscle's scale", muscle.scale);
        positive("a muscle's largest velocity", muscle.max_velocity);
        positive("a muscle's passive force", muscle.passive_force);
        positive("a muscle's force when it lengthens", muscle.lengthening_force);
    }

    void check_servo(const ActuatorSpec& spec) {
        if (spec.damping_ratio) require_not_negative("damping ratio", *spec.damping_ratio);
        if (spec.frequency) {
            require(*spec.frequency > 0 && std::isfinite(*spec.frequency), "frequency", *spec.frequency,
                    "positive");
            if (freedoms_of(spec) != 1)
                report(codes::E055, "is given by a frequency, but does not act on a joint of one freedom",
                       "give its stiffness instead");
            if (spec.gear[0] == 0)
                report(codes::E055, "is given by a frequency, but its gear is zero", "give it a gear");
        } else if (spec.damping_ratio && is_joint(spec.transmission) && spec.loop.index >= 0) {
            report(codes::U194,
                   "is given by a damping ratio, whose inertia depends on the joint that a ring is cut at",
                   "give its 'kv', or its frequency");
        } else if (spec.damping_ratio && !(spec.gain[0] >= 0 && spec.gain[0] == -spec.bias[1])) {
            report(codes::E055, "is given by a damping ratio, but is not a position servo",
                   "its gain must be its stiffness and its bias per length the same with the other sign");
        }
    }

    // --- what is built ----------------------------------------------------------------------------------

    void add(const TendonSpec& spec, const ReflectedLoad& load) {
        Model::Tendon tendon{};
        tendon.name = spec.name;
        tendon.term_begin = static_cast<int>(model_.tendon_terms.size());
        tendon.point_begin = static_cast<int>(model_.tendon_points.size());
        if (log_.error_count() == 0) {  // otherwise the path may lead nowhere
            for (const TendonSpec::JointTerm& term : spec.joints) {
                if (term.loop.index >= 0) {
                    const Model::Loop& loop = model_.loops[term.loop.index];
                    model_.tendon_terms.push_back(
                        {-1, -1, is_joint_of_loop(model_, loop) ? term.coefficient : 0, term.loop.index});
                    velocities_.add_difference(loop);
                    continue;
                }
                const Model::Joint& joint = model_.joints[map_.joints[term.joint.index]];
                model_.tendon_terms.push_back({joint.q_adr, joint.v_adr, term.coefficient});
                velocities_.add(joint.v_adr);
            }
            for (const TendonStop& stop : spec.stops)
                model_.tendon_points.push_back({stop.kind, mapped(map_.sites, stop.site.index),
                                                mapped(map_.geoms, stop.geom.index),
                                                mapped(map_.sites, stop.side_site.index), stop.divisor});
        }
        tendon.term_count = static_cast<int>(model_.tendon_terms.size()) - tendon.term_begin;
        tendon.point_count = static_cast<int>(model_.tendon_points.size()) - tendon.point_begin;
        for_each_piece(model_, tendon, [&](int from, const Model::TendonPoint* obstacle, int to, double) {
            const int p = site_link(model_, from), q = site_link(model_, to);
            velocities_.add_difference(p, q);
            if (!obstacle) return;
            const int g = model_.bodies[model_.geoms[obstacle->geom].body].link;
            velocities_.add_difference(p, g);
            velocities_.add_difference(g, q);
        });
        tendon.row = velocities_.finish();
        tendon.range = spec.range;
        tendon.margin = spec.margin;
        tendon.stiffness = spec.stiffness;
        tendon.damping = spec.damping + load.damping;
        tendon.friction_loss = spec.friction_loss;
        tendon.armature = spec.armature + load.armature;
        tendon.stiffness_poly = spec.stiffness_poly;
        for (std::size_t k = 0; k < load.damping_poly.size(); ++k)
            tendon.damping_poly[k] = spec.damping_poly[k] + load.damping_poly[k];
        tendon.effort = spec.effort;
        tendon.soft_limit = spec.soft_limit;
        tendon.soft_friction = spec.soft_friction;
        tendon.where = spec.where;
        model_.tendons.push_back(std::move(tendon));
    }

    void add(const ActuatorSpec& spec) {
        Model::Actuator actuator{};
        actuator.name = spec.name;
        actuator.transmission = spec.transmission;
        actuator.gear = spec.gear;
        actuator.joint = actuator.tendon = -1;
        actuator.site = actuator.reference_site = actuator.slider_site = actuator.body = -1;
        switch (spec.transmission) {
            case Transmission::joint:
            case Transmission::joint_in_parent:
                if (spec.loop.index >= 0) {
                    set_loop(spec, actuator);
                    break;
                }
                actuator.joint = map_.joints[spec.joint.index];
                if (actuator.joint < 0) break;
                for (int k = 0; k < model_.joints[actuator.joint].nv; ++k)
                    velocities_.add(model_.joints[actuator.joint].v_adr + k);
                break;
            case Transmission::tendon:
                actuator.tendon = spec.tendon.index;
                velocities_.add(model_.tendons[actuator.tendon].row);
                break;
            case Transmission::site:
                actuator.site = map_.sites[spec.site.index];
                actuator.reference_site = mapped(map_.sites, spec.reference_site.index);
                velocities_.add_difference(site_link(model_, actuator.site),
                                           actuator.reference_site < 0
                                               ? no_link
                                               : site_link(model_, actuator.reference_site));
                break;
            case Transmission::slider_crank:
                actuator.site = map_.sites[spec.site.index];
                actuator.slider_site = map_.sites[spec.slider_site.index];
                velocities_.add_difference(site_link(model_, actuator.site),
                                           site_link(model_, actuator.slider_site));
                break;
            case Transmission::body: actuator.body = map_.bodies[spec.body.index]; break;
        }
        actuator.row = velocities_.finish();
        actuator.crank_length = spec.crank_length;
        actuator.activation = spec.activation;
        actuator.act_adr = spec.activation == Activation::none ? -1 : model_.na++;
        actuator.time_constant = spec.time_constant;
        actuator.deactivation_time = spec.deactivation_time;
        actuator.activation_smoothing = spec.activation_smoothing;
        actuator.act_early = spec.act_early;
        actuator.gain = spec.gain;
        actuator.bias = spec.bias;
        actuator.muscle_gain = spec.muscle_gain;
        actuator.muscle_bias = spec.muscle_bias;
        actuator.length_range = spec.length_range.value_or(std::array{0.0, 0.0});
        actuator.ctrl_range = spec.ctrl_range;
        actuator.force_range = spec.force_range;
        actuator.act_range = spec.act_range;
        actuator.damping = spec.damping;
        actuator.armature = spec.armature;
        actuator.damping_poly = spec.damping_poly;
        actuator.group = spec.group;
        const std::vector<int>& off = model_.options.disabled_actuator_groups;
        actuator.enabled = std::find(off.begin(), off.end(), spec.group) == off.end();
        actuator.where = spec.where;
        model_.actuators.push_back(std::move(actuator));
        ++model_.nu;
    }

    // It pulls at the joint's freedom as at a tendon; at several, as at a fixed one that combines them by the
    // gears.
    void set_loop(const ActuatorSpec& spec, Model::Actuator& actuator) {
        const Model::Loop& loop = model_.loops[spec.loop.index];
        if (loop.lengths == 0) return;  // which has been reported
        actuator.transmission = Transmission::tendon;
        actuator.tendon = loop.length_begin;
        const int freedoms = freedoms_of(spec);
        if (freedoms > 1) {
            const Model::Tendon& first = model_.tendons[loop.length_begin];
            Model::Tendon combined{};
            combined.name = spec.name;
            combined.term_begin = static_cast<int>(model_.tendon_terms.size());
            combined.term_count = freedoms;
            combined.point_begin = first.point_begin;
            combined.where = spec.where;
            combined.loop = spec.loop.index;
            for (int k = 0; k < freedoms; ++k) {
                const int of_freedom = model_.tendons[loop.length_begin + k].term_begin;
                Model::TendonTerm term = model_.tendon_terms[of_freedom];
                term.coefficient *= spec.gear[k];
                if (loop.type == JointType::ball && spec.transmission == Transmission::joint_in_parent)
                    term.reading = Model::LoopReading::freedom_in_parent;
                model_.tendon_terms.push_back(term);
            }
            velocities_.add(first.row);
            combined.row = velocities_.finish();
            actuator.tendon = static_cast<int>(model_.tendons.size());
            actuator.gear = {1, 0, 0, 0, 0, 0};
            model_.tendons.push_back(std::move(combined));
        }
        velocities_.add(model_.tendons[actuator.tendon].row);
    }

    static int mapped(const std::vector<int>& map, int index) { return index < 0 ? -1 : map[index]; }

    const Scene& scene_;
    const ObjectMap& map_;
    Model& model_;
    Diagnostics& log_;
    std::string who_;  // the object at hand
    SourceLocation where_;
    RowVelocities velocities_;  // of the row at hand
};

}  // namespace

void add_load(ReflectedLoad& load, const ActuatorSpec& actuator) {
    const double gear = actuator.gear[0] * actuator.gear[0];
    load.armature += gear * actuator.armature;
    load.damping += gear * actuator.damping;
    for (std::size_t k = 0; k < load.damping_poly.size(); ++k)
        load.damping_poly[k] += gear * actuator.damping_poly[k];
}

std::vector<ReflectedLoad> joint_loads(const Scene& scene) {
    std::vector<ReflectedLoad> loads(scene.joints().size());
    for (const ActuatorSpec& actuator : scene.actuators())
        if (is_joint(actuator.transmission) && actuator.joint.index >= 0)
            add_load(loads[actuator.joint.index], actuator);
    return loads;
}

std::vector<ReflectedLoad> tendon_loads(const Scene& scene) {
    std::vector<ReflectedLoad> loads(scene.tendons().size());
    for (const ActuatorSpec& actuator : scene.actuators())
        if (actuator.transmission == Transmission::tendon) add_load(loads[actuator.tendon.index], actuator);
    return loads;
}

void add_drives(const Scene& scene, const ObjectMap& map, Model& model, Diagnostics& log) {
    DriveBuilder(scene, map, model, log).run();
}

}  // namespace lig::compiling
