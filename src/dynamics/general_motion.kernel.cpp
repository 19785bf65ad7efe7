// The step outwards for links on joints of any kind, joint by joint: a compound joint is the composition of
// its joints. In a file of its own because the switch over all joint kinds is most of the machine code of the
// recursions.

#include "dynamics/link_motion.h"
#include "joints/joint_list.h"

namespace lig {
namespace {

using namespace dynamics;

// What a joint says at a configuration, in the axes of F. The switch over the kinds ends here.
template <class T>
struct JointMotion {
    Transform<T> X_FM;
    Motion<T> S[joints::max_nv];
    Motion<T> c;  // Ṡ v
    int nv;
};

template <class T>
LIG_INLINE JointMotion<T> joint_motion(const TreeJoint<real_t<T>>& joint, const T* q, const T* v) {
    JointMotion<T> out;
    joints::visit_joint(joint.type, [&](auto kind) LIG_INLINE_LAMBDA {
        using J = decltype(kind);
        const joints::Parameters<T> parameters = joints::parameters_of<T>(joint);
        // Joints of one coordinate count it from the reference configuration.
        T local[J::nq > 0 ? J::nq : 1];
        for (int k = 0; k < J::nq; ++k) local[k] = q[joint.q_adr + k];
        if constexpr (J::nq == 1) local[0] -= T(joint.reference);
        out.X_FM = J::pose(parameters, local);
        J::motion(parameters, local, out.S);
        out.c = v ? J::velocity_product(parameters, local, v + joint.v_adr) : Motion<T>::zero();
        out.nv = J::nv;
    });
    return out;
}

template <class T>
void general_motion(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, int i, const T* q, const T* v,
                    const T* qacc) {
    const TreeLink<real_t<T>>& link = tree.links[i];
    Motion<T>* const S = ws.S;
    Carried<T> at = carried_from(ws, link.parent);
    Vec3<T> r = Vec3<T>::zero();
    for (int j = link.joint_begin; j < link.joint_begin + link.joint_count; ++j) {
        const TreeJoint<real_t<T>>& joint = tree.joints[j];
        const JointMotion<T> motion = joint_motion<T>(joint, q, v);
        const Mat3<T> R_WF = at.R * lift<T>(joint.X_PF.R);
        const Vec3<T> step = at.R * lift<T>(joint.X_PF.p) + R_WF * motion.X_FM.p;

        // The columns of the joints before this one now refer to the new origin.
        for (int k = link.v_adr; k < joint.v_adr; ++k) S[k] = shift(S[k], step);
        Motion<T> relative = Motion<T>::zero();
        Motion<T> gained = rotate(R_WF, motion.c);
        for (int k = 0; k < motion.nv; ++k) {
            const int dof = joint.v_adr + k;
            S[dof] = rotate(R_WF, motion.S[k]);
            if (v) relative += v[dof] * S[dof];
            if (qacc) gained += qacc[dof] * S[dof];
        }
        at.a = {at.a.ang + cross(at.w, relative.ang) + gained.ang,
                at.a.lin + cross(at.a.ang, step) + centripetal(at.w, step) +
                    T(2) * cross(at.w, relative.lin) + gained.lin};
        at.w += relative.ang;
        at.R = R_WF * motion.X_FM.R;
        r += step;
    }
    LinkWork<T>& out = ws.links[i];
    out.R_WL = at.R;
    out.r = r;
    out.w = at.w;
    out.a0 = at.a;
}

}  // namespace

namespace LIG_ISA {

#define LIG_DEFINE(T)                                                                                  \
    void outward_general(const TreeView<real_t<T>>& tree, const WorkView<T>& ws, int link, const T* q, \
                         const T* v, const T* qacc) {                                                  \
        general_motion<T>(tree, ws, link, q, v, qacc);                                                 \
    }
LIG_FOR_EACH_SCALAR(LIG_DEFINE)
#undef LIG_DEFINE

}  // namespace LIG_ISA
}  // namespace lig
