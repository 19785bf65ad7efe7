// Transmissions through linkages, against the closed forms of their textbooks.

#include "support/contact_scenes.h"

#include <ligament/smooth_motion.h>
#include <ligament/transmission.h>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using namespace lig;
using namespace lig::test;

namespace {

using std::numbers::pi;

const std::string head =
    "<mujoco><compiler angle='radian'/><option><flag contact='disable'/></option>"
    "<default><joint axis='0 -1 0'/></default><worldbody>";

// A cylinder from (0, −0.4) to a pin at 0.6 m on a boom, whose hinge is in the origin.
std::shared_ptr<const Model> boom(const std::string& range) {
    return model_of(head + "<body name='boom'><joint name='boom' " + range +
                    "/><geom type='capsule' fromto='0 0 0 2 0 0' size='.05' mass='30'/></body>"
                    "<body name='barrel' pos='0 0 -0.4'><joint name='barrel'/>"
                    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.03' mass='4'/>"
                    "<body name='rod'><joint name='rod' type='slide' axis='1 0 0'/><geom size='.03' "
                    "mass='2'/></body></body></worldbody><equality><loop name='eye' type='ball' body1='boom' "
                    "body2='rod' pos1='0.6 0 0' pos2='0 0 0'/></equality>"
                    "<actuator><motor name='cylinder' joint='rod'/></actuator></mujoco>");
}

JointState<double> boom_at(const Model& model, double a) {
    JointState<double> state(model);
    const double x = 0.6 * std::cos(a), z = 0.6 * std::sin(a) + 0.4;
    state.q = {a, std::atan2(z, x), std::hypot(x, z)};
    return state;
}

// A crank of 0.3 m and a rod of 1 m push a slider along x.
std::shared_ptr<const Model> slider_crank(const std::string& driven) {
    return model_of(head +
                    "<body name='crank'><joint name='crank'/><geom type='capsule' fromto='0 0 0 .3 0 0' "
                    "size='.01' mass='1'/><body name='rod' pos='.3 0 0'><joint name='rod'/><geom "
                    "type='capsule' fromto='0 0 0 1 0 0' size='.01' mass='2'/></body></body>"
                    "<body name='slider' pos='1.3 0 0'><joint name='slider' type='slide' axis='1 0 0'/>"
                    "<geom size='.1' mass='5'/></body></worldbody><equality><connect name='pin' "
                    "body1='rod' body2='slider' anchor='1 0 0'/></equality><actuator><motor joint='" +
                    driven + "'/></actuator></mujoco>");
}

JointState<double> crank_at(const Model& model, double a) {
    JointState<double> state(model);
    const double tilt = std::asin(0.3 * std::sin(a));
    state.q = {a, -a - tilt, 0.3 * std::cos(a) + std::cos(tilt) - 1.3};
    return state;
}

// By how much the slider moves as the crank turns.
double slider_ratio(double a) {
    const double s = std::sin(a), c = std::cos(a);
    return -0.3 * s - 0.09 * s * c / std::sqrt(1 - 0.09 * s * s);
}

}  // namespace

TEST_CASE("transmission: a cylinder on a boom, by the law of cosines") {
    const auto model = boom("range='-0.6 1.3'");
    const TransmissionCurve curve = trace_transmission(model, boom_at(*model, 0.2), 0);
    CHECK(curve.freedom == 2);
    CHECK_FALSE(curve.closed);
    CHECK(curve.ends[0] == "the limit of joint 'boom'");
    CHECK(curve.ends[1] == "the limit of joint 'boom'");
    CHECK(curve.singular.empty());
    REQUIRE(curve.moved == std::vector<int>{0, 1});
    CHECK(curve.points.size() > 50);
    CHECK(curve.points.front().q[0] == doctest::Approx(-0.6).epsilon(1e-10));
    CHECK(curve.points.back().q[0] == doctest::Approx(1.3).epsilon(1e-10));
    for (const TransmissionPoint& p : curve.points) {
        const double a = p.q[0], l = std::sqrt(0.36 + 0.16 + 0.48 * std::sin(a));
        CHECK(p.length == doctest::Approx(l).epsilon(1e-10));
        CHECK(p.arm(0) == doctest::Approx(0.24 * std::cos(a) / l).epsilon(1e-9));
        CHECK(p.ratio(0) == doctest::Approx(l / (0.24 * std::cos(a))).epsilon(1e-9));
    }
}

TEST_CASE("transmission: where a cylinder has no effect") {
    // All the way round: up and down it pulls through the hinge.
    const auto model = boom("");
    const TransmissionCurve curve = trace_transmission(model, boom_at(*model, 0.2), 0);
    CHECK(curve.closed);
    int dead = 0;
    for (const TransmissionSingularity& at : curve.singular) {
        if (at.velocity >= 0) continue;
        ++dead;
        CHECK(std::abs(std::sin(at.at.q[0])) == doctest::Approx(1).epsilon(1e-12));
        CHECK(std::abs(std::cos(at.at.q[0])) < 1e-9);
        CHECK(at.at.length == doctest::Approx(std::sin(at.at.q[0]) > 0 ? 1 : 0.2).epsilon(1e-10));
    }
    CHECK(dead == 2);
}

TEST_CASE("transmission: a slider crank, by the crank and by the slider") {
    for (const std::string driven : {"crank", "slider"}) {
        CAPTURE(driven);
        const auto model = slider_crank(driven);
        const TransmissionCurve curve = trace_transmission(model, crank_at(*model, 0.7), 0);
        CHECK(curve.closed);
        const bool by_crank = driven == "crank";
        for (const TransmissionPoint& p : curve.points) {
            const double r = slider_ratio(p.q[0]);
            if (by_crank)
                CHECK(p.ratio(2) == doctest::Approx(r).epsilon(1e-9).scale(1));
            else
                CHECK(p.arm(0) == doctest::Approx(r).epsilon(1e-9).scale(1));
        }
        // Dead centres: the slider stands, and does nothing to the crank.
        int dead = 0;
        for (const TransmissionSingularity& at : curve.singular) {
            if (at.velocity != (by_crank ? 2 : -1)) continue;
            ++dead;
            CHECK(std::abs(std::sin(at.at.q[0])) < 1e-9);
        }
        CHECK(dead == 2);
    }
}

TEST_CASE("transmission: a four-bar that does not turn round goes through its toggles") {
    // Crank 1, coupler 1.2, rocker 0.8, ground 1.5: the coupler and the rocker in line stop the crank where
    // crank² + ground² − 2 crank ground cos a = (coupler + rocker)².
    const double crank = 1, coupler = 1.2, rocker = 0.8, ground = 1.5;
    const auto model = model_of(
        head +
        "<body><joint name='a'/><geom type='capsule' fromto='0 0 0 1 0 0' size='.01' mass='1'/>"
        "<body name='coupler' pos='1 0 0'><joint name='b'/><geom type='capsule' fromto='0 0 0 1.2 0 0' "
        "size='.01' mass='1'/></body></body><body name='rocker' pos='1.5 0 0'><joint name='c'/>"
        "<geom type='capsule' fromto='0 0 0 .8 0 0' size='.01' mass='1'/></body></worldbody>"
        "<equality><loop type='ball' body1='coupler' body2='rocker' pos1='1.2 0 0' pos2='.8 0 0'/>"
        "</equality><actuator><motor name='crank' joint='a'/></actuator></mujoco>");
    JointState<double> state(*model);
    const double angle = 0.9;
    const double x = ground - crank * std::cos(angle), z = -crank * std::sin(angle);
    const double way = std::hypot(x, z), direction = std::atan2(z, x);
    const double at_coupler =
        std::acos((coupler * coupler + way * way - rocker * rocker) / (2 * coupler * way));
    const double at_rocker =
        std::acos((rocker * rocker + way * way - coupler * coupler) / (2 * rocker * way));
    state.q = {angle, direction + at_coupler - angle, direction + pi - at_rocker};
    const TransmissionCurve curve = trace_transmission(model, state, 0);
    CHECK(curve.closed);
    int compared = 0;
    for (const TransmissionPoint& p : curve.points) {
        const double a = p.q[0], t = p.q[0] + p.q[1], c = p.q[2];
        if (std::abs(std::sin(t - c)) < 0.05) continue;  // its pole
        CHECK(p.ratio(2) ==
              doctest::Approx(crank * std::sin(t - a) / (rocker * std::sin(t - c))).epsilon(1e-8));
        ++compared;
    }
    CHECK(compared > 100);
    int toggles = 0;
    for (const TransmissionSingularity& at : curve.singular)
        if (at.velocity == -1) {
            ++toggles;
            const double a = at.at.q[0];
            const double reach = crank * crank + ground * ground - 2 * crank * ground * std::cos(a);
            CHECK(reach == doctest::Approx(std::pow(coupler + rocker, 2)).epsilon(1e-9));
        }
    CHECK(toggles == 2);
}

TEST_CASE("transmission: what has none is refused") {
    const auto model = boom("");
    JointState<double> open = boom_at(*model, 0.2);
    open.q[2] += 0.1;
    CHECK_THROWS_WITH(trace_transmission(model, open, 0),
                      doctest::Contains("lig::trace_transmission: loop 'eye'"));
    CHECK_THROWS_WITH(trace_transmission(model, boom_at(*model, 0.2), 1),
                      "lig::trace_transmission: there is no actuator 1");
    const auto limited = boom("range='-0.6 1.3'");
    CHECK_THROWS_WITH(trace_transmission(limited, boom_at(*limited, 1.4), 0),
                      "lig::trace_transmission: the start is beyond the limit of joint 'boom'");
}
