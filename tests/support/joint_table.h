#pragma once

// The joints of joint_list.h as tables of plain functions, so that tests over all of them are ordinary loops
// and compile each joint once.

#include "joints/joint_list.h"

#include <vector>

namespace lig::test {

template <class T>
struct JointFunctions {
    joints::JointInfo info;
    Transform<T> (*pose)(const joints::Parameters<T>&, const T* q);
    void (*motion)(const joints::Parameters<T>&, const T* q, Motion<T>* S);
    Motion<T> (*velocity_product)(const joints::Parameters<T>&, const T* q, const T* v);
    void (*integrate)(const T* q, const T* v, const T& h, T* out);
    void (*difference)(const T* q0, const T* q1, T* v);
    void (*coordinates)(const joints::Parameters<T>&, const Transform<T>& X, const T* near, T* q);
    void (*residual)(const joints::Parameters<T>&, const Transform<T>& X, const T* near, T* C);
    void (*jacobian)(const joints::Parameters<T>&, const Transform<T>& X, Force<T>* G);
    void (*jacobian_rate)(const joints::Parameters<T>&, const Transform<T>& X, const Motion<T>& V, T* out);
};

template <class J, class T>
JointFunctions<T> joint_functions() {
    using P = joints::Parameters<T>;
    using X = Transform<T>;
    return {joints::joint_info(J::type),
            [](const P& p, const T* q) { return J::pose(p, q); },
            [](const P& p, const T* q, Motion<T>* S) { J::motion(p, q, S); },
            [](const P& p, const T* q, const T* v) { return J::velocity_product(p, q, v); },
            [](const T* q, const T* v, const T& h, T* out) { J::integrate(q, v, h, out); },
            [](const T* q0, const T* q1, T* v) { J::difference(q0, q1, v); },
            [](const P& p, const X& x, const T* near, T* q) { J::coordinates(p, x, near, q); },
            [](const P& p, const X& x, const T* near, T* C) { J::residual(p, x, near, C); },
            [](const P& p, const X& x, Force<T>* G) { J::jacobian(p, x, G); },
            [](const P& p, const X& x, const Motion<T>& V, T* out) { J::jacobian_rate(p, x, V, out); }};
}

template <class T>
std::vector<JointFunctions<T>> joint_table() {
    return {
#define LIG_TEST_JOINT(J) joint_functions<joints::J, T>(),
        LIG_FOR_EACH_JOINT(LIG_TEST_JOINT)
#undef LIG_TEST_JOINT
    };
}

// The place of the quaternion among a joint's coordinates, or -1.
inline int quaternion_at(const joints::JointInfo& info) {
    for (int k = 0; k < info.nq; ++k)
        if (info.coordinate_kinds[k] == joints::Coordinate::quaternion) return k;
    return -1;
}

}  // namespace lig::test
