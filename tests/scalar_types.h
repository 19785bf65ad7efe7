#pragma once

// What tests over all scalars share: the list of scalars, repeatable random numbers, and the comparison of
// one lane with the scalar run.

#include <ligament/lanes.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

// For TEST_CASE_TEMPLATE, which wants commas where LIG_FOR_EACH_SCALAR has none.
#define LIG_TEST_SCALARS double, float, lig::Lanes4d, lig::Lanes8d, lig::Lanes8f, lig::Lanes16f

namespace lig::test {

template <class...>
inline constexpr int count_of = 0;
template <class T, class... Rest>
inline constexpr int count_of<T, Rest...> = 1 + count_of<Rest...>;
#define LIG_COUNT_ONE(T) +1
static_assert(count_of<LIG_TEST_SCALARS> == LIG_FOR_EACH_SCALAR(LIG_COUNT_ONE), "a scalar is not tested");
#undef LIG_COUNT_ONE

// Xorshift with 64 bits of state: the same numbers on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

    std::uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }
    double uniform(double lo, double hi) { return lo + (hi - lo) * (double(next() >> 11) * 0x1p-53); }

    // W different numbers.
    template <class T>
    T lanes(double lo, double hi) {
        T out;
        for (int i = 0; i < lane_width<T>; ++i) set_lane(out, i, real_t<T>(uniform(lo, hi)));
        return out;
    }

private:
    std::uint64_t state_;
};

template <class R>
bool same_bits(R a, R b) {
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);  // a NaN's sign and payload are free
    if constexpr (sizeof(R) == 8)
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    else
        return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

inline bool get_mask(bool m, int) { return m; }
template <class R, int W>
bool get_mask(LaneMask<R, W> m, int lane) { return m[lane]; }

template <class T>
inline constexpr real_t<T> epsilon = std::numeric_limits<real_t<T>>::epsilon();

}  // namespace lig::test
