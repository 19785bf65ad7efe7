// The contracts that programs can check (contracts.h): kinds of the library and of programs keep them, and
// what does not is named.

#include "support/pair_samples.h"

#include <ligament/body_push.h>
#include <ligament/contracts.h>
#include <ligament/function_constraint.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <utility>

using namespace lig;
using namespace lig::test;

namespace {

// A distance by hand, of which one number at a time is spoilt.
struct Spoilt {
    double error = 0, force = 0, moment = 0, rate = 0, product = 0;
};
class Distance final : public GroupConstraint {
public:
    explicit Distance(Spoilt spoilt) : spoilt_(spoilt) {}
    std::string_view kind() const override { return "distance"; }
    int bodies() const override { return 2; }
    int rows() const override { return 1; }
    void evaluate(const GroupState& state, GroupRow* out) const override {
        const auto& [X, V, time] = state;
        const Vec3d arm = X[1].R * Vec3d{0.1, 0.2, 0.3}, d = X[1].p + arm - X[0].p;
        const Vec3d turning = cross(V[1].ang, arm), v = V[1].lin + turning - V[0].lin;
        const double length = std::sqrt(dot(d, d)), along = dot(d, v) / length;
        GroupRow& row = out[0] = {};
        row.error = length - 0.3 * time + spoilt_.error * X[0].p.x;
        row.on[1].lin = (1 / length) * d;
        row.on[1].ang = (1 + spoilt_.moment) * cross(arm, row.on[1].lin);
        row.on[0].lin = -(1 + spoilt_.force) * row.on[1].lin;
        row.rate = -0.3 * (1 + spoilt_.rate);
        row.product = (dot(v, v) - along * along) / length +
                      dot(row.on[1].lin, cross(V[1].ang, turning)) * (1 + spoilt_.product);
    }

private:
    Spoilt spoilt_;
};

// The same of a pair, the frames' own.
class Gap final : public PairConstraint {
public:
    explicit Gap(bool holonomic, double spoilt) : holonomic_(holonomic), spoilt_(spoilt) {}
    std::string_view kind() const override { return "gap"; }
    int rows() const override { return 1; }
    void evaluate(const PairState& state, PairRow* out) const override {
        PairRow& row = out[0] = {};
        row.holonomic = holonomic_;
        row.error = state.X_WB.p.z - state.X_WA.p.z;
        row.on_b.lin.z = 1 + spoilt_;
        row.on_a.lin.z = -1;
    }

private:
    bool holonomic_;
    double spoilt_;
};

// A law of two coordinates by hand.
class Bar final : public ProgramBody {
public:
    double gradient = 0, force = 0, stiffness = 0, coupling = 0, weight = 0;
    std::string_view kind() const override { return "bar"; }
    int coordinates() const override { return 2; }
    void modes(const Vec3d& r, Vec3d* phi) const override {
        phi[0] = {0, 0, r.x * r.x};
        phi[1] = {0, r.x * r.y, 0};
    }
    void gradients(const Vec3d& r, Mat3d* out) const override {
        out[0] = out[1] = Mat3d::zero();
        out[0](2, 0) = 2 * r.x;
        out[1](1, 0) = r.y;
        out[1](1, 1) = r.x + gradient;
    }
    void elastic(const double* s, ShapeForces& out) const override {
        out.energy = s[0] * s[0] + s[0] * s[1] * s[1];
        out.force[0] = -2 * s[0] - s[1] * s[1];
        out.force[1] = -2 * s[0] * s[1] + force;
        out.stiffness[0][0] = 2;
        out.stiffness[0][1] = out.stiffness[1][0] = 2 * s[1];
        out.stiffness[1][1] = 2 * s[0] + stiffness;
    }
    void damping(ShapeMatrix& D) const override {
        D[0][0] = D[1][1] = 1;
        D[0][1] = 2 * coupling;
        D[1][0] = coupling == 1 ? 2 : 0;
    }
    void added_mass(ShapeMatrix& A) const override { A[0][0] = weight; }
};

bool says(const std::string& fault, const char* what) {
    CAPTURE(fault);
    CAPTURE(what);
    const bool said = fault.find(what) != std::string::npos;
    CHECK(said);
    return said;
}

}  // namespace

TEST_CASE("contracts: all kinds of constraints between two bodies keep theirs") {
    for (const auto& sample : pair_samples()) {
        // Where a disk lies nearly flat its lowest point runs around the rim, and differences are poor.
        const double tolerance = sample->kind() == "rolling_disk" ? 1e-2 : 1e-6;
        CAPTURE(sample->kind());
        CHECK(contract_fault(*sample, {.tolerance = tolerance}) == "");
    }
}

TEST_CASE("contracts: functions of two bodies and of many keep theirs") {
    const std::shared_ptr<const PairConstraint> pairs[] = {
        holonomic([](const auto& X, const auto& t) { return X.p.z - 0.3 * cos(2.0 * X.p.x) + 0.1 * t; }),
        nonholonomic([](const auto& X, const auto& V, const auto& t) {
            return std::array{dot(X.R.x, V.lin) - 0.2 * t, dot(X.R.y, V.ang)};
        })};
    for (const auto& pair : pairs) CHECK(contract_fault(*pair) == "");
    const std::shared_ptr<const GroupConstraint> groups[] = {
        holonomic_group<4>([](const auto& X, const auto&) {
            return dot(X[1].p - X[0].p, cross(X[2].p - X[0].p, X[3].p - X[0].p)) - 0.96;
        }),
        holonomic_group<3>([](const auto& X, const auto& t) {
            const auto d = X[1].p + 0.2 * X[1].R.x - X[0].p, e = X[2].p - X[1].p;
            return std::array{sqrt(dot(d, d)) + sqrt(dot(e, e)) - 2.0 - sin(t), atan2(d.y, d.x) - 0.5 * e.z};
        }),
        // Of two branches.
        holonomic_group<2>([](const auto& X, const auto&) { return abs(X[1].p.z) * X[0].p.x; }),
        nonholonomic_group<3>([](const auto& X, const auto& V, const auto& t) {
            return dot(X[0].R.z, V[0].ang) - 2.0 * dot(X[1].R.z, V[1].ang) + V[2].lin.x * cos(t) + 0.3;
        }),
        std::make_shared<Distance>(Spoilt{})};
    for (const auto& group : groups) CHECK(contract_fault(*group) == "");
}

TEST_CASE("contracts: a constraint that breaks its own is named with its row and the numbers") {
    says(contract_fault(Distance({.error = 1e-3})), "row 1: dC/dt is ");
    says(contract_fault(Distance({.force = 1e-3})), "and J v + rate ");
    says(contract_fault(Distance({.moment = 1e-3})), "row 1: dC/dt is ");
    says(contract_fault(Distance({.rate = 1e-3})), "row 1: dC/dt is ");
    says(contract_fault(Distance({.product = 1e-2})), "and the product ");
    CHECK(contract_fault(Gap(true, 0)) == "");
    says(contract_fault(Gap(true, 1e-3)), "row 1: dC/dt is ");
    says(contract_fault(Gap(false, 0)), "it is nonholonomic, and its error");
    const auto nowhere =
        holonomic_group<2>([](const auto& X, const auto&) { return sqrt(-1.0 - X[0].p.x * X[0].p.x); });
    says(contract_fault(*nowhere), "not finite in any of the states");
    says(contract_fault(*holonomic([](const auto& X, const auto&) { return X.p.x; }, {.scale = -1})),
         "its scale is not a positive number");
}

TEST_CASE("contracts: kinds of bodies of a program keep theirs, or are named") {
    const auto bent = body_kind<2>(
        [](const auto& r) {
            return std::array{Vec3{0.0 * r.x, 0.0 * r.x, r.x * r.x},
                              Vec3{0.0 * r.x, sin(r.x) * r.y, 0.0 * r.x}};
        },
        [](const auto& s) { return 3.0 * s[0] * s[0] + exp(s[1]) * s[0] + 4.0 * s[1] * s[1]; },
        {.damping = 0.1});
    CHECK(contract_fault(*bent) == "");
    const auto with = [](double Bar::* which, double value) {
        Bar bar;
        bar.*which = value;
        return contract_fault(bar);
    };
    CHECK(contract_fault(Bar()) == "");
    says(with(&Bar::gradient, 1e-3), "mode 2: its derivative by y is ");
    says(with(&Bar::force, 1e-3), "−dE/ds2 is ");
    says(with(&Bar::stiffness, 1e-3), "−dF2/ds2 is ");
    says(with(&Bar::coupling, 0.3), "its damping is not symmetric");
    says(with(&Bar::coupling, 1), "its damping is negative along some direction");
    says(with(&Bar::weight, -1), "its added mass is negative along some direction");
    const auto pushed = [&](Push push) {
        const auto kind = body_kind<1>(
            [](const auto& r) { return std::array{Vec3{0.0 * r.x, 0.0 * r.x, r.x * r.x}}; },
            [](const auto& s) { return 3.0 * s[0] * s[0]; });
        return contract_fault(*with_push(kind, std::move(push)));
    };
    CHECK(pushed([](const ShapeMotion& now, double* force) { force[0] = -now.rate[0] * now.time; }) == "");
    says(pushed([](const ShapeMotion&, double* force) { force[0] = NAN; }), "its push on s1 is not finite");
    says(pushed([count = 0](const ShapeMotion&, double* force) mutable { force[0] = ++count; }),
         "its push on s1 is another one the second time");
}
