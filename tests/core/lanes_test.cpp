#include "scalar_types.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <type_traits>

using namespace lig;
using namespace lig::test;

namespace {

template <class T>
constexpr bool is_lanes = !std::is_same_v<T, real_t<T>>;

// A mask in an `if` must not compile; the promise that templated code rests on.
template <class M>
concept usable_as_condition = requires(M m) { m ? 1 : 0; };
static_assert(!usable_as_condition<Lanes4d::Mask> && !usable_as_condition<Lanes16f::Mask>);
static_assert(usable_as_condition<bool>);
static_assert(!std::is_convertible_v<Lanes4d::Mask, bool> && !std::is_constructible_v<bool, Lanes4d::Mask>);
static_assert(!std::is_convertible_v<Lanes8f::Mask, bool> && !std::is_constructible_v<bool, Lanes8f::Mask>);

// Memory is shared between translation units of different instruction sets: no target may change the layout.
static_assert(sizeof(Lanes8d) == 64 && alignof(Lanes8d) == 64 && sizeof(Lanes4d) == 32 &&
              alignof(Lanes4d) == 32);
static_assert(sizeof(Lanes16f::Mask) == 64 && alignof(Lanes16f::Mask) == 64);
static_assert(std::is_trivially_copyable_v<Lanes8d> && std::is_trivially_default_constructible_v<Lanes8d>);

}  // namespace

TEST_CASE_TEMPLATE("arithmetic and comparisons act on each lane", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    Random random(1);
    for (int round = 0; round < 50; ++round) {
        T a = random.lanes<T>(-3, 3), b = random.lanes<T>(-3, 3);
        set_lane(b, round % lane_width<T>, get_lane(a, round % lane_width<T>));  // one equal pair
        T added = a, subtracted = a, multiplied = a, divided = a;
        added += b;
        subtracted -= b;
        multiplied *= b;
        divided /= b;
        bool arithmetic = true, compound = true, comparisons = true, selections = true;
        for (int i = 0; i < lane_width<T>; ++i) {
            const R x = get_lane(a, i), y = get_lane(b, i);
            arithmetic &= same_bits<R>(get_lane(a + b, i), x + y) &&
                          same_bits<R>(get_lane(a - b, i), x - y) &&
                          same_bits<R>(get_lane(a * b, i), x * y) &&
                          same_bits<R>(get_lane(a / b, i), x / y) && same_bits<R>(get_lane(-a, i), -x);
            compound &=
                same_bits<R>(get_lane(added, i), x + y) && same_bits<R>(get_lane(subtracted, i), x - y) &&
                same_bits<R>(get_lane(multiplied, i), x * y) && same_bits<R>(get_lane(divided, i), x / y);
            comparisons &= get_mask(a < b, i) == (x < y) && get_mask(a <= b, i) == (x <= y) &&
                           get_mask(a > b, i) == (x > y) && get_mask(a >= b, i) == (x >= y) &&
                           get_mask(a == b, i) == (x == y) && get_mask(a != b, i) == (x != y);
            selections &=
                same_bits<R>(get_lane(select(a < b, a, b), i), x < y ? x : y) &&
                same_bits<R>(get_lane(select(!(a < b), a, b), i), !(x < y) ? x : y) &&
                same_bits<R>(get_lane(select((a < b) & (a < T(R(0))), a, b), i), x < y && x < 0 ? x : y) &&
                same_bits<R>(get_lane(select((a < b) | (a < T(R(0))), a, b), i), x < y || x < 0 ? x : y);
        }
        CHECK(arithmetic);
        CHECK(compound);
        CHECK(comparisons);
        CHECK(selections);
    }
}

TEST_CASE_TEMPLATE("a number broadcast reaches every lane with its sign of zero", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    for (R value :
         {R(0), R(-0.0), R(1.25), std::numeric_limits<R>::infinity(), std::numeric_limits<R>::denorm_min()}) {
        const T pack = T(value);
        for (int i = 0; i < lane_width<T>; ++i) CHECK(same_bits<R>(get_lane(pack, i), value));
    }
    const T nan = T(std::numeric_limits<R>::quiet_NaN());
    CHECK(!any(nan == nan));
    CHECK(all(nan != nan));
    CHECK(!any(nan < T(R(0))));
    CHECK(!any(nan >= T(R(0))));
}

TEST_CASE_TEMPLATE("any and all see every single lane", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    const T zero = T(R(0));
    CHECK(!any(zero < zero));
    CHECK(!all(zero < zero));
    CHECK(all(zero == zero));
    for (int lane = 0; lane < lane_width<T>; ++lane) {
        T a = T(R(0));
        set_lane(a, lane, R(-1));
        CHECK(any(a < zero));
        CHECK(all(a < zero) == (lane_width<T> == 1));
        CHECK(!all(a == zero));
        CHECK(any(a == zero) == (lane_width<T> > 1));
        for (int i = 0; i < lane_width<T>; ++i) {
            CHECK(get_mask(a < zero, i) == (i == lane));
            CHECK(get_lane(a, i) == (i == lane ? R(-1) : R(0)));
        }
    }
}

TEST_CASE_TEMPLATE("select takes a number on either side", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    if constexpr (is_lanes<T>) {
        T a = T(R(2));
        set_lane(a, 1, R(-2));
        const T left = select(a < T(R(0)), R(7), a), right = select(a < T(R(0)), a, R(7));
        for (int i = 0; i < lane_width<T>; ++i) {
            CHECK(left[i] == (i == 1 ? R(7) : R(2)));
            CHECK(right[i] == (i == 1 ? R(-2) : R(7)));
        }
    }
}
