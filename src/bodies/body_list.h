#pragma once

// The kinds of bodies, one line each, in the order of BodyKind. What runs over them (the readers and writers
// of files, compile, contract tests, the command line) is generated from this list.

#include "bodies/affine.h"
#include "bodies/particle.h"
#include "bodies/planar.h"
#include "bodies/program.h"
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
    X(Scaling)               \
    X(Program)

namespace lig::bodies {

struct BodyInfo {
    BodyKind kind;
    std::string_view name;
    std::string_view summary;
    int dim;
    std::span<const OwnJoint> own_joints;
    int stretches;  // of these, the last ones; 0: it does not deform; of a program's kind: at most
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

// A kind as an object: what is the same for all bodies of it, or of a program's kind what is its own.
template <class Body>
LIG_INLINE Body body_of([[maybe_unused]] const Modal* modal, [[maybe_unused]] int geom) {
    if constexpr (Body::kind == BodyKind::program)
        return {.modal = modal, .geom = geom};
    else
        return {};
}

// Calls f with the kind: the one switch over kinds. modal: of bodies of a program's kind.
template <class F>
LIG_INLINE void visit_body(BodyKind kind, const Modal* modal, int geom, F&& f) {
    switch (kind) {
#define LIG_BODY_CASE(B) \
    case B::kind: f(body_of<B>(modal, geom)); break;
        LIG_FOR_EACH_BODY(LIG_BODY_CASE)
#undef LIG_BODY_CASE
    }
}
template <class F>
LIG_INLINE void visit_body(BodyKind kind, F&& f) {
    visit_body(kind, nullptr, -1, f);
}

template <class Body>
LIG_INLINE int freedoms_of(const Body& kind) {
    if constexpr (Body::kind == BodyKind::program)
        return kind.freedoms();
    else
        return Body::dim;
}

// How many coordinates of its shape a body has.
inline int shapes_of(BodyKind kind, const ProgramBody* program) {
    return kind == BodyKind::program ? program->coordinates() : body_info(kind).stretches;
}
inline std::span<const OwnJoint> own_joints_of(BodyKind kind, const ProgramBody* program) {
    const std::span<const OwnJoint> all = body_info(kind).own_joints;
    return kind == BodyKind::program ? all.first(1 + static_cast<std::size_t>(program->coordinates())) : all;
}

}  // namespace lig::bodies
