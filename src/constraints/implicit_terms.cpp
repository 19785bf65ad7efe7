#include "constraints/implicit_terms.h"

#include "constraints/soft_row.h"
#include "dynamics/rotation_spring.h"
#include "dynamics/stretches.h"
#include "joints/joint_list.h"
#include "linalg/semidefinite_part.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

struct Job {
    const std::vector<double>& v;
    double h;
    JointTerms& terms;
    std::span<double> x;

    void add(int row, int column, double weight) {
        terms.added[terms.added_at(row, column)] += weight;
    }

    void add_damping(const Model::Joint& joint) {
        for (int dof = joint.v_adr; dof < joint.v_adr + joint.nv; ++dof)
            add(dof, dof, h * slope_at(joint.damping, joint.damping_poly, std::abs(v[dof])));
    }

    void add_stiffness(int dof, double stiffness) {
        add(dof, dof, h * h * stiffness);
        x[dof] -= h * h * stiffness * v[dof];
    }

    // K = across 1 + (along − across) n nᵀ at three velocities.
    void add_stiffness(int first, const double* displacement, const Model::Joint& joint) {
        const Vec3d d{displacement[0], displacement[1], displacement[2]};
        const double size = std::sqrt(dot(d, d));
        const double across = std::max(stiffness_at(joint.stiffness, joint.stiffness_poly, size), 0.0);
        for (int k = 0; k < 3; ++k) add_stiffness(first + k, across);
        const double excess = slope_at(joint.stiffness, joint.stiffness_poly, size) - across;
        if (excess == 0 || size == 0) return;
        const Vec3d n = (1 / size) * d;
        const double speed = n.x * v[first] + n.y * v[first + 1] + n.z * v[first + 2];
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l <= k; ++l) add(first + k, first + l, h * h * excess * n[k] * n[l]);
            x[first + k] -= h * h * excess * speed * n[k];
        }
    }

    void add_axis_spring(const Model::Joint& joint, const double* q, const double* rest) {
        const auto& [stiffness, R_MS] = *joint.axis_spring;
        Vec3d e;
        joints::Ball::difference(rest, q, &e.x);
        const Mat3d K = rotate(R_MS, rotation_spring_return(stiffness, transpose_mul(R_MS, e))).full();
        const Vec3d pull = K * Vec3d{v[joint.v_adr], v[joint.v_adr + 1], v[joint.v_adr + 2]};
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l <= k; ++l) add(joint.v_adr + k, joint.v_adr + l, h * h * K(k, l));
            x[joint.v_adr + k] -= h * h * pull[k];
        }
    }

    void add_spring(const Model::Joint& joint, const double* q, const double* rest) {
        double displacement[joints::max_nv];
        joints::visit_joint(joint.type,
                            [&](auto kind) { decltype(kind)::difference(rest, q, displacement); });
        if (joint.type == JointType::ball || joint.type == JointType::free) {
            for (int k = 0; k < joint.nv; k += 3) add_stiffness(joint.v_adr + k, displacement + k, joint);
            return;
        }
        for (int k = 0; k < joint.nv; ++k)
            add_stiffness(joint.v_adr + k, slope_at(joint.stiffness, joint.stiffness_poly, displacement[k]));
    }

    void add_bulk(const Model::Deforming& body, int first, const Switches& enabled) {
        const double weight = (enabled.spring ? h * h * body.bulk : 0.0) +
                              (enabled.damper ? h * body.bulk_damping : 0.0);
        const double speed = v[first] + v[first + 1] + v[first + 2];
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l <= k; ++l) add(first + k, first + l, weight);
            if (enabled.spring) x[first + k] -= h * h * body.bulk * speed;
        }
    }

    // Of a program's kind: its damping, and its stiffness without what is negative of it.
    void add_own_law(const bodies::Modal& own, int first, ShapeForces& forces, const Switches& enabled) {
        const int n = own.count;
        double K[bodies::Modal::max_count * bodies::Modal::max_count];
        for (int k = 0; k < n; ++k)
            for (int l = 0; l < n; ++l)
                K[k * n + l] = 0.5 * (forces.stiffness[k][l] + forces.stiffness[l][k]);
        make_semidefinite(n, K);
        for (int k = 0; k < n; ++k)
            for (int l = 0; l < n; ++l) {
                if (enabled.spring) x[first + k] -= h * h * K[k * n + l] * v[first + l];
                if (l > k) continue;
                add(first + k, first + l,
                    (enabled.spring ? h * h * K[k * n + l] : 0.0) +
                        (enabled.damper ? h * own.damping[k][l] : 0.0));
            }
    }
};

}  // namespace

void add_implicit_terms(const JointState<double>& state, const Model& model, double h, JointTerms& terms,
                        std::span<double> x) {
    Job job{state.v, h, terms, x};
    for (const Model::Joint& joint : model.joints) {
        if (model.options.enabled.damper && !is_zero(joint.damping, joint.damping_poly))
            job.add_damping(joint);
        if (!model.options.enabled.spring) continue;
        const double *q = state.q.data() + joint.q_adr, *rest = model.q_spring.data() + joint.q_adr;
        if (joint.axis_spring)
            job.add_axis_spring(joint, q, rest);
        else if (!is_zero(joint.stiffness, joint.stiffness_poly))
            job.add_spring(joint, q, rest);
    }
    for_each_bulk(state, model, [&](const Model::Deforming& body, double, int first) {
        job.add_bulk(body, first, model.options.enabled);
    });
    for_each_own_law(state, model, [&](const bodies::Modal& own, int first, ShapeForces& forces, int) {
        job.add_own_law(own, first, forces, model.options.enabled);
    });
}

}  // namespace lig
