// Whether every freedom of a model moves inertia, and none repeats another.

#include "core/diagnostic_codes.h"
#include "joints/joint_list.h"
#include "model/compile.h"
#include "model/split_inertia.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace lig::compiling {

namespace {

// One link at the reference configuration, in the axes of its L.
struct LinkAtRest {
    Transformd X_PL;
    std::array<Motion<double>, 6> S;  // about L
};

LinkAtRest link_at_rest(const Model& model, const TreeLink<double>& link) {
    LinkAtRest rest{Transformd::identity(), {}};
    for (int j = link.joint_begin; j < link.joint_begin + link.joint_count; ++j) {
        const TreeJoint<double>& joint = model.tree.joints[j];
        if (joint.type == JointType::stretch) break;  // they come last
        joints::visit_joint(joint.type, [&](auto kind) {
            using J = decltype(kind);
            const joints::Parameters<double> parameters = joints::parameters_of(joint);
            const joints::LocalCoordinates own(joint, model.q0.data());
            const Transformd X_FM = J::pose(parameters, own.q);
            const Transformd X_step = joint.X_PF * X_FM;
            // Columns so far: to the new origin, in the new axes.
            for (int k = link.v_adr; k < joint.v_adr; ++k) {
                Motion<double>& s = rest.S[k - link.v_adr];
                s = shift(s, X_step.p);
                s = {transpose_mul(X_step.R, s.ang), transpose_mul(X_step.R, s.lin)};
            }
            Motion<double> columns[joints::max_nv];
            J::motion(parameters, own.q, columns);
            for (int k = 0; k < J::nv; ++k)
                rest.S[joint.v_adr - link.v_adr + k] = {transpose_mul(X_FM.R, columns[k].ang),
                                                        transpose_mul(X_FM.R, columns[k].lin)};
            rest.X_PL = rest.X_PL * X_step;
        });
    }
    return rest;
}

// The share of the last column that is independent of the ones before it, in a norm that weighs a metre like
// a radian.
double independent_share(const std::array<Motion<double>, 6>& S, int count) {
    const auto inner = [](const Motion<double>& a, const Motion<double>& b) {
        return dot(a.ang, b.ang) + dot(a.lin, b.lin);
    };
    std::array<Motion<double>, 6> basis{};
    double share = 1;
    for (int k = 0; k < count; ++k) {
        Motion<double> rest = S[k];
        const double length = std::sqrt(inner(rest, rest));
        for (int l = 0; l < k; ++l) rest = rest - inner(basis[l], rest) * basis[l];
        const double left = std::sqrt(inner(rest, rest));
        share = length > 0 ? left / length : 0;
        if (share < 1e-9) return share;
        basis[k] = (1 / left) * rest;
    }
    return share;
}

// Whether S, one of a body's own joints, moves inertia that its others do not: slides move the mass, a hinge
// beside them turns what there is about the centre of mass. Of a point mass that is zero but for rounding.
bool moves_inertia(const Motion<double>& S, const RigidInertia<double>& inertia) {
    if (!(inertia.mass > 0)) return false;
    if (dot(S.ang, S.ang) == 0) return true;
    const Vec3d moment = cross(S.ang, inertia.h);
    const double about_frame = dot(S, inertia * S);
    return about_frame - dot(moment, moment) / inertia.mass > 1e-14 * about_frame;
}

}  // namespace

void check_mobility(const Model& model, Diagnostics& log) {
    const auto& links = model.tree.links;
    std::vector<LinkAtRest> rest;
    rest.reserve(links.size());
    std::vector<RigidInertia<double>> composite;
    composite.reserve(links.size());
    for (const TreeLink<double>& link : links) {
        rest.push_back(link_at_rest(model, link));
        composite.push_back(world_inertia(Mat3d::identity(), link.inertia));
    }
    for (int i = static_cast<int>(links.size()) - 1; i >= 0; --i)
        if (links[i].parent >= 0)
            composite[links[i].parent] =
                composite[links[i].parent] + shift_back(rotate(rest[i].X_PL.R, composite[i]), rest[i].X_PL.p);

    int reported = -1;  // the body whose own joints were reported last: once is enough
    for (const Model::Joint& joint : model.joints) {
        if (joint.type == JointType::stretch) continue;
        const Model::Body& body = model.bodies[joint.body];
        const int index = body.link;
        const TreeLink<double>& link = links[index];
        for (int k = 0; k < joint.nv; ++k) {
            const int column = joint.v_adr - link.v_adr + k;
            const Motion<double>& S = rest[index].S[column];
            if (joint.armature > 0) continue;
            const bool own = joint.scene_joint < 0;
            if (!own && !(dot(S, composite[index] * S) > 0)) {
                log.report(codes::E042, joint.where,
                           named("joint", joint.name, joint.scene_joint) + " of body '" + body.name +
                               "' moves no inertia",
                           "give the body, or one beyond it, mass and inertia, or the joint an armature");
                break;
            }
            if (own && !moves_inertia(S, composite[index])) {
                if (std::exchange(reported, joint.body) != joint.body)
                    log.report(codes::E042, joint.where,
                               named("body", body.name, joint.body) +
                                   (joint.type == JointType::hinge
                                        ? " turns by itself but has no inertia about its centre of mass"
                                        : " moves by itself but has no mass"),
                               "give it mass, and inertia if it turns");
                break;
            }
            if (link.joint_count > 1 && independent_share(rest[index].S, column + 1) < 1e-9)
                log.report(codes::W043, joint.where,
                           named("joint", joint.name, joint.scene_joint) +
                               " repeats a motion that the joints before it on body '" +
                               model.bodies[joint.body].name + "' allow already",
                           "the accelerations are not determined; remove it or give it an armature");
        }
    }
}

}  // namespace lig::compiling
