// The recursive Newton–Euler algorithm: forces from accelerations in O(n).
//
// Computed: tau = M(q) v̇ + h(q, v) − Jᵀ f_ext. Two passes over the links: motions outwards, forces inwards.
// World axes and ordinary accelerations, as in aba.kernel.cpp.

#include "dynamics/link_motion.h"

namespace lig {
namespace {

using namespace dynamics;

template <class T>
LIG_INLINE void project(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, int i, const T* qacc,
                        T* tau) {
    using Kernel = typename TreeLink<real_t<T>>::Kernel;
    const TreeLink<real_t<T>>& link = tree.links[i];
    const LinkWork<T>& work = ws.links[i];
    const int at = link.v_adr;
    switch (link.kernel) {
        case Kernel::hinge: tau[at] = dot(work.R_WL.z, work.f.ang); break;
        case Kernel::slide: tau[at] = dot(work.R_WL.z, work.f.lin); break;
        case Kernel::ball: {
            const Vec3<T> n = transpose_mul(work.R_WL, work.f.ang);
            for (int k = 0; k < 3; ++k) tau[at + k] = n[k];
            break;
        }
        case Kernel::free:
        case Kernel::general:
            for (int k = at; k < at + link.nv; ++k) tau[k] = dot(ws.S[k], work.f);
            break;
    }
    for (int k = at; k < at + link.nv; ++k) tau[k] += T(tree.armature[k]) * qacc[k];
}

template <class T>
void rnea(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, const T* q, const T* v, const T* qacc,
          T* tau) {
    sines_and_cosines(tree, ws, q);
    for (int i = 0; i < tree.nlink; ++i) {
        outward_motion(tree, ws, i, q, v, qacc);
        LinkWork<T>& work = ws.links[i];
        work.f = rigid_force(world_inertia(work.R_WL, tree.links[i].inertia), work.w, work.a0);
        if (ws.f_ext) work.f -= ws.f_ext[i];
    }
    for (int i = tree.nlink - 1; i >= 0; --i) {
        project(tree, ws, i, qacc, tau);
        const int parent = tree.links[i].parent;
        if (parent >= 0) ws.links[parent].f += shift_back(ws.links[i].f, ws.links[i].r);
    }
}

}  // namespace

namespace LIG_ISA {

void add_rnea(KernelTable& table) {
#define LIG_ADD(T) kernels_in<T>(table).rnea = &rnea<T>;
    LIG_FOR_EACH_SCALAR(LIG_ADD)
#undef LIG_ADD
}

}  // namespace LIG_ISA
}  // namespace lig
