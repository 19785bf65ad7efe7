// Tendons with inertia: accelerations against MuJoCo and against the dense matrix, energy along the motion.

#include "support/drive_reference.h"

using namespace lig;
using namespace lig::test;

namespace {

// x with A x = b, A n × n, by elimination with pivots.
std::vector<double> solved(std::vector<double> A, std::vector<double> b) {
    const int n = static_cast<int>(b.size());
    for (int i = 0; i < n; ++i) {
        int pivot = i;
        for (int r = i + 1; r < n; ++r)
            if (std::abs(A[r * n + i]) > std::abs(A[pivot * n + i])) pivot = r;
        for (int k = 0; k < n; ++k) std::swap(A[i * n + k], A[pivot * n + k]);
        std::swap(b[i], b[pivot]);
        for (int r = 0; r < n; ++r) {
            if (r == i) continue;
            const double factor = A[r * n + i] / A[i * n + i];
            for (int k = i; k < n; ++k) A[r * n + k] -= factor * A[i * n + k];
            b[r] -= factor * b[i];
        }
    }
    for (int i = 0; i < n; ++i) b[i] /= A[i * n + i];
    return b;
}

std::vector<double> acceleration(Driven<double>& at, const JointState<double>& state,
                                 const std::vector<double>& ctrl) {
    at.update(state);
    std::vector<double> tau(state.v.size(), 0.0);
    add_smooth_forces<double>(state, at.ws.model(), ctrl, at.drives, tau);
    forward_dynamics<double>(state, tau, at.ws, at.drives, tau);
    return tau;
}

// The file's chain and a second branch, with a tendon from one to the other: MuJoCo's matrix does not couple
// them, ours does.
std::shared_ptr<const Model> branched_model() {
    Diagnostics log;
    Scene scene = load_scene(LIG_SOURCE_DIR "/tests/dynamics/drives/tendon_armature.xml", {}, log);
    scene.options.gravity = {0, 0, 0};
    BodySpec spec;
    spec.inertial = InertialSpec{0.5, Pose{{0.1, 0, 0}}, Sym3d::diagonal(0.01, 0.02, 0.03), {}};
    const BodyId branch = scene.add_body(scene.find_body("a"), spec);
    scene.add_joint(branch, {});
    SiteSpec site;
    site.pose.pos = {0.2, 0.3, 0.1};
    const SiteId here = scene.add_site(branch, site);
    SiteId there;
    for (std::size_t s = 0; s < scene.sites().size(); ++s)
        if (scene.sites()[s].spec.name == "sc") there.index = static_cast<int>(s);
    TendonSpec tendon;
    tendon.stops = {{TendonStop::Kind::site, here}, {TendonStop::Kind::site, there}};
    tendon.armature = 0.4;
    scene.add_tendon(tendon);
    return compile(scene, log);
}

JointState<double> some_state(const std::shared_ptr<const Model>& model) {
    JointState<double> state(*model);
    for (int k = 0; k < model->nv; ++k) state.v[k] = std::sin(2.0 * k + 0.5);
    const Workspace<double> ws(model);
    return moved(ws, state, state.v, 0.3);
}

}  // namespace

TEST_CASE("accelerations with inertial tendons in one chain are those of MuJoCo") {
    const DriveReference reference("tendon_armature");
    Driven<double> here(reference.model, reference.state);
    CHECK(here.drives.inertial_tendons == std::vector<int>{0, 1, 2});
    CHECK(difference_of(here.drives.tendon_velocity, reference.get("ten_velocity")) < 1e-13);
    CHECK(difference_of(acceleration(here, reference.state, reference.ctrl), reference.get("qacc")) < 1e-12);
}

TEST_CASE("forward dynamics with inertial tendons solves the whole matrix, across branches too") {
    const auto model = branched_model();
    const JointState<double> state = some_state(model);
    Driven<double> here(model, state);
    const std::vector<double> zero(model->nv, 0.0);
    std::vector<double> tau(model->nv), bias(model->nv), M(model->nv * model->nv), qacc(model->nv);
    for (int k = 0; k < model->nv; ++k) tau[k] = std::cos(1.3 * k);
    forward_dynamics<double>(state, tau, here.ws, here.drives, qacc);

    inverse_dynamics<double>(state, zero, here.ws, here.drives, bias);
    mass_matrix<double>(state, here.ws, here.drives, M);
    std::vector<double> b(model->nv), tree_M(M.size());
    for (int k = 0; k < model->nv; ++k) b[k] = tau[k] - bias[k];
    CHECK(difference_of(qacc, solved(M, b)) < 1e-12);

    // The matrix is the tree's and a JᵀJ of every tendon, whole rows of it.
    mass_matrix<double>(state, here.ws, tree_M);
    for (const int t : here.drives.inertial_tendons) {
        const Model::Row& row = model->tendons[t].row;
        for (int i = row.begin; i < row.begin + row.count; ++i)
            for (int k = row.begin; k < row.begin + row.count; ++k)
                tree_M[model->row_velocities[i] * model->nv + model->row_velocities[k]] +=
                    model->tendons[t].armature * here.drives.row_entries[i] * here.drives.row_entries[k];
    }
    CHECK(difference_of(M, tree_M) < 1e-14);

    std::vector<double> back(model->nv);
    inverse_dynamics<double>(state, qacc, here.ws, here.drives, back);
    CHECK(difference_of(back, tau) < 1e-12);
    // In place.
    inverse_dynamics<double>(state, qacc, here.ws, here.drives, qacc);
    CHECK(qacc == back);

    double kinetic = 0;
    for (int i = 0; i < model->nv; ++i)
        for (int k = 0; k < model->nv; ++k) kinetic += 0.5 * M[i * model->nv + k] * state.v[i] * state.v[k];
    here.update(state);
    CHECK(energy(state, here.ws, here.drives).kinetic == doctest::Approx(kinetic).epsilon(1e-13));
}

TEST_CASE("inertial tendons keep the energy") {
    // The bias is right when the energy of an undriven system stands still: Ė = v·(M v̇ + ½ Ṁ v) = 0. What
    // is left is the error of the integration, of second order.
    const auto model = branched_model();
    const auto drift = [&](double h, int steps) {
        JointState<double> state = some_state(model);
        Driven<double> at(model, state);
        const std::vector<double> ctrl(model->nu, 0.0);
        const Energy<double> begin = energy(state, at.ws, at.drives);
        const double start = begin.kinetic + begin.potential;
        const auto stage = [&](const std::vector<double>& v, const std::vector<double>& a, double t) {
            JointState<double> next = state;
            integrate<double>(at.ws, state.q, v, t, next.q);
            for (int k = 0; k < model->nv; ++k) next.v[k] = state.v[k] + t * a[k];
            return next;
        };
        for (int s = 0; s < steps; ++s) {
            // The midpoint rule, explicit: of second order on any manifold.
            const std::vector<double> a0 = acceleration(at, state, ctrl);
            const JointState<double> middle = stage(state.v, a0, h / 2);
            state = stage(middle.v, acceleration(at, middle, ctrl), h);
        }
        at.update(state);
        const Energy<double> end = energy(state, at.ws, at.drives);
        return std::abs(end.kinetic + end.potential - start) / start;
    };
    CHECK(drift(1e-4, 200) < 1e-8);
    CHECK(drift(1e-4, 200) < 0.3 * drift(2e-4, 100));
}

TEST_CASE("a model without inertial tendons gives the same bits as without drives") {
    const DriveReference reference("tendons");
    Driven<double> here(reference.model, reference.state);
    CHECK(here.drives.inertial_tendons.empty());
    const std::vector<double> tau(reference.model->nv, 0.5);
    std::vector<double> with(tau.size()), plain(tau.size());
    forward_dynamics<double>(reference.state, tau, here.ws, here.drives, with);
    forward_dynamics<double>(reference.state, tau, here.ws, plain);
    CHECK(with == plain);
}
