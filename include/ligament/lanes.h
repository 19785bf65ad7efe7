#pragma once

// Lanes<R, W>: W independent values of R in one SIMD register (or several), the third kind of scalar
// that every templated algorithm runs on. The compiler's vector support does the work; this type adds
// that a comparison gives a LaneMask, which does not convert to bool. A data-dependent `if` in
// templated code therefore does not compile and has to become `select`.
//
// Lanes are never passed by value between translation units: the calling convention of wide vectors
// depends on the instruction set. Pass spans or pointers.

#include <ligament/lane_pack.h>

namespace lig {

template <class R, int W>
struct alignas(W * sizeof(R)) LaneMask {
    Pack<lane_int_t<R>, W> v;  // per lane all bits set (true) or none (false)

    operator bool() const = delete;

    LIG_INLINE bool operator[](int lane) const { return v.get(lane) != 0; }
    LIG_INLINE friend LaneMask operator&(LaneMask a, LaneMask b) { return {a.v & b.v}; }
    LIG_INLINE friend LaneMask operator|(LaneMask a, LaneMask b) { return {a.v | b.v}; }
    LIG_INLINE friend LaneMask operator!(LaneMask a) { return {~a.v}; }
};

template <class R, int W>
struct alignas(W * sizeof(R)) Lanes {
    static_assert(std::is_same_v<R, double> || std::is_same_v<R, float>);
    static_assert(W >= 2 && (W & (W - 1)) == 0, "the number of lanes is a power of two");

    using Mask = LaneMask<R, W>;
    using Real = R;
    static constexpr int width = W;

    Pack<R, W> v;

    Lanes() = default;
    LIG_INLINE Lanes(R s) : v(Pack<R, W>::all_of(s)) {}
    LIG_INLINE static Lanes of(Pack<R, W> lanes) {
        Lanes r;
        r.v = lanes;
        return r;
    }

    LIG_INLINE R operator[](int lane) const { return v.get(lane); }
    LIG_INLINE void set(int lane, R value) { v.set(lane, value); }

    LIG_INLINE friend Lanes operator+(Lanes a, Lanes b) { return of(a.v + b.v); }
    LIG_INLINE friend Lanes operator-(Lanes a, Lanes b) { return of(a.v - b.v); }
    LIG_INLINE friend Lanes operator*(Lanes a, Lanes b) { return of(a.v * b.v); }
    LIG_INLINE friend Lanes operator/(Lanes a, Lanes b) { return of(a.v / b.v); }
    LIG_INLINE friend Lanes operator-(Lanes a) { return of(-a.v); }
    LIG_INLINE Lanes& operator+=(Lanes b) {
        v = v + b.v;
        return *this;
    }
    LIG_INLINE Lanes& operator-=(Lanes b) {
        v = v - b.v;
        return *this;
    }
    LIG_INLINE Lanes& operator*=(Lanes b) {
        v = v * b.v;
        return *this;
    }
    LIG_INLINE Lanes& operator/=(Lanes b) {
        v = v / b.v;
        return *this;
    }

    LIG_INLINE friend Mask operator<(Lanes a, Lanes b) { return {a.v < b.v}; }
    LIG_INLINE friend Mask operator<=(Lanes a, Lanes b) { return {a.v <= b.v}; }
    LIG_INLINE friend Mask operator>(Lanes a, Lanes b) { return {b.v < a.v}; }
    LIG_INLINE friend Mask operator>=(Lanes a, Lanes b) { return {b.v <= a.v}; }
    LIG_INLINE friend Mask operator==(Lanes a, Lanes b) { return {a.v == b.v}; }
    LIG_INLINE friend Mask operator!=(Lanes a, Lanes b) { return {a.v != b.v}; }
};

// What a templated algorithm may ask of its scalar, the same for numbers and lanes.

template <class T>
struct ScalarTraits {
    using Real = T;     // the number in one lane
    using Mask = bool;  // what a comparison gives
    static constexpr int width = 1;
};
template <class R, int W>
struct ScalarTraits<Lanes<R, W>> {
    using Real = R;
    using Mask = LaneMask<R, W>;
    static constexpr int width = W;
};
template <class T>
using real_t = typename ScalarTraits<T>::Real;
template <class T>
using mask_t = typename ScalarTraits<T>::Mask;
template <class T>
inline constexpr int lane_width = ScalarTraits<T>::width;

LIG_INLINE double select(bool m, double a, double b) { return m ? a : b; }
LIG_INLINE float select(bool m, float a, float b) { return m ? a : b; }
template <class R, int W>
LIG_INLINE Lanes<R, W> select(LaneMask<R, W> m, Lanes<R, W> a, Lanes<R, W> b) {
    return Lanes<R, W>::of(Pack<R, W>::select(m.v, a.v, b.v));
}
template <class R, int W>
LIG_INLINE Lanes<R, W> select(LaneMask<R, W> m, Lanes<R, W> a, R b) { return select(m, a, Lanes<R, W>(b)); }
template <class R, int W>
LIG_INLINE Lanes<R, W> select(LaneMask<R, W> m, R a, Lanes<R, W> b) { return select(m, Lanes<R, W>(a), b); }

LIG_INLINE bool any(bool m) { return m; }
LIG_INLINE bool all(bool m) { return m; }
template <class R, int W>
LIG_INLINE bool any(LaneMask<R, W> m) { return m.v.any(); }
template <class R, int W>
LIG_INLINE bool all(LaneMask<R, W> m) { return !any(!m); }

LIG_INLINE double get_lane(double a, int) { return a; }
LIG_INLINE float get_lane(float a, int) { return a; }
template <class R, int W>
LIG_INLINE R get_lane(Lanes<R, W> a, int lane) { return a[lane]; }
LIG_INLINE void set_lane(double& a, int, double value) { a = value; }
LIG_INLINE void set_lane(float& a, int, float value) { a = value; }
template <class R, int W>
LIG_INLINE void set_lane(Lanes<R, W>& a, int lane, R value) { a.set(lane, value); }

using Lanes4d = Lanes<double, 4>;
using Lanes8d = Lanes<double, 8>;
using Lanes8f = Lanes<float, 8>;
using Lanes16f = Lanes<float, 16>;

}  // namespace lig

// The scalars that every templated algorithm is instantiated and tested for. The one list.
#define LIG_FOR_EACH_SCALAR(X) \
    X(double)                  \
    X(float)                   \
    X(::lig::Lanes4d)          \
    X(::lig::Lanes8d)          \
    X(::lig::Lanes8f)          \
    X(::lig::Lanes16f)
