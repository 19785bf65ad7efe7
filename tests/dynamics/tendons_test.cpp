// Tendons: lengths and forces against MuJoCo, rows against differences of lengths, lanes against scalars.

#include "scalar_types.h"
#include "support/drive_reference.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("lengths and velocities of tendons are those of MuJoCo") {
    const DriveReference reference("tendons");
    const Driven<double> here(reference.model, reference.state);
    // Both compute the same expressions; MuJoCo stops looking for the touching point inside of a ring
    // earlier, which shows in its velocity (tendon 6) only.
    CHECK(difference_of(here.drives.tendon_length, reference.get("ten_length")) < 1e-13);
    std::vector<double> velocity = here.drives.tendon_velocity, wanted = reference.get("ten_velocity");
    CHECK(std::abs(velocity[6] - wanted[6]) < 1e-7);
    velocity[6] = wanted[6] = 0;
    CHECK(difference_of(velocity, wanted) < 1e-13);
}

TEST_CASE("springs and dampers of joints and tendons are those of MuJoCo") {
    const DriveReference reference("tendons");
    const Driven<double> here(reference.model, reference.state);
    std::vector<double> spring(reference.model->nv, 0.0), damper = spring, all = spring;
    add_spring_forces<double>(reference.state, *reference.model, spring);
    add_tendon_spring_forces<double>(*reference.model, here.drives, spring);
    add_damping_forces<double>(reference.state, *reference.model, damper);
    add_tendon_damping_forces<double>(*reference.model, here.drives, damper);
    add_passive_forces<double>(reference.state, *reference.model, here.drives, all);
    CHECK(difference_of(spring, reference.get("qfrc_spring")) < 1e-8);  // the ring, as above
    CHECK(difference_of(damper, reference.get("qfrc_damper")) < 1e-13);
    CHECK(difference_of(all, reference.get("qfrc_passive")) < 1e-8);
}

TEST_CASE("rows of tendons are the derivatives of their lengths") {
    const DriveReference reference("tendons");
    const Model& model = *reference.model;
    Driven<double> here(reference.model, reference.state), there(reference.model, reference.state);
    constexpr double h = 1e-5;  // squared 1e-10, and rounding over h 1e-11
    std::vector<double> wanted(model.tendons.size() * model.nv), got(wanted.size(), 0.0);
    for (int k = 0; k < model.nv; ++k) {
        std::vector<double> v(model.nv, 0.0);
        v[k] = 1;
        for (const double sign : {1.0, -1.0}) {
            there.update(moved(here.ws, reference.state, v, sign * h));
            for (std::size_t i = 0; i < model.tendons.size(); ++i)
                wanted[i * model.nv + k] += sign * there.drives.tendon_length[i] / (2 * h);
        }
    }
    for (std::size_t i = 0; i < model.tendons.size(); ++i) {
        const Model::Row& row = model.tendons[i].row;
        for (int k = row.begin; k < row.begin + row.count; ++k) {
            if (k > row.begin) CHECK(model.row_velocities[k - 1] < model.row_velocities[k]);
            got[i * model.nv + model.row_velocities[k]] = here.drives.row_entries[k];
        }
    }
    // Entries that are not in the pattern are zero, so this checks the pattern, too.
    CHECK(difference_of(got, wanted) < 1e-9);
}

TEST_CASE("the energy of tendon springs changes by the work of their forces") {
    const DriveReference reference("tendons");
    Driven<double> here(reference.model, reference.state);
    std::vector<double> force(reference.model->nv, 0.0);
    add_tendon_spring_forces<double>(*reference.model, here.drives, force);
    double power = 0;
    for (int k = 0; k < reference.model->nv; ++k) power += force[k] * reference.state.v[k];

    constexpr double h = 1e-5;
    double change = 0;
    for (const double sign : {1.0, -1.0}) {
        Driven<double> there(reference.model, moved(here.ws, reference.state, reference.state.v, sign * h));
        change += sign * tendon_energy(*reference.model, there.drives).potential / (2 * h);
    }
    CHECK(change == doctest::Approx(-power).epsilon(1e-8));
}

TEST_CASE("a spring is slack within its lengths and lopsided by its square") {
    Scene scene;
    BodySpec cart;
    cart.inertial = InertialSpec{1, {}, Sym3d::diagonal(1, 1, 1), {}};
    JointSpec rail;
    rail.type = JointType::slide;
    const JointId joint = scene.add_joint(scene.add_body(world, cart), rail);
    TendonSpec tendon;
    tendon.joints = {{joint, 1}};
    tendon.stiffness = 4;
    tendon.stiffness_poly = {2, 0};
    tendon.spring_length = {{-0.125, 0.0625}};
    scene.add_tendon(tendon);
    const auto model = compile(scene);
    JointState<double> state(*model);
    const auto force_at = [&](double q) {
        state.q[0] = q;
        const Driven<double> here(model, state);
        std::vector<double> force(1, 0.0);
        add_passive_forces<double>(state, *model, here.drives, force);
        return force[0];
    };
    CHECK(force_at(0) == 0);
    CHECK(force_at(0.0625) == 0);
    CHECK(force_at(0.0625 + 0.25) == -(4 * 0.25 + 2 * 0.0625));
    CHECK(force_at(-0.125 - 0.25) == 4 * 0.25 - 2 * 0.0625);
}

TEST_CASE("switches turn springs and dampers off") {
    const DriveReference reference("tendons", [](Scene& scene) {
        scene.options.enabled.spring = scene.options.enabled.damper = false;
    });
    const Driven<double> here(reference.model, reference.state);
    std::vector<double> force(reference.model->nv, 0.0);
    add_passive_forces<double>(reference.state, *reference.model, here.drives, force);
    CHECK(force == std::vector<double>(reference.model->nv, 0.0));
    CHECK(energy(reference.state, here.ws, here.drives).potential ==
          energy(reference.state, here.ws).potential);
}
