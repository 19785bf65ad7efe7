#pragma once

// Every small function of the algebra is forced inline. Two reasons, the second the stronger one:
// the recursions are made of thousands of three-vector operations, and the same headers are compiled
// several times with different instruction sets. A function that is always inlined leaves no symbol
// behind that the linker could pick from the wrong instruction set.
#define LIG_INLINE [[gnu::always_inline]] inline
// The same for a lambda, after its parameters.
#define LIG_INLINE_LAMBDA __attribute__((always_inline))

namespace lig {

inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;

}  // namespace lig
