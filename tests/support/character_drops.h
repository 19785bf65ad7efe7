#pragma once

// The shipped character, dropped in random poses on its ground.
//
// A pose: the orientation of the pelvis uniform over all rotations; hinges uniform in their range; the axis
// of a ball uniform over the cap that its swing limit leaves, its twist uniform in its range. Poses in which
// limbs overlap are drawn again: they would be pushed apart at once, which is not a matter of dropping. Then
// the character is put where its lowest point is between 0.3 and 1.5 m above the ground, at rest.
//
// Everything is measured after each frame on the poses of the bodies alone: the separation of the two anchors
// of a joint, swing and twist of its child against its parent, and contacts, found anew.

#include "core/rotation.h"
#include "support/random_values.h"
#include "support/simulation_runs.h"

#include <ligament/dynamics.h>

#include <limits>
#include <numbers>

namespace lig::test {

inline Quatd uniform_rotation(Random& random) {
    const double u = random.uniform(0, 1), a = random.uniform(0, 2 * std::numbers::pi),
                 b = random.uniform(0, 2 * std::numbers::pi);
    return {std::sqrt(u) * std::cos(b), std::sqrt(1 - u) * std::sin(a), std::sqrt(1 - u) * std::cos(a),
            std::sqrt(u) * std::sin(b)};
}

struct DropFigures {
    double separation = 0;  // m, of any joint at any time
    double limit_impact = 0, limit_rest = 0;  // rad, at any time and in the last second
    double depth_impact = 0, depth_rest = 0;  // m, likewise
    double energy_rise = 0;  // above the running minimum, as a share of the drop energy
    double kinetic = 0;  // J, at the end
    double height = 0;  // m, of the centre of mass above the ground, at the end
    double at_limits = 0;  // share of the joints that are at a limit, at the end
    int substeps = 0;
    int rough_frames = 0;    // with impulses that were not found to the tolerance
    int crowded_frames = 0;  // with more events than allowed
    int fallbacks = 0;

    void take_worst(const DropFigures& other) {
        separation = std::max(separation, other.separation);
        limit_impact = std::max(limit_impact, other.limit_impact);
        limit_rest = std::max(limit_rest, other.limit_rest);
        depth_impact = std::max(depth_impact, other.depth_impact);
        depth_rest = std::max(depth_rest, other.depth_rest);
        energy_rise = std::max(energy_rise, other.energy_rise);
        kinetic = std::max(kinetic, other.kinetic);
        substeps += other.substeps;
        rough_frames += other.rough_frames;
        crowded_frames += other.crowded_frames;
        fallbacks += other.fallbacks;
    }
};

class CharacterDrops {
public:
    explicit CharacterDrops(std::uint64_t seed, SimulationOptions options = {})
        : model_(character()),
          random_(seed),
          sim_(model_, options),
          ws_(model_),
          collision_(model_),
          poses_(model_->bodies.size()) {
        Diagnostics log;
        Scene scene = load_scene(LIG_SOURCE_DIR "/scenes/character.xml", {}, log);
        look(JointState<double>(*model_));
        for (const Model::Joint& joint : model_->joints) {
            if (joint.type == JointType::free) continue;
            const JointSpec& spec = scene.joint({joint.scene_joint});
            const int parent = model_->bodies[joint.body].parent;
            const Transformd X_PC = poses_[parent].inverse() * poses_[joint.body];
            pairs_.push_back(
                {&joint, parent, X_PC * spec.pos, spec.pos, X_PC.R, (1 / length(spec.axis)) * spec.axis});
        }
        REQUIRE(pairs_.size() == 15);
    }

    int redrawn() const { return redrawn_; }  // poses with limbs that overlapped

    // The next pose, dropped and watched in 60 Hz frames. Poses depend on the seed alone.
    DropFigures next(int seconds = 10) {
        JointState<double> state = random_pose();
        for (; limbs_overlap(state); state = random_pose()) ++redrawn_;
        const double height = random_.uniform(0.3, 1.5);
        state.q[2] += height - lowest_point();
        sim_.reset();
        sim_.set_state(state);

        const double drop_energy = model_->total_mass * gravity * height;
        double least = total(sim_.energy());
        DropFigures figures;
        const int frames = 60 * seconds;
        for (int k = 0; k < frames; ++k) {
            const StepReport report = sim_.step(frame);
            CAPTURE(report.where);
            REQUIRE(was_taken(report));
            if (report.status == StepStatus::not_converged) ++figures.rough_frames;
            if (report.status == StepStatus::too_many_events) ++figures.crowded_frames;
            figures.fallbacks += report.fallbacks;
            figures.substeps += report.substeps;
            const double energy = total(sim_.energy());
            REQUIRE(std::isfinite(energy));
            least = std::min(least, energy);
            figures.energy_rise = std::max(figures.energy_rise, (energy - least) / drop_energy);
            look(sim_.state());
            const double limit = largest_violation(), depth = deepest_contact();
            figures.separation = std::max(figures.separation, largest_separation());
            figures.limit_impact = std::max(figures.limit_impact, limit);
            figures.depth_impact = std::max(figures.depth_impact, depth);
            if (k < frames - 60) continue;
            figures.limit_rest = std::max(figures.limit_rest, limit);
            figures.depth_rest = std::max(figures.depth_rest, depth);
        }
        for (const double q : sim_.state().q) REQUIRE(std::isfinite(q));
        figures.kinetic = sim_.energy().kinetic;
        figures.height = center_of_mass(ws_).z;
        figures.at_limits = share_at_limits();
        return figures;
    }

private:
    // A joint and its two bodies: where both have its anchor, how the child is turned in the reference, and
    // the axis of the joint in the child.
    struct JointedPair {
        const Model::Joint* joint;
        int parent;
        Vec3d in_parent, in_child;
        Mat3d R_PC;
        Vec3d axis;
    };

    JointState<double> random_pose() {
        JointState<double> state(*model_);
        const auto put = [&](int at, const Quatd& r) {
            state.q[at] = r.w;
            state.q[at + 1] = r.x;
            state.q[at + 2] = r.y;
            state.q[at + 3] = r.z;
        };
        put(3, uniform_rotation(random_));
        for (const JointedPair& pair : pairs_) {
            const Model::Joint& joint = *pair.joint;
            if (joint.type == JointType::hinge) {
                state.q[joint.q_adr] = random_.uniform(joint.range[0].lower, joint.range[0].upper);
                continue;
            }
            const double twist = random_.uniform(joint.twist->lower, joint.twist->upper);
            const double swing = std::acos(random_.uniform(std::cos(*joint.swing), 1));
            Vec3d across = cross(pair.axis, random_direction(random_));
            across = (1 / length(across)) * across;
            put(joint.q_adr, rotation_exp(swing * across) * rotation_exp(twist * pair.axis));
        }
        return state;
    }

    void look(const JointState<double>& state) {
        forward_kinematics(state, ws_);
        for (std::size_t b = 0; b < poses_.size(); ++b) poses_[b] = body_pose(ws_, static_cast<int>(b));
    }

    bool limbs_overlap(JointState<double> state) {
        state.q[2] = 100;  // far from the ground
        look(state);
        const bool overlap = deepest_contact() > 0;
        state.q[2] = model_->q0[2];
        look(state);
        return overlap;
    }

    double deepest_contact() {
        find_contacts(poses_, {}, collision_);
        double depth = 0;
        for (const Contact& contact : collision_.contacts.contacts)
            depth = std::max(depth, -contact.distance);
        return depth;
    }

    // Of the capsules, above the ground.
    double lowest_point() const {
        double lowest = std::numeric_limits<double>::infinity();
        for (const Model::Geom& geom : model_->geoms) {
            if (geom.spec.shape != ShapeType::capsule) continue;
            const Transformd X_WG = poses_[geom.body] * geom.X_BG;
            const double reach = std::abs((X_WG.R * Vec3d{0, 0, geom.spec.size[1]}).z) + geom.spec.size[0];
            lowest = std::min(lowest, X_WG.p.z - reach);
        }
        return lowest;
    }

    double largest_separation() const {
        double separation = 0;
        for (const JointedPair& pair : pairs_)
            separation = std::max(separation, length(poses_[pair.parent] * pair.in_parent -
                                                     poses_[pair.joint->body] * pair.in_child));
        return separation;
    }

    // How far a joint is beyond the nearest of its limits, negative within them: of a hinge the angle, of a
    // ball swing or twist; and what the axis of a hinge is off.
    struct Violation {
        double beyond, tilt;
    };
    Violation violation_of(const JointedPair& pair) const {
        const Mat3d turned =
            transpose(pair.R_PC) * (transpose(poses_[pair.parent].R) * poses_[pair.joint->body].R);
        const Vec3d axis = turned * pair.axis;
        const double swing = std::atan2(length(cross(pair.axis, axis)), dot(pair.axis, axis));
        const Quatd r = quaternion(turned);
        const double sign = r.w < 0 ? -1 : 1;
        const double twist = 2 * std::atan2(sign * dot(pair.axis, r.vec()), sign * r.w);
        const bool hinge = pair.joint->type == JointType::hinge;
        const Range& range = hinge ? pair.joint->range[0] : *pair.joint->twist;
        const double along = std::max(range.lower - twist, twist - range.upper);
        if (hinge) return {along, swing};
        return {std::max(along, swing - *pair.joint->swing), 0};
    }
    double largest_violation() const {
        double largest = 0;
        for (const JointedPair& pair : pairs_) {
            const Violation violation = violation_of(pair);
            largest = std::max({largest, violation.beyond, violation.tilt});
        }
        return largest;
    }
    // Within a twentieth of a degree.
    double share_at_limits() const {
        int count = 0;
        for (const JointedPair& pair : pairs_)
            count += violation_of(pair).beyond > -0.05 * std::numbers::pi / 180;
        return double(count) / double(pairs_.size());
    }

    std::shared_ptr<const Model> model_;
    Random random_;
    Simulation sim_;
    Workspace<double> ws_;
    CollisionWorkspace collision_;
    std::vector<Transformd> poses_;
    std::vector<JointedPair> pairs_;
    int redrawn_ = 0;
};

// Drops the character so many times and checks what holds for each drop, and for all of them together.
inline void check_character_drops(int drops, std::uint64_t seed, const SimulationOptions& options = {}) {
    constexpr double degree = std::numbers::pi / 180;
    CharacterDrops character(seed, options);
    DropFigures worst;
    int restless = 0;
    for (int n = 0; n < drops; ++n) {
        CAPTURE(n);
        const DropFigures drop = character.next();
        worst.take_worst(drop);
        if (drop.kinetic >= 0.5) ++restless;
        CHECK(drop.separation < 1e-9);
        CHECK(drop.limit_impact < 2 * degree);
        CHECK(drop.limit_rest < 0.1 * degree);
        CHECK(drop.depth_impact < 5e-3);
        CHECK(drop.depth_rest < 1e-3);
        CHECK(drop.energy_rise < 0.01);
    }
    CHECK(restless <= drops / 20);
    CHECK(worst.rough_frames <= drops / 100);  // of 600 each
    MESSAGE(drops << " drops (" << character.redrawn() << " poses drawn again): separation "
                  << worst.separation << " m; limits " << worst.limit_impact / degree << " deg, at rest "
                  << worst.limit_rest / degree << " deg; penetration " << 1e3 * worst.depth_impact
                  << " mm, at rest " << 1e3 * worst.depth_rest << " mm; energy rise "
                  << 100 * worst.energy_rise << " %; kinetic energy at 10 s " << worst.kinetic << " J, "
                  << restless << " above 0.5 J; " << double(worst.substeps) / (600.0 * drops)
                  << " sub-steps per frame, " << worst.rough_frames << " frames not converged");
}

}  // namespace lig::test
