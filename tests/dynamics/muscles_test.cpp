// Muscles: forces and activations against MuJoCo, slopes against differences, ranges of lengths against
// closed forms.

#include "dynamics/muscle.h"
#include "io/mjcf.h"
#include "support/drive_reference.h"

#include <filesystem>

using namespace lig;
using namespace lig::test;

namespace {

struct Compiled {
    explicit Compiled(const std::string& inside) {
        const std::string text = "<mujoco><compiler angle='radian'/>" + inside + "</mujoco>";
        io::XmlSource source;
        REQUIRE(source.load_text(text, "m.xml", log));
        try {
            model = compile(io::read_mjcf(source, {}, log), log);
        } catch (const InputError&) {}
    }
    bool says(std::string_view text) const {
        return std::any_of(log.all().begin(), log.all().end(), [&](const Diagnostic& d) {
            return d.to_string().find(text) != std::string::npos;
        });
    }
    Diagnostics log;
    std::shared_ptr<const Model> model;
};

void check_range(const Compiled& compiled, double shortest, double longest, double tolerance = 1e-12) {
    REQUIRE(compiled.model);
    const std::array<double, 2> found = compiled.model->actuators[0].length_range;
    CHECK(found[0] == doctest::Approx(shortest).epsilon(tolerance));
    CHECK(found[1] == doctest::Approx(longest).epsilon(tolerance));
}

}  // namespace

TEST_CASE("muscles: lengths, forces, activations and accelerations are those of MuJoCo") {
    const DriveReference reference("muscles");
    const Model& model = *reference.model;
    // The paths touch the same points; what is left is rounding, through the slope of the curves.
    constexpr double tolerance = 1e-11;
    for (const nlohmann::json& one : reference.numbers.at("states")) {
        const auto get = [&](const char* field) { return one.at(field).get<std::vector<double>>(); };
        JointState<double> state(model);
        state.q = get("qpos");
        state.v = get("qvel");
        state.act = get("act");
        const std::vector<double> ctrl = get("ctrl");
        Driven<double> here(reference.model, state);
        std::vector<double> tau(model.nv, 0.0), qacc(model.nv), act(model.na);
        add_smooth_forces<double>(state, model, ctrl, here.drives, tau);
        forward_dynamics<double>(state, tau, here.ws, here.drives, qacc);
        next_activation<double>(state, model, here.drives, model.options.timestep, act);
        CHECK(difference_of(here.drives.actuator_length, get("actuator_length")) < tolerance);
        CHECK(difference_of(here.drives.actuator_velocity, get("actuator_velocity")) < tolerance);
        CHECK(difference_of(here.drives.actuator_force, get("actuator_force")) < tolerance);
        CHECK(difference_of(here.drives.act_dot, get("act_dot")) < tolerance);
        CHECK(difference_of(here.drives.joint_force, get("qfrc_actuator")) < tolerance);
        CHECK(difference_of(qacc, get("qacc")) < tolerance);
        CHECK(difference_of(act, get("act_next")) < tolerance);
    }
}

TEST_CASE("muscles: without a peak force it is the scale over the acceleration by a unit force") {
    const DriveReference reference("muscles");
    const std::vector<double> acceleration = reference.get("acc0");
    for (const char* name : {"flexor", "long", "wrist"}) {
        const int i = reference.model->find_actuator(name);
        const MuscleSpec& muscle = *reference.model->actuators[i].muscle_gain;
        CHECK(muscle.force == doctest::Approx(muscle.scale / acceleration[i]).epsilon(1e-12));
        CHECK(reference.model->actuators[i].muscle_bias->force == muscle.force);
    }
}

// The curves at the points that define them, and slopes by differences between them.
TEST_CASE("muscles: curves of force over length and velocity") {
    const MuscleSpec muscle{
        .min_length = 0.4, .max_length = 1.8, .passive_force = 0.7, .lengthening_force = 1.4};
    for (const auto& [L, wanted] :
         {std::pair{0.3, 0.0}, {0.4, 0.0}, {0.7, 0.5}, {1.0, 1.0}, {1.4, 0.5}, {1.8, 0.0}, {2.0, 0.0}})
        CHECK(active_length_curve(muscle, L).value == doctest::Approx(wanted).epsilon(1e-14));
    for (const auto& [V, wanted] :
         {std::pair{-2.0, 0.0}, {-1.0, 0.0}, {-0.5, 0.25}, {0.0, 1.0}, {0.4, 1.4}, {3.0, 1.4}})
        CHECK(velocity_curve(muscle, V).value == doctest::Approx(wanted).epsilon(1e-14));
    for (const auto& [L, wanted] : {std::pair{0.5, 0.0}, {1.0, 0.0}, {1.4, 0.35}, {1.8, 1.05}})
        CHECK(passive_length_curve(muscle, L).value == doctest::Approx(wanted).epsilon(1e-14));

    constexpr double h = 1e-6;  // parabolas: central differences are exact to rounding over h
    for (double x = -1.45; x < 2.2; x += 0.1) {
        const auto slope_is_right = [&](const auto& curve) {
            const double wanted = (curve(muscle, x + h).value - curve(muscle, x - h).value) / (2 * h);
            CHECK(std::abs(curve(muscle, x).slope - wanted) < 1e-9);
        };
        slope_is_right([](const MuscleSpec& m, double L) { return active_length_curve(m, L); });
        slope_is_right([](const MuscleSpec& m, double V) { return velocity_curve(m, V); });
        slope_is_right([](const MuscleSpec& m, double L) { return passive_length_curve(m, L); });
    }
    const std::array<double, 2> range{0.2, 0.35};
    const auto gain = [&](double l, double v) { return muscle_gain(muscle, range, l, v); };
    for (const double l : {0.16, 0.23, 0.31})
        for (const double v : {-0.3, 0.05, 0.2}) {
            const MuscleForce<double> f = gain(l, v), b = muscle_bias(muscle, range, l + 0.1);
            CHECK(f.by_length ==
                  doctest::Approx((gain(l + h, v).value - gain(l - h, v).value) / (2 * h)).epsilon(1e-7));
            CHECK(f.by_velocity ==
                  doctest::Approx((gain(l, v + h).value - gain(l, v - h).value) / (2 * h)).epsilon(1e-7));
            CHECK(b.by_length == doctest::Approx((muscle_bias(muscle, range, l + 0.1 + h).value -
                                                  muscle_bias(muscle, range, l + 0.1 - h).value) /
                                                 (2 * h))
                                     .epsilon(1e-7));
        }
}

TEST_CASE("muscles: the range of lengths on joints is that of their limits, through the gear") {
    const std::string slide =
        "<worldbody><body><joint name='j' type='slide' range='-.2 .5'/><geom size='.1'/>"
        "</body></worldbody>";
    check_range(Compiled(slide + "<actuator><muscle joint='j' gear='-3'/></actuator>"), -1.5, 0.6);
    // As in MuJoCo the limits themselves, without the gear.
    check_range(Compiled("<compiler><lengthrange uselimit='true'/></compiler>" + slide +
                         "<actuator><muscle joint='j' gear='-3'/></actuator>"),
                -0.2, 0.5);
    check_range(Compiled(slide + "<actuator><muscle joint='j' lengthrange='1 2'/></actuator>"), 1, 2);
    check_range(Compiled("<compiler><lengthrange useexisting='false'/></compiler>" + slide +
                         "<actuator><muscle joint='j' lengthrange='1 2'/></actuator>"),
                -0.2, 0.5);
    const Compiled swapped(slide + "<actuator><muscle joint='j' lengthrange='2 1'/></actuator>");
    check_range(swapped, -0.2, 0.5);
    CHECK(swapped.says("warning[W094]: <muscle>: the lower end of 'lengthrange'"));
}

TEST_CASE("muscles: the range of lengths of tendons is found") {
    // A site at (−a, 0) and one at the radius r: l² = a² + r² + 2 a r cos θ.
    const auto arm = [](const std::string& range) {
        return Compiled("<worldbody><site name='p' pos='-.3 0 0'/><body><joint name='j' axis='0 0 1' " +
                        range +
                        "/><geom size='.1'/><site name='s' pos='.2 0 0'/></body></worldbody><tendon><spatial "
                        "name='t'><site site='p'/><site site='s'/></spatial></tendon><actuator><muscle "
                        "tendon='t' gear='2'/></actuator>");
    };
    const auto length = [](double angle) { return 2 * std::sqrt(0.09 + 0.04 + 0.12 * std::cos(angle)); };
    check_range(arm("range='0.3 2'"), length(2), length(0.3));
    check_range(arm("range='-2 1.5'"), length(-2), length(0));
    // From the straight arm, where the slope is zero, and without limits: both ends are turning points.
    check_range(arm(""), 0.2, 1);
    CHECK(arm("").log.all().empty());

    // A ball: any direction.
    check_range(
        Compiled("<worldbody><site name='p' pos='-.3 .1 0'/><body><joint type='ball'/><geom size='.1'/>"
                 "<site name='s' pos='.1 .2 .1'/></body></worldbody><tendon><spatial name='t'><site "
                 "site='p'/><site site='s'/></spatial></tendon><actuator><muscle tendon='t'/></actuator>"),
        std::sqrt(0.1) - std::sqrt(0.06), std::sqrt(0.1) + std::sqrt(0.06), 1e-10);

    // Two slides, one of which follows the other by −2 and a half: 3 x₁ + x₂ = x₁ + 0.5.
    const std::string slides =
        "<worldbody><body><joint name='a' type='slide' range='-.2 .5'/><geom size='.1'/></body><body><joint "
        "name='b' type='slide'/><geom size='.1'/></body></worldbody><tendon><fixed name='t'><joint joint='a' "
        "coef='3'/><joint joint='b' coef='1'/></fixed></tendon><actuator><muscle tendon='t'/></actuator>";
    const Compiled coupled(slides +
                           "<equality><joint joint1='b' joint2='a' polycoef='.5 -2 0 0 0'/></equality>");
    check_range(coupled, 0.3, 1);

    // The tendon's own range holds it where the joints have none.
    check_range(Compiled("<worldbody><body><joint name='a' type='slide'/><geom size='.1'/></body></worldbody>"
                         "<tendon><fixed name='t' range='-1 2'><joint joint='a' coef='3'/></fixed></tendon>"
                         "<actuator><muscle tendon='t' gear='-2'/></actuator>"),
                -4, 2);

    // What has no end is named, with its place.
    const Compiled free(slides);
    CHECK(!free.model);
    CHECK(free.says("m.xml:1:"));
    CHECK(free.says(
        "error[E192]: actuator 0 (without a name) is a muscle, and its length has no least and "
        "greatest value within the limits of the joints (give the joints that it moves a range, "
        "or write lengthrange=\"shortest longest\")"));

    // What the search does not see is said.
    const Compiled other(
        "<worldbody><body><joint name='a' type='slide' range='-.2 .5'/><geom size='.1'/></body>"
        "</worldbody><tendon><fixed name='t' range='-.1 .1'><joint joint='a' coef='3'/></fixed>"
        "</tendon><actuator><muscle joint='a'/></actuator>");
    check_range(other, -0.2, 0.5);
    CHECK(other.says("warning[W193]"));
}

TEST_CASE("muscles: parameters that cannot be") {
    const auto said = [](const std::string& attributes) {
        return Compiled(
            "<worldbody><body><joint name='j' range='0 1'/><geom size='.1'/></body></worldbody>"
            "<actuator><muscle name='m' joint='j' " +
            attributes + "/></actuator>");
    };
    CHECK(said("").model);
    CHECK(said("range='1 .5'").says("error[E031]: actuator 'm': the lower end of a muscle's range"));
    CHECK(said("lmin='1.5'").says("error[E031]: actuator 'm': a muscle's least length"));
    CHECK(said("lmax='.5'").says("error[E031]: actuator 'm': a muscle's greatest length"));
    CHECK(said("vmax='0'").says("error[E031]: actuator 'm': a muscle's largest velocity"));
    CHECK(said("scale='0'").says("error[E031]: actuator 'm': a muscle's scale"));
    CHECK(said("tausmooth='-1'").says("error[E006]"));
}

TEST_CASE("muscles: MuJoCo's arm with six of them") {
    const std::filesystem::path path = std::filesystem::path(LIG_SHARED_DIR) / "models/mujoco/arm26.xml";
    if (!std::filesystem::exists(path)) {
        MESSAGE("skipped: no " << path.string());
        return;
    }
    // Computed with MuJoCo 3.14: the ranges that it finds, and one state without constraints.
    const std::array<std::array<double, 2>, 6> ranges{{{0.10242545235061198, 0.3403864649839778},
                                                       {0.3403259447500685, 0.5498643758917501},
                                                       {0.010262121058557741, 0.21645283250244374},
                                                       {0.2163636183943242, 0.384063470156426},
                                                       {0.33197492397831596, 0.799956463486837},
                                                       {0.7998028417320544, 1.1770187978192297}}};
    Diagnostics log;
    const Scene scene = load_scene(path, {}, log);
    const std::shared_ptr<const Model> searched = compile(scene, log);
    CHECK(log.error_count() == 0);
    for (int i = 0; i < 6; ++i) {
        // MuJoCo's limits give way while it pulls: by at most 1 % of the width here.
        const double width = ranges[i][1] - ranges[i][0];
        for (int end = 0; end < 2; ++end)
            CHECK(std::abs(searched->actuators[i].length_range[end] - ranges[i][end]) < 0.01 * width);
    }
    const auto model = std::make_shared<Model>(*searched);
    for (int i = 0; i < 6; ++i) model->actuators[i].length_range = ranges[i];
    JointState<double> state(*model);
    state.q = {0.7, 1.1};
    state.v = {1.5, -2};
    state.act = {0.1, 0.9, 0.3, 0.4, 0.6, 0.2};
    const std::vector<double> ctrl{0.5, 0.2, 0.8, 0.3, 0.1, 1};
    Driven<double> here(model, state);
    std::vector<double> tau(2, 0.0), qacc(2);
    add_smooth_forces<double>(state, *model, ctrl, here.drives, tau);
    forward_dynamics<double>(state, tau, here.ws, here.drives, qacc);
    constexpr double tolerance = 1e-12;
    CHECK(difference_of(here.drives.actuator_length,
                        {0.27035620486702316, 0.4103562048670232, 0.12157930411621841, 0.30440822544838386,
                         0.6209500888952786, 0.9578796526094457}) < tolerance);
    CHECK(difference_of(here.drives.actuator_force,
                        {-27.020061633309087, -313.0013378607361, -45.229574101233005, -32.68067864738138,
                         -131.94825238837154, -36.90390076249551}) < tolerance);
    CHECK(difference_of(here.drives.act_dot, {61.53846153846153, -32.375, 52.631578947368425,
                                              -2.750000000000001, -17.5, 100}) < tolerance);
    CHECK(difference_of(qacc, {-56.904771431159354, 172.37477141651092}) < tolerance);
}
