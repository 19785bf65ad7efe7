// Constraints between two bodies, and between four and sixteen: rows derived by hand and by automatic
// differentiation, side by side.

#include <ligament/function_constraint.h>
#include <ligament/pair_kinds.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

using namespace lig;

const PairState state{.X_WA = {Mat3d::identity(), {0.1, 0.2, -0.3}},
                      .X_WB = {{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}, {0.7, -0.4, 1.1}},
                      .V_WA = {{0.2, 0.1, -0.4}, {0.5, 0.1, 0.3}},
                      .V_WB = {{0.3, -0.8, 0.5}, {-0.6, 0.2, 0.9}},
                      .time = 0.3};

template <class T>
T square(const T& x) {
    return x * x;
}
// R r of a constant r.
template <class T>
Vec3<T> at(const Mat3<T>& R, const Vec3d& r) {
    return {R(0, 0) * r.x + R(0, 1) * r.y + R(0, 2) * r.z, R(1, 0) * r.x + R(1, 1) * r.y + R(1, 2) * r.z,
            R(2, 0) * r.x + R(2, 1) * r.y + R(2, 2) * r.z};
}

void evaluate(benchmark::State& run, const std::shared_ptr<const PairConstraint>& constraint) {
    PairRow rows[PairConstraint::max_rows];
    for (auto _ : run) {
        constraint->evaluate(state, rows);
        benchmark::DoNotOptimize(rows);
    }
}

// Six times the volume between four bodies.
class VolumeByHand final : public GroupConstraint {
public:
    std::string_view kind() const override { return "volume"; }
    int bodies() const override { return 4; }
    int rows() const override { return 1; }
    void evaluate(const GroupState& state, GroupRow* out) const override {
        const auto& [X, V, time] = state;
        const Vec3d a = X[1].p - X[0].p, b = X[2].p - X[0].p, c = X[3].p - X[0].p;
        const Vec3d da = V[1].lin - V[0].lin, db = V[2].lin - V[0].lin, dc = V[3].lin - V[0].lin;
        GroupRow& row = out[0] = {};
        const Vec3d bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
        row.error = dot(a, bc) - 0.96;
        row.on[1].lin = bc;
        row.on[2].lin = ca;
        row.on[3].lin = ab;
        row.on[0].lin = -(bc + ca + ab);
        row.product = 2 * (dot(a, cross(db, dc)) + dot(b, cross(dc, da)) + dot(c, cross(da, db)));
    }
};

// The length of a rope from point to point of n bodies, the points at r in their frames.
const Vec3d eyelet{0.1, 0.02, -0.03};
template <int n>
class RopeByHand final : public GroupConstraint {
public:
    std::string_view kind() const override { return "rope"; }
    int bodies() const override { return n; }
    int rows() const override { return 1; }
    void evaluate(const GroupState& state, GroupRow* out) const override {
        Vec3d arm[n], u[n], a[n];  // of the points: from the origin, velocity, acceleration
        for (int k = 0; k < n; ++k) {
            const Vec3d& w = state.V[k].ang;
            arm[k] = state.X[k].R * eyelet;
            const Vec3d turning = cross(w, arm[k]);
            u[k] = state.V[k].lin + turning;
            a[k] = cross(w, turning);
        }
        GroupRow& row = out[0] = {};
        row.error = -3;
        for (int k = 1; k < n; ++k) {
            const Vec3d d = state.X[k].p + arm[k] - state.X[k - 1].p - arm[k - 1], v = u[k] - u[k - 1];
            const double length = std::sqrt(dot(d, d)), along = dot(d, v) / length;
            const Vec3d e = (1 / length) * d;
            row.error += length;
            row.product += (dot(v, v) - along * along) / length + dot(e, a[k] - a[k - 1]);
            row.on[k].lin += e;
            row.on[k - 1].lin -= e;
        }
        for (int k = 0; k < n; ++k) row.on[k].ang = cross(arm[k], row.on[k].lin);
    }
};
template <int n>
std::shared_ptr<const GroupConstraint> rope() {
    return holonomic_group<n>([](const auto& X, const auto&) {
        const auto place = [&](int k) { return X[k].p + at(X[k].R, eyelet); };
        auto before = place(0);
        auto sum = 0.0 * before.x - 3.0;
        for (int k = 1; k < n; ++k) {
            const auto now = place(k), d = now - before;
            sum += sqrt(dot(d, d));
            before = now;
        }
        return sum;
    });
}

// Wheels that roll on each other's rims, three of them: a sum of the speeds of points along their axes.
class WheelsByHand final : public GroupConstraint {
public:
    std::string_view kind() const override { return "wheels"; }
    int bodies() const override { return 3; }
    int rows() const override { return 1; }
    void evaluate(const GroupState& state, GroupRow* out) const override {
        const auto& [X, V, time] = state;
        GroupRow& row = out[0] = {};
        row.holonomic = false;
        for (int k = 0; k < 3; ++k) {
            const Vec3d& z = X[k].R.z;
            const Vec3d turning = cross(V[k].ang, z);
            row.on[k].ang = (1.0 + k) * z;
            row.on[k].lin = z;
            row.product += (1.0 + k) * dot(turning, V[k].ang) + dot(turning, V[k].lin);
        }
    }
};

// Poses and velocities of no meaning.
struct Motions {
    std::array<Transformd, max_group_bodies> X;
    std::array<Motion<double>, max_group_bodies> V;
    Motions() {
        for (int k = 0; k < max_group_bodies; ++k) {
            const double c = std::cos(0.3 * k), s = std::sin(0.3 * k);
            X[k] = {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}, {0.3 * k, std::sin(2.0 * k), 0.1 * k * k}};
            V[k] = {{0.1 * k, -0.2, 0.3}, {std::cos(k), 0.4, -0.1 * k}};
        }
    }
};
const Motions motions;

void evaluate_group(benchmark::State& run, const std::shared_ptr<const GroupConstraint>& constraint) {
    GroupRow rows[GroupConstraint::max_rows];
    const std::size_t count = constraint->bodies();
    for (auto _ : run) {
        constraint->evaluate({{motions.X.data(), count}, {motions.V.data(), count}, 0.3}, rows);
        benchmark::DoNotOptimize(rows);
    }
}

// The largest difference between what two say.
double difference(const GroupConstraint& a, const GroupConstraint& b) {
    GroupRow x[GroupConstraint::max_rows], y[GroupConstraint::max_rows];
    const std::size_t count = a.bodies();
    a.evaluate({{motions.X.data(), count}, {motions.V.data(), count}, 0.3}, x);
    b.evaluate({{motions.X.data(), count}, {motions.V.data(), count}, 0.3}, y);
    double most = 0;
    for (int r = 0; r < a.rows(); ++r) {
        most = std::max({most, std::abs(x[r].error - y[r].error), std::abs(x[r].rate - y[r].rate),
                         std::abs(x[r].product - y[r].product)});
        for (std::size_t k = 0; k < count; ++k)
            for (int c = 0; c < 3; ++c)
                most = std::max({most, std::abs(x[r].on[k].ang[c] - y[r].on[k].ang[c]),
                                 std::abs(x[r].on[k].lin[c] - y[r].on[k].lin[c])});
    }
    return most;
}

const bool added = [] {
    const auto add = [](const char* name, std::shared_ptr<const PairConstraint> by_hand,
                        std::shared_ptr<const PairConstraint> by_function) {
        benchmark::RegisterBenchmark((std::string(name) + "/by_hand").c_str(), evaluate, by_hand);
        benchmark::RegisterBenchmark((std::string(name) + "/by_function").c_str(), evaluate, by_function);
    };
    add("distance", std::make_shared<DistanceConstraint>(0.7),
        holonomic([](const auto& X, const auto&) { return sqrt(dot(X.p, X.p)) - 0.7; }));
    add("ellipsoid", std::make_shared<CurveConstraint>(CurveConstraint::ellipsoid({0.4, 0.7, 1.3})),
        holonomic([](const auto& X, const auto&) {
            return square(X.p.x / 0.4) + square(X.p.y / 0.7) + square(X.p.z / 1.3) - 1.0;
        }));
    add("knife_edge", std::make_shared<KnifeEdgeConstraint>(),
        nonholonomic([](const auto& X, const auto& V, const auto&) { return dot(X.R.y, V.lin); }));
    add("point_on_line", std::make_shared<PointOnLineConstraint>(),
        holonomic([](const auto& X, const auto&) { return std::array{X.p.x, X.p.y}; }));
    const auto add_group = [](const char* name, std::shared_ptr<const GroupConstraint> by_hand,
                              std::shared_ptr<const GroupConstraint> by_function) {
        if (!(difference(*by_hand, *by_function) < 1e-12)) throw std::logic_error(name);
        benchmark::RegisterBenchmark((std::string(name) + "/by_hand").c_str(), evaluate_group, by_hand);
        benchmark::RegisterBenchmark((std::string(name) + "/by_function").c_str(), evaluate_group,
                                     by_function);
    };
    add_group("volume_of_4", std::make_shared<VolumeByHand>(),
              holonomic_group<4>([](const auto& X, const auto&) {
                  return dot(X[1].p - X[0].p, cross(X[2].p - X[0].p, X[3].p - X[0].p)) - 0.96;
              }));
    add_group("wheels", std::make_shared<WheelsByHand>(),
              nonholonomic_group<3>([](const auto& X, const auto& V, const auto&) {
                  auto sum = 0.0 * V[0].lin.x;
                  for (int k = 0; k < 3; ++k)
                      sum += (1.0 + k) * dot(X[k].R.z, V[k].ang) + dot(X[k].R.z, V[k].lin);
                  return sum;
              }));
    add_group("rope_of_4", std::make_shared<RopeByHand<4>>(), rope<4>());
    add_group("rope_of_16", std::make_shared<RopeByHand<16>>(), rope<16>());
    return true;
}();

}  // namespace

BENCHMARK_MAIN();
