#pragma once

// Loops that are written once and unrolled where that pays. The bounds are ints, or Index<i>, a number that
// is part of a type: if both bounds are of that kind the loop is unrolled and passes an Index on, which can
// be the bound of the next loop inside.
//
// Why not a pragma: it cannot depend on a template argument (g++ 12), and the same kernels run with sizes
// known only at run time. Unrolled, the 6×6 kernels take half the time, since the matrix stays in registers.

#include <ligament/lane_pack.h>

#include <type_traits>
#include <utility>

namespace lig {

template <int I>
using Index = std::integral_constant<int, I>;

namespace detail {

template <int Begin, class F, int... I>
LIG_INLINE void each_index(std::integer_sequence<int, I...>, const F& f) { (f(Index<Begin + I>{}), ...); }
template <int End, class F, int... I>
LIG_INLINE void each_index_down(std::integer_sequence<int, I...>, const F& f) {
    (f(Index<End - 1 - I>{}), ...);
}

}  // namespace detail

// f(i) for begin <= i < end, upwards and downwards.
template <class Begin, class End, class F>
LIG_INLINE void each(Begin begin, End end, const F& f) {
    if constexpr (std::is_same_v<End, int> || std::is_same_v<Begin, int>) {
        for (int i = begin; i < end; ++i) f(i);
    } else if constexpr (End::value > Begin::value) {
        detail::each_index<Begin::value>(std::make_integer_sequence<int, End::value - Begin::value>{}, f);
    }
}
template <class Begin, class End, class F>
LIG_INLINE void each_down(Begin begin, End end, const F& f) {
    if constexpr (std::is_same_v<End, int> || std::is_same_v<Begin, int>) {
        for (int i = end - 1; i >= begin; --i) f(i);
    } else if constexpr (End::value > Begin::value) {
        detail::each_index_down<End::value>(std::make_integer_sequence<int, End::value - Begin::value>{}, f);
    }
}

// i + 1, of the kind that i is.
LIG_INLINE int next(int i) { return i + 1; }
template <int I>
LIG_INLINE Index<I + 1> next(Index<I>) { return {}; }

// N as the bound of loops over scalars T: an Index if a triangle of N×N of them is worth unrolling, which it
// is not when one T takes more than two registers.
template <int N, class T>
LIG_INLINE auto size_of() {
    if constexpr (N <= 6 && sizeof(T) <= 2 * native_vector_bytes)
        return Index<N>{};
    else
        return int(N);
}

}  // namespace lig
