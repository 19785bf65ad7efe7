// Cloth hangs as it must: a sheet that comes to rest in a medium is carried by its hooks, and is as long as
// it was. Which particles are joined, tests/app/generate_test.py checks.

#include "core/length.h"
#include "scenes/generator_list.h"

#include <ligament/simulation.h>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace lig;
using scenes::Setting;

namespace {

constexpr double g = 9.81, mass = 0.4, spacing = 0.05;

// Until it hangs still: every particle is slowed down by `rate` times its momentum.
struct Hanging {
    std::vector<Setting> settings;
    std::shared_ptr<const Model> model = compile(scenes::generate(scenes::cloth, settings));
    Simulation simulation{model, {.formulation = "multiplier", .stepping = Stepping::velocity}};

    void settle(double rate, double seconds) {
        simulation.callbacks.control = [this, rate](const JointState<double>& state, SmoothDynamics& inputs) {
            const double particle = mass / (static_cast<double>(model->nv) / 3);
            for (int k = 0; k < model->nv; ++k) inputs.qfrc_applied[k] = -rate * particle * state.v[k];
        };
        while (simulation.state().time < seconds) {
            const StepReport report = simulation.step(1.0 / 480);
            REQUIRE(report.status == StepStatus::ok);
            CHECK(report.equality_error < 1e-10);
        }
        for (const double v : simulation.state().v) REQUIRE(std::abs(v) < 1e-7);
    }
    // What the hooks do to the sheet, one after the other.
    std::vector<Vec3d> hooks() const {
        std::vector<Force<double>> reactions(model->loops.size());
        simulation.loop_reactions(reactions);
        std::vector<Vec3d> forces;
        for (const Force<double>& reaction : reactions) forces.push_back(reaction.lin);
        return forces;
    }
    Vec3d place(int particle) const {
        const double* q = &simulation.state().q[3 * particle];
        return {q[0], q[1], q[2]};
    }
};

}  // namespace

TEST_CASE("cloth: held along its edge it hangs straight down, and every hook carries one column") {
    const int count = 5, rows = 4;
    Hanging sheet{{{"count", count}, {"rows", rows}, {"held", count}, {"shear", 0}}};
    sheet.settle(16, 4);
    for (int i = 0; i < count; ++i) {
        CAPTURE(i);
        const Vec3d hook = sheet.place(i);
        for (int j = 1; j < rows; ++j) {
            const Vec3d place = sheet.place(j * count + i) - hook;
            CHECK(std::abs(place.x) < 1e-8);
            CHECK(std::abs(place.y) < 1e-8);
            CHECK(std::abs(place.z + j * spacing) < 1e-10);
        }
    }
    REQUIRE(sheet.hooks().size() == count);
    for (const Vec3d& force : sheet.hooks()) CHECK(length(force - Vec3d{0, 0, mass * g / count}) < 1e-6);
}

TEST_CASE("cloth: two hooks carry the weight and pull against each other") {
    for (const double shear : {0.0, 1.0}) {
        CAPTURE(shear);
        Hanging sheet{{{"count", 5}, {"rows", 4}, {"shear", shear}}};
        sheet.settle(16, 4);
        REQUIRE(sheet.hooks().size() == 2);
        const Vec3d left = sheet.hooks()[0], right = sheet.hooks()[1];
        CHECK(std::abs(left.z + right.z - mass * g) < 1e-6);
        CHECK(std::abs(left.x + right.x) < 1e-6);
        CHECK(left.x < 0);
        CHECK(std::abs(left.y + right.y) < 1e-6);
        if (shear == 0) CHECK(std::abs(left.z - right.z) < 1e-6);  // diagonals have no mirror image
    }
}
