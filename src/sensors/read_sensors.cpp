// One reading after the other, as MuJoCo defines them.

#include <ligament/sensors.h>

#include "core/rotation.h"
#include "dynamics/loop_length.h"
#include "sensors/object_frame.h"
#include "sensors/ray_readings.h"
#include "sensors/sensed_reader.h"
#include "sensors/sensor_kind.h"
#include "sensors/sensor_stage.h"
#include "sensors/site_volume.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

using namespace sensors;
using Kind = ObjectRef::Kind;

template <class T>
void put(const Vec3<T>& a, T* out) {
    for (int k = 0; k < 3; ++k) out[k] = a[k];
}
template <class T>
void put(const Quat<T>& q, T* out) {
    out[0] = q.w;
    out[1] = q.x;
    out[2] = q.y;
    out[3] = q.z;
}

// How far a value is inside a range and how fast that grows; the nearer bound counts once it is closer than
// the margin, the lower one first.
template <class T>
struct LimitReading {
    T distance = T(0), velocity = T(0);
};
template <class T>
LimitReading<T> limit_reading(const Range& range, double margin, const T& value, const T& velocity) {
    const T lower = value - lift<T>(range.lower), upper = lift<T>(range.upper) - value;
    if (lower < lift<T>(margin)) return {lower - lift<T>(margin), velocity};
    if (upper < lift<T>(margin)) return {upper - lift<T>(margin), -velocity};
    return {};
}

template <class T>
class Reader {
public:
    Reader(const JointState<T>& state, const DriveWorkspace<T>& drives, const Workspace<T>& ws,
           const SensorWorkspace<T>& sensors)
        : state_(state), drives_(drives), ws_(ws), sensors_(sensors), model_(ws.model()) {}

    void read(const SensorSpec& spec, T* out) const {
        using enum SensorType;
        const ObjectRef& object = spec.object;
        switch (spec.type) {
            case jointpos:
                *out = on_loop(spec) ? drives_.tendon_length[length_of(spec)] : state_.q[joint(spec).q_adr];
                break;
            case jointvel:
                *out = on_loop(spec) ? drives_.tendon_velocity[length_of(spec)] : state_.v[joint(spec).v_adr];
                break;
            case tendonpos: *out = drives_.tendon_length[object.index]; break;
            case tendonvel: *out = drives_.tendon_velocity[object.index]; break;
            case actuatorpos: *out = drives_.actuator_length[object.index]; break;
            case actuatorvel: *out = drives_.actuator_velocity[object.index]; break;
            case actuatorfrc: *out = drives_.actuator_force[object.index]; break;
            case jointactuatorfrc:
                *out = on_loop(spec) ? force_on_loop(length_of(spec))
                                     : drives_.joint_force[joint(spec).v_adr];
                break;
            case tendonactuatorfrc: *out = force_on_tendon(object.index); break;
            case ballquat:
                put(on_loop(spec) ? loop_orientation(spec) : ball_orientation(joint(spec)), out);
                break;
            case ballangvel:
                put(on_loop(spec) ? loop_velocity(spec) : ball_velocity(joint(spec)), out);
                break;
            case jointlimitpos: *out = limit_of(spec).distance; break;
            case jointlimitvel: *out = limit_of(spec).velocity; break;
            case tendonlimitpos: *out = tendon_limit(object.index).distance; break;
            case tendonlimitvel: *out = tendon_limit(object.index).velocity; break;
            case framepos: put(relative_pose(spec).p, out); break;
            case framexaxis: put(relative_pose(spec).R.x, out); break;
            case frameyaxis: put(relative_pose(spec).R.y, out); break;
            case framezaxis: put(relative_pose(spec).R.z, out); break;
            case framequat: put(relative_orientation(spec), out); break;
            case framelinvel: put(relative_velocity(spec).lin, out); break;
            case frameangvel: put(relative_velocity(spec).ang, out); break;
            case framelinacc: put(object_acceleration(ws_, sensors_, object).lin, out); break;
            case frameangacc: put(object_acceleration(ws_, sensors_, object).ang, out); break;
            case velocimeter: put(in_axes_of(object, object_velocity(ws_, sensors_, object).lin), out); break;
            case gyro: put(in_axes_of(object, object_velocity(ws_, sensors_, object).ang), out); break;
            case accelerometer:
                put(in_axes_of(object, object_acceleration(ws_, sensors_, object).lin), out);
                break;
            case magnetometer: put(in_axes_of(object, lift<T>(model_.options.magnetic)), out); break;
            case force: put(in_axes_of(object, transmitted_at(object).lin), out); break;
            case torque: put(in_axes_of(object, transmitted_at(object).ang), out); break;
            case subtreecom: put(subtree_of(ws_, object.index).com, out); break;
            case subtreelinvel: put(subtree_velocity(object.index), out); break;
            case subtreeangmom: put(subtree_angular_momentum(object.index), out); break;
            case camprojection: project(spec, out); break;
            case insidesite: *out = is_in_site(spec) ? T(1) : T(0); break;
            case e_potential: *out = energy_of_all().potential; break;
            case e_kinetic: *out = energy_of_all().kinetic; break;
            case clock: *out = lift<T>(state_.time); break;
            case touch:
            case rangefinder:
            case jointlimitfrc:
            case tendonlimitfrc:
            case distance:
            case normal:
            case fromto:
            case contact:  // SensedReader
            case user: break;
        }
    }

private:
    const Model::Joint& joint(const SensorSpec& spec) const { return model_.joints[spec.object.index]; }

    // Joints that close loops: their lengths, in the order of their freedoms; the limit of a ball's cone
    // stands behind them.
    static bool on_loop(const SensorSpec& spec) { return spec.object.kind == Kind::loop; }
    int length_of(const SensorSpec& spec) const { return model_.loops[spec.object.index].length_begin; }
    Quat<T> loop_orientation(const SensorSpec& spec) const {
        return quaternion(LoopPose<T>(ws_, model_.loops[spec.object.index]).X_FM.R);
    }
    Vec3<T> loop_velocity(const SensorSpec& spec) const {
        const T* v = drives_.tendon_velocity.data() + length_of(spec);
        return {v[0], v[1], v[2]};
    }
    LimitReading<T> limit_of(const SensorSpec& spec) const {
        if (!on_loop(spec)) return joint_limit(joint(spec));
        const bool is_ball = model_.loops[spec.object.index].type == JointType::ball;
        return tendon_limit(length_of(spec) + (is_ball ? 3 : 0));
    }
    T force_on_loop(int length) const {
        T sum(0);
        for (std::size_t a = 0; a < model_.actuators.size(); ++a)
            if (const Model::Actuator& actuator = model_.actuators[a];
                actuator.transmission == Transmission::tendon && actuator.tendon == length)
                sum += lift<T>(actuator.gear[0]) * drives_.actuator_force[a];
        return sum;
    }

    Vec3<T> in_axes_of(const ObjectRef& object, const Vec3<T>& a) const {
        return transpose_mul(object_pose(ws_, sensors_, object).R, a);
    }

    T force_on_tendon(int tendon) const {
        T sum(0);
        for (std::size_t a = 0; a < model_.actuators.size(); ++a)
            if (model_.actuators[a].transmission == Transmission::tendon &&
                model_.actuators[a].tendon == tendon)
                sum += drives_.actuator_force[a];
        return sum;
    }

    Quat<T> ball_orientation(const Model::Joint& joint) const {
        const T* q = state_.q.data() + joint.q_adr;
        return normalized(Quat<T>{q[0], q[1], q[2], q[3]});
    }
    Vec3<T> ball_velocity(const Model::Joint& joint) const {
        const T* v = state_.v.data() + joint.v_adr;
        return {v[0], v[1], v[2]};
    }

    bool limits_count() const { return model_.options.enabled.limit && model_.options.enabled.constraint; }
    LimitReading<T> joint_limit(const Model::Joint& joint) const {
        if (!limits_count()) return {};
        if (joint.type != JointType::ball)
            return limit_reading(joint.range[0], joint.margin, state_.q[joint.q_adr], state_.v[joint.v_adr]);
        const Vec3<T> turn = rotation_log(ball_orientation(joint));
        const T angle = sqrt(dot(turn, turn));
        const Vec3<T> axis = direction(turn, Vec3<T>{T(1), T(0), T(0)});
        Range range;
        range.upper = *joint.cone;
        return limit_reading(range, joint.margin, angle, dot(axis, ball_velocity(joint)));
    }
    LimitReading<T> tendon_limit(int tendon) const {
        if (!limits_count()) return {};
        return limit_reading(model_.tendons[tendon].range, model_.tendons[tendon].margin,
                             drives_.tendon_length[tendon], drives_.tendon_velocity[tendon]);
    }

    Transform<T> relative_pose(const SensorSpec& spec) const {
        const Transform<T> X_WO = object_pose(ws_, sensors_, spec.object);
        if (spec.reference.kind == Kind::none) return X_WO;
        const Transform<T> X_WR = object_pose(ws_, sensors_, spec.reference);
        return {transpose_mul(X_WR.R, X_WO.R), transpose_mul(X_WR.R, X_WO.p - X_WR.p)};
    }
    // Of a camera as it is fixed to its body, whatever its mode.
    Quat<T> relative_orientation(const SensorSpec& spec) const {
        const auto fixed = [&](const ObjectRef& object) {
            const Attachment at = attachment(model_, object);
            return body_pose(ws_, at.body).R * lift<T>(at.X_BO.R);
        };
        const Mat3<T> R_WO = fixed(spec.object);
        if (spec.reference.kind == Kind::none) return quaternion(R_WO);
        return quaternion(transpose_mul(fixed(spec.reference), R_WO));
    }
    // In a reference frame that turns, the object's velocity is what an observer turning with it sees.
    Motion<T> relative_velocity(const SensorSpec& spec) const {
        const Motion<T> V_WO = object_velocity(ws_, sensors_, spec.object);
        if (spec.reference.kind == Kind::none) return V_WO;
        const Transform<T> X_WR = object_pose(ws_, sensors_, spec.reference);
        const Vec3<T> arm = object_pose(ws_, sensors_, spec.object).p - X_WR.p;
        const Motion<T> difference = V_WO - shift(object_velocity(ws_, sensors_, spec.reference), arm);
        return {transpose_mul(X_WR.R, difference.ang), transpose_mul(X_WR.R, difference.lin)};
    }

    Force<T> transmitted_at(const ObjectRef& object) const {
        const int body = attachment(model_, object).body;
        return shift_back(sensors_.transmitted[body],
                          body_pose(ws_, body).p - object_pose(ws_, sensors_, object).p);
    }

    Vec3<T> velocity_of_com(int b) const {
        return shift(body_velocity(ws_, b), body_pose(ws_, b).R * lift<T>(model_.bodies[b].com)).lin;
    }
    Vec3<T> subtree_velocity(int body) const {
        Vec3<T> momentum = Vec3<T>::zero();
        double mass = 0;
        for (int b = body; b < subtree_end(model_, body); ++b) {
            momentum += lift<T>(model_.bodies[b].mass) * velocity_of_com(b);
            mass += model_.bodies[b].mass;
        }
        return mass > 0 ? lift<T>(1 / mass) * momentum : momentum;
    }
    // About the subtree's centre of mass.
    Vec3<T> subtree_angular_momentum(int body) const {
        const Vec3<T> com = subtree_of(ws_, body).com, velocity = subtree_velocity(body);
        Vec3<T> sum = Vec3<T>::zero();
        for (int b = body; b < subtree_end(model_, body); ++b) {
            const Model::Body& each = model_.bodies[b];
            const Transform<T> X_WB = body_pose(ws_, b);
            const Sym3<T> I{lift<T>(each.inertia.xx), lift<T>(each.inertia.yy), lift<T>(each.inertia.zz),
                            lift<T>(each.inertia.xy), lift<T>(each.inertia.xz), lift<T>(each.inertia.yz)};
            const Vec3<T> w = transpose_mul(X_WB.R, body_velocity(ws_, b).ang);
            const Vec3<T> arm = X_WB * lift<T>(each.com) - com;
            const int stretch = each.link < 0 ? -1 : model_.tree.links[each.link].stretch;
            sum += stretch < 0 ? X_WB.R * (I * w) : shape_momentum(ws_, stretch).spin;
            sum += lift<T>(each.mass) * cross(arm, velocity_of_com(b) - velocity);
        }
        return sum;
    }

    // Where a site is seen, in pixels from the upper left corner of the picture.
    void project(const SensorSpec& spec, T* out) const {
        const CameraSpec& camera = model_.cameras[spec.reference.index].spec;
        const Transform<T> X_WC = camera_pose(ws_, sensors_, spec.reference.index);
        const Vec3<T> p = transpose_mul(X_WC.R, object_pose(ws_, sensors_, spec.object).p - X_WC.p);
        const std::array<double, 2> focal = focal_pixels(camera);
        // In the plane of the camera nothing can be seen; the numbers stay finite, as in MuJoCo.
        const T least = T(real_t<T>(1e-15));
        const T depth = abs(p.z) < least ? (p.z < T(0) ? -least : least) : p.z;
        out[0] = lift<T>(0.5 * camera.resolution[0]) - lift<T>(focal[0]) * p.x / depth;
        out[1] = lift<T>(0.5 * camera.resolution[1]) + lift<T>(focal[1]) * p.y / depth;
    }

    bool is_in_site(const SensorSpec& spec) const {
        const Transform<T> X_WS = object_pose(ws_, sensors_, spec.reference);
        const Vec3<T> p_W = object_pose(ws_, sensors_, spec.object).p;
        return is_inside(model_.sites[spec.reference.index], transpose_mul(X_WS.R, p_W - X_WS.p));
    }

    // As in MuJoCo with the weight of everything: of bodies that stand still, and of those that gravity
    // compensation holds, which `energy` leaves out.
    Energy<T> energy_of_all() const {
        Energy<T> sum = energy(state_, ws_, drives_);
        const Vec3<T> g = lift<T>(model_.options.gravity);
        for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
            const Model::Body& body = model_.bodies[b];
            const double left_out = (body.link >= 0 ? 1 - body.gravity_scale : 1) * body.mass;
            sum.potential -=
                lift<T>(left_out) * dot(g, body_pose(ws_, static_cast<int>(b)) * lift<T>(body.com));
        }
        return sum;
    }

    const JointState<T>& state_;
    const DriveWorkspace<T>& drives_;
    const Workspace<T>& ws_;
    const SensorWorkspace<T>& sensors_;
    const Model& model_;
};

template <class T>
void cut_off(const SensorSpec& spec, std::span<T> readings) {
    if (spec.cutoff <= 0) return;
    const T cutoff = lift<T>(spec.cutoff);
    const Reading kind = reading_of(spec.type);
    for (T& x : readings) {
        if (kind == Reading::real) x = max(-cutoff, min(cutoff, x));
        if (kind == Reading::positive) x = min(cutoff, x);
    }
}

}  // namespace

int reading_count(const Model& model) {
    return model.sensors.empty() ? 0 : model.sensors.back().adr + model.sensors.back().dim;
}

namespace sensors {

namespace {

bool is_known(const SensorSpec& spec, const Model& model, const SensedForces& forces) {
    using enum SensorType;
    if (!model.options.enabled.sensor) return false;
    switch (spec.type) {
        case touch:
        case contact: return forces.contacts != nullptr;
        case jointlimitfrc:
            return spec.object.kind == Kind::loop ? !forces.tendon_limits.empty()
                                                  : !forces.joint_limits.empty();
        case tendonlimitfrc: return !forces.tendon_limits.empty();
        default: return reading_of(spec.type) != Reading::unevaluated;
    }
}

}  // namespace

template <class T>
void read_stage(Stage stage, const JointState<T>& state, const DriveWorkspace<T>& drives,
                const Workspace<T>& ws, SensorWorkspace<T>& sensors, const SensedForces& forces) {
    const Reader<T> reader(state, drives, ws, sensors);
    SensedReader<T> sensed(ws, sensors, forces);
    if (stage == Stage::motion) sensed.place_geoms();
    const Model& model = ws.model();
    for (std::size_t s = 0; s < model.sensors.size(); ++s) {
        const Model::Sensor& sensor = model.sensors[s];
        if (stage_of(sensor.spec.type) != stage) continue;
        sensors.status[s] = is_known(sensor.spec, model, forces) ? SensorStatus::read
                                                                 : SensorStatus::not_evaluated;
        if (sensors.status[s] != SensorStatus::read) continue;
        const std::span<T> readings = std::span<T>(sensors.readings).subspan(sensor.adr, sensor.dim);
        const std::span<double> numbers = std::span(sensors.sensed->numbers).first(sensor.dim);
        if (sensed.read(sensor.spec, numbers))
            std::ranges::transform(numbers, readings.begin(), [](double x) { return static_cast<T>(x); });
        else
            reader.read(sensor.spec, readings.data());
        cut_off(sensor.spec, readings);
    }
}

template <class T>
void find_body_motion(const JointState<T>& state, std::span<const T> qacc,
                      std::span<const Force<T>> applied, Workspace<T>& ws, SensorWorkspace<T>& sensors) {
    if (!sensors.needs_acceleration) return;
    body_accelerations<T>(state, qacc, ws, sensors.joint_forces, sensors.acceleration);
    transmitted_forces<T>(ws, sensors.acceleration, applied, sensors.transmitted);
    for (std::size_t k = 0; k < sensors.stretching.size(); ++k)
        visit_deforming(ws.model(), static_cast<int>(k), [&](auto kind) {
            sensors.stretching[k] = kind.spread(qacc.data() + ws.model().tree.stretches[k].v_adr);
        });
}

}  // namespace sensors

SensedState::SensedState(const Model& model) : geoms(model), poses(model.bodies.size()) {
    int largest = 0;
    for (const Model::Sensor& sensor : model.sensors) largest = std::max(largest, sensor.dim);
    numbers.resize(largest);
}

template <class T>
SensorWorkspace<T>::SensorWorkspace(const Model& model)
    : readings(reading_count(model), T(0)),
      status(model.sensors.size(), SensorStatus::not_evaluated),
      acceleration(model.bodies.size(), Motion<T>::zero()),
      transmitted(model.bodies.size(), Force<T>::zero()),
      stretching(model.tree.stretches.size(), Sym3<T>::zero()),
      joint_forces(model.nv, T(0)),
      sensed(std::make_unique<SensedState>(model)) {
    for (const Model::Sensor& sensor : model.sensors)
        needs_acceleration |= sensors::needs_acceleration(sensor.spec.type);
    for (const Model::Camera& camera : model.cameras) {
        const Transformd& X_WB0 = model.bodies[camera.body].X_WB0;
        const Vec3d followed =
            camera.spec.mode == CameraMode::trackcom
                ? subtree_of<double>(model, camera.body, [&](int b) { return model.bodies[b].X_WB0; }).com
                : X_WB0.p;
        camera_offset.push_back(X_WB0 * camera.X_BC.p - followed);
    }
}
template <class T>
SensorWorkspace<T>::SensorWorkspace(SensorWorkspace&&) noexcept = default;
template <class T>
SensorWorkspace<T>& SensorWorkspace<T>::operator=(SensorWorkspace&&) noexcept = default;
template <class T>
SensorWorkspace<T>::~SensorWorkspace() = default;

template <class T>
void read_sensors(const JointState<T>& state, std::span<const T> qacc, std::span<const Force<T>> applied,
                  const DriveWorkspace<T>& drives, Workspace<T>& ws, SensorWorkspace<T>& sensors,
                  const SensedForces& forces) {
    find_body_motion(state, qacc, applied, ws, sensors);
    for (const Stage stage : {Stage::motion, Stage::forces})
        read_stage(stage, state, drives, ws, sensors, forces);
}

#define LIG_INSTANTIATE(T)                                                                            \
    template struct SensorWorkspace<T>;                                                               \
    template void read_sensors(const JointState<T>&, std::span<const T>, std::span<const Force<T>>,   \
                               const DriveWorkspace<T>&, Workspace<T>&, SensorWorkspace<T>&,          \
                               const SensedForces&);                                                  \
    template void sensors::read_stage(Stage, const JointState<T>&, const DriveWorkspace<T>&,          \
                                      const Workspace<T>&, SensorWorkspace<T>&, const SensedForces&); \
    template void sensors::find_body_motion(const JointState<T>&, std::span<const T>,                 \
                                            std::span<const Force<T>>, Workspace<T>&, SensorWorkspace<T>&);
LIG_INSTANTIATE(double)
LIG_INSTANTIATE(float)
#undef LIG_INSTANTIATE

}  // namespace lig
