// What Kokkevis 2004 says about the cost of acceleration constraints (sec. 4.2, 4.3), measured on the
// character and on chains of hinges.
//
// An evaluation is one call of forward_dynamics with a force on a link. A cached evaluation keeps what
// depends on the state alone (the factor, the bias forces of the links) and carries all forces through
// both loops. Deltas carry the test force alone, as AccelerationDeltas does. The test force acts on each
// link in turn; the figures are the mean over the links.
//
// Evaluations run on kernels for the machine's instruction set, the other two on code for any machine:
// what they save is measured against the fastest that an evaluation can be had for.
// LIGAMENT_ISA=baseline puts all on the same.

#include "bench/benchmark.h"
#include "bench/measure.h"
#include "bench/setting.h"
#include "constraints/rows.h"
#include "dynamics/joint_factor.h"
#include "formulations/reduced/acceleration/acceleration_deltas.h"
#include "linalg/semidefinite_cholesky.h"
#include "scenes/character.h"
#include "scenes/generator_list.h"
#include "scenes/random.h"

#include <ligament/acceleration_constraints.h>
#include <ligament/dynamics.h>
#include <ligament/model.h>

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>

namespace lig::bench {

extern const Benchmark papers_kokkevis;

namespace {

std::shared_ptr<const Model> chain(int count) {
    const scenes::Setting settings[] = {{"count", static_cast<double>(count)}};
    return compile(scenes::generate(scenes::hinges, settings));
}

std::shared_ptr<const Model> character() {
    Scene scene("character");
    scenes::add_character(scene, "", {.pos = {0, 0, scenes::pelvis_height}}, 0, {});
    return compile(scene);
}

JointState<double> some_state(const Model& model) {
    scenes::Congruence random(12345);
    JointState<double> state(model);
    Workspace<double> ws(std::shared_ptr<const Model>(&model, [](const Model*) {}));
    for (double& v : state.v) v = random.u();
    // Away from the reference configuration, quaternions included.
    integrate<double>(ws, state.q, state.v, 1.0, state.q);
    for (double& v : state.v) v = random.u();
    return state;
}

// --- one test force
// -----------------------------------------------------------------------------------------

struct OneForce {
    double full, lanes, cached, deltas;  // seconds
};

OneForce one_force(const std::shared_ptr<const Model>& model, const Effort& effort) {
    const JointState<double> state = some_state(*model);
    const int links = static_cast<int>(model->tree.links.size());
    const std::size_t nv = model->nv;
    const Force<double> test{{0.3, -0.2, 0.1}, {1, 2, -3}};
    const std::vector<double> tau(nv, 0.1);
    std::vector<double> qacc(nv);

    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    JointFactor factor(*model);
    factor.factor(ws);
    // Bias forces of the links at v̇ = 0, cached: what inverse_dynamics hands from link to link, less
    // what the children handed over.
    std::vector<double> bias(nv), x(nv);
    inverse_dynamics<double>(state, std::vector<double>(nv, 0.0), ws, bias);
    std::vector<Force<double>> cached(links), on_links(links);
    for (int i = 0; i < links; ++i) cached[i] = -ws.links[i].f;
    for (int i = 0; i < links; ++i)
        if (const int parent = model->tree.links[i].parent; parent >= 0)
            cached[parent] += shift_back(ws.links[i].f, ws.links[i].r);

    Workspace<Lanes4d> lanes(model);
    JointState<Lanes4d> four(*model);
    for (int lane = 0; lane < 4; ++lane) set_lane(four, lane, state);
    const std::vector<Lanes4d> tau_four(nv, Lanes4d(0.1));
    std::vector<Lanes4d> qacc_four(nv);

    AccelerationDeltas deltas(*model);
    // Links in leaps of the golden section, so that few calls already see links of all depths.
    int link = 0;
    const int leap = std::max(1, static_cast<int>(0.6180339887 * links));
    const auto next_link = [&] { link = (link + leap) % links; };
    const std::function<void()> candidates[] = {
        [&] {
            ws.f_ext[link] = test;
            forward_dynamics<double>(state, tau, ws, qacc, true);
            ws.f_ext[link] = Force<double>::zero();
            next_link();
        },
        [&] {
            lanes.f_ext[link].lin.x.set(link % 4, 1);
            forward_dynamics<Lanes4d>(four, tau_four, lanes, qacc_four, true);
            lanes.f_ext[link].lin.x.set(link % 4, 0);
            next_link();
        },
        [&] {
            std::copy(cached.begin(), cached.end(), on_links.begin());
            on_links[link] += test;
            std::copy(tau.begin(), tau.end(), x.begin());
            factor.inward(x, on_links);
            factor.outward(x, qacc);
            next_link();
        },
        [&] {
            deltas.of_external_force(factor, link, test);
            next_link();
        }};
    const std::vector<double> times = compare_times(candidates, effort);
    return {times[0], times[1] / 4, times[2], times[3]};
}

// --- whole matrices
// -----------------------------------------------------------------------------------------

constexpr ResponseMethod methods[] = {ResponseMethod::evaluations, ResponseMethod::lanes,
                                      ResponseMethod::deltas, ResponseMethod::propagation};
const char* const method_names[] = {"evaluations", "in lanes", "deltas", "propagation"};

// m forces on points all over the model, those of the outer half of its bodies, one direction each.
std::vector<AccelerationConstraint> points(const Model& model, int m) {
    scenes::Congruence random(54321);
    const int bodies = static_cast<int>(model.bodies.size());
    std::vector<AccelerationConstraint> out;
    for (int k = 0; k < m; ++k) {
        const int body = bodies - 1 - (k * 7) % std::max(bodies / 2, 1);
        out.push_back(PointAcceleration{body,
                                        {0.1 * random.u(), 0.1 * random.u(), 0.1 * random.u()},
                                        {random.u(), random.u(), random.u()},
                                        random.u()});
    }
    return out;
}

// Seconds to find K by each of the methods.
std::vector<double> matrix_times(const std::shared_ptr<const Model>& model, int m, const Effort& effort) {
    ConstraintSolver solver(model);
    solver.set_state(some_state(*model), std::vector<double>(model->nv, 0.1));
    solver.set_constraints(points(*model, m));
    std::vector<std::function<void()>> candidates;
    for (const ResponseMethod method : methods)
        candidates.push_back([&solver, method] {
            solver.options.method = method;
            solver.matrix();
        });
    return compare_times(candidates, effort);
}

// Seconds of a whole solution: constraints to rows, forces, accelerations, by each of the methods.
std::vector<double> solution_times(const std::shared_ptr<const Model>& model, int m, const Effort& effort) {
    ConstraintSolver solver(model);
    const JointState<double> state = some_state(*model);
    const std::vector<double> tau(model->nv, 0.1);
    const std::vector<AccelerationConstraint> constraints = points(*model, m);
    std::vector<std::function<void()>> candidates;
    for (const ResponseMethod method : methods)
        candidates.push_back([&, method] {
            solver.options.method = method;
            solver.set_state(state, tau);
            solver.set_constraints(constraints);
            solver.solve();
        });
    return compare_times(candidates, effort);
}

// Seconds to solve K f = b for the accelerations of the last m joints of a chain: all independent.
double solve_time(const std::shared_ptr<const Model>& model, int m, const Effort& effort) {
    ConstraintSolver solver(model);
    solver.set_state(some_state(*model), std::vector<double>(model->nv, 0.1));
    std::vector<AccelerationConstraint> joints;
    for (int k = 0; k < m; ++k) joints.push_back(JointAcceleration{model->nv - 1 - k, 1.0});
    solver.set_constraints(joints);
    const std::span<const double> K = solver.matrix();
    const std::vector<double> b(m, 1.0);
    std::vector<double> f(m);
    SemidefiniteCholesky cholesky;
    const std::function<void()> candidates[] = {[&] {
        cholesky.factor(K, m, 1e-12);
        cholesky.solve(K, b, f);
    }};
    return compare_times(candidates, effort)[0];
}

Results::Table growth_table(std::string title, std::string variable, std::span<const char* const> names,
                            const std::vector<double>& sizes,
                            const std::function<std::vector<double>(int)>& times_at) {
    Results::Table table{std::move(title), {std::move(variable)}, {}};
    for (const char* name : names) table.columns.push_back(fmt::format("{} [µs]", name));
    std::vector<std::vector<double>> series(table.columns.size() - 1);
    for (const double size : sizes) {
        const std::vector<double> times = times_at(static_cast<int>(size));
        std::vector<Results::Cell> row{fmt::format("{}", size)};
        for (std::size_t k = 0; k < times.size(); ++k) {
            row.emplace_back(1e6 * times[k]);
            series[k].push_back(times[k]);
        }
        table.rows.push_back(std::move(row));
    }
    // Of the larger half: below it, what each call costs anyway counts.
    const std::size_t from = (sizes.size() - 1) / 2;
    std::vector<Results::Cell> exponents{std::string("exponent, larger half")};
    for (const std::vector<double>& times : series)
        exponents.emplace_back(growth(std::span(sizes).subspan(from), std::span(times).subspan(from)));
    table.rows.push_back(std::move(exponents));
    return table;
}

double exponent(const Results::Table& table, std::size_t column) {
    return std::get<double>(table.rows.back()[column]);
}

using Measured = std::vector<std::pair<std::string, OneForce>>;  // by the names of the models

// The paper's words, and what the tables say to them.
Results::Table claims_beside(const Measured& measured, const Results::Table& with_n,
                             const Results::Table& with_m, const Results::Table& on_character,
                             const Results::Table& solving) {
    Results::Table table{"the paper and here", {"Kokkevis 2004", "where", "says", "here", "on"}, {}};
    const auto add = [&](const char* claim, const char* where, const char* says, std::string here,
                         std::string on) {
        table.rows.push_back({claim, where, says, std::move(here), std::move(on)});
    };
    for (const auto& [name, t] : measured)
        add("AccelerationDeltas are \"about three times faster\" than a full evaluation", "4.3", "3",
            fmt::format("{:.2f}", t.full / t.deltas), name);
    for (const auto& [name, t] : measured)
        add("and \"fifty to sixty percent\" than one that reuses what depends on the state", "4.3", "50–60 %",
            fmt::format("{:.0f} %", 100 * (t.cached / t.deltas - 1)), name);
    const auto& [name, t] = measured.front();
    add("evaluations \"can be computed in parallel\": in 4 lanes, against one by one", "4.2", "–",
        fmt::format("{:.2f} times", t.full / t.lanes), name);
    const auto both = [](const Results::Table& growing) {
        return fmt::format("{:.2f}, deltas {:.2f}", exponent(growing, 1), exponent(growing, 3));
    };
    add("K costs O(nm + m²): growth with n", "4.2, 4.3", "1", both(with_n), "chains, m = 6");
    add("K costs O(nm + m²): growth with m", "4.2, 4.3", "1 to 2", both(with_m), "chain of 100");
    add("solving is \"generally considered to be an O(m³) process\"", "4.2", "3",
        fmt::format("{:.2f}", exponent(solving, 1)), "m joints");
    const std::vector<Results::Cell>& eight = on_character.rows[3];  // m = 8
    add("beyond the paper: K by propagation, against deltas", "–", "–",
        fmt::format("{:.2f} times", std::get<double>(eight[3]) / std::get<double>(eight[4])),
        "character, m = 8");
    return table;
}

Results run(Extent extent) {
    const bool quick = extent == Extent::quick;
    const Effort& effort = effort_of(extent);
    const Results::Table setting = setting_table(effort);

    Results::Table single{"one test force",
                          {"model", "nv", "evaluation [µs]", "in lanes [µs]", "cached [µs]", "deltas [µs]",
                           "evaluation / deltas", "cached / deltas"},
                          {}};
    Measured measured;
    std::vector<std::pair<std::string, std::shared_ptr<const Model>>> models = {{"character", character()}};
    for (const int count : quick ? std::vector{10, 100} : std::vector{10, 100, 1000})
        models.emplace_back(fmt::format("chain of {}", count), chain(count));
    for (const auto& [name, model] : models) {
        const OneForce t = one_force(model, effort);
        measured.emplace_back(name, t);
        single.rows.push_back({name, static_cast<double>(model->nv), 1e6 * t.full, 1e6 * t.lanes,
                               1e6 * t.cached, 1e6 * t.deltas, t.full / t.deltas, t.cached / t.deltas});
    }

    const std::vector<double> counts = quick ? std::vector<double>{1, 2, 4, 8, 16}
                                             : std::vector<double>{1, 2, 4, 8, 16, 32, 64, 128};
    const std::vector<double> lengths = quick ? std::vector<double>{10, 30, 100}
                                              : std::vector<double>{10, 30, 100, 300, 1000};
    const auto hundred = chain(100), body = character();
    const Results::Table with_n =
        growth_table("K for 6 points on chains of n", "n", method_names, lengths,
                     [&](int n) { return matrix_times(chain(n), 6, effort); });
    const Results::Table with_m =
        growth_table("K for m points on a chain of 100", "m", method_names, counts,
                     [&](int m) { return matrix_times(hundred, m, effort); });
    const Results::Table on_character =
        growth_table("K for m points on the character", "m", method_names, counts,
                     [&](int m) { return matrix_times(body, m, effort); });
    const Results::Table whole =
        growth_table("set_state, set_constraints and solve for m points on the character", "m", method_names,
                     quick ? std::vector<double>{1, 2, 4, 8} : std::vector<double>{1, 2, 4, 8, 16, 32},
                     [&](int m) { return solution_times(body, m, effort); });
    const char* const solving_names[] = {"solve"};
    const std::vector<double> solved = quick ? std::vector<double>{8, 16, 32, 64}
                                             : std::vector<double>{8, 16, 32, 64, 128, 256, 512};
    const auto many = chain(static_cast<int>(solved.back()));
    const Results::Table solving =
        growth_table("K f = b for m independent rows", "m", solving_names, solved,
                     [&](int m) { return std::vector{solve_time(many, m, effort)}; });

    const Results::Table claims = claims_beside(measured, with_n, with_m, on_character, solving);
    return {{setting, claims, single, with_n, with_m, on_character, whole, solving}};
}

}  // namespace

const Benchmark papers_kokkevis{"papers kokkevis",
                                "acceleration constraints: evaluations, deltas, propagation",
                                run};

}  // namespace lig::bench
