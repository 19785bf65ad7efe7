// Models of others: everything loads or is refused with a clear error, and where MuJoCo's own numbers are at
// hand, the poses and masses of all bodies agree with them. The kinematics here are those of the test, made
// for the four joint kinds of MJCF from the Scene alone.

#include "io/mjcf_support.h"
#include "shapes/shape_mass.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>

using namespace lig;
using namespace lig::test;

namespace fs = std::filesystem;

namespace {

const fs::path models = fs::path(LIG_SHARED_DIR) / "models";

bool are_there() {
    if (fs::is_directory(models)) return true;
    MESSAGE("skipped: no shared models at " << models.string());
    return false;
}

std::vector<fs::path> files_below(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".xml") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

Quatd about(const Vec3d& axis, double angle) {
    const double s = std::sin(angle / 2) / std::sqrt(dot(axis, axis));
    return {std::cos(angle / 2), s * axis.x, s * axis.y, s * axis.z};
}

// World poses of all bodies for the coordinates of a state. Each joint turns or shifts the body about an
// anchor that its own motion leaves in place.
std::vector<Pose> forward_kinematics(const Scene& scene, const std::vector<double>& q) {
    // Coordinates are ordered by body, which is the order of the file.
    std::vector<Pose> X(scene.bodies().size());
    std::size_t at = 0;
    for (std::size_t b = 1; b < scene.bodies().size(); ++b) {
        const Scene::Body& body = scene.bodies()[b];
        const Pose& parent = X[body.parent.index];
        Vec3d p = parent.pos + rotation_matrix(parent.quat) * body.spec.pose.pos;
        Quatd r = parent.quat * body.spec.pose.quat;
        for (const JointId id : body.joints) {
            const JointSpec& joint = scene.joints()[id.index].spec;
            const Vec3d anchor = p + rotation_matrix(r) * joint.pos;
            switch (joint.type) {
                case JointType::free:
                    p = {q.at(at), q.at(at + 1), q.at(at + 2)};
                    r = {q.at(at + 3), q.at(at + 4), q.at(at + 5), q.at(at + 6)};
                    at += 7;
                    continue;
                case JointType::ball:
                    r = r * Quatd{q.at(at), q.at(at + 1), q.at(at + 2), q.at(at + 3)};
                    at += 4;
                    break;
                case JointType::hinge: r = r * about(joint.axis, q.at(at++) - joint.reference); break;
                case JointType::slide: {
                    const Vec3d axis = rotation_matrix(r) * joint.axis;
                    p += ((q.at(at++) - joint.reference) / std::sqrt(dot(axis, axis))) * axis;
                    continue;
                }
                default: FAIL("not a joint of MJCF");
            }
            p = anchor - rotation_matrix(r) * joint.pos;
        }
        X[b] = {p, r};
    }
    CHECK(at == q.size());
    return X;
}

// Mass and centre of mass of a body, or nothing when a mesh would have to tell.
struct PointMass {
    double mass;
    Vec3d pos;
};
std::optional<PointMass> point_mass(const Scene& scene, int body) {
    const BodySpec& spec = scene.bodies()[body].spec;
    if (spec.inertial) return PointMass{spec.inertial->mass, spec.inertial->frame.pos};
    PointMass sum{0, {0, 0, 0}};
    for (const Scene::Geom& geom : scene.geoms()) {
        if (geom.body.index != body || geom.spec.mass == 0.0 || (!geom.spec.mass && geom.spec.density == 0))
            continue;
        const std::optional<ShapeMass> shape = shape_mass(geom.spec.shape, geom.spec.size);
        if (!shape) return {};
        const double mass =
            geom.spec.mass.value_or(geom.spec.density * (geom.spec.shell ? shape->area : shape->volume));
        sum.mass += mass;
        sum.pos += mass * geom.spec.pose.pos;
    }
    if (sum.mass > 0) sum.pos = (1 / sum.mass) * sum.pos;
    return sum;
}

}  // namespace

TEST_CASE("MJCF models of MuJoCo and of the menagerie load or are refused clearly") {
    if (!are_there()) return;
    int loaded = 0;
    for (const char* folder : {"mujoco", "menagerie"})
        for (const fs::path& file : files_below(models / folder)) {
            CAPTURE(file.string());
            Diagnostics log;
            try {
                const Scene scene = load_scene(file, {}, log);
                ++loaded;
            } catch (const InputError& error) {
                CAPTURE(error.what());
                CHECK(error.kind() == ErrorKind::unsupported);
                for (const Diagnostic& d : error.diagnostics()) CHECK(d.where.line > 0);
            }
            // What these files hold is known, whether it is used or not.
            CHECK(count_code(log, "W010") == 0);
            CHECK(count_code(log, "W011") == 0);
            // All of these is read; a mesh without a file and what is said in other sections may be named.
            for (const Diagnostic& d : log.all()) {
                if (d.code->id != std::string_view("W092") && d.code->id != std::string_view("W093"))
                    continue;
                for (const char* element : {"<joint>", "<geom>", "<site>", "<camera>", "<tendon>",
                                            "<actuator>", "<sensor>", "<equality>", "<weld>"})
                    CHECK_MESSAGE(d.message.find(element) == d.message.npos, d.message);
            }
        }
    CHECK(loaded >= 40);
}

TEST_CASE("MJCF: humanoid.xml") {
    if (!are_there()) return;
    Diagnostics log;
    const Scene scene = load_scene(models / "mujoco/humanoid.xml", {}, log);
    CHECK(log.error_count() == 0);
    CHECK(scene.name == "Humanoid");
    CHECK(scene.bodies().size() == 17);
    CHECK(scene.joints().size() == 22);
    CHECK(scene.keyframes().size() == 4);
    CHECK(scene.options.timestep == 0.005);
    for (const KeyframeSpec& key : scene.keyframes()) CHECK(key.qpos.size() == 28);
}

TEST_CASE("MJCF: poses and masses of all bodies of the menagerie's models agree with MuJoCo's") {
    if (!are_there()) return;
    static const std::map<JointType, int> type_numbers = {
        {JointType::free, 0}, {JointType::ball, 1}, {JointType::slide, 2}, {JointType::hinge, 3}};
    int states = 0, weighed = 0;
    for (const auto& entry : fs::directory_iterator(models / "menagerie-reference")) {
        if (entry.path().extension() != ".json") continue;
        std::string name = entry.path().stem().string();  // folder+file.xml
        CAPTURE(name);
        name.replace(name.find('+'), 1, "/");
        const nlohmann::json reference = nlohmann::json::parse(std::ifstream(entry.path()));
        Diagnostics log;
        const Scene scene = load_scene(models / "menagerie" / name, {}, log);

        REQUIRE(scene.bodies().size() == reference["nbody"].get<std::size_t>());
        REQUIRE(scene.joints().size() == reference["njnt"].get<std::size_t>());
        for (std::size_t j = 0; j < scene.joints().size(); ++j) {
            CHECK(type_numbers.at(scene.joints()[j].spec.type) == reference["jnt_type"][j].get<int>());
            if (!scene.joints()[j].spec.name.empty())
                CHECK(scene.joints()[j].spec.name == reference["joints"][j].get<std::string>());
        }
        check_vec(scene.options.gravity,
                  {reference["gravity"][0].get<double>(), reference["gravity"][1].get<double>(),
                   reference["gravity"][2].get<double>()});
        CHECK(scene.loops().size() + scene.couplings().size() <= reference["neq"].get<std::size_t>());

        std::vector<std::optional<PointMass>> masses{PointMass{0, {0, 0, 0}}};
        for (std::size_t b = 1; b < scene.bodies().size(); ++b)
            masses.push_back(point_mass(scene, static_cast<int>(b)));
        const bool all_known =
            std::all_of(masses.begin(), masses.end(), [](const auto& m) { return m.has_value(); });
        weighed += all_known;

        for (const nlohmann::json& state : reference["states"]) {
            const auto X = forward_kinematics(scene, state["qpos"].get<std::vector<double>>());
            const auto xpos = state["xpos"].get<std::vector<double>>();
            const auto xquat = state["xquat"].get<std::vector<double>>();
            for (std::size_t b = 0; b < X.size(); ++b) {
                CAPTURE(scene.bodies()[b].spec.name);
                check_vec(X[b].pos, {xpos[3 * b], xpos[3 * b + 1], xpos[3 * b + 2]}, 1e-12);
                check_quat(X[b].quat, {xquat[4 * b], xquat[4 * b + 1], xquat[4 * b + 2], xquat[4 * b + 3]},
                           1e-12);
            }
            ++states;
            if (!all_known) continue;
            double total = 0;
            Vec3d com = Vec3d::zero();
            for (std::size_t b = 1; b < X.size(); ++b) {
                total += masses[b]->mass;
                com += masses[b]->mass * (X[b].pos + rotation_matrix(X[b].quat) * masses[b]->pos);
            }
            CHECK(total == doctest::Approx(reference["total_mass"].get<double>()).epsilon(1e-12));
            check_vec(
                (1 / total) * com,
                {state["com"][0].get<double>(), state["com"][1].get<double>(), state["com"][2].get<double>()},
                1e-12);
        }
    }
    CHECK(states >= 18 * 4);
    CHECK(weighed >= 10);
}
