// Motions over seconds against reference solutions of known accuracy: forward dynamics and the coordinates of
// hinges and balls together. The integration is Runge–Kutta of fourth order in the coordinates themselves.

#include "support/random_scene.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using namespace lig;
using namespace lig::test;

namespace {

// More than what truncation at this step and the growth of rounding come to on any of the problems below.
constexpr double tolerance = 1e-8;
constexpr double h = 2.5e-4;

nlohmann::json problem(const char* id) {
    std::ifstream file(std::filesystem::path(LIG_SHARED_DIR) / "refs" / "problems.json");
    if (!file.good()) {
        MESSAGE("skipped: there are no reference problems in " << LIG_SHARED_DIR);
        return {};
    }
    const nlohmann::json all = nlohmann::json::parse(file);
    for (const nlohmann::json& one : all["problems"])
        if (one["id"] == id) return one;
    FAIL("no problem " << id);
    return {};
}

// q and v, and their rates.
struct Point {
    std::vector<double> q, v;
};

class Motion4 {
public:
    explicit Motion4(const Scene& scene)
        : model_(compile(scene)), ws_(model_), state(*model_), tau_(model_->nv) {}

    void run_to(double time) {
        const long steps = std::lround((time - state.time) / h);
        for (long k = 0; k < steps; ++k) step();
        state.time = time;
    }
    const Workspace<double>& kinematics() {
        forward_kinematics(state, ws_);
        return ws_;
    }
    const Model& model() const { return *model_; }

private:
    // q̇ is v, for quaternions ½ q ω with ω in body axes.
    Point rate(const Point& at) {
        JointState<double> s = state;
        s.q = at.q;
        s.v = at.v;
        Point out{std::vector<double>(at.q.size()), std::vector<double>(at.v.size())};
        forward_dynamics<double>(s, tau_, ws_, out.v);
        for (const Model::Joint& joint : model_->joints) {
            const double* v = at.v.data() + joint.v_adr;
            if (joint.type != JointType::ball) {  // hinges
                out.q[joint.q_adr] = v[0];
                continue;
            }
            const double* q = at.q.data() + joint.q_adr;
            const Quatd r = Quatd{q[0], q[1], q[2], q[3]} * Quatd{0, v[0] / 2, v[1] / 2, v[2] / 2};
            for (int k = 0; k < 4; ++k) out.q[joint.q_adr + k] = (&r.w)[k];
        }
        return out;
    }
    Point moved(const Point& rate, double time) const {
        Point out{state.q, state.v};
        for (std::size_t k = 0; k < out.q.size(); ++k) out.q[k] += time * rate.q[k];
        for (std::size_t k = 0; k < out.v.size(); ++k) out.v[k] += time * rate.v[k];
        return out;
    }
    void step() {
        const Point k1 = rate({state.q, state.v}), k2 = rate(moved(k1, h / 2)), k3 = rate(moved(k2, h / 2));
        const Point k4 = rate(moved(k3, h));
        for (std::size_t k = 0; k < state.q.size(); ++k)
            state.q[k] += h / 6 * (k1.q[k] + 2 * k2.q[k] + 2 * k3.q[k] + k4.q[k]);
        for (std::size_t k = 0; k < state.v.size(); ++k)
            state.v[k] += h / 6 * (k1.v[k] + 2 * k2.v[k] + 2 * k3.v[k] + k4.v[k]);
    }

    std::shared_ptr<const Model> model_;
    Workspace<double> ws_;

public:
    JointState<double> state;

private:
    std::vector<double> tau_;
};

// Two links in a plane; `com` is how far from its joint the centre of mass of a link lies.
Scene double_pendulum(double com, double inertia) {
    Scene scene("double pendulum");
    BodyId at = world;
    for (int k = 0; k < 2; ++k) {
        at = scene.add_body(
            at, {.name = "link" + std::to_string(k),
                 .pose = {{0, 0, k == 0 ? 0.0 : -1.0}},
                 .inertial = InertialSpec{1, {{0, 0, -com}}, Sym3d::diagonal(inertia, inertia, 0), {}}});
        scene.add_joint(at, {.name = "joint" + std::to_string(k), .axis = {0, 1, 0}});
    }
    return scene;
}

void check_double_pendulum(const char* id, const Scene& scene) {
    const nlohmann::json reference = problem(id);
    if (reference.is_null()) return;
    Motion4 motion(scene);
    motion.state.q = {std::acos(0.0), 0};
    for (const nlohmann::json& at : reference["references"]) {
        if (at["t"] > 5) continue;  // chaos magnifies rounding and truncation beyond
        motion.run_to(at["t"]);
        CAPTURE(motion.state.time);
        // The reference counts both angles from the vertical.
        const std::vector<double>&q = motion.state.q, &v = motion.state.v;
        CHECK(std::abs(q[0] - at["theta"][0].get<double>()) < tolerance);
        CHECK(std::abs(q[0] + q[1] - at["theta"][1].get<double>()) < tolerance);
        CHECK(std::abs(v[0] - at["omega"][0].get<double>()) < tolerance);
        CHECK(std::abs(v[0] + v[1] - at["omega"][1].get<double>()) < tolerance);
    }
}

// A body on a ball at its centre of mass, without gravity.
void check_free_rotation(const char* id, const Vec3d& moments, const char* quat_key) {
    const nlohmann::json reference = problem(id);
    if (reference.is_null()) return;
    Scene scene("free rotation");
    scene.options.gravity = {0, 0, 0};
    const BodyId body = scene.add_body(
        world, {.name = "top",
                .inertial = InertialSpec{1, {}, Sym3d::diagonal(moments.x, moments.y, moments.z), {}}});
    scene.add_joint(body, {.name = "ball", .type = JointType::ball});
    Motion4 motion(scene);
    for (int k = 0; k < 3; ++k) motion.state.v[k] = reference["parameters"]["omega_body0"][k];
    for (const nlohmann::json& at : reference["references"]) {
        if (at["t"] > 10) continue;
        motion.run_to(at["t"]);
        CAPTURE(motion.state.time);
        // The two quaternions of a rotation are both right.
        double same = 0, opposite = 0, speed = 0;
        for (int k = 0; k < 4; ++k) {
            const double q = at[quat_key][k];
            same = std::max(same, std::abs(motion.state.q[k] - q));
            opposite = std::max(opposite, std::abs(motion.state.q[k] + q));
        }
        for (int k = 0; k < 3; ++k)
            speed = std::max(speed, std::abs(motion.state.v[k] - at["omega_body"][k].get<double>()));
        CHECK(std::min(same, opposite) < tolerance);
        CHECK(speed < tolerance);
    }
}

}  // namespace

TEST_CASE("trajectories: the pendulum of large amplitude") {
    const nlohmann::json reference = problem("A01_pendulum");
    if (reference.is_null()) return;
    Scene scene("pendulum");
    const BodyId bob =
        scene.add_body(world, {.name = "bob", .inertial = InertialSpec{1, {{0, 0, -1}}, Sym3d::zero(), {}}});
    scene.add_joint(bob, {.name = "pivot", .axis = {0, 1, 0}});
    Motion4 motion(scene);
    motion.state.q = {std::acos(0.0)};  // at (−1, 0)
    for (const nlohmann::json& at : reference["references"]) {
        motion.run_to(at["t"]);
        const double angle = motion.state.q[0], rate = motion.state.v[0];
        CHECK(std::abs(-std::sin(angle) - at["x"].get<double>()) < tolerance);
        CHECK(std::abs(-std::cos(angle) - at["y"].get<double>()) < tolerance);
        CHECK(std::abs(-std::cos(angle) * rate - at["vx"].get<double>()) < tolerance);
        CHECK(std::abs(std::sin(angle) * rate - at["vy"].get<double>()) < tolerance);
    }
}

TEST_CASE("trajectories: the double pendulum of point masses") {
    check_double_pendulum("dp_point", double_pendulum(1, 0));
}

TEST_CASE("trajectories: the double pendulum of rods") {
    check_double_pendulum("dp_rod", double_pendulum(0.5, 1.0 / 12));
}

TEST_CASE("trajectories: the tumbling of an asymmetric top") {
    check_free_rotation("asymtop", {1, 2, 3}, "quat_wxyz");
}

TEST_CASE("trajectories: the wobble of an axisymmetric body") {
    check_free_rotation("axisym", {0.04, 0.04, 0.02}, "quat");
}

TEST_CASE("trajectories: a chain of ten bricks on balls") {
    const nlohmann::json reference = problem("chain10");
    if (reference.is_null()) return;
    const double length = 0.5, width = 0.1, height = 0.05;
    const Sym3d inertia =
        Sym3d::diagonal((width * width + height * height) / 12, (length * length + height * height) / 12,
                        (length * length + width * width) / 12);
    Scene scene("chain");
    BodyId at = world;
    for (int k = 0; k < 10; ++k) {
        at = scene.add_body(at, {.name = "link" + std::to_string(k),
                                 .pose = {{k == 0 ? length / 2 : length, 0, 0}},
                                 .inertial = InertialSpec{1, {}, inertia, {}}});
        scene.add_joint(
            at, {.name = "ball" + std::to_string(k), .type = JointType::ball, .pos = {-length / 2, 0, 0}});
    }
    Motion4 motion(scene);
    // Link i turns with (1, 0.2 i, −0.5): each 0.2 faster about y than the one before.
    for (int k = 0; k < 10; ++k) {
        motion.state.v[3 * k] = k == 0 ? 1 : 0;
        motion.state.v[3 * k + 1] = 0.2;
        motion.state.v[3 * k + 2] = k == 0 ? -0.5 : 0;
    }
    const double energy0 = reference["parameters"]["E0"];
    CHECK(energy(motion.state, motion.kinematics()).kinetic == doctest::Approx(energy0).epsilon(1e-12));
    for (const nlohmann::json& at : reference["references"]) {
        motion.run_to(at["t"]);
        CAPTURE(motion.state.time);
        const Vec3d tip =
            body_pose(motion.kinematics(), motion.model().find_body("link9")) * Vec3d{length / 2, 0, 0};
        for (int k = 0; k < 3; ++k) CHECK(std::abs(tip[k] - at["tip"][k].get<double>()) < tolerance);
        const Energy<double> now = energy(motion.state, motion.kinematics());
        CHECK(now.kinetic + now.potential == doctest::Approx(energy0).epsilon(1e-9));
    }
}
