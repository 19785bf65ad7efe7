#include "app/run/trajectory.h"

#include "app/dynamics/sensor_output.h"
#include "app/dynamics/wrench_output.h"
#include "core/rotation.h"
#include "joints/joint_list.h"
#include "model/collision_model.h"

#include <ligament/dynamics.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace lig::app {

namespace {

using Places = std::vector<PlotPlace>;

// As xfrc_applied: the force first.
constexpr std::string_view wrench_endings[] = {".fx", ".fy", ".fz", ".tx", ".ty", ".tz"};

std::vector<std::string> with_endings(const std::vector<std::string>& names,
                                      std::span<const std::string_view> endings) {
    std::vector<std::string> all;
    for (const std::string& name : names)
        for (const std::string_view ending : endings) all.push_back(name + std::string(ending));
    return all;
}

Places coordinate_places(const Model& model) {
    using joints::Coordinate;
    Places places;
    for (const Model::Joint& joint : model.joints)
        for (int k = 0; k < joint.nq; ++k) switch (joints::joint_info(joint.type).coordinate_kinds[k]) {
                case Coordinate::angle: places.push_back(PlotPlace::angles); break;
                case Coordinate::length: places.push_back(PlotPlace::positions); break;
                case Coordinate::quaternion: places.push_back(PlotPlace::orientations); break;
            }
    return places;
}

// A quaternion has three angular velocities, any other coordinate one of its own kind; quaternions come last.
Places velocity_places(const Model& model) {
    using joints::Coordinate;
    Places places;
    for (const Model::Joint& joint : model.joints)
        for (int k = 0; k < joint.nv; ++k)
            places.push_back(joints::joint_info(joint.type).coordinate_kinds[k] == Coordinate::length
                                 ? PlotPlace::velocities
                                 : PlotPlace::angular_velocities);
    return places;
}

Places wrench_places(std::size_t count, PlotPlace force, PlotPlace moment) {
    Places places;
    for (std::size_t k = 0; k < count; ++k) {
        places.insert(places.end(), 3, force);
        places.insert(places.end(), 3, moment);
    }
    return places;
}

}  // namespace

TrajectoryLayout::TrajectoryLayout(const Model& model, const Names& names,
                                   const TrajectoryContents& wanted)
    : model(model), contents(wanted), title(model.name), geoms(names.geoms) {
    add_state(names);
    if (contents.loops) add_loops(names);
    if (contents.sensors && !model.sensors.empty()) add_sensors();
    add_energy();
    add_momenta();
    constexpr std::string_view position[] = {".x", ".y", ".z"}, rotation[] = {".qw", ".qx", ".qy", ".qz"};
    const std::size_t bodies = names.bodies.size();
    name_lists.emplace_back("body_names", names.bodies);
    add_rows("xpos", names.bodies, position, Places(3 * bodies, PlotPlace::nowhere), false);
    add_rows("xquat", names.bodies, rotation, Places(4 * bodies, PlotPlace::nowhere), false);
    if (contents.wrenches) add_wrenches(names);
    if (contents.contacts) add_contacts(names);
    add_figures();
}

void TrajectoryLayout::add(std::string name, std::vector<std::size_t> shape, std::vector<std::string> columns,
                           Places places, bool in_csv) {
    const std::size_t size = columns.size();
    blocks.push_back({.name = std::move(name),
                      .shape = std::move(shape),
                      .columns = std::move(columns),
                      .places = std::move(places),
                      .in_csv = in_csv,
                      .begin = row_size});
    row_size += size;
}

void TrajectoryLayout::add_one(std::string_view name, PlotPlace place, bool in_csv) {
    add(std::string(name), {}, {std::string(name)}, {place}, in_csv);
}

void TrajectoryLayout::add_vector(const std::string& name, PlotPlace place, bool in_csv) {
    add(name, {3}, {name + ".x", name + ".y", name + ".z"}, Places(3, place), in_csv);
}

void TrajectoryLayout::add_rows(const std::string& name, const std::vector<std::string>& owners,
                                std::span<const std::string_view> endings, Places places, bool in_csv) {
    add(name, {owners.size(), endings.size()}, with_endings(owners, endings), std::move(places), in_csv);
}

void TrajectoryLayout::add_state(const Names& names) {
    add_one("time", PlotPlace::nowhere, true);
    const std::vector<std::string> coordinates = coordinate_names(model, names);
    std::vector<std::string> velocities = velocity_names(model, names);
    name_lists.emplace_back("qpos_names", coordinates);
    name_lists.emplace_back("qvel_names", velocities);
    for (std::string& name : velocities) name += ".v";
    add("qpos", {coordinates.size()}, coordinates, coordinate_places(model), true);
    add("qvel", {velocities.size()}, velocities, velocity_places(model), true);
    if (model.na == 0) return;
    std::vector<std::string> activations;
    for (std::size_t a = 0; a < model.actuators.size(); ++a)
        if (model.actuators[a].act_adr >= 0) activations.push_back(names.actuators[a]);
    name_lists.emplace_back("act_names", activations);
    add("act", {activations.size()}, activations, Places(activations.size(), PlotPlace::nowhere), false);
}

void TrajectoryLayout::add_loops(const Names& names) {
    const std::vector<std::string> coordinates = loop_coordinate_names(model, names);
    std::vector<std::string> velocities = loop_velocity_names(model, names);
    if (coordinates.empty()) return;
    name_lists.emplace_back("loop_qpos_names", coordinates);
    name_lists.emplace_back("loop_qvel_names", velocities);
    for (std::string& name : velocities) name += ".v";
    add("loop_qpos", {coordinates.size()}, coordinates, Places(coordinates.size(), PlotPlace::nowhere), true);
    add("loop_qvel", {velocities.size()}, velocities, Places(velocities.size(), PlotPlace::nowhere), true);
}

void TrajectoryLayout::add_sensors() {
    std::vector<std::string> columns = sensor_number_names(model);
    name_lists.emplace_back("sensor_names", columns);
    add("sensors", {columns.size()}, columns, Places(columns.size(), PlotPlace::nowhere), true);
}

void TrajectoryLayout::add_energy() {
    add_one("energy", PlotPlace::energy, true);
    add_one("kinetic", PlotPlace::energy, contents.figures);
    add_one("potential", PlotPlace::energy, contents.figures);
    if (!contents.ledger) return;
    const std::size_t before = blocks.size();
    add_one("elastic", PlotPlace::energy, contents.figures);
    for (const EnergyFlow& flow : energy_flows) add_one(flow.name, PlotPlace::ledger, contents.figures);
    add_one(method_energy_name, PlotPlace::ledger, contents.figures);
    for (std::size_t k = before; k < blocks.size(); ++k) blocks[k].unless_zero = true;
}

void TrajectoryLayout::add_momenta() {
    add_vector("com", PlotPlace::nowhere, false);
    add_vector("momentum", PlotPlace::momentum, false);
    add_vector("angular_momentum", PlotPlace::angular_momentum, false);
    if (!contents.momentum_ledger) return;
    const std::size_t before = blocks.size();
    for (const auto& [prefix, place] : {std::pair{linear_prefix, PlotPlace::momentum_ledger},
                                        std::pair{angular_prefix, PlotPlace::angular_momentum_ledger}}) {
        for (const MomentumFlow& flow : momentum_flows)
            add_vector(prefixed(prefix, flow.name), place, contents.figures);
        add_vector(prefixed(prefix, method_momentum_name), place, contents.figures);
    }
    for (std::size_t k = before; k < blocks.size(); ++k) blocks[k].unless_zero = true;
}

void TrajectoryLayout::add_wrenches(const Names& names) {
    const auto add_list = [&](const std::string& name, const std::vector<std::string>& owners) {
        name_lists.emplace_back(name + "_names", owners);
        add_rows(name, owners, wrench_endings,
                 wrench_places(owners.size(), PlotPlace::joint_forces, PlotPlace::joint_moments), true);
    };
    std::vector<std::string> joints;
    for (ReactingJoint& joint : reacting_joints(model, names)) {
        joint_bodies.push_back(joint.body);
        joints.push_back(std::move(joint.name));
    }
    add_list("joint_wrench", joints);
    if (!names.loops.empty()) add_list("loop_wrench", names.loops);
    if (!names.constraints.empty()) add_list("constraint_wrench", names.constraints);
    if (!names.bushings.empty()) add_list("bushing_wrench", names.bushings);
}

void TrajectoryLayout::add_contacts(const Names& names) {
    for (const CollisionModel::Geom& geom : model.collision->geoms)
        if (geom.moves && (contact_bodies.empty() || contact_bodies.back() != geom.body))
            contact_bodies.push_back(geom.body);
    std::sort(contact_bodies.begin(), contact_bodies.end());
    contact_bodies.erase(std::unique(contact_bodies.begin(), contact_bodies.end()), contact_bodies.end());
    std::vector<std::string> touched, columns;
    for (const int body : contact_bodies) {
        touched.push_back(names.bodies[body]);
        columns.push_back(names.bodies[body] + ".contact");
    }
    name_lists.emplace_back("contact_wrench_names", touched);
    add_rows("contact_wrench", columns, wrench_endings,
             wrench_places(touched.size(), PlotPlace::contact_forces, PlotPlace::nowhere), true);
    name_lists.emplace_back("geom_names", names.geoms);
}

void TrajectoryLayout::add_figures() {
    for (std::size_t k = 0; k < std::size(step_errors); ++k)
        add_one(step_errors[k].name, place_of_error(k), contents.figures);
    if (contents.tracking) add_one("tracking_error", PlotPlace::tracking_error, true);
    for (const StepCount& count : step_counts)
        if (count.is_sampled) add_one(count.name, PlotPlace::work, contents.figures);
    if (!contents.replay) return;
    const std::vector<std::string> stages(stage_names.begin(), stage_names.end());
    add("stage_seconds", {stages.size()}, stages, Places(stages.size(), PlotPlace::stages), false);
    blocks.back().in_npz = false;
}

const TrajectoryBlock* TrajectoryLayout::find(std::string_view name) const {
    for (const TrajectoryBlock& block : blocks)
        if (block.name == name) return &block;
    return nullptr;
}

void StepFigures::note(const StepReport& report) {
    totals.note(report);
    for (int k = 0; k < step_stages; ++k) stage_seconds[k] += report.seconds[k];
}

TrajectorySampler::TrajectorySampler(std::shared_ptr<const Model> model, const TrajectoryLayout& layout)
    : layout_(layout), ws_(model), bodies_(*model), on_bodies_(model->bodies.size()) {
    sample_.row.resize(layout.row_size);
    for (const auto& [which, count] :
         {std::pair{&loops_, model->loops.size()}, std::pair{&constraints_, model->pair_constraints.size()},
          std::pair{&bushings_, model->bushings.size()}}) {
        which->resize(count);
        std::iota(which->begin(), which->end(), 0);
    }
}

const TrajectorySample& TrajectorySampler::take(const JointState<double>& state,
                                                std::span<const Transformd> poses,
                                                const Energy<double>& energy, const StepFigures& figures,
                                                const StepForces& forces, const SampleReadings& readings) {
    body_state(state, ws_, bodies_);
    for (std::size_t b = 0; b < poses.size(); ++b) {
        bodies_.pos[b] = poses[b].p;
        bodies_.quat[b] = quaternion(poses[b].R);
    }
    const auto put_one = [&](std::string_view name, double number) { put(name, {&number, 1}); };
    put_one("time", state.time);
    put("qpos", state.q);
    put("qvel", state.v);
    put("act", state.act);
    put("loop_qpos", readings.loop_q);
    put("loop_qvel", readings.loop_v);
    put("sensors", readings.sensors);
    put_one("energy", energy.kinetic + energy.potential);
    put_one("kinetic", energy.kinetic);
    put_one("potential", energy.potential);
    put_one("elastic", energy.elastic);
    for (const EnergyFlow& flow : energy_flows) put_one(flow.name, figures.flows.*flow.value);
    put_one(method_energy_name, figures.method);
    const auto put_vector = [&](std::string_view name, const Vec3d& v) {
        put(name, std::array{v.x, v.y, v.z});
    };
    const Force<double> total = momentum(ws_);
    put_vector("com", center_of_mass(ws_));
    put_vector("momentum", total.lin);
    put_vector("angular_momentum", total.ang);
    const auto put_both = [&](std::string_view name, const Force<double>& momentum) {
        put_vector(prefixed(linear_prefix, name), momentum.lin);
        put_vector(prefixed(angular_prefix, name), momentum.ang);
    };
    if (layout_.contents.momentum_ledger) {
        for (const MomentumFlow& flow : momentum_flows) put_both(flow.name, figures.impulses.*flow.value);
        put_both(method_momentum_name, figures.made);
    }
    double* position = block("xpos").data();
    double* rotation = block("xquat").data();
    for (std::size_t b = 0; b < bodies_.pos.size(); ++b) {
        const Vec3d& p = bodies_.pos[b];
        const Quatd& r = bodies_.quat[b];
        for (const double x : {p.x, p.y, p.z}) *position++ = x;
        for (const double x : {r.w, r.x, r.y, r.z}) *rotation++ = x;
    }

    sample_.contacts.clear();
    if (forces.known) {
        put_wrenches("joint_wrench", forces.joint_reactions, layout_.joint_bodies);
        put_wrenches("loop_wrench", forces.loop_reactions, loops_);
        put_wrenches("constraint_wrench", forces.pair_reactions, constraints_);
        put_wrenches("bushing_wrench", forces.bushing_forces, bushings_);
        if (layout_.contents.lists_contacts() && forces.contacts) put_contacts(forces);
    } else {
        for (const std::string_view name :
             {"joint_wrench", "loop_wrench", "constraint_wrench", "bushing_wrench", "contact_wrench"})
            std::ranges::fill(block(name), std::numeric_limits<double>::quiet_NaN());
    }

    for (const StepError& error : step_errors) put_one(error.name, figures.totals(error.value));
    put_one("tracking_error", figures.tracking_error);
    for (const StepCount& count : step_counts)
        if (count.is_sampled) put_one(count.name, static_cast<double>(figures.totals(count.value)));
    put("stage_seconds", figures.stage_seconds);
    return sample_;
}

std::span<double> TrajectorySampler::block(std::string_view name) {
    const TrajectoryBlock* const found = layout_.find(name);
    return found ? std::span(sample_.row).subspan(found->begin, found->size()) : std::span<double>();
}

void TrajectorySampler::put(std::string_view name, std::span<const double> numbers) {
    const std::span<double> target = block(name);
    if (!target.empty()) std::ranges::copy(numbers, target.begin());
}

void TrajectorySampler::put_wrenches(std::string_view name, std::span<const Force<double>> wrenches,
                                     std::span<const int> which) {
    const std::span<double> target = block(name);
    if (target.empty()) return;
    double* out = target.data();
    for (const int k : which) {
        const Force<double>& f = wrenches[k];
        for (const double x : {f.lin.x, f.lin.y, f.lin.z, f.ang.x, f.ang.y, f.ang.z}) *out++ = x;
    }
}

// Contacts that press, and what they do to the bodies together: force and moment at the centre of mass.
void TrajectorySampler::put_contacts(const StepForces& forces) {
    const Model& model = ws_.model();
    std::ranges::fill(on_bodies_, Force<double>{});
    const double rate = forces.contact_time > 0 ? 1 / forces.contact_time : 0;
    const auto load = [&](int geom, const Vec3d& point, const Vec3d& force, const Vec3d& moment) {
        const int body = model.geoms[geom].body;
        const Vec3d center = bodies_.pos[body] + rotation_matrix(bodies_.quat[body]) * model.bodies[body].com;
        on_bodies_[body] += Force<double>{moment + cross(point - center, force), force};
    };
    for (const Contact& contact : forces.contacts->contacts) {
        const Vec3d force = rate * contact.impulse, moment = rate * contact.moment_impulse;
        if (dot(force, force) == 0 && dot(moment, moment) == 0) continue;
        const Manifold& manifold = forces.contacts->manifolds[contact.manifold];
        sample_.contacts.push_back({manifold.geom_a, manifold.geom_b, contact.distance, contact.on_b,
                                    contact.normal, force, moment});
        load(manifold.geom_a, contact.on_b, -force, -moment);
        load(manifold.geom_b, contact.on_b, force, moment);
    }
    put_wrenches("contact_wrench", on_bodies_, layout_.contact_bodies);
}

}  // namespace lig::app
