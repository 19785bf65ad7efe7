#pragma once

// A body and all below it.

#include <ligament/model.h>

namespace lig {

// The bodies of a subtree follow each other: one past the last.
inline int subtree_end(const Model& model, int body) {
    const int n = static_cast<int>(model.bodies.size());
    int end = body + 1;
    while (end < n && model.bodies[end].parent >= body) ++end;
    return end;
}

// f(body) for those that move.
template <class Function>
void for_each_moving(const Model& model, int body, const Function& f) {
    const int end = subtree_end(model, body);
    for (int b = body; b < end; ++b)
        if (model.bodies[b].link >= 0) f(model.bodies[b]);
}

}  // namespace lig
