#pragma once

// The reference for joints of several freedoms: the same mechanism with single freedoms only, each on a
// massless body of its own.
//
// Universal, cylindrical, planar and compound joints and the translation of free joints keep their
// coordinates. A ball becomes three hinges about x, y and z of the body, and so that they are never near
// their singularity, their angles are zero at the state in question: R = R0 Rx(a) Ry(b) Rz(c), where R0 is
// the ball's orientation. There the rates are the angular velocity in body axes, the moments are the same,
// and
//   ω̇ = (a̋ + ḃ ċ, b̋ − ȧ ċ, c̋ + ȧ ḃ).
// A screw has one freedom already.

#include "model/compile.h"
#include "support/random_scene.h"

#include <array>

namespace lig::test {

struct Decomposition {
    Scene scene{"decomposed"};
    std::vector<BodyId> last;      // per body of the original scene: the body that took its place
    std::vector<double> q, v;      // of the decomposed scene, in the order in which its joints were added
    std::vector<int> dof;          // per freedom of the original model: the joint of the decomposed scene
    std::vector<double>
        extra;     // per freedom of the original model: what is added to the decomposed acceleration
};

class Decomposer {
public:
    Decomposer(const Scene& scene, const Model& model, const JointState<double>& state)
        : scene_(scene), model_(model), state_(state) {}

    Decomposition run() {
        out_.scene.options = scene_.options;
        out_.last.push_back(world);
        out_.dof.assign(model_.nv, -1);
        out_.extra.assign(model_.nv, 0.0);
        for (std::size_t b = 1; b < scene_.bodies().size(); ++b) add_body(scene_.bodies()[b]);
        return std::move(out_);
    }

private:
    void add_body(const Scene::Body& source) {
        BodySpec spec = source.spec;
        at_ = out_.last[source.parent.index];
        pose_ = source.spec.pose;
        pending_ = true;
        for (const JointId id : source.joints) {
            for (const Model::Joint& joint : model_.joints)
                if (joint.scene_joint == id.index)
                    add_joint(scene_.joints()[id.index].spec, joint, source.parent);
        }
        // The body itself: the last of the massless ones gets its inertia, or it is fixed to its parent.
        if (pending_) {
            at_ = out_.scene.add_body(at_, spec);
        } else {
            BodySpec& own = out_.scene.body(at_);
            own.name = spec.name;
            own.inertial = spec.inertial;
            own.gravity_scale = spec.gravity_scale;
        }
        out_.last.push_back(at_);
    }

    // A massless body on one joint. The first of a stack stands where the original body does, all others on
    // the one before: at the reference configuration they coincide.
    void single(const JointSpec& like, JointType type, const Vec3d& axis, double q, double v, int dof) {
        BodySpec body;
        body.name = "m" + std::to_string(out_.scene.bodies().size());
        body.pose = pose_;
        body.inertial = InertialSpec{};
        at_ = out_.scene.add_body(at_, body);
        pose_ = Pose{};
        pending_ = false;
        JointSpec joint;
        joint.name = "j" + std::to_string(out_.scene.joints().size());
        joint.type = type;
        joint.pos = like.pos;
        joint.axis = axis;
        joint.pitch = like.pitch;
        joint.armature = like.armature;
        joint.reference = like.reference;
        out_.dof[dof] = out_.scene.add_joint(at_, joint).index;
        out_.q.push_back(q);
        out_.v.push_back(v);
    }

    void add_joint(const JointSpec& spec, const Model::Joint& joint, BodyId parent) {
        const double* q = state_.q.data() + joint.q_adr;
        const double* v = state_.v.data() + joint.v_adr;
        const int d = joint.v_adr;
        const Mat3d e = Mat3d::identity();
        switch (spec.type) {
            case JointType::fixed:
            case JointType::stretch: break;  // it moves no frame
            case JointType::hinge:
            case JointType::slide:
            case JointType::screw: single(spec, spec.type, spec.axis, q[0], v[0], d); break;
            case JointType::universal:
                single(spec, JointType::hinge, spec.axis, q[0], v[0], d);
                single(spec, JointType::hinge, spec.axis2, q[1], v[1], d + 1);
                break;
            case JointType::cylindrical:
                single(spec, JointType::hinge, spec.axis, q[0], v[0], d);
                single(spec, JointType::slide, spec.axis, q[1], v[1], d + 1);
                break;
            case JointType::planar: {
                const Mat3d F = compiling::axis_frame(spec.axis);
                single(spec, JointType::slide, F.x, q[0], v[0], d);
                single(spec, JointType::slide, F.y, q[1], v[1], d + 1);
                single(spec, JointType::hinge, F.z, q[2], v[2], d + 2);
                break;
            }
            case JointType::ball: turn_freely(spec, spec.pos, q, v, d); break;
            case JointType::free:
                // Directly below the world the coordinates are the pose in the world.
                if (parent.index == 0) pose_ = Pose{};
                for (int k = 0; k < 3; ++k) single(spec, JointType::slide, (&e.x)[k], q[k], v[k], d + k);
                turn_freely(spec, {0, 0, 0}, q + 3, v + 3, d + 3);
                break;
        }
    }

    void turn_freely(JointSpec spec, const Vec3d& anchor, const double* q, const double* v, int d) {
        const Quatd turn{q[0], q[1], q[2], q[3]};
        const Mat3d R0 = rotation_matrix(turn);
        const Transformd before{rotation_matrix(pose_.quat), pose_.pos};
        pose_ = {before * (anchor - R0 * anchor), pose_.quat * turn};
        spec.pos = anchor;
        const Mat3d e = Mat3d::identity();
        for (int k = 0; k < 3; ++k) single(spec, JointType::hinge, (&e.x)[k], 0, v[k], d + k);
        out_.extra[d] = v[1] * v[2];
        out_.extra[d + 1] = -v[0] * v[2];
        out_.extra[d + 2] = v[0] * v[1];
    }

    const Scene& scene_;
    const Model& model_;
    const JointState<double>& state_;
    Decomposition out_;
    BodyId at_{};
    Pose pose_;
    bool pending_ = true;
};

}  // namespace lig::test
