#pragma once

#include <ligament/state.h>

namespace lig {

// Calls f on every number of a base's motion, and on the same number of another.
template <class A, class B, class F>
void for_each_number(A& a, B& b, F&& f) {
    const auto three = [&](auto& x, auto& y) {
        for (int k = 0; k < 3; ++k) f(x[k], y[k]);
    };
    three(a.pos, b.pos);
    f(a.quat.w, b.quat.w);
    f(a.quat.x, b.quat.x);
    f(a.quat.y, b.quat.y);
    f(a.quat.z, b.quat.z);
    three(a.velocity.ang, b.velocity.ang);
    three(a.velocity.lin, b.velocity.lin);
    three(a.acceleration.ang, b.acceleration.ang);
    three(a.acceleration.lin, b.acceleration.lin);
}

}  // namespace lig
