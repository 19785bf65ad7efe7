// The joints of a model moved as a BVH skeleton does.
//
// The skeleton's zero pose stands for the model's reference configuration. Let L be how a joint of the
// skeleton turns against the nearest one above it that has a partner in the model, in world axes at the zero
// pose (joints in between have none, and what they turn goes on to those below). Then the partner's
// frames are, with those of the reference configuration,
//     R_FM = R_WFᵀ L R_WM,
// and its coordinates are those of that rotation, nearest to the frame before: of a hinge the twist about its
// axis. What a joint cannot follow is told if it is large.
//
// A root's position is one in the world; any other position counts by its difference from the offset, so
// that bones may have other lengths than the model's.
//
// A skeleton's joint can also be a body that has several hinges and slides: L is the product of rotations
// about their axes a₁, a₂, … (in world axes at the reference configuration),
//     L = exp(θ₁ a₁) exp(θ₂ a₂) …,
// which is solved for the angles by least squares from those of the frame before.

#include "core/diagnostic_codes.h"
#include "core/length.h"
#include "core/printable.h"
#include "core/rotation.h"
#include "core/suggest.h"
#include "io/bvh.h"
#include "joints/joint_list.h"
#include "linalg/small_dense.h"
#include "model/coordinate_names.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace lig::io {

namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr double large_rest = 10 * degree;  // of what a joint cannot follow

// Lower-case letters and digits alone: "LeftArm", "left_arm" and "Left Arm" are one.
std::string plain(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z') out.push_back(static_cast<char>(c - 'A' + 'a'));
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80)
            out.push_back(c);
    }
    return out;
}

// Joints of the model that a joint of the skeleton moves: one, or all of a body.
struct Target {
    int begin = 0, count = 0;
};

// What joints and bodies of a model can be called, the best way first.
class Partners {
public:
    explicit Partners(const Model& model) : names_(joint_names(model)) {
        for (int j = 0; j < static_cast<int>(names_.size()); ++j) joints_.emplace(names_[j], Target{j, 1});
        for (const Model::Body& body : model.bodies)
            if (body.joint_count > 0) bodies_.emplace(body.name, Target{body.joint_begin, body.joint_count});
        for (const auto* exact : {&joints_, &bodies_})
            for (const auto& [name, target] : *exact)
                if (std::string key = plain(name); !key.empty()) plain_.emplace(std::move(key), target);
    }

    // Count 0: there is none.
    Target find(const std::string& name) const {
        if (const auto at = joints_.find(name); at != joints_.end()) return at->second;
        if (const auto at = bodies_.find(name); at != bodies_.end()) return at->second;
        if (const auto at = plain_.find(plain(name)); at != plain_.end()) return at->second;
        return {};
    }
    std::string_view nearest_to(std::string_view name) const {
        std::vector<std::string_view> choices(names_.begin(), names_.end());
        for (const auto& [body, target] : bodies_) choices.push_back(body);
        return nearest(name, choices);
    }

private:
    std::vector<std::string> names_;
    std::map<std::string, Target> joints_, bodies_, plain_;
};

std::string did_you_mean(std::string_view near) {
    return near.empty() ? std::string() : "did you mean '" + std::string(near) + "'?";
}

class Match {
public:
    Match(const Bvh& bvh, const Model& model, const ClipOptions& options, const std::filesystem::path& file,
          Diagnostics& log)
        : bvh_(bvh),
          model_(model),
          options_(options),
          where_{std::make_shared<const std::string>(file.string())},
          log_(log),
          frames_(reference_frames(model)),
          q_(model.q0) {}

    std::optional<ClipSamples> run() {
        if (!choose_root() || !find_partners()) return std::nullopt;
        ClipSamples samples;
        for (int j = 0; j < static_cast<int>(model_.joints.size()); ++j)
            if (moved_by_[j] >= 0) samples.joints.push_back(j);
        rest_.assign(model_.joints.size(), 0.0);
        for (std::size_t f = 0; f < bvh_.frames(); ++f) {
            samples.times.push_back(static_cast<double>(f) * bvh_.frame_time);
            take_frame(bvh_.values.data() + f * bvh_.channels);
            for (const int j : samples.joints)
                samples.q.insert(samples.q.end(), q_.begin() + model_.joints[j].q_adr,
                                 q_.begin() + model_.joints[j].q_adr + model_.joints[j].nq);
        }
        report_rests();
        return samples;
    }

private:
    bool choose_root() {
        std::vector<int> roots;
        for (int b = 0; b < static_cast<int>(bvh_.joints.size()); ++b)
            if (bvh_.joints[b].parent < 0) roots.push_back(b);
        root_ = roots.size() == 1 && options_.root.empty() ? roots[0] : -1;
        std::string names;
        for (const int b : roots) {
            if (!options_.root.empty() && bvh_.joints[b].name == options_.root) root_ = b;
            names += (names.empty() ? "'" : ", '") + bvh_.joints[b].name + "'";
        }
        if (root_ >= 0) return true;
        if (options_.root.empty())
            log_.report(codes::E156, bvh_.joints[roots[1]].where,
                        "the file holds " + std::to_string(roots.size()) + " skeletons",
                        "choose one of " + names);
        else
            log_.report(codes::E155, where_, "there is no skeleton with the root '" + options_.root + "'",
                        "there is " + names);
        return false;
    }

    bool find_partners() {
        const Partners partners(model_);
        targets_.assign(bvh_.joints.size(), {});
        moved_by_.assign(model_.joints.size(), -1);
        in_skeleton_.assign(bvh_.joints.size(), false);
        for (std::size_t b = 0; b < bvh_.joints.size(); ++b) {
            const int parent = bvh_.joints[b].parent;
            in_skeleton_[b] = parent < 0 ? static_cast<int>(b) == root_ : in_skeleton_[parent];
        }
        const std::size_t errors = log_.error_count();
        std::vector<bool> mapped(bvh_.joints.size(), false);
        for (const auto& [from, to] : options_.map) map_by_hand(partners, from, to, mapped);
        if (log_.error_count() > errors) return false;
        std::string unknown;
        int unknown_count = 0;
        const BvhJoint* first_unknown = nullptr;
        bool any = false;
        for (std::size_t b = 0; b < bvh_.joints.size(); ++b) {
            if (!in_skeleton_[b]) continue;
            const BvhJoint& joint = bvh_.joints[b];
            if (!mapped[b]) take(static_cast<int>(b), partners.find(joint.name));
            any = any || targets_[b].count > 0;
            if (targets_[b].count > 0 || joint.channels.empty()) continue;
            if (!first_unknown) first_unknown = &joint;
            if (++unknown_count <= 8) unknown += (unknown.empty() ? "'" : ", '") + joint.name + "'";
        }
        if (!any) {
            log_.report(codes::E151, bvh_.joints[root_].where,
                        "no joint of the skeleton has a name of a joint or body of the model",
                        "give a map; the first joints are " + unknown);
            return false;
        }
        if (unknown_count > 0)
            log_.report(codes::W153, first_unknown->where,
                        unknown + (unknown_count > 8 ? ", …" : "") +
                            (unknown_count == 1 ? " is not in the model" : " are not in the model"),
                        "what they turn goes to the joints below them");
        return true;
    }

    void map_by_hand(const Partners& partners, const std::string& from, const std::string& to,
                     std::vector<bool>& mapped) {
        const auto found = std::find_if(bvh_.joints.begin(), bvh_.joints.end(), [&](const BvhJoint& joint) {
            return joint.name == from && in_skeleton_[&joint - bvh_.joints.data()];
        });
        if (found == bvh_.joints.end()) {
            std::vector<std::string_view> choices;
            for (const BvhJoint& joint : bvh_.joints) choices.push_back(joint.name);
            log_.report(codes::E155, where_, "the skeleton has no joint '" + from + "'",
                        did_you_mean(nearest(from, choices)));
            return;
        }
        const Target target = partners.find(to);
        const int b = static_cast<int>(found - bvh_.joints.begin());
        mapped[b] = true;
        if (target.count == 0)
            log_.report(codes::E155, found->where, "the model has no joint or body '" + to + "'",
                        did_you_mean(partners.nearest_to(to)));
        else if (!take(b, target))
            log_.report(codes::E155, found->where,
                        "'" + to + "' cannot follow joint '" + from +
                            "': another one moves it already, or it has joints of several kinds",
                        "map to a single joint");
    }

    // False: some are taken already, or are of kinds that cannot be told apart.
    bool take(int b, const Target& target) {
        if (target.count == 0) return false;
        for (int j = target.begin; j < target.begin + target.count; ++j) {
            const JointType type = model_.joints[j].type;
            if (moved_by_[j] >= 0) return false;
            if (target.count > 1 && type != JointType::hinge && type != JointType::slide) return false;
        }
        targets_[b] = target;
        for (int j = target.begin; j < target.begin + target.count; ++j) moved_by_[j] = b;
        return true;
    }

    Vec3d turned_up(const Vec3d& v) const { return options_.up == ClipOptions::Up::y ? to_z_up(v) : v; }

    // Writes q_.
    void take_frame(const double* values) {
        rotations_.resize(bvh_.joints.size());
        for (std::size_t b = 0; b < bvh_.joints.size(); ++b) {
            if (!in_skeleton_[b]) continue;
            const BvhJoint& joint = bvh_.joints[b];
            Vec3d position = joint.offset;
            Quatd local = Quatd::identity();
            bool moves = false;
            for (std::size_t c = 0; c < joint.channels.size(); ++c) {
                const BvhChannel& channel = joint.channels[c];
                const double value = values[joint.first_channel + static_cast<int>(c)];
                if (channel.is_rotation) {
                    Vec3d axis = Vec3d::zero();
                    axis[channel.axis] = std::remainder(value, 360.0) * degree;
                    local = local * rotation_exp(turned_up(axis));
                } else {
                    position[channel.axis] = value;
                    moves = true;
                }
            }
            // How it has turned since the nearest joint above that has a partner.
            const bool carries = joint.parent >= 0 && targets_[joint.parent].count == 0;
            rotations_[b] = carries ? rotations_[joint.parent] * local : local;
            if (targets_[b].count == 0) continue;
            const Vec3d shift =
                options_.scale * turned_up(joint.parent < 0 ? position : position - joint.offset);
            move(static_cast<int>(b), normalized(rotations_[b]), shift, moves);
        }
    }

    void move(int b, const Quatd& turn, const Vec3d& shift, bool moves) {
        const Target& target = targets_[b];
        if (target.count > 1) {
            fit_axes(target, turn, shift, moves, bvh_.joints[b].parent < 0);
            return;
        }
        const int j = target.begin;
        const Model::Joint& joint = model_.joints[j];
        const TreeJoint<double>& tree = model_.tree.joints[joint.tree_joint];
        const JointFrames& at = frames_[j];
        const Mat3d R = transpose_mul(at.X_WF.R, rotation_matrix(turn) * at.X_WM.R);
        const Vec3d here = at.X_WM.p - at.X_WF.p;
        Vec3d p = transpose_mul(at.X_WF.R, here);
        if (moves) p = transpose_mul(at.X_WF.R, bvh_.joints[b].parent < 0 ? shift - at.X_WF.p : here + shift);
        joints::visit_joint(joint.type, [&](auto kind) {
            using J = decltype(kind);
            const joints::Parameters<double> parameters = joints::parameters_of(tree);
            const joints::LocalCoordinates near(tree, q_.data());
            double q[joints::max_nq] = {};
            J::coordinates(parameters, Transformd{R, p}, near.q, q);
            const Mat3d made = J::pose(parameters, q).R;
            note_rest(j, quaternion(transpose_mul(made, R)));
            if (J::nq == 1) q[0] += tree.reference;
            for (int k = 0; k < J::nq; ++k) q_[joint.q_adr + k] = q[k];
        });
    }

    void note_rest(int j, const Quatd& rest) { rest_[j] = std::max(rest_[j], length(rotation_log(rest))); }

    // Hinges and slides of one body.
    void fit_axes(const Target& target, const Quatd& turn, const Vec3d& shift, bool moves, bool is_root) {
        constexpr int max_iterations = 20;
        const int end = target.begin + target.count;
        for (int j = target.begin; j < end && moves; ++j) {
            const Model::Joint& joint = model_.joints[j];
            if (joint.type != JointType::slide) continue;
            const Vec3d way = is_root ? shift - frames_[j].X_WM.p : shift;
            q_[joint.q_adr] = joint.reference + dot(frames_[j].X_WF.R.z, way);
        }
        hinges_.clear();
        for (int j = target.begin; j < end; ++j)
            if (model_.joints[j].type == JointType::hinge) hinges_.push_back(j);
        if (hinges_.empty()) return;
        Quatd rest = Quatd::identity();
        columns_.resize(hinges_.size());
        for (int iteration = 0; iteration < max_iterations; ++iteration) {
            // From the last axis to the first: the columns, in the axes of the body, and what is missing.
            Quatd made = Quatd::identity();
            for (std::size_t k = hinges_.size(); k-- > 0;) {
                const Model::Joint& joint = model_.joints[hinges_[k]];
                const Vec3d& axis = frames_[hinges_[k]].X_WF.R.z;
                columns_[k] = transpose_mul(rotation_matrix(made), axis);
                made = rotation_exp((q_[joint.q_adr] - joint.reference) * axis) * made;
            }
            rest = conjugate(made) * turn;
            const Vec3d missing = rotation_log(rest);
            // (Jᵀ J + ε 1) Δθ = Jᵀ missing; ε for axes that are parallel.
            const int n = static_cast<int>(columns_.size());
            double square[6 * small_stride], step[6];
            for (int k = 0; k < n; ++k) {
                for (int l = 0; l <= k; ++l) square[k * small_stride + l] = dot(columns_[k], columns_[l]);
                square[k * small_stride + k] += 1e-10;
                step[k] = dot(columns_[k], missing);
            }
            cholesky_n(square, n);
            cholesky_solve_n(square, n, step);
            double change = 0;
            for (int k = 0; k < n; ++k) {
                q_[model_.joints[hinges_[k]].q_adr] += std::clamp(step[k], -1.0, 1.0);
                change = std::max(change, std::abs(step[k]));
            }
            if (change < 1e-12) break;
        }
        note_rest(hinges_.front(), rest);
    }

    void report_rests() {
        for (std::size_t j = 0; j < rest_.size(); ++j) {
            if (!(rest_[j] > large_rest)) continue;
            const BvhJoint& from = bvh_.joints[moved_by_[j]];
            log_.report(codes::W154, from.where,
                        "joint '" + model_.joints[j].name + "' cannot follow all of '" + from.name +
                            "': up to " + std::to_string(std::lround(rest_[j] / degree)) +
                            " degrees are left out",
                        "");
        }
    }

    const Bvh& bvh_;
    const Model& model_;
    const ClipOptions& options_;
    SourceLocation where_;
    Diagnostics& log_;
    std::vector<JointFrames> frames_;
    int root_ = -1;
    std::vector<Target> targets_;  // (joints of the skeleton)
    std::vector<bool> in_skeleton_;  // … which belong to the root that was chosen
    std::vector<int> moved_by_;  // (joints of the model) -1: by none
    std::vector<double> rest_;  // … rad that it could not follow
    std::vector<Quatd> rotations_;
    std::vector<int> hinges_;
    std::vector<Vec3d> columns_;
    std::vector<double> q_;
};

}  // namespace

std::vector<JointFrames> reference_frames(const Model& model) {
    std::vector<Transformd> links;
    std::vector<JointFrames> by_tree_joint(model.tree.joints.size());
    for (const TreeLink<double>& link : model.tree.links) {
        Transformd X = link.parent >= 0    ? links[link.parent]
                       : link.parent == -1 ? Transformd::identity()
                                           : model.bodies[model.kinematic_bodies[-2 - link.parent]].X_WB0;
        for (int t = link.joint_begin; t < link.joint_begin + link.joint_count; ++t) {
            const TreeJoint<double>& joint = model.tree.joints[t];
            by_tree_joint[t].X_WF = X * joint.X_PF;
            joints::visit_joint(joint.type, [&](auto kind) {
                using J = decltype(kind);
                const joints::LocalCoordinates own(joint, model.q0.data());
                X = by_tree_joint[t].X_WF * J::pose(joints::parameters_of(joint), own.q);
            });
            by_tree_joint[t].X_WM = X;
        }
        links.push_back(X);
    }
    std::vector<JointFrames> frames;
    for (const Model::Joint& joint : model.joints) frames.push_back(by_tree_joint[joint.tree_joint]);
    return frames;
}

std::optional<ClipSamples> match_bvh(const Bvh& bvh, const Model& model, const ClipOptions& options,
                                     const std::filesystem::path& file, Diagnostics& log) {
    return Match(bvh, model, options, file, log).run();
}

}  // namespace lig::io
