// A clip as BVH. Every joint of the model is a joint of the skeleton, of its name, at the place that its
// frame M has at the reference configuration, which is the skeleton's zero pose; several joints of a body
// follow each other at offsets of 0. With R_FM of a frame, the rotation to write is L = R_WF R_FM R_WMᵀ
// (bvh_match.cpp reads it), as angles about z, x and y: L = R_z R_x R_y. Joints that can move have positions,
// too. Where the model has several trees, they hang on a root `world` without channels, since BVH has one
// root.

#include "core/rotation.h"
#include "io/bvh.h"
#include "joints/joint_list.h"
#include "model/coordinate_names.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace lig::io {

namespace {

constexpr double degrees = 180 / std::numbers::pi;

// Angles a, b, c with R = R_z(a) R_x(b) R_y(c). Where b is a right angle, a is any and c makes up for it.
Vec3d zxy_angles(const Mat3d& R) {
    const double a = std::atan2(-R.y.x, R.y.y);
    // R_z(−a) R = R_x(b) R_y(c) has (cos c, 0, sin c) in its first row, cos b and sin b in its second column.
    const double sa = std::sin(a), ca = std::cos(a);
    const double b = std::atan2(R.y.z, ca * R.y.y - sa * R.y.x);
    const double c = std::atan2(ca * R.z.x + sa * R.z.y, ca * R.x.x + sa * R.x.y);
    return {a, b, c};
}

class BvhWriter {
public:
    BvhWriter(const Model& model, const ClipOptions& options)
        : model_(model), options_(options), names_(joint_names(model)), frames_(reference_frames(model)) {
        std::vector<int> by_tree_joint(model.tree.joints.size(), -1);
        for (std::size_t j = 0; j < model.joints.size(); ++j)
            by_tree_joint[model.joints[j].tree_joint] = static_cast<int>(j);
        parents_.assign(model.joints.size(), -1);
        children_.resize(model.joints.size());
        for (std::size_t j = 0; j < model.joints.size(); ++j) {
            const TreeLink<double>& link = model.tree.links[model.bodies[model.joints[j].body].link];
            const int own = model.joints[j].tree_joint;
            int above = own - 1;
            if (own == link.joint_begin) {
                if (link.parent < 0) {
                    roots_.push_back(static_cast<int>(j));
                    continue;
                }
                const TreeLink<double>& parent = model.tree.links[link.parent];
                above = parent.joint_begin + parent.joint_count - 1;
            }
            parents_[j] = by_tree_joint[above];
            children_[parents_[j]].push_back(static_cast<int>(j));
        }
    }

    std::string write(const MotionClip& clip, std::size_t frames, double frame_time) {
        text_ = "HIERARCHY\n";
        const bool several = roots_.size() != 1;
        if (several) text_ += "ROOT world\n{\n\tOFFSET 0 0 0\n\tCHANNELS 0\n";
        for (const int root : roots_) add_tree(root, several ? 1 : 0);
        if (several) text_ += "}\n";
        put("MOTION\nFrames: {}\nFrame Time: {}\n", frames, frame_time);
        std::vector<double> q = model_.q0;
        angles_.assign(model_.joints.size(), Vec3d::zero());
        for (std::size_t f = 0; f < frames; ++f) {
            clip.sample(clip.begin() + static_cast<double>(f) * frame_time, q, {}, {});
            add_frame(q);
        }
        return std::move(text_);
    }

private:
    template <class... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        // format_to would compile all of fmt into this file; format calls its library.
        text_ += fmt::format(format, std::forward<Args>(args)...);
    }
    Vec3d turned(const Vec3d& v) const { return options_.up == ClipOptions::Up::y ? to_y_up(v) : v; }
    Vec3d to_file(const Vec3d& v) const { return (1 / options_.scale) * turned(v); }

    static bool can_move(JointType type) {
        return type != JointType::hinge && type != JointType::ball && type != JointType::universal &&
               type != JointType::fixed;
    }

    // From the joint above to this one, in world axes at the reference configuration.
    Vec3d offset_of(int j) const {
        return frames_[j].X_WM.p - (parents_[j] < 0 ? Vec3d::zero() : frames_[parents_[j]].X_WM.p);
    }

    void add_offset(const Vec3d& v, const std::string& indent) {
        const Vec3d o = to_file(v);
        // Adding 0 makes −0 a plain 0.
        put("{}OFFSET {} {} {}\n", indent, o.x + 0.0, o.y + 0.0, o.z + 0.0);
    }

    // Without recursion: a model may be a chain of any length.
    void add_tree(int root, std::size_t level) {
        struct Open {
            int joint;
            std::size_t next;  // of its children
        };
        std::vector<Open> open;
        const auto indent = [&](std::size_t more) { return std::string(level + open.size() + more, '\t'); };
        const auto begin = [&](int j) {
            const std::string in = indent(0);
            put("{}{} {}\n{}{{\n", in, level + open.size() == 0 ? "ROOT" : "JOINT", names_[j], in);
            add_offset(offset_of(j), in + '\t');
            put("{}\tCHANNELS {}Zrotation Xrotation Yrotation\n", in,
                can_move(model_.joints[j].type) ? "6 Xposition Yposition Zposition " : "3 ");
            if (children_[j].empty()) {
                // As far beyond the centre of mass as the joint is before it.
                const Model::Body& body = model_.bodies[model_.joints[j].body];
                put("{}\tEnd Site\n{}\t{{\n", in, in);
                add_offset(2.0 * (body.X_WB0.p + body.X_WB0.R * body.com - frames_[j].X_WM.p), in + "\t\t");
                put("{}\t}}\n", in);
            }
            open.push_back({j, 0});
            order_.push_back(j);
        };
        begin(root);
        while (!open.empty()) {
            const std::vector<int>& below = children_[open.back().joint];
            if (open.back().next < below.size()) {
                begin(below[open.back().next++]);
                continue;
            }
            open.pop_back();
            put("{}}}\n", indent(0));
        }
    }

    void add_frame(const std::vector<double>& q) {
        std::string_view separator;
        const auto number = [&](double x) {
            put("{}{}", separator, x + 0.0);
            separator = " ";
        };
        for (const int j : order_) {
            const Model::Joint& joint = model_.joints[j];
            const TreeJoint<double>& tree = model_.tree.joints[joint.tree_joint];
            const JointFrames& at = frames_[j];
            Transformd X = Transformd::identity();
            joints::visit_joint(joint.type, [&](auto kind) {
                using J = decltype(kind);
                const joints::LocalCoordinates own(tree, q.data());
                X = J::pose(joints::parameters_of(tree), own.q);
            });
            if (can_move(joint.type)) {
                const Vec3d p = to_file(offset_of(j) + at.X_WF.p + at.X_WF.R * X.p - at.X_WM.p);
                for (int k = 0; k < 3; ++k) number(p[k]);
            }
            const Quatd turn = quaternion(at.X_WF.R * X.R) * conjugate(quaternion(at.X_WM.R));
            const Vec3d v = turned(turn.vec());
            const Vec3d found = zxy_angles(rotation_matrix(normalized(Quatd{turn.w, v.x, v.y, v.z})));
            Vec3d& angles = angles_[j];
            // Whole turns that bring them next to the frame before.
            for (int k = 0; k < 3; ++k)
                angles[k] += std::remainder(found[k] - angles[k], 2 * std::numbers::pi);
            for (int k = 0; k < 3; ++k) number(degrees * angles[k]);
        }
        text_ += '\n';
    }

    const Model& model_;
    const ClipOptions& options_;
    std::vector<std::string> names_;
    std::vector<JointFrames> frames_;
    std::vector<int> parents_, roots_, order_;  // joints of the model; order_: as the file has them
    std::vector<std::vector<int>> children_;
    std::vector<Vec3d> angles_;  // of the frame before
    std::string text_;
};

}  // namespace

}  // namespace lig::io

namespace lig {

std::string clip_to_bvh(const Model& model, const ClipSamples& samples, const ClipOptions& options) {
    const MotionClip clip(model, samples);
    const std::size_t count = samples.times.size();
    // A single frame has no step of its own.
    const double step = count > 1 ? (clip.end() - clip.begin()) / static_cast<double>(count - 1) : 1.0 / 30;
    return io::BvhWriter(model, options).write(clip, count, step);
}

}  // namespace lig
