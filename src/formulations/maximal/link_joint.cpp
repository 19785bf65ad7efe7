#include "formulations/maximal/link_joint.h"

#include "core/rotation.h"
#include "joints/joint_list.h"
#include "linalg/small_dense.h"

#include <algorithm>
#include <cmath>

namespace lig::maximal {

namespace {

constexpr int n = max_joint_rows;

// Those that move the frame of a link.
int joints_of(const Tree<double>& tree, const TreeLink<double>& link) {
    return link.stretch < 0 ? link.joint_count : link.joint_count - tree.stretches[link.stretch].count;
}

// The pose of M in F and the motion subspace there, for the coordinates q.
void follow_chain(const Tree<double>& tree, const TreeLink<double>& link, const double* q, Transformd& X,
                  Motion<double>* S) {
    Vec3d origin[n];
    int column = 0;
    X = Transformd::identity();
    for (int j = 0; j < joints_of(tree, link); ++j) {
        const TreeJoint<double>& joint = tree.joints[link.joint_begin + j];
        if (j > 0) X = X * joint.X_PF;
        const joints::LocalCoordinates own(joint, q);
        joints::visit_joint(joint.type, [&](auto kind) {
            using J = decltype(kind);
            Motion<double> local[n];
            J::motion(joints::parameters_of(joint), own.q, local);
            const Mat3d R = X.R;
            X = X * J::pose(joints::parameters_of(joint), own.q);
            for (int k = 0; k < J::nv; ++k) {
                S[column] = rotate(R, local[k]);
                origin[column++] = X.p;
            }
        });
    }
    for (int k = 0; k < column; ++k) S[k] = shift(S[k], X.p - origin[k]);
}

double& entry(Force<double>& f, int k) { return k < 3 ? f.ang[k] : f.lin[k - 3]; }
double product(const Force<double>& a, const Force<double>& b) {
    return dot(a.ang, b.ang) + dot(a.lin, b.lin);
}
Force<double> as_force(const Motion<double>& m) { return {m.ang, m.lin}; }

// W with W S = 1. The columns of one joint are orthogonal to each other, those of several need not be.
void find_inverse(int count, const Motion<double>* S, bool orthogonal, Force<double>* W) {
    if (orthogonal) {
        for (int k = 0; k < count; ++k) {
            const Force<double> s = as_force(S[k]);
            W[k] = (1 / product(s, s)) * s;
        }
        return;
    }
    double gram[n * small_stride];
    for (int i = 0; i < count; ++i)
        for (int j = 0; j <= i; ++j)
            gram[i * small_stride + j] = product(as_force(S[i]), as_force(S[j]));
    cholesky_n<double>(gram, count);
    for (int component = 0; component < 6; ++component) {
        double x[n];
        for (int k = 0; k < count; ++k) x[k] = component < 3 ? S[k].ang[component] : S[k].lin[component - 3];
        cholesky_solve_n<double>(gram, count, x);
        for (int k = 0; k < count; ++k) entry(W[k], component) = x[k];
    }
}

// Unit rows that are orthogonal to the columns of S and to each other.
void find_complement(int count, const Motion<double>* S, Force<double>* N) {
    Force<double> basis[2 * n];
    int size = 0;
    const auto reduce = [&](Force<double> f) {
        for (int pass = 0; pass < 2; ++pass)
            for (int k = 0; k < size; ++k) f = f - product(f, basis[k]) * basis[k];
        return f;
    };
    for (int k = 0; k < count; ++k) {
        const Force<double> rest = reduce(as_force(S[k]));
        const double length = std::sqrt(product(rest, rest));
        if (length > 0) basis[size++] = (1 / length) * rest;
    }
    for (int row = 0; row < n - count; ++row) {
        Force<double> best = Force<double>::zero();
        double largest = 0;
        for (int axis = 0; axis < 6; ++axis) {
            Force<double> unit = Force<double>::zero();
            entry(unit, axis) = 1;
            const Force<double> rest = reduce(unit);
            if (const double length = product(rest, rest); length > 1.01 * largest) {
                largest = length;
                best = rest;
            }
        }
        N[row] = basis[size++] = (1 / std::sqrt(largest)) * best;
    }
}

// From the pose of the coordinates to the one that M has.
Force<double> difference_of(const Transformd& from, const Transformd& to) {
    return {rotation_log(quaternion(to.R * transpose(from.R))), to.p - from.p};
}

constexpr int max_iterations = 30;

// Coordinates of a compound joint for which what is left of the difference is orthogonal to the freedoms.
void fit_coordinates(const Tree<double>& tree, const TreeLink<double>& link, const Transformd& X_FM,
                     double* q, JointFreedoms& freedoms, Force<double>& rest) {
    freedoms.count = link.nv;
    for (int iteration = 0; iteration < max_iterations; ++iteration) {
        Transformd X;
        follow_chain(tree, link, q, X, freedoms.S);
        find_inverse(link.nv, freedoms.S, false, freedoms.W);
        rest = difference_of(X, X_FM);
        double change[n], largest = 0;
        for (int k = 0; k < link.nv; ++k) {
            change[k] = product(freedoms.W[k], rest);
            largest = std::max(largest, std::abs(change[k]));
        }
        if (!(largest > 1e-15 * (1 + std::sqrt(dot(X.p, X.p))))) return;
        for (int j = 0; j < joints_of(tree, link); ++j) {
            const TreeJoint<double>& joint = tree.joints[link.joint_begin + j];
            double* own = q + joint.q_adr;
            joints::visit_joint(joint.type, [&](auto kind) {
                using J = decltype(kind);
                double moved[joints::max_nq];
                J::integrate(own, change + (joint.v_adr - link.v_adr), 1.0, moved);
                std::copy_n(moved, J::nq, own);
            });
        }
    }
}

}  // namespace

int joint_row_count(const Tree<double>& tree, int index) {
    const TreeLink<double>& link = tree.links[index];
    return joints_of(tree, link) == 1 ? joints::joint_info(tree.joints[link.joint_begin].type).rows
                                      : n - link.nv;
}

void find_rows(const Tree<double>& tree, int index, const Transformd& X_FM, const Motion<double>& V_FM,
               double* q, JointRows& out) {
    const TreeLink<double>& link = tree.links[index];
    if (joints_of(tree, link) == 1) {
        const TreeJoint<double>& joint = tree.joints[link.joint_begin];
        const joints::LocalCoordinates near(joint, q);
        joints::visit_joint(joint.type, [&](auto kind) {
            using J = decltype(kind);
            out.count = J::rows;
            if constexpr (J::rows > 0) {
                J::residual(joints::parameters_of(joint), X_FM, near.q, out.C);
                J::jacobian(joints::parameters_of(joint), X_FM, out.G);
                J::jacobian_rate(joints::parameters_of(joint), X_FM, V_FM, out.rate);
            }
        });
        return;
    }
    JointFreedoms freedoms;
    Force<double> rest;
    fit_coordinates(tree, link, X_FM, q, freedoms, rest);
    out.count = n - link.nv;
    find_complement(link.nv, freedoms.S, out.G);
    double v[n];
    for (int k = 0; k < link.nv; ++k) v[k] = dot(V_FM, freedoms.W[k]);
    const Motion<double> turning = freedom_product(tree, index, q, v);
    for (int k = 0; k < out.count; ++k) {
        out.C[k] = product(out.G[k], rest);
        out.rate[k] = -dot(turning, out.G[k]);
    }
}

void find_freedoms(const Tree<double>& tree, int index, const double* q, JointFreedoms& out) {
    const TreeLink<double>& link = tree.links[index];
    Transformd X;
    out.count = frame_freedoms(tree, link);
    follow_chain(tree, link, q, X, out.S);
    find_inverse(out.count, out.S, joints_of(tree, link) == 1, out.W);
}

// M relative to F while v̇ = 0, from joint to joint: Ω, α and the acceleration a of a point.
Motion<double> freedom_product(const Tree<double>& tree, int index, const double* q, const double* own_v) {
    const TreeLink<double>& link = tree.links[index];
    Transformd X = Transformd::identity();
    Vec3d w = Vec3d::zero(), turning = Vec3d::zero(), a = Vec3d::zero();
    const auto carry = [&](const Vec3d& r) { a += cross(turning, r) + cross(w, cross(w, r)); };
    for (int j = 0; j < joints_of(tree, link); ++j) {
        const TreeJoint<double>& joint = tree.joints[link.joint_begin + j];
        if (j > 0) {
            carry(X.R * joint.X_PF.p);
            X = X * joint.X_PF;
        }
        const joints::LocalCoordinates own(joint, q);
        joints::visit_joint(joint.type, [&](auto kind) {
            using J = decltype(kind);
            const double* v = own_v + (joint.v_adr - link.v_adr);
            Motion<double> S[n], velocity = Motion<double>::zero();
            J::motion(joints::parameters_of(joint), own.q, S);
            for (int k = 0; k < J::nv; ++k) velocity += v[k] * S[k];
            const Motion<double> moving = rotate(X.R, velocity);
            const Motion<double> second =
                rotate(X.R, J::velocity_product(joints::parameters_of(joint), own.q, v));
            const Transformd step = J::pose(joints::parameters_of(joint), own.q);
            carry(X.R * step.p);
            a += 2 * cross(w, moving.lin) + second.lin;
            turning += second.ang + cross(w, moving.ang);
            w += moving.ang;
            X = X * step;
        });
    }
    return {turning, a};
}

void read_coordinates(const Tree<double>& tree, int index, const Transformd& X_FM, double* q) {
    const TreeLink<double>& link = tree.links[index];
    if (joints_of(tree, link) == 1) {
        const TreeJoint<double>& joint = tree.joints[link.joint_begin];
        const joints::LocalCoordinates near(joint, q);
        joints::visit_joint(joint.type, [&](auto kind) {
            using J = decltype(kind);
            double read[joints::max_nq];
            J::coordinates(joints::parameters_of(joint), X_FM, near.q, read);
            for (int k = 0; k < J::nq; ++k)
                q[joint.q_adr + k] = read[k] + (J::nq == 1 ? joint.reference : 0.0);
        });
        return;
    }
    JointFreedoms freedoms;
    Force<double> rest;
    fit_coordinates(tree, link, X_FM, q, freedoms, rest);
}

}  // namespace lig::maximal
