#pragma once

// The kinds of rows, one line each: name, what bounds the impulse, summary. RowKind and `ligament list
// constraints` come from the list. Equalities (equalities.h) come first.

#include <string_view>

#define LIG_FOR_EACH_ROW_KIND(X)                                                               \
    X(loop, "none", "a joint, connect or weld that closes a loop")                             \
    X(coupling, "none", "a joint that follows another by a polynomial")                        \
    X(tendon_coupling, "none", "a tendon that follows another by a polynomial")                \
    X(pair, "none", "a constraint between two bodies other than a joint")                      \
    X(subtree, "none", "the centre of mass or the momentum of a body and all below it")        \
    X(group, "none", "a constraint between any number of bodies")                              \
    X(drive, "largest force", "an actuator or pose drive, with stiffness and damping")         \
    X(tracking, "largest torque", "a freedom of a joint that follows a clip")                  \
    X(pair_drive, "largest force", "a constraint between two bodies that is only so strong")   \
    X(group_drive, "largest force", "one between any number of bodies that is only so strong") \
    X(tendon, "none", "springs, dampers and inertia of a tendon")                              \
    X(bushing, "none", "springs and dampers between two bodies, where they are stiff")         \
    X(friction_loss, "dry friction", "dry friction of a joint")                                \
    X(tendon_friction, "dry friction", "dry friction of a tendon")                             \
    X(limit, "pushes only", "a range, cone, swing or twist of a joint")                        \
    X(tendon_limit, "pushes only", "the range of a tendon")                                    \
    X(pair_limit, "pushes only", "a constraint between two bodies that acts on one side")      \
    X(group_limit, "pushes only", "one between any number of bodies that acts on one side")    \
    X(contact, "pushes only, cone", "a contact point: normal, sliding, torsion, rolling")

namespace lig {

enum class RowKind : unsigned char {
#define LIG_NAME_ROW_KIND(name, bounds, summary) name,
    LIG_FOR_EACH_ROW_KIND(LIG_NAME_ROW_KIND)
#undef LIG_NAME_ROW_KIND
};

constexpr bool is_equality(RowKind kind) { return kind <= RowKind::group; }
constexpr bool is_limit(RowKind kind) {
    return kind == RowKind::limit || kind == RowKind::tendon_limit ||
           kind == RowKind::pair_limit || kind == RowKind::group_limit;
}

struct RowKindInfo {
    std::string_view name, bounds, summary;
};

inline constexpr RowKindInfo row_kind_list[] = {
#define LIG_LIST_ROW_KIND(name, bounds, summary) {#name, bounds, summary},
    LIG_FOR_EACH_ROW_KIND(LIG_LIST_ROW_KIND)
#undef LIG_LIST_ROW_KIND
};

}  // namespace lig
