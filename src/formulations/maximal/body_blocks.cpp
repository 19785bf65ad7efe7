// Stiffness and damping as blocks of bodies and between them.

#include "bodies/body_list.h"
#include "formulations/maximal/body_matrix.h"
#include "linalg/small_dense.h"

namespace lig::maximal {

void BodyMatrix::add_freedom_block(int link, const double* k) {
    const int count = poses_.freedoms(link).count, parent = tree_.links[link].parent;
    const int nc = K_.dim(link), np = parent >= 0 ? K_.dim(parent) : 0;
    double own[max_joint_rows][bodies::max_body_dim], before[max_joint_rows][bodies::max_body_dim];
    const Vec3d& p = poses_.workspace().poses[link].X_WL.p;
    for (int a = 0; a < count; ++a) {
        const Force<double> f = rotate(poses_.joint_axes(link), poses_.freedoms(link).W[a]);
        graph_.project(link, shift_back(f, p - poses_.centre(link)), own[a]);
        if (parent >= 0) graph_.project(parent, -shift_back(f, p - poses_.centre(parent)), before[a]);
    }
    double *C = K_.diagonal(link), *P = parent >= 0 ? K_.diagonal(parent) : nullptr;
    double* E = parent >= 0 ? K_.edge(graph_.link(link).body_edge) : nullptr;
    for (int a = 0; a < count; ++a) {
        // k W, of row a
        double c[bodies::max_body_dim] = {}, q[bodies::max_body_dim] = {};
        bool any = false;
        for (int b = 0; b < count; ++b) {
            const double value = k[a * small_stride + b];
            if (value == 0) continue;
            any = true;
            for (int y = 0; y < nc; ++y) c[y] += value * own[b][y];
            for (int y = 0; y < np; ++y) q[y] += value * before[b][y];
        }
        if (!any) continue;
        for (int x = 0; x < nc; ++x)
            for (int y = 0; y < nc; ++y) C[x * nc + y] += own[a][x] * c[y];
        for (int x = 0; x < nc; ++x)
            for (int y = 0; y < np; ++y) E[x * np + y] += own[a][x] * q[y];
        for (int x = 0; x < np; ++x)
            for (int y = 0; y < np; ++y) P[x * np + y] += before[a][x] * q[y];
    }
}

void BodyMatrix::add_stretch_terms(const JointTerms& terms) {
    for (const TreeStretch& own : tree_.stretches) {
        const int dim = K_.dim(own.link);
        double* const D = K_.diagonal(own.link);
        for (int a = 0; a < own.count; ++a)
            for (int b = 0; b < own.count; ++b)
                D[(6 + a) * dim + 6 + b] += terms.added[terms.added_at(own.v_adr + a, own.v_adr + b)];
    }
}

// Φᵀ K Φ: the columns of K Φ are the forces that motions of the body cause.
template <class ForceOf>
void BodyMatrix::add_block(int link, ForceOf&& force_of) {
    const int dim = K_.dim(link);
    double* D = K_.diagonal(link);
    double unit[bodies::max_body_dim] = {}, column[bodies::max_body_dim];
    for (int c = 0; c < dim; ++c) {
        unit[c] = 1;
        Motion<double> V;
        graph_.visit(link, [&](auto kind) { V = kind.expand(unit); });
        unit[c] = 0;
        graph_.project(link, force_of(V), column);
        for (int r = 0; r < dim; ++r) D[r * dim + c] += column[r];
    }
}

void BodyMatrix::add_turning_block(int link, const Sym3d& k) {
    if (graph_.link(link).kind == BodyKind::rigid) {
        double* D = K_.diagonal(link);
        const double rows[3][3] = {{k.xx, k.xy, k.xz}, {k.xy, k.yy, k.yz}, {k.xz, k.yz, k.zz}};
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) D[r * 6 + c] += rows[r][c];
        return;
    }
    add_block(link, [&](const Motion<double>& V) { return Force<double>{k * V.ang, Vec3d::zero()}; });
}

void BodyMatrix::add_turning_pair(int link, const Sym3d& k) {
    const int parent = tree_.links[link].parent;
    add_turning_block(link, k);
    if (parent < 0) return;
    add_turning_block(parent, k);
    double* E = K_.edge(graph_.link(link).body_edge);
    if (graph_.link(link).kind == BodyKind::rigid && graph_.link(parent).kind == BodyKind::rigid) {
        const double rows[3][3] = {{k.xx, k.xy, k.xz}, {k.xy, k.yy, k.yz}, {k.xz, k.yz, k.zz}};
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) E[r * 6 + c] -= rows[r][c];
        return;
    }
    const int nc = K_.dim(link), np = K_.dim(parent);
    double unit[bodies::max_body_dim] = {}, column[bodies::max_body_dim];
    for (int c = 0; c < np; ++c) {
        unit[c] = 1;
        Motion<double> V;
        graph_.visit(parent, [&](auto kind) { V = kind.expand(unit); });
        unit[c] = 0;
        graph_.project(link, {k * V.ang, Vec3d::zero()}, column);
        for (int r = 0; r < nc; ++r) E[r * np + c] -= column[r];
    }
}

void BodyMatrix::add_point_block(int link, const Vec3d& arm, const Sym3d& k) {
    if (graph_.link(link).kind == BodyKind::rigid) {
        // Jᵀ K J with J = (−[r]× 1): columns of K J are forces at the point.
        double* D = K_.diagonal(link);
        const Mat3d K = k.full();
        const Vec3d columns[6] = {K * cross(Vec3d{1, 0, 0}, arm), K * cross(Vec3d{0, 1, 0}, arm),
                                  K * cross(Vec3d{0, 0, 1}, arm), K.x, K.y, K.z};
        for (int c = 0; c < 6; ++c) {
            const Vec3d moment = cross(arm, columns[c]);
            for (int r = 0; r < 3; ++r) {
                D[r * 6 + c] += moment[r];
                D[(3 + r) * 6 + c] += columns[c][r];
            }
        }
        return;
    }
    add_block(link, [&](const Motion<double>& V) {
        const Vec3d f = k * (V.lin + cross(V.ang, arm));
        return Force<double>{cross(arm, f), f};
    });
}

}  // namespace lig::maximal
