// Chains with loops: how long accelerations take where loops are part of the factorization (direct), where
// they are anticipated (Baraff 1996, sec. 8), and in joint coordinates.
//
// Workloads "loops N,k" as the generator `loops` has them. Times are those of rows, factor and solution from
// the poses of the bodies ("bodies"), and from joint coordinates to their accelerations ("joints"), which is
// what other libraries were asked for.
//
// The residual is the largest acceleration at which a loop would open, found from the joint accelerations by
// one routine for all: the links' accelerations from the base to the tip, and their difference at the points
// that a loop joins.

#include "bench/benchmark.h"
#include "bench/body_problem.h"
#include "bench/local_loops.h"
#include "bench/measure.h"
#include "bench/setting.h"
#include "scenes/generator_list.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>

namespace lig::bench {

extern const Benchmark loops;

namespace {

// ---- the residual --------------------------------------------------------------------------------------

// How far loops of a chain of the generator are from held: link i is body i + 1, on a hinge on body i.
double opening_acceleration(const std::shared_ptr<const Model>& model, const JointState<double>& state,
                            std::span<const double> qacc) {
    Workspace<double> ws(model);
    forward_kinematics(state, ws);
    struct Moving {
        Transformd X;
        Vec3d w, turning, a;  // angular velocity and acceleration, acceleration of the origin
        Vec3d at(const Vec3d& p) const {
            const Vec3d r = X.R * p;
            return a + cross(turning, r) + cross(w, cross(w, r));
        }
    };
    const Vec3d zero = Vec3d::zero();
    std::vector<Moving> bodies{{Transformd::identity(), zero, zero, zero}};
    for (int i = 0; i < model->nv; ++i) {
        const Moving& before = bodies.back();
        const Transformd X = body_pose(ws, i + 1);
        const Vec3d& axis = ws.S[i].ang;
        const Vec3d spin = state.v[i] * axis;
        bodies.push_back({X, before.w + spin, before.turning + qacc[i] * axis + cross(before.w, spin),
                          before.at(before.X.inverse() * X.p)});
    }
    double largest = 0;
    for (const Model::Loop& loop : model->loops) {
        const Vec3d opening = bodies[loop.body_b].at(loop.X_BM.p) - bodies[loop.body_a].at(loop.X_AF.p);
        for (int k = 0; k < 3; ++k) largest = std::max(largest, std::abs(opening[k]));
    }
    return largest;
}

// ---- the workloads -------------------------------------------------------------------------------------

struct Workload {
    int count, loops;
    double aim;                              // seconds; 0: none
    double pinocchio, rbdl, simbody;  // µs, measured elsewhere
};

constexpr Workload workloads[] = {{100, 1, 0, 61, 146, 149},
                                  {100, 10, 80e-6, 103, 249, 676},
                                  {100, 30, 0, 267, 526, 2815},
                                  {1000, 10, 1.5e-3, 33717, 24452, 5575},
                                  {1000, 100, 3e-3, 95412, 50286, 63593}};

void add_workload(const Workload& workload, const Effort& effort, Results::Table& times,
                  Results::Table& residuals) {
    const scenes::Setting settings[] = {{"count", static_cast<double>(workload.count)},
                                        {"loops", static_cast<double>(workload.loops)}};
    const std::shared_ptr<const Model> model = compile(scenes::generate(scenes::loops, settings));
    const JointState<double> state = keyframe_state(*model, 0);
    BodyProblem direct(model, state, EqualityMethod::direct),
        anticipated(model, state, EqualityMethod::anticipation);
    SmoothDynamics reduced(model);
    const std::function<void()> candidates[] = {[&] { direct.accelerate_bodies(); },
                                                [&] { anticipated.accelerate_bodies(); },
                                                [&] { direct.accelerate(); },
                                                [&] { anticipated.accelerate(); },
                                                [&] { reduced.accelerate(state); }};
    const std::vector<double> t = compare_times(candidates, effort);
    const std::string name = fmt::format("loops {},{}", workload.count, workload.loops);
    times.rows.push_back({name, workload.aim > 0 ? fmt::format("{:g}", 1e6 * workload.aim) : "–", 1e6 * t[0],
                          1e6 * t[1], 1e6 * t[2], 1e6 * t[3], 1e6 * t[4], workload.pinocchio, workload.rbdl,
                          workload.simbody});
    const auto opening = [&](std::span<const double> qacc) {
        return opening_acceleration(model, state, qacc);
    };
    residuals.rows.push_back({name, static_cast<double>(reduced.redundant_rows), opening(direct.accelerate()),
                              opening(anticipated.accelerate()), opening(reduced.accelerate(state))});
}

Results run(Extent extent) {
    const Effort& effort = effort_of(extent);
    Results::Table times{"accelerations",
                         {"workload", "aim [µs]", "direct, bodies [µs]", "anticipation, bodies [µs]",
                          "direct, joints [µs]", "anticipation, joints [µs]", "reduced, joints [µs]",
                          "Pinocchio, measured elsewhere [µs]", "RBDL, measured elsewhere [µs]",
                          "Simbody, measured elsewhere [µs]"},
                         {}};
    Results::Table residuals{"largest acceleration at which a loop opens",
                             {"workload", "redundant rows", "direct [m/s²]", "anticipation [m/s²]",
                              "reduced [m/s²]"},
                             {}};
    for (const Workload& workload : workloads)
        if (extent != Extent::quick || workload.count <= 100)
            add_workload(workload, effort, times, residuals);
    const bool quick = extent == Extent::quick;
    const LocalLoops local =
        quick ? measure_local_loops(100, {1, 5, 20}, effort)
              : measure_local_loops(1000, {1, 2, 5, 10, 20, 35, 50, 75, 100, 125, 150, 175, 200}, effort);
    Results::Table setting = setting_table(effort);
    setting.rows.push_back({"general sparse solver", local.times.columns.size() > 4
                                                         ? "Eigen, for any processor of the kind"
                                                         : "none: built without Eigen"});
    return {{setting, times, residuals, local.times, local.residuals}, {local.plot}};
}

}  // namespace

const Benchmark loops{"loops", "chains with loops: direct, by anticipation, in joint coordinates", run};

}  // namespace lig::bench
