// Featherstone's articulated-body algorithm: accelerations from forces in O(n).
//
// Solved:   M(q) v̇ + h(q, v) = tau + Jᵀ f_ext
// Unknowns: v̇. Cost: three passes over the links, about 500 flops for a link on a hinge.
// Not here: loops, limits, contacts; springs and dampers are part of tau.
//
// In Kokkevis 2004, sec. 3: ABM Accelerations; lines 4–8 are outward_motion (link_motion.h), 10–19 eliminate,
// 20–25 accelerate.
//
// Departures from the book (Featherstone 2008, ch. 7):
// - World axes, origins on the links (see articulated_inertia.h).
// - Ordinary accelerations of the origins, so linear velocities are not needed.
// - The accelerations that are left at v̇ = 0 (velocity products and gravity) are carried outwards first and
// put into the
//   rigid bodies' bias forces. The elimination then runs without the book's c: pA + Ia c becomes pA, and what
//   the last pass carries is the acceleration beyond a0.
// - A freedom leaves behind W = D⁻¹ Uᵀ and y = D⁻¹ u; the last pass is then v̇ = y − W a.
// - Balls and free joints are eliminated whole, in the basis of the world's axes: with S = (1, 0), U = (A,
// Bᵀ) and D = A.

#include "core/articulated_inertia.h"
#include "dynamics/link_motion.h"
#include "linalg/small_dense.h"
#include "linalg/sym_factor3.h"

namespace lig {
namespace {

using namespace dynamics;

template <class T>
using Link = TreeLink<real_t<T>>;

// The axes of F of a free joint.
template <class T>
LIG_INLINE Mat3<T> parent_rotation(const TreeView<real_t<T>>& tree, const WorkView<T>& ws,
                                   const Link<T>& link) {
    const Mat3<T> R_WP = link.parent >= 0 ? ws.links[link.parent].R_WL : ws.bases[-1 - link.parent].X_WL.R;
    return R_WP * lift<T>(tree.joints[link.joint_begin].X_PF.R);
}

template <class T>
struct Subtree {
    ArticulatedInertia<T> IA;
    Force<T> pA;
};

// One freedom along `axis`, turning or sliding.
template <bool turning, class T>
LIG_INLINE void eliminate_axis(Subtree<T>& s, const Vec3<T>& axis, const T& tau, const T& armature,
                               DofWork<T>& dof) {
    const ArticulatedInertia<T>& IA = s.IA;
    const Force<T> U =
        turning ? Force<T>{IA.A * axis, transpose_mul(IA.B, axis)} : Force<T>{IA.B * axis, IA.C * axis};
    const T D = dot(axis, turning ? U.ang : U.lin) + armature;
    const T u = tau - dot(axis, turning ? s.pA.ang : s.pA.lin);
    const T d = T(1) / D;
    const Force<T> W = d * U;
    dof.W = W;
    dof.y = d * u;
    s.pA += u * W;
    s.IA.subtract_outer(U, W);
}

// Three, of a turning about L: D = A in world axes, W = (1, K) with K = A⁻¹ B, Ia = (0, 0, C − Bᵀ K), and the
// moment of pA becomes tau. Goes out at the parent, by r.
template <class T>
LIG_INLINE void eliminate_ball(Subtree<T>& s, const Mat3<T>& R_WL, const Vec3<T>& r, const T* tau,
                               DofWork<T>* dofs) {
    const Vec3<T> tau_W = R_WL * Vec3<T>{tau[0], tau[1], tau[2]};
    const Vec3<T> u = tau_W - s.pA.ang;
    const SymFactor3<T> D = factor(s.IA.A);
    const Mat3<T> K = {solve(D, s.IA.B.x), solve(D, s.IA.B.y), solve(D, s.IA.B.z)};
    const Vec3<T> y = solve(D, u);
    for (int k = 0; k < 3; ++k) {
        dofs[k].W.lin = {K.x[k], K.y[k], K.z[k]};
        dofs[k].y = y[k];
    }
    const Mat3<T>& B = s.IA.B;
    const Sym3<T>& C = s.IA.C;
    const Sym3<T> Ca = {C.xx - dot(B.x, K.x), C.yy - dot(B.y, K.y), C.zz - dot(B.z, K.z),
                        C.xy - dot(B.x, K.y), C.xz - dot(B.x, K.z), C.yz - dot(B.y, K.z)};
    s = {shift_back(Ca, r), shift_back(Force<T>{tau_W, s.pA.lin + transpose_mul(B, y)}, r)};
}

// All six: the link accelerates by IA⁻¹ (f_tau − pA), and the parent feels f_tau alone.
template <class T>
LIG_INLINE void eliminate_free(Subtree<T>& s, const Mat3<T>& R_WF, const Mat3<T>& R_WL, const Vec3<T>& r,
                               const T* tau, DofWork<T>* dofs) {
    const Force<T> f_tau = {R_WL * Vec3<T>{tau[3], tau[4], tau[5]},
                            R_WF * Vec3<T>{tau[0], tau[1], tau[2]}};
    const Force<T> u = f_tau - s.pA;
    const SymFactor3<T> C = factor(s.IA.C);
    const Mat3<T> Bt = transpose(s.IA.B);
    const Mat3<T> K = {solve(C, Bt.x), solve(C, Bt.y), solve(C, Bt.z)};  // C⁻¹ Bᵀ
    const Mat3<T>& B = s.IA.B;
    const Mat3<T> BK = {B * K.x, B * K.y, B * K.z};
    const Sym3<T>& A = s.IA.A;
    const Sym3<T> Aa = {A.xx - BK.x.x, A.yy - BK.y.y, A.zz - BK.z.z,
                        A.xy - BK.y.x, A.xz - BK.z.x, A.yz - BK.z.y};
    const Vec3<T> y_lin = solve(C, u.lin);
    const Vec3<T> alpha = solve(factor(Aa), u.ang - B * y_lin);
    const Vec3<T> a = y_lin - K * alpha;
    for (int k = 0; k < 3; ++k) {
        dofs[k].y = alpha[k];
        dofs[3 + k].y = a[k];
    }
    s = {ArticulatedInertia<T>::zero(), shift_back(f_tau, r)};
}

// Any number of freedoms up to six; S about L in world axes.
template <class T>
LIG_INLINE void eliminate_general(Subtree<T>& s, const Link<T>& link, const Motion<T>* S, const T* tau,
                                  const real_t<T>* armature, DofWork<T>* dofs) {
    const int n = link.nv;
    Force<T> U[6];
    T D[6 * small_stride];
    T x[6][7];  // row k: W_k, then y_k
    for (int k = 0; k < n; ++k) {
        U[k] = s.IA * S[k];
        for (int c = 0; c < 3; ++c) {
            x[k][c] = U[k].ang[c];
            x[k][3 + c] = U[k].lin[c];
        }
        x[k][6] = tau[k] - dot(S[k], s.pA);
    }
    for (int k = 0; k < n; ++k) {
        for (int l = 0; l <= k; ++l) D[small_stride * k + l] = dot(S[k], U[l]);
        D[small_stride * k + k] += T(armature[k]);
    }
    ldlt_n(D, n);
    ldlt_solve_n(D, n, &x[0][0], 7, 7);
    for (int k = 0; k < n; ++k) {
        dofs[k].W = {{x[k][0], x[k][1], x[k][2]}, {x[k][3], x[k][4], x[k][5]}};
        dofs[k].y = x[k][6];
        s.pA += x[k][6] * U[k];
        s.IA.subtract_outer(U[k], dofs[k].W);
    }
}

template <class T>
LIG_INLINE void add_to_branch(const WorkView<T>& ws, int parent, const Subtree<T>& s) {
    BranchWork<T>& branch = ws.branches[parent];
    branch.A += s.IA.A;
    branch.B = branch.B + s.IA.B;
    branch.C += s.IA.C;
    branch.pA += s.pA;
}

// Takes link i out of the system: `s` comes in as what the next link handed over (when it is a child of i)
// and goes out as what i hands to its parent.
template <class T>
LIG_INLINE void eliminate(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, int i, const T* tau,
                          Subtree<T>& s, bool s_is_child) {
    using Kernel = typename Link<T>::Kernel;
    const Link<T>& link = tree.links[i];
    const LinkWork<T>& work = ws.links[i];
    const RigidInertia<T> rigid = world_inertia(work.R_WL, link.inertia);
    Force<T> bias = rigid_force(rigid, work.w, work.a0);
    if (ws.f_ext) bias -= ws.f_ext[i];
    if (s_is_child) {
        s.IA.add_rigid(rigid);
        s.pA += bias;
    } else {
        s = {ArticulatedInertia<T>::of_rigid(rigid), bias};
    }
    if (link.has_other_children) {
        const BranchWork<T>& branch = ws.branches[i];
        s.IA += {branch.A, branch.B, branch.C};
        s.pA += branch.pA;
    }

    tau += link.v_adr;
    const real_t<T>* armature = tree.armature + link.v_adr;
    DofWork<T>* dofs = ws.dofs + link.v_adr;
    const Vec3<T>& r = work.r;
    switch (link.kernel) {
        case Kernel::hinge:
            eliminate_axis<true>(s, work.R_WL.z, tau[0], T(armature[0]), dofs[0]);
            if (link.parent >= 0) s = {shift_back(s.IA, r), shift_back(s.pA, r)};
            break;
        case Kernel::slide:
            eliminate_axis<false>(s, work.R_WL.z, tau[0], T(armature[0]), dofs[0]);
            s = {shift_back(s.IA, r), shift_back(s.pA, r)};
            break;
        case Kernel::ball: eliminate_ball(s, work.R_WL, r, tau, dofs); break;
        case Kernel::free:
            eliminate_free(s, parent_rotation(tree, ws, link), work.R_WL, r, tau, dofs);
            break;
        case Kernel::general:
            eliminate_general(s, link, ws.S + link.v_adr, tau, armature, dofs);
            s = {shift_back(s.IA, r), shift_back(s.pA, r)};
            break;
    }
}

// From the acceleration (beyond a0) of the parent at L to v̇ and the link's own.
template <class T>
LIG_INLINE void accelerate(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, int i, Motion<T>& a,
                           T* qacc) {
    using Kernel = typename Link<T>::Kernel;
    const Link<T>& link = tree.links[i];
    const LinkWork<T>& work = ws.links[i];
    const DofWork<T>* dofs = ws.dofs + link.v_adr;
    qacc += link.v_adr;
    switch (link.kernel) {
        case Kernel::hinge: {
            const T acc = dofs[0].y - dot(a, dofs[0].W);
            qacc[0] = acc;
            a.ang += acc * work.R_WL.z;
            break;
        }
        case Kernel::slide: {
            const T acc = dofs[0].y - dot(a, dofs[0].W);
            qacc[0] = acc;
            a.lin += acc * work.R_WL.z;
            break;
        }
        case Kernel::ball: {
            const Vec3<T> alpha = {dofs[0].y - dot(dofs[0].W.lin, a.lin),
                                   dofs[1].y - dot(dofs[1].W.lin, a.lin),
                                   dofs[2].y - dot(dofs[2].W.lin, a.lin)};
            const Vec3<T> acc = transpose_mul(work.R_WL, alpha - a.ang);
            for (int k = 0; k < 3; ++k) qacc[k] = acc[k];
            // Not alpha itself: what is carried on has to include the rounding of v̇, so that the links
            // beyond correct it.
            a.ang += work.R_WL * acc;
            break;
        }
        case Kernel::free: {
            const Motion<T> own = {{dofs[0].y, dofs[1].y, dofs[2].y}, {dofs[3].y, dofs[4].y, dofs[5].y}};
            const Motion<T> relative = own - a;
            const Mat3<T> R_WF = parent_rotation(tree, ws, link);
            const Vec3<T> lin = transpose_mul(R_WF, relative.lin);
            const Vec3<T> ang = transpose_mul(work.R_WL, relative.ang);
            for (int k = 0; k < 3; ++k) {
                qacc[k] = lin[k];
                qacc[3 + k] = ang[k];
            }
            a += {work.R_WL * ang, R_WF * lin};
            break;
        }
        case Kernel::general: {
            const Motion<T> before = a;
            for (int k = 0; k < link.nv; ++k) {
                const T acc = dofs[k].y - dot(before, dofs[k].W);
                qacc[k] = acc;
                a += acc * ws.S[link.v_adr + k];
            }
            break;
        }
    }
}

template <class T>
void aba(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, const T* q, const T* v, const T* tau,
         T* qacc) {
    sines_and_cosines(tree, ws, q);
    for (int i = 0; i < tree.nlink; ++i) {
        outward_motion<T>(tree, ws, i, q, v, nullptr);
        if (tree.links[i].has_other_children) ws.branches[i].clear();
    }

    Subtree<T> s;
    bool s_is_child = false;
    for (int i = tree.nlink - 1; i >= 0; --i) {
        eliminate(tree, ws, i, tau, s, s_is_child);
        const Link<T>& link = tree.links[i];
        s_is_child = link.carries_parent;
        if (!s_is_child && link.parent >= 0) add_to_branch(ws, link.parent, s);
    }

    Motion<T> a = Motion<T>::zero();
    for (int i = 0; i < tree.nlink; ++i) {
        const Link<T>& link = tree.links[i];
        if (!link.carries_parent) a = link.parent >= 0 ? ws.branches[link.parent].a : Motion<T>::zero();
        a = shift(a, ws.links[i].r);
        accelerate(tree, ws, i, a, qacc);
        if (link.has_other_children) ws.branches[i].a = a;
    }
}

}  // namespace

namespace LIG_ISA {

void add_aba(KernelTable& table) {
#define LIG_ADD(T) kernels_in<T>(table).aba = &aba<T>;
    LIG_FOR_EACH_SCALAR(LIG_ADD)
#undef LIG_ADD
}

}  // namespace LIG_ISA
}  // namespace lig
