// Accelerations of real models in body coordinates against those in joint coordinates, which share neither
// unknowns nor factorization: every model of the shared folder that loads, with its loops and without.

#include "formulations/maximal/body_dynamics.h"
#include "support/random_scene.h"

#include <ligament/load.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace fs = std::filesystem;

namespace {

// What is asked of us. Without loops 1e-12 of the largest acceleration is usual.
constexpr double tolerance = 1e-9;
// Of what a loop may be off to count as closed, in m or rad.
constexpr double closed = 1e-9;

struct ModelFile {
    fs::path path;
    BaseMode base;
};

fs::path models_folder() { return fs::path(LIG_SHARED_DIR) / "models"; }
bool have_models() { return fs::is_directory(models_folder()); }

// URDFs with both bases. Bodies of iCub's neck and wrists have no inertia at all, and its head is a point: a
// test of its own.
std::vector<ModelFile> model_files() {
    std::vector<ModelFile> files;
    if (!have_models()) {
        MESSAGE("skipped: there are no models in " << models_folder().string());
        return files;
    }
    for (const auto& entry : fs::recursive_directory_iterator(models_folder())) {
        const fs::path& path = entry.path();
        const bool urdf = path.extension() == ".urdf";
        if (urdf || path.extension() == ".xml") files.push_back({path, BaseMode::fixed});
        if (urdf) files.push_back({path, BaseMode::free});
    }
    std::erase_if(files, [](const ModelFile& file) { return file.path.stem() == "icub"; });
    std::ranges::sort(files, {}, [](const ModelFile& file) { return file.path; });
    return files;
}

// None where the model is one that cannot be loaded: a part of another model.
std::shared_ptr<const Model> load(const ModelFile& file, bool with_equalities) {
    Diagnostics log;
    LoadOptions options;
    options.base = file.base;
    try {
        Scene scene = load_scene(file.path, options, log);
        scene.options.enabled.equality = with_equalities;
        return compile(scene, log);
    } catch (const InputError&) {
        return nullptr;
    }
}

struct Compared {
    double difference = 0;  // the largest, relative to the largest acceleration
    double multipliers = 0;  // the same of the forces of loops
    maximal::BodyDynamics::Solved solved;
};

Compared compare(SmoothDynamics& inputs, maximal::BodyDynamics& bodies, const JointState<double>& state) {
    const auto relative = [](std::span<const double> found, std::span<const double> wanted) {
        double off = 0, size = 0;
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            const double difference = std::abs(found[k] - wanted[k]);
            if (!(difference <= off)) off = difference;
            size = std::max(size, std::abs(wanted[k]));
        }
        return off == 0 ? 0 : off / size;
    };
    Compared out;
    std::vector<double> qacc(inputs.model().nv), multipliers(inputs.multipliers.size());
    out.solved = bodies.accelerate(inputs, state, qacc);
    REQUIRE(out.solved.bad_link == -1);
    bodies.write_multipliers(multipliers);
    out.difference = relative(qacc, inputs.accelerate(state));
    out.multipliers = relative(multipliers, inputs.multipliers);
    return out;
}

void push(Random& random, SmoothDynamics& inputs) {
    for (double& x : inputs.qfrc_applied) x = random.uniform(-1, 1);
    for (double& x : inputs.ctrl) x = random.uniform(-1, 1);
    for (std::size_t b = 1; b < inputs.xfrc_applied.size(); ++b)
        inputs.xfrc_applied[b] = {random_vec(random, 1), random_vec(random, 1)};
}

// The reference configuration and the keyframes, moving, with their loops closed; only what does close.
std::vector<JointState<double>> closed_states(Random& random, SmoothDynamics& inputs) {
    const Model& model = inputs.model();
    std::vector<JointState<double>> states{JointState<double>(model)};
    for (std::size_t k = 0; k < std::min<std::size_t>(model.keyframes.size(), 3); ++k)
        states.push_back(keyframe_state(model, static_cast<int>(k)));
    for (JointState<double>& state : states)
        for (double& x : state.v) x = random.uniform(-1, 1);
    std::erase_if(states, [&](JointState<double>& state) {
        return !inputs.close_equalities(state).closed || inputs.equality_errors(state).largest > closed;
    });
    return states;
}

}  // namespace

TEST_CASE("multiplier: trees of real models accelerate as in joint coordinates") {
    int compared = 0;
    for (const ModelFile& file : model_files()) {
        CAPTURE(file.path.string());
        const std::shared_ptr<const Model> model = load(file, false);
        if (!model) continue;
        Random random(5);
        SmoothDynamics inputs(model);
        maximal::BodyDynamics bodies(model, EqualityMethod::direct);
        for (int trial = 0; trial < 4; ++trial) {
            CAPTURE(trial);
            push(random, inputs);
            const Compared found = compare(inputs, bodies, random_state(random, *model, 0.5 * trial));
            CHECK(found.difference <= tolerance);
            CHECK(found.solved.residual <= tolerance);
            CHECK(found.solved.redundant_rows == 0);
        }
        ++compared;
    }
    if (have_models()) CHECK(compared >= 58);
}

TEST_CASE("multiplier: with their loops real models accelerate as in joint coordinates") {
    int compared = 0, redundant = 0;
    for (const ModelFile& file : model_files()) {
        CAPTURE(file.path.string());
        const std::shared_ptr<const Model> model = load(file, true);
        if (!model || !SmoothDynamics(model).has_equalities()) continue;
        Random random(6);
        SmoothDynamics inputs(model);
        maximal::BodyDynamics bodies(model, EqualityMethod::direct);
        for (const JointState<double>& state : closed_states(random, inputs)) {
            push(random, inputs);
            const Compared found = compare(inputs, bodies, state);
            CHECK(found.difference <= tolerance);
            CHECK(found.solved.residual <= tolerance);
            CHECK(found.solved.redundant_rows == inputs.redundant_rows);
            redundant += inputs.redundant_rows > 0;
            ++compared;
        }
    }
    if (!have_models()) return;
    CHECK(compared >= 18);
    CHECK(redundant >= 8);
}

// What loops do to each other is rounding along rows that the joints leave no motion: those must not count.
TEST_CASE("multiplier: loops of real models by anticipation") {
    for (const ModelFile& file : model_files()) {
        CAPTURE(file.path.string());
        const std::shared_ptr<const Model> model = load(file, true);
        if (!model || !SmoothDynamics(model).has_equalities()) continue;
        Random random(6);
        SmoothDynamics inputs(model);
        maximal::BodyDynamics bodies(model, EqualityMethod::anticipation);
        for (const JointState<double>& state : closed_states(random, inputs)) {
            push(random, inputs);
            const Compared found = compare(inputs, bodies, state);
            CHECK(found.difference <= tolerance);
            CHECK(found.solved.redundant_rows == inputs.redundant_rows);
        }
    }
}

TEST_CASE("multiplier: forces of loops are those of joint coordinates") {
    for (const ModelFile& file : model_files()) {
        CAPTURE(file.path.string());
        const std::shared_ptr<const Model> model = load(file, true);
        if (!model || !SmoothDynamics(model).has_equalities()) continue;
        Random random(7);
        SmoothDynamics inputs(model);
        maximal::BodyDynamics bodies(model, EqualityMethod::direct);
        for (const JointState<double>& state : closed_states(random, inputs)) {
            push(random, inputs);
            const Compared found = compare(inputs, bodies, state);
            // Of redundant rows one of many answers is as good as another.
            if (found.solved.redundant_rows == 0) CHECK(found.multipliers <= tolerance);
        }
    }
}

TEST_CASE("multiplier: a weld holds what hangs on it, however its moments are counted") {
    for (const double scale : {1.0, 0.02}) {
        CAPTURE(scale);
        Diagnostics log;
        const std::string text =
            "<mujoco><worldbody><body name='beam'><freejoint/><inertial pos='0.5 0 0' mass='2' "
            "diaginertia='0.1 0.1 0.1'/></body></worldbody><equality><weld body1='world' body2='beam' "
            "torquescale='" +
            std::to_string(scale) + "'/></equality></mujoco>";
        const std::shared_ptr<const Model> model = compile(parse_scene(text, "weld.xml", {}, log), log);
        SmoothDynamics inputs(model);
        maximal::BodyDynamics bodies(model, EqualityMethod::direct);
        const JointState<double> state(*model);
        CHECK(compare(inputs, bodies, state).multipliers <= tolerance);
        // The weight on one side and its moment about the weld on the other, whichever body is B.
        std::vector<double> found(inputs.multipliers.size());
        bodies.write_multipliers(found);
        for (double& x : found) x = std::abs(x);
        std::ranges::sort(found, std::ranges::greater());
        CHECK(found[0] == doctest::Approx(2 * 9.81).epsilon(1e-12));
        CHECK(found[1] == doctest::Approx(9.81).epsilon(1e-12));
        CHECK(found[2] < 1e-12);
    }
}

// Links with mass at their joint and no inertia whatever: what they carry has some, and Pinocchio has
// accelerations for them. The head is a point on three such links: about one axis its inertia is 1e-8 of that
// about others.
TEST_CASE("multiplier: links without any inertia move by what they carry") {
    if (!have_models()) {
        MESSAGE("skipped: there are no models in " << models_folder().string());
        return;
    }
    const fs::path path = models_folder() / "urdf" / "icub.urdf";
    const std::shared_ptr<const Model> model = load({path, BaseMode::fixed}, false);
    Random random(5);
    SmoothDynamics inputs(model);
    maximal::BodyDynamics bodies(model, EqualityMethod::direct);
    for (int trial = 1; trial < 4; ++trial)
        CHECK(compare(inputs, bodies, random_state(random, *model, 0.5 * trial)).difference <= 1e-8);
}
