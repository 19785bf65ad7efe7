#pragma once

// The generators, one line each.

#include "scenes/generator.h"

#define LIG_FOR_EACH_GENERATOR(X) \
    X(pile)                       \
    X(chain)                      \
    X(net)                        \
    X(stack)                      \
    X(pyramid)                    \
    X(pendulum)                   \
    X(hinges)                     \
    X(tree)                       \
    X(loops)                      \
    X(bending)                    \
    X(cloth)                      \
    X(random_scene)

namespace lig::scenes {

#define LIG_DECLARE_GENERATOR(name) extern const Generator name;
LIG_FOR_EACH_GENERATOR(LIG_DECLARE_GENERATOR)
#undef LIG_DECLARE_GENERATOR

inline constexpr const Generator* generators[] = {
#define LIG_GENERATOR(name) &name,
    LIG_FOR_EACH_GENERATOR(LIG_GENERATOR)
#undef LIG_GENERATOR
};

}  // namespace lig::scenes
