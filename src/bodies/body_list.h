#pragma once

// The kinds of bodies, one line each, in the order of BodyKind. What runs over them (the readers and writers
// of files, compile, contract tests, the command line) is generated from this list.

#include "bodies/affine.h"
#include "bodies/particle.h"
#include "bodies/planar.h"
#include "bodies/rigid.h"
#include "bodies/scaling.h"
#include "bodies/stretching.h"

#include <array>

#define LIG_FOR_EACH_BODY(X) \
    X(Rigid)                 \
    X(Planar)                \
    X(Particle)              \
    X(Affine)                \
    X(Stretching)            \
    X(Scaling)

namespace lig::bodies {

struct BodyInfo {
    BodyKind kind;
    std::string_view name;
    std::string_view summary;
    int dim;
    std::span<const OwnJoint> own_joints;
    int stretches;  // of these, the last ones; 0: it does not deform
};

inline constexpr BodyInfo body_list[] = {
#define LIG_BODY_INFO(B) BodyInfo{B::kind, B::name, B::summary, B::dim, B::own_joints, B::stretches},
    LIG_FOR_EACH_BODY(LIG_BODY_INFO)
#undef LIG_BODY_INFO
};

inline constexpr int body_kind_count = static_cast<int>(sizeof(body_list) / sizeof(body_list[0]));

consteval bool list_is_in_enum_order() {
    for (int i = 0; i < body_kind_count; ++i)
        if (static_cast<int>(body_list[i].kind) != i || body_list[i].dim > max_body_dim) return false;
    return true;
}
static_assert(list_is_in_enum_order(), "body_list.h must list the kinds in the order of BodyKind");

constexpr const BodyInfo& body_info(BodyKind kind) { return body_list[static_cast<int>(kind)]; }

// The kinds by name, in the order of BodyKind: what files say.
inline constexpr std::array<std::string_view, body_kind_count> body_words = [] {
    std::array<std::string_view, body_kind_count> words;
    for (int i = 0; i < body_kind_count; ++i) words[i] = body_list[i].name;
    return words;
}();

// Calls f with the kind: the one switch over kinds.
template <class F>
LIG_INLINE void visit_body(BodyKind kind, F&& f) {
    switch (kind) {
#define LIG_BODY_CASE(B) \
    case B::kind: f(B{}); break;
        LIG_FOR_EACH_BODY(LIG_BODY_CASE)
#undef LIG_BODY_CASE
    }
}

}  // namespace lig::bodies
