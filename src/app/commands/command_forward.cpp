// Accelerations of given states, with everything that is known about these states besides.

#include "app/choices.h"
#include "app/commands.h"
#include "app/dynamics/accelerations.h"
#include "app/dynamics/drive_output.h"
#include "app/dynamics/dynamics_job.h"
#include "app/dynamics/equality_output.h"
#include "app/dynamics/named_frame.h"
#include "app/dynamics/sensor_output.h"
#include "app/dynamics/touching_output.h"
#include "app/dynamics/wrench_output.h"
#include "app/json_output.h"
#include "app/table.h"
#include "constraints/equalities.h"
#include "core/length.h"
#include "core/rotation.h"
#include "dynamics/bushing_pulls.h"
#include "dynamics/dynamics_parts.h"
#include "simulation/reactions.h"

#include <ligament/bushing.h>
#include <ligament/fluid.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace lig::app {

namespace {

struct ForwardWanted {
    std::vector<NamedFrame> jacobians;
    bool mass_matrix = false, wrenches = false;
};

struct ForwardResult {
    Accelerated found;
    Energy<double> energy;
    Vec3d com;
    BodyState<double> bodies;
    std::vector<double> multipliers;
    double equality_error = 0;
    double residual;
    std::optional<std::vector<double>> mass_matrix;  // (nv × nv) when asked for
    std::vector<std::vector<double>> jacobians;      // (6 × nv) for each frame asked for
    std::optional<Wrenches> wrenches;                // when asked for
};

double largest(std::span<const double> numbers) {
    double result = 0;
    for (const double x : numbers) result = std::max(result, std::abs(x));
    return result;
}

// What pushes the bodies besides gravity, at their centres of mass: what is applied, contacts, loops and
// constraints.
std::vector<Force<double>> forces_on_bodies(const StateInput& input, const SmoothDynamics& dynamics,
                                            const ContactDynamics* touching) {
    const Model& model = dynamics.model();
    std::vector<Force<double>> out = applied_forces(model, input);
    if (!dynamics.has_equalities() && !touching) return out;
    out.resize(model.bodies.size(), Force<double>::zero());
    const auto push = [&](int body, const Force<double>& f, const Vec3d& at) {
        out[body] += shift_back(f, at - body_pose(dynamics.ws, body) * model.bodies[body].com);
    };
    if (touching)
        for (const TouchingContact& contact : touching->contacts) {
            const Force<double> on_b{contact.moment, contact.force};
            push(model.geoms[contact.geom_b].body, on_b, contact.point);
            push(model.geoms[contact.geom_a].body, -on_b, contact.point);
        }
    if (!dynamics.has_equalities()) return out;
    std::vector<Force<double>> reactions(model.loops.size());
    dynamics.loop_reactions(reactions);
    for (std::size_t k = 0; k < reactions.size(); ++k) {
        const Model::Loop& loop = model.loops[k];
        const Vec3d M = body_pose(dynamics.ws, loop.body_b) * loop.X_BM.p;
        push(loop.body_b, reactions[k], M);
        push(loop.body_a, -reactions[k], M);
    }
    // Row by row: a gear does not do to A the opposite of what it does to B.
    Rows rows;
    std::vector<EqualityTerms> terms;
    const Equalities equalities(model);
    for (const Equality& equality : equalities.acting()) {
        if (equality.kind != RowKind::pair) continue;
        const Model::PairConstraint& pair = model.pair_constraints[equality.source];
        rows.clear();
        terms.clear();
        Equalities::add(equality, {input.state, dynamics.ws, &dynamics.drives, input.state.time, false}, rows,
                        terms);
        const RowBlock& block = rows.blocks.front();
        for (std::size_t r = 0; r < rows.rows.size(); ++r) {
            const double lambda = dynamics.multipliers[equality.multiplier + terms[r].part] / terms[r].scale;
            const auto push_link = [&](int body, int link, const Force<double>& f) {
                if (link >= 0) push(body, lambda * f, carrier_pose(dynamics.ws, link).p);
            };
            push_link(pair.body_a, block.link_a, rows.rows[r].on_a);
            push_link(pair.body_b, block.link_b, rows.rows[r].on_b);
        }
    }
    return out;
}

// M q̈ + bias − tau by the recursion for inverse dynamics, which shares nothing with the one for forward
// dynamics, relative to the largest of the forces at work.
double residual_of(const StateInput& input, std::span<const double> tau, std::span<const double> qacc,
                   Workspace<double>& ws, DriveWorkspace<double>& drives, bool external,
                   const ContactDynamics* touching) {
    std::vector<double> bias(tau.size()), difference(tau.size());
    const std::vector<double> still(tau.size(), 0.0);
    inverse_dynamics<double>(input.state, still, ws, drives, bias, external);
    inverse_dynamics<double>(input.state, qacc, ws, drives, difference, external);
    for (std::size_t k = 0; k < tau.size(); ++k) difference[k] -= tau[k];
    double scale = std::max(largest(bias), largest(tau));
    if (touching)
        for (const TouchingContact& contact : touching->contacts)
            scale = std::max(scale, length(contact.force));
    return scale > 0 ? largest(difference) / scale : largest(difference);
}

// The library counts what moves on joints. Here everything that has mass counts, as in `total_mass`.
void add_standing_bodies(const Model& model, const Workspace<double>& ws, ForwardResult& result) {
    Vec3d moment{0, 0, 0};
    for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
        const Model::Body& body = model.bodies[b];
        const Vec3d weighted = body.mass * (body_pose(ws, b) * body.com);
        moment += weighted;
        if (body.link < 0)
            result.energy.potential -= body.gravity_scale * dot(model.options.gravity, weighted);
    }
    result.com = model.total_mass > 0 ? (1 / model.total_mass) * moment : Vec3d{0, 0, 0};
}

void find_wrenches(const StateInput& input, std::span<const double> qacc,
                   std::span<const Force<double>> pushed, SmoothDynamics& dynamics, ForwardResult& result) {
    const Model& model = dynamics.model();
    Workspace<double>& ws = dynamics.ws;
    Wrenches& wrenches = result.wrenches.emplace(model);
    dynamics.loop_reactions(wrenches.loops);
    dynamics.pair_reactions(wrenches.constraints);
    for (std::size_t k = 0; k < wrenches.bushings.size(); ++k)
        wrenches.bushings[k] = bushing_wrench(ws, static_cast<int>(k));
    clear_external(ws);
    for (std::size_t b = 1; b < pushed.size(); ++b)
        add_body_wrench<double>(ws, static_cast<int>(b), pushed[b].lin, pushed[b].ang);
    add_fluid_forces(ws);
    add_bushing_forces(ws);
    std::vector<double> tau(model.nv);
    Reactions::through_joints(input.state, qacc, ws, tau, wrenches.joints);
}

// On the bodies and along the coordinates. The workspace is that of the state, with other external forces.
void add_touching_forces(const ContactDynamics& touching, Workspace<double>& ws, std::span<double> tau) {
    const Model& model = ws.model();
    for (std::size_t k = 0; k < tau.size(); ++k)
        tau[k] += touching.limit_force[k] + touching.friction_force[k];
    for (const TouchingContact& contact : touching.contacts)
        for (const auto& [geom, sign] : {std::pair{contact.geom_b, 1.0}, std::pair{contact.geom_a, -1.0}}) {
            const int body = model.geoms[geom].body;
            const Vec3d arm = contact.point - body_pose(ws, body) * model.bodies[body].com;
            add_body_wrench<double>(ws, body, sign * contact.force,
                                    sign * (contact.moment + cross(arm, contact.force)));
        }
}

ForwardResult evaluate(const DynamicsJob& job, std::size_t state, Accelerations& accelerations,
                       SensorWorkspace<double>& sensors, const ForwardWanted& wanted) {
    const Model& model = job.model();
    const StateInput& input = job.states[state];
    SmoothDynamics& dynamics = accelerations.dynamics;
    Workspace<double>& ws = dynamics.ws;
    DriveWorkspace<double>& drives = dynamics.drives;
    ForwardResult result;
    result.bodies = BodyState<double>(model);
    body_state(input.state, ws, result.bodies);
    update_drives(input.state, ws, drives);
    result.energy = energy(input.state, ws, drives);
    add_standing_bodies(model, ws, result);
    for (const NamedFrame& frame : wanted.jacobians)
        frame_jacobian<double>(ws, frame.body, frame.X_BF.p, Axes::world,
                               result.jacobians.emplace_back(6 * model.nv));
    const bool external = set_external_forces(input, ws);

    std::vector<double> tau = input.qfrc_applied;
    add_smooth_forces<double>(input.state, model, input.ctrl, drives, tau);
    add_bushing_pulls<double>(ws, tau);
    result.equality_error = dynamics.equality_errors(input.state).largest;
    result.found = accelerations.find(input, tau, external);
    if (!result.found.failure.empty())
        throw Failure(Exit::simulation,
                      fmt::format("ligament forward: state {}: {}", state, result.found.failure));
    if (result.found.bad_body >= 0)
        throw Failure(Exit::simulation,
                      fmt::format("ligament: state {}: the inertia of body '{}' and of what hangs on it "
                                  "cannot be divided by",
                                  state, job.names.bodies[result.found.bad_body]));
    if (dynamics.has_equalities()) {
        result.multipliers = dynamics.multipliers;
        std::vector<double> held(model.nv);
        dynamics.equality_forces(held);
        for (int k = 0; k < model.nv; ++k) tau[k] += held[k];
    }
    const ContactDynamics* const touching = result.found.touching;
    if (touching) add_touching_forces(*touching, ws, tau);
    const std::span<const double> qacc = result.found.qacc;
    const std::vector<Force<double>> pushed = forces_on_bodies(input, dynamics, touching);
    result.residual = residual_of(input, tau, qacc, ws, drives, external || touching, touching);
    read_sensors<double>(input.state, qacc, pushed, drives, ws, sensors);
    if (wanted.wrenches) find_wrenches(input, qacc, pushed, dynamics, result);
    if (wanted.mass_matrix) {
        result.mass_matrix.emplace(static_cast<std::size_t>(model.nv) * model.nv);
        mass_matrix<double>(input.state, ws, drives, *result.mass_matrix);
    }
    return result;
}

void require_finite(const DynamicsJob& job, std::size_t state, const ForwardResult& result) {
    require_finite(job, state, result.found.qacc, "acceleration");
    const auto check = [&](double x, std::string_view what) {
        if (!std::isfinite(x))
            throw Failure(Exit::simulation, fmt::format("ligament: state {}: {} is not finite", state, what));
    };
    check(result.energy.kinetic, "the kinetic energy");
    check(result.energy.potential, "the potential energy");
    check(result.residual, "the residual");
    for (std::size_t b = 0; b < result.bodies.pos.size(); ++b)
        for (int k = 0; k < 3; ++k)
            check(result.bodies.pos[b][k], fmt::format("the position of body '{}'", job.names.bodies[b]));
}

Json result_json(const DynamicsJob& job, const ForwardResult& result, const SmoothDynamics& dynamics,
                 const SensorWorkspace<double>& sensors, const ForwardWanted& wanted) {
    const Accelerated& found = result.found;
    const std::size_t nv = job.model().nv;
    Json out, xpos = Json::object(), xquat = Json::object();
    for (std::size_t b = job.names.world_is_taken ? 1 : 0; b < job.names.bodies.size(); ++b) {
        add_member(xpos, job.names.bodies[b], to_json(result.bodies.pos[b]));
        add_member(xquat, job.names.bodies[b], to_json(result.bodies.quat[b]));
    }
    out["qacc"] = to_json(found.qacc);
    out["energy"] = {{"kinetic", result.energy.kinetic}, {"potential", result.energy.potential}};
    out["com"] = to_json(result.com);
    out["xpos"] = std::move(xpos);
    out["xquat"] = std::move(xquat);
    add_drive_results(job.model(), dynamics.drives, out);
    add_sensor_results(job.model(), sensors, out);
    out["multipliers"] = multipliers_json(job.model(), result.multipliers);
    if (found.touching) add_touching(*found.touching, job.names, out);
    if (found.equality_rows > 0) {
        out["equality_rows"] = found.equality_rows;
        out["redundant_rows"] = found.redundant_rows;
        out["equality_error"] = result.equality_error;
    }
    out["residual"] = result.residual;
    if (found.constraint_residual) out["constraint_residual"] = *found.constraint_residual;
    out["microseconds"] = found.microseconds;
    if (result.wrenches) add_wrenches(dynamics.ws, job.names, *result.wrenches, out);
    if (result.mass_matrix) out["mass_matrix"] = matrix_json(*result.mass_matrix, nv);
    if (!wanted.jacobians.empty()) {
        Json& jacobians = out["jacobian"] = Json::object();
        for (std::size_t f = 0; f < wanted.jacobians.size(); ++f) {
            const std::span<const double> J = result.jacobians[f];
            jacobians[wanted.jacobians[f].name] = {{"linear", matrix_json(J.subspan(3 * nv), nv)},
                                                   {"angular", matrix_json(J.first(3 * nv), nv)}};
        }
    }
    return out;
}

void print_matrix(std::string_view title, const std::vector<std::string>& columns,
                  const std::vector<std::string>& rows, std::span<const double> entries) {
    std::vector<std::string> header{std::string(title)};
    header.insert(header.end(), columns.begin(), columns.end());
    std::vector<int> right(columns.size());
    std::iota(right.begin(), right.end(), 1);
    Table table(header, right);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        std::vector<std::string> cells{rows[r]};
        for (const double x : entries.subspan(r * columns.size(), columns.size()))
            cells.push_back(number_text(x));
        table.add(std::move(cells));
    }
    fmt::print("\n");
    table.print();
}

void print_text(const DynamicsJob& job, const StateInput& input, const ForwardResult& result,
                const DriveWorkspace<double>& drives, const SensorWorkspace<double>& sensors,
                const ForwardWanted& wanted) {
    const Accelerated& found = result.found;
    const std::vector<std::string> names = velocity_names(job.model(), job.names);
    Table table({"coordinate", "qvel", "qacc"}, {1, 2});
    for (std::size_t k = 0; k < names.size(); ++k)
        table.add({names[k], number_text(input.state.v[k]), number_text(found.qacc[k])});
    table.print();
    print_drive_results(job.model(), job.names, drives, input.ctrl);
    print_sensor_results(job.model(), sensors);
    if (found.touching) print_touching(*found.touching, job.names);
    fmt::print("\nkinetic energy    {} J\n", number_text(result.energy.kinetic));
    fmt::print("potential energy  {} J\n", number_text(result.energy.potential));
    fmt::print("centre of mass    {} {} {} m\n", number_text(result.com.x), number_text(result.com.y),
               number_text(result.com.z));
    if (found.equality_rows > 0)
        fmt::print("redundant rows    {} of {}, equalities open by {} at most\n", found.redundant_rows,
                   found.equality_rows, number_text(result.equality_error));
    fmt::print("residual          {:.1e} of the largest force\n", result.residual);
    if (found.constraint_residual)
        fmt::print("constraints       {:.1e} of the largest term\n", *found.constraint_residual);
    fmt::print("time              {:.2f} µs\n", found.microseconds);
    if (result.wrenches) print_wrenches(job.model(), job.names, *result.wrenches);
    if (result.mass_matrix) print_matrix("mass matrix", names, names, *result.mass_matrix);
    for (std::size_t f = 0; f < wanted.jacobians.size(); ++f)
        print_matrix("jacobian of " + wanted.jacobians[f].name, names,
                     {"angular x", "angular y", "angular z", "linear x", "linear y", "linear z"},
                     result.jacobians[f]);
}

}  // namespace

Exit run_forward(Arguments& arguments) {
    DynamicsOptions options;
    ForwardWanted wanted;
    std::vector<std::string> jacobian_of;
    std::string loops = "direct";
    options.declare(arguments);
    arguments.option(loops, "--loops", "METHOD", "how they hold beside joints: {} (default: direct)")
        .choice(words<EqualityMethod>());
    arguments.flag(wanted.wrenches, "--wrenches", "add the forces of joints, loops and bushings");
    arguments.flag(wanted.mass_matrix, "--mass-matrix", "add the joint-space inertia matrix");
    arguments.option(jacobian_of, "--jacobian", "BODY|SITE",
                     "add the Jacobian of a frame's origin in world axes (repeatable)");
    if (!arguments.parse()) return Exit::ok;

    SimulationOptions method;
    method.formulation = options.formulation;
    method.multiplier.equalities = choose_value<EqualityMethod>("forward", "--loops", loops);
    DynamicsJob job = prepare(options, method, false);
    for (const std::string& name : jacobian_of)
        wanted.jacobians.push_back(find_frame("forward", "--jacobian", job, name));

    Accelerations accelerations(job.loaded.model, method.formulation, method.multiplier.equalities);
    SensorWorkspace<double> sensors(job.model());
    Json states = Json::array();
    for (std::size_t i = 0; i < job.states.size(); ++i) {
        if (accelerations.dynamics.has_equalities() && accelerations.touches(job.states[i].state))
            close_state("forward", options, i, accelerations.dynamics, job.states[i].state);
        const ForwardResult result = evaluate(job, i, accelerations, sensors, wanted);
        require_finite(job, i, result);
        if (options.json) {
            states.push_back(result_json(job, result, accelerations.dynamics, sensors, wanted));
            continue;
        }
        if (job.states.size() > 1) fmt::print("{}state {}\n\n", i == 0 ? "" : "\n", i);
        print_text(job, job.states[i], result, accelerations.dynamics.drives, sensors, wanted);
    }
    if (options.json) print_json({{"states", std::move(states)}});
    return Exit::ok;
}

}  // namespace lig::app
