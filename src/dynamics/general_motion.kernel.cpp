// The step outwards for links on joints of any kind, joint by joint: a compound joint is the composition of its joints. In a file
// of its own because the switch over all joint kinds is most of the machine code of the recursions.

#include "dynamics/link_motion.h"
#include "joints/joint_list.h"

namespace lig {
namespace {

using namespace dynamics;

// The coordinates of a joint as its pose function wants them: counted from the reference configuration.
template <class J, class T, class R>
LIG_INLINE void local_coordinates(const TreeJoint<R>& joint, const T* q, T* out) {
    for (int k = 0; k < J::nq; ++k) out[k] = q[joint.q_adr + k];
    if constexpr (J::nq == 1) out[0] -= T(joint.reference);
}

template <class T>
LIG_INLINE void general_motion(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, int i, const T* q, const T* v,
                               const T* qacc) {
    const TreeLink<real_t<T>>& link = tree.links[i];
    Motion<T>* const S = ws.S;
    Carried<T> at = carried_from(ws, link.parent);
    Vec3<T> r = Vec3<T>::zero();
    for (int j = link.joint_begin; j < link.joint_begin + link.joint_count; ++j) {
        const TreeJoint<real_t<T>>& joint = tree.joints[j];
        joints::visit_joint(joint.type, [&](auto kind) LIG_INLINE_LAMBDA {
            using J = decltype(kind);
            const joints::Parameters<T> parameters{T(joint.pitch)};
            T local[J::nq > 0 ? J::nq : 1];
            local_coordinates<J>(joint, q, local);
            const Transform<T> X_FM = J::pose(parameters, local);
            const Mat3<T> R_WF = at.R * lift<T>(joint.X_PF.R);
            const Vec3<T> step = at.R * lift<T>(joint.X_PF.p) + R_WF * X_FM.p;

            // The columns of the joints before this one now refer to the new origin.
            for (int k = link.v_adr; k < joint.v_adr; ++k) S[k] = shift(S[k], step);
            Motion<T> columns[J::nv > 0 ? J::nv : 1];
            J::motion(parameters, local, columns);
            for (int k = 0; k < J::nv; ++k) S[joint.v_adr + k] = rotate(R_WF, columns[k]);

            if (v) {
                Motion<T> relative = Motion<T>::zero();
                for (int k = 0; k < J::nv; ++k) relative += v[joint.v_adr + k] * S[joint.v_adr + k];
                Motion<T> gained = rotate(R_WF, J::velocity_product(parameters, local, v + joint.v_adr));
                if (qacc)
                    for (int k = 0; k < J::nv; ++k) gained += qacc[joint.v_adr + k] * S[joint.v_adr + k];
                at.a = {at.a.ang + cross(at.w, relative.ang) + gained.ang,
                        at.a.lin + cross(at.a.ang, step) + centripetal(at.w, step) +
                            T(2) * cross(at.w, relative.lin) + gained.lin};
                at.w += relative.ang;
            }
            at.R = R_WF * X_FM.R;
            r += step;
        });
    }
    LinkWork<T>& out = ws.links[i];
    out.R_WL = at.R;
    out.r = r;
    out.w = at.w;
    out.a0 = at.a;
}

}  // namespace

namespace LIG_ISA {

#define LIG_DEFINE(T)                                                                                               \
    void outward_general(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, int link, const T* q, const T* v, \
                         const T* qacc) {                                                                           \
        general_motion<T>(tree, ws, link, q, v, qacc);                                                              \
    }
LIG_FOR_EACH_SCALAR(LIG_DEFINE)
#undef LIG_DEFINE

}  // namespace LIG_ISA
}  // namespace lig
