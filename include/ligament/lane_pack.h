#pragma once

// Pack<E, W>: W numbers or integers in as many native vector registers as they need. It is what Lanes
// and LaneMask are made of; algorithms do not use it directly.
//
// Why not one wide compiler vector: g++ takes apart a vector that is wider than the registers of the
// target, element by element and through memory (comparisons and selections above all). A pack
// that is too wide is therefore a pair of packs of half the width, which both compilers keep in registers.
// Size and alignment do not depend on the instruction set, so packs in memory may be shared between
// translation units that were compiled for different ones.

#include <ligament/config.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace lig {

#if defined(__AVX512F__)
inline constexpr int native_vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int native_vector_bytes = 32;
#else
inline constexpr int native_vector_bytes = 16;
#endif

// The integer that has as many bits as one lane.
template <class E>
using lane_int_t = std::conditional_t<sizeof(E) == 8, std::int64_t, std::int32_t>;

template <class E, int W, bool Split = (W * sizeof(E) > native_vector_bytes)>
struct Pack;

// One register.
template <class E, int W>
struct Pack<E, W, false> {
    typedef E V __attribute__((vector_size(W * sizeof(E)), may_alias));
    using Int = Pack<lane_int_t<E>, W, false>;
    V v;

    LIG_INLINE static Pack all_of(E s) {
        Pack r;
        for (int i = 0; i < W; ++i) r.v[i] = s;
        return r;
    }
    LIG_INLINE E get(int lane) const { return v[lane]; }
    LIG_INLINE void set(int lane, E value) { v[lane] = value; }

    LIG_INLINE friend Pack operator+(Pack a, Pack b) { return {a.v + b.v}; }
    LIG_INLINE friend Pack operator-(Pack a, Pack b) { return {a.v - b.v}; }
    LIG_INLINE friend Pack operator*(Pack a, Pack b) { return {a.v * b.v}; }
    LIG_INLINE friend Pack operator/(Pack a, Pack b) { return {a.v / b.v}; }
    LIG_INLINE friend Pack operator-(Pack a) { return {-a.v}; }
    LIG_INLINE friend Pack operator&(Pack a, Pack b) { return {a.v & b.v}; }
    LIG_INLINE friend Pack operator|(Pack a, Pack b) { return {a.v | b.v}; }
    LIG_INLINE friend Pack operator^(Pack a, Pack b) { return {a.v ^ b.v}; }
    LIG_INLINE friend Pack operator~(Pack a) { return {~a.v}; }
    LIG_INLINE friend Pack operator<<(Pack a, int bits) { return {a.v << bits}; }

    LIG_INLINE friend Int operator<(Pack a, Pack b) { return {typename Int::V(a.v < b.v)}; }
    LIG_INLINE friend Int operator<=(Pack a, Pack b) { return {typename Int::V(a.v <= b.v)}; }
    LIG_INLINE friend Int operator==(Pack a, Pack b) { return {typename Int::V(a.v == b.v)}; }
    LIG_INLINE friend Int operator!=(Pack a, Pack b) { return {typename Int::V(a.v != b.v)}; }

    LIG_INLINE Int bits() const { return __builtin_bit_cast(Int, v); }
    LIG_INLINE static Pack from_bits(Int b) { return __builtin_bit_cast(Pack, b.v); }

    LIG_INLINE static Pack select(Int m, Pack a, Pack b) {
#if defined(__AVX2__) || !defined(__SSE2__)
        return {m.v ? a.v : b.v};
#else
        // SSE2 cannot blend, and asking it for "not zero" of 64 bits costs more than the blend by hand.
        return from_bits((a.bits() & m) | (b.bits() & ~m));
#endif
    }
    LIG_INLINE static Pack min(Pack a, Pack b) { return {b.v < a.v ? b.v : a.v}; }
    LIG_INLINE static Pack max(Pack a, Pack b) { return {a.v < b.v ? b.v : a.v}; }

    LIG_INLINE Pack sqrt() const {
        Pack r;
#if defined(__SSE2__)
        if constexpr (sizeof(V) == 16 && sizeof(E) == 8) return {V(_mm_sqrt_pd(__m128d(v)))};
        if constexpr (sizeof(V) == 16 && sizeof(E) == 4) return {V(_mm_sqrt_ps(__m128(v)))};
#endif
#if defined(__AVX__)
        if constexpr (sizeof(V) == 32 && sizeof(E) == 8) return {V(_mm256_sqrt_pd(__m256d(v)))};
        if constexpr (sizeof(V) == 32 && sizeof(E) == 4) return {V(_mm256_sqrt_ps(__m256(v)))};
#endif
#if defined(__AVX512F__)
        if constexpr (sizeof(V) == 64 && sizeof(E) == 8) return {V(_mm512_sqrt_pd(__m512d(v)))};
        if constexpr (sizeof(V) == 64 && sizeof(E) == 4) return {V(_mm512_sqrt_ps(__m512(v)))};
#endif
        for (int i = 0; i < W; ++i) {
            if constexpr (sizeof(E) == 8)
                r.v[i] = __builtin_sqrt(v[i]);
            else
                r.v[i] = __builtin_sqrtf(v[i]);
        }
        return r;
    }

    // Whether the sign bit is set in any element.
    LIG_INLINE bool any() const {
#if defined(__SSE2__)
        if constexpr (sizeof(V) == 16) return _mm_movemask_epi8(__m128i(v)) != 0;
#endif
#if defined(__AVX__)
        if constexpr (sizeof(V) == 32) return _mm256_movemask_ps(__m256(v)) != 0;
#endif
#if defined(__AVX512F__)
        if constexpr (sizeof(V) == 64) return _mm512_test_epi32_mask(__m512i(v), __m512i(v)) != 0;
#endif
        E bits = 0;
        for (int i = 0; i < W; ++i) bits |= v[i];
        return bits != 0;
    }
};

// Two halves.
template <class E, int W>
struct Pack<E, W, true> {
    using Half = Pack<E, W / 2>;
    using Int = Pack<lane_int_t<E>, W, true>;
    Half lo, hi;

    LIG_INLINE static Pack all_of(E s) { return {Half::all_of(s), Half::all_of(s)}; }
    LIG_INLINE E get(int lane) const { return lane < W / 2 ? lo.get(lane) : hi.get(lane - W / 2); }
    LIG_INLINE void set(int lane, E value) {
        if (lane < W / 2)
            lo.set(lane, value);
        else
            hi.set(lane - W / 2, value);
    }

    LIG_INLINE friend Pack operator+(Pack a, Pack b) { return {a.lo + b.lo, a.hi + b.hi}; }
    LIG_INLINE friend Pack operator-(Pack a, Pack b) { return {a.lo - b.lo, a.hi - b.hi}; }
    LIG_INLINE friend Pack operator*(Pack a, Pack b) { return {a.lo * b.lo, a.hi * b.hi}; }
    LIG_INLINE friend Pack operator/(Pack a, Pack b) { return {a.lo / b.lo, a.hi / b.hi}; }
    LIG_INLINE friend Pack operator-(Pack a) { return {-a.lo, -a.hi}; }
    LIG_INLINE friend Pack operator&(Pack a, Pack b) { return {a.lo & b.lo, a.hi & b.hi}; }
    LIG_INLINE friend Pack operator|(Pack a, Pack b) { return {a.lo | b.lo, a.hi | b.hi}; }
    LIG_INLINE friend Pack operator^(Pack a, Pack b) { return {a.lo ^ b.lo, a.hi ^ b.hi}; }
    LIG_INLINE friend Pack operator~(Pack a) { return {~a.lo, ~a.hi}; }
    LIG_INLINE friend Pack operator<<(Pack a, int bits) { return {a.lo << bits, a.hi << bits}; }

    LIG_INLINE friend Int operator<(Pack a, Pack b) { return {a.lo < b.lo, a.hi < b.hi}; }
    LIG_INLINE friend Int operator<=(Pack a, Pack b) { return {a.lo <= b.lo, a.hi <= b.hi}; }
    LIG_INLINE friend Int operator==(Pack a, Pack b) { return {a.lo == b.lo, a.hi == b.hi}; }
    LIG_INLINE friend Int operator!=(Pack a, Pack b) { return {a.lo != b.lo, a.hi != b.hi}; }

    LIG_INLINE Int bits() const { return {lo.bits(), hi.bits()}; }
    LIG_INLINE static Pack from_bits(Int b) { return {Half::from_bits(b.lo), Half::from_bits(b.hi)}; }

    LIG_INLINE static Pack select(Int m, Pack a, Pack b) {
        return {Half::select(m.lo, a.lo, b.lo), Half::select(m.hi, a.hi, b.hi)};
    }
    LIG_INLINE static Pack min(Pack a, Pack b) { return {Half::min(a.lo, b.lo), Half::min(a.hi, b.hi)}; }
    LIG_INLINE static Pack max(Pack a, Pack b) { return {Half::max(a.lo, b.lo), Half::max(a.hi, b.hi)}; }
    LIG_INLINE Pack sqrt() const { return {lo.sqrt(), hi.sqrt()}; }
    LIG_INLINE bool any() const { return (lo | hi).any(); }
};

}  // namespace lig
