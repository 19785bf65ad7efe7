#pragma once

// The parts of random scenes: what strangers build. Each is a function that adds one to the sketch, standing
// at a place of the ground.

#include "scenes/random_sketch.h"

#include <string_view>

namespace lig::scenes {

struct Part {
    std::string_view name;
    void (*add)(Sketch& sketch, const Vec3d& place);
};

void add_tree(Sketch& sketch, const Vec3d& place);        // links at any angles, hung up or floating
void add_pinned_tree(Sketch& sketch, const Vec3d& place);  // … with loops and rods between them
void add_rope(Sketch& sketch, const Vec3d& place);        // between two posts, with a load
void add_hanging(Sketch& sketch, const Vec3d& place);     // a chain that is let go, with a load at its end
void add_draped(Sketch& sketch, const Vec3d& place);      // a chain that falls over a peg
void add_ring(Sketch& sketch, const Vec3d& place);        // a closed chain that falls
void add_cranks(Sketch& sketch, const Vec3d& place);      // a beam on parallel cranks: redundant loops
void add_mesh_of_links(Sketch& sketch, const Vec3d& place);  // chains side by side, tied to each other
void add_heap(Sketch& sketch, const Vec3d& place);        // loose bodies on top of each other
void add_hand(Sketch& sketch, const Vec3d& place);        // fingers with tendons and couplings
void add_telescope(Sketch& sketch, const Vec3d& place);   // slides that are coupled
void add_truss(Sketch& sketch, const Vec3d& place);       // balls and rods
void add_tether(Sketch& sketch, const Vec3d& place);      // a ball on a cord of limited length

inline constexpr Part random_parts[] = {
    {"tree", add_tree},
    {"pinned", add_pinned_tree},
    {"rope", add_rope},
    {"hanging", add_hanging},
    {"draped", add_draped},
    {"ring", add_ring},
    {"cranks", add_cranks},
    {"mesh", add_mesh_of_links},
    {"heap", add_heap},
    {"hand", add_hand},
    {"telescope", add_telescope},
    {"truss", add_truss},
    {"tether", add_tether},
};

}  // namespace lig::scenes
