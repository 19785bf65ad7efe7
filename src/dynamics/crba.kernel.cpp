// The composite-rigid-body algorithm: the joint-space inertia M(q), dense and symmetric, row by row.
//
// Column k of M is the force needed for a unit acceleration of freedom k, everything at rest: the composite
// inertia of the subtree moved by S_k, projected on every freedom between there and the root. O(n d) for
// depth d, besides clearing n² zeros. Needs a call of the kinematics kernel for the same q before it.

#include "dynamics/link_motion.h"

namespace lig {
namespace {

using namespace dynamics;

template <class T>
void crba(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, const T*, T* M) {
    const std::ptrdiff_t n = tree.nv;
    for (std::ptrdiff_t k = 0; k < n * n; ++k) M[k] = T(0);
    for (int i = 0; i < tree.nlink; ++i)
        ws.poses[i].composite = world_inertia(ws.links[i].R_WL, tree.links[i].inertia);
    for (int i = tree.nlink - 1; i >= 0; --i) {
        const TreeLink<real_t<T>>& link = tree.links[i];
        const RigidInertia<T>& composite = ws.poses[i].composite;
        for (int k = link.v_adr; k < link.v_adr + link.nv; ++k) {
            Force<T> f = composite * ws.S[k];
            for (int l = link.v_adr; l <= k; ++l) M[n * k + l] = M[n * l + k] = dot(ws.S[l], f);
            M[n * k + k] += T(tree.armature[k]);
            int at = i;
            while (tree.links[at].parent >= 0) {
                f = shift_back(f, ws.links[at].r);
                at = tree.links[at].parent;
                const TreeLink<real_t<T>>& above = tree.links[at];
                for (int l = above.v_adr; l < above.v_adr + above.nv; ++l)
                    M[n * k + l] = M[n * l + k] = dot(ws.S[l], f);
            }
        }
        if (link.parent >= 0) {
            RigidInertia<T>& parent = ws.poses[link.parent].composite;
            parent = parent + shift_back(composite, ws.links[i].r);
        }
    }
}

}  // namespace

namespace LIG_ISA {

void add_crba(KernelTable& table) {
#define LIG_ADD(T) kernels_in<T>(table).crba = &crba<T>;
    LIG_FOR_EACH_SCALAR(LIG_ADD)
#undef LIG_ADD
}

}  // namespace LIG_ISA
}  // namespace lig
