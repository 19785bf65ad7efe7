#pragma once

// The joint kinds, one line each, in the order of JointType. Everything that runs over the joints (the switch
// in the recursions, contract tests, the command line, the table in the docs) is generated from this list.
// Behind them comes Stretch, which bodies that deform have by their kind.

#include "joints/ball.h"
#include "joints/cylindrical.h"
#include "joints/fixed.h"
#include "joints/free.h"
#include "joints/hinge.h"
#include "joints/planar.h"
#include "joints/screw.h"
#include "joints/slide.h"
#include "joints/stretch.h"
#include "joints/universal.h"

#define LIG_FOR_EACH_JOINT(X) \
    X(Fixed)                  \
    X(Hinge)                  \
    X(Slide)                  \
    X(Ball)                   \
    X(Free)                   \
    X(Universal)              \
    X(Cylindrical)            \
    X(Planar)                 \
    X(Screw)

namespace lig::joints {

struct JointInfo {
    JointType type;
    std::string_view name;
    std::string_view summary;
    int nq, nv, rows;
    Placement placement;
    const Coordinate* coordinate_kinds;  // (nq)
};

template <class J>
constexpr JointInfo info_of() {
    return {J::type, J::name, J::summary, J::nq, J::nv, J::rows, J::placement, J::coordinate_kinds.data()};
}

inline constexpr JointInfo joint_list[] = {
#define LIG_JOINT_INFO(J) info_of<J>(),
    LIG_FOR_EACH_JOINT(LIG_JOINT_INFO)
#undef LIG_JOINT_INFO
};
inline constexpr JointInfo stretch_info = info_of<Stretch>();

inline constexpr int joint_count = static_cast<int>(sizeof(joint_list) / sizeof(joint_list[0]));
inline constexpr int max_rows = 6;
inline constexpr int max_nq = 7;
inline constexpr int max_nv = 6;

consteval bool list_is_in_enum_order() {
    for (int i = 0; i < joint_count; ++i)
        if (static_cast<int>(joint_list[i].type) != i) return false;
    return true;
}
static_assert(list_is_in_enum_order(), "joint_list.h must list the joints in the order of JointType");

constexpr const JointInfo& joint_info(JointType type) {
    return type == JointType::stretch ? stretch_info : joint_list[static_cast<int>(type)];
}

// The coordinates of a joint of the tree as its kind counts them: from where X_FM is the identity.
struct LocalCoordinates {
    // all: of the model. nq: of the joint.
    template <class Joint>
    LIG_INLINE LocalCoordinates(const Joint& joint, const double* all, int nq) {
        for (int k = 0; k < nq; ++k) q[k] = all[joint.q_adr + k];
        if (nq == 1) q[0] -= joint.reference;
    }
    template <class Joint>
    LocalCoordinates(const Joint& joint, const double* all)
        : LocalCoordinates(joint, all, joint_info(joint.type).nq) {}

    double q[max_nq];
};

// The kinds by name, all but one: what a reader accepts.
struct JointWords {
    std::array<std::string_view, joint_count - 1> words;
    std::array<JointType, joint_count - 1> types;
};

constexpr JointWords joint_words_except(JointType left_out) {
    JointWords list{};
    int count = 0;
    for (const JointInfo& info : joint_list) {
        if (info.type == left_out) continue;
        list.words[count] = info.name;
        list.types[count++] = info.type;
    }
    return list;
}

// Calls f with the joint of that kind: the one switch over kinds.
template <class F>
LIG_INLINE void visit_joint(JointType type, F&& f) {
    switch (type) {
#define LIG_JOINT_CASE(J) \
    case J::type: f(J{}); break;
        LIG_FOR_EACH_JOINT(LIG_JOINT_CASE)
        LIG_JOINT_CASE(Stretch)
#undef LIG_JOINT_CASE
    }
}

}  // namespace lig::joints
