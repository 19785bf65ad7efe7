// What actuators pull on: the length of each transmission and its derivative.
//
// joint         l = Σ gear q for joints of angles and lengths; ball: gear · the rotation vector; free: 0. The
//               row is the gear in the axes of the velocities; joint_in_parent turns the gear of rotations
//               there from the parent's axes.
// site          a wrench in the axes of the site, l = 0; with a reference site the wrench is in its axes and
//               acts back on it, and l = gear · (position and rotation vector of the site seen from there).
// slider_crank  A rod of length r joins the pin and a slider that moves along the unit vector a through the
//               slider site. With v from that site to the pin, l = a·v − √((a·v)² + r² − v·v); where the rod
//               is too short, l = a·v.
//
// Rotation vectors count as if their derivative were the angular velocity, which is so for rotations about a
// fixed axis. That is MJCF's definition of the force; the length is for servos.

#include "core/rotation.h"
#include "dynamics/drive_rows.h"

namespace lig {

namespace {

template <class T>
Vec3<T> gear_vector(const Model::Actuator& actuator, int first) {
    return {lift<T>(actuator.gear[first]), lift<T>(actuator.gear[first + 1]),
            lift<T>(actuator.gear[first + 2])};
}

bool is_zero_gear(const Model::Actuator& actuator, int first) {
    return actuator.gear[first] == 0 && actuator.gear[first + 1] == 0 && actuator.gear[first + 2] == 0;
}

template <class T>
Quat<T> quaternion_at(const T* q) {
    return {q[0], q[1], q[2], q[3]};
}

template <class T>
T joint_length(const JointState<T>& state, const Model& model, const Model::Actuator& actuator, T* row) {
    const Model::Joint& joint = model.joints[actuator.joint];
    const T* q = state.q.data() + joint.q_adr;
    T* entries = row + joint.v_adr;
    const auto turned = [&](const Vec3<T>& gear, const Quat<T>& r) {
        return actuator.transmission == Transmission::joint ? gear : transpose_mul(rotation_matrix(r), gear);
    };
    const auto write = [&](int first, const Vec3<T>& gear) {
        for (int k = 0; k < 3; ++k) entries[first + k] = gear[k];
    };
    if (joint.type == JointType::ball) {
        const Quat<T> r = quaternion_at(q);
        const Vec3<T> gear = turned(gear_vector<T>(actuator, 0), r);
        write(0, gear);
        return dot(rotation_log(r), gear);
    }
    if (joint.type == JointType::free) {
        write(0, gear_vector<T>(actuator, 0));
        write(3, turned(gear_vector<T>(actuator, 3), quaternion_at(q + 3)));
        return T(0);
    }
    T length(0);
    for (int k = 0; k < joint.nv; ++k) {
        entries[k] = lift<T>(actuator.gear[k]);
        length += entries[k] * q[k];
    }
    return length;
}

// The rotation whose vector is measured between two sites. MuJoCo composes it from the site's rotation in
// its body and the body's in the world in this order, not in the one that gives the site's orientation; the
// forces of its servos depend on it, so ours is the same. Sites that are not turned in their bodies do not
// show it.
template <class T>
Mat3<T> measured_axes(const Workspace<T>& ws, int site) {
    const Model::Site& s = ws.model().sites[site];
    const Model::Body& body = ws.model().bodies[s.body];
    return lift<T>(s.X_BS.R) * (carrier_pose(ws, body.link).R * lift<T>(body.X_LB.R));
}

template <class T>
T site_length(const Workspace<T>& ws, const Model::Actuator& actuator, RowBuilder<T>& row) {
    const Model& model = ws.model();
    const Vec3<T> p = site_position(ws, actuator.site);
    const int link = site_link(model, actuator.site);
    const Vec3<T> force = gear_vector<T>(actuator, 0), moment = gear_vector<T>(actuator, 3);
    if (actuator.reference_site < 0) {
        const Mat3<T> R_WS = site_axes(ws, actuator.site);
        row.add(link, no_link, {p, R_WS * force, R_WS * moment});
        return T(0);
    }
    const Vec3<T> p_ref = site_position(ws, actuator.reference_site);
    const Mat3<T> R_WR = site_axes(ws, actuator.reference_site);
    const int link_ref = site_link(model, actuator.reference_site);
    const int stop = common_carrier(model.tree, link, link_ref);
    const PointForce<T> on_site{p, R_WR * force, R_WR * moment};
    row.add(link, stop, on_site);
    row.add(link_ref, stop, {p_ref, -on_site.force, -on_site.moment});
    T length = dot(transpose_mul(R_WR, p - p_ref), force);
    if (!is_zero_gear(actuator, 3))
        length += dot(rotation_log(quaternion(transpose_mul(measured_axes(ws, actuator.reference_site),
                                                            measured_axes(ws, actuator.site)))),
                      moment);
    return length;
}

template <class T>
T crank_length(const Workspace<T>& ws, const Model::Actuator& actuator, RowBuilder<T>& row) {
    const Model& model = ws.model();
    const T gear = lift<T>(actuator.gear[0]);
    const Vec3<T> pin = site_position(ws, actuator.site), slider = site_position(ws, actuator.slider_site);
    const Vec3<T> a = site_axes(ws, actuator.slider_site).z, v = pin - slider;
    const T av = dot(a, v);
    const T under_root = av * av + lift<T>(actuator.crank_length * actuator.crank_length) - dot(v, v);
    const auto reaches = under_root > T(0);
    const T root = sqrt(select(reaches, under_root, T(1)));

    // With w the factor of a·v in dl: dl = w (da·v + a·dv) + v·dv / root, or just the first with w = 1.
    const T w = select(reaches, T(1) - av / root, T(1));
    const Vec3<T> by_v = w * a + select(reaches, T(1) / root, T(0)) * v;
    const int link = site_link(model, actuator.site), link_slider = site_link(model, actuator.slider_site);
    const int stop = common_carrier(model.tree, link, link_slider);
    row.add(link, stop, {pin, gear * by_v, Vec3<T>::zero()});
    // a turns with the slider's body: da = ω × a dt, so v·da is the moment a × v on that body.
    row.add(link_slider, stop, {slider, -(gear * by_v), (gear * w) * cross(a, v)});
    return gear * select(reaches, av - root, av);
}

}  // namespace

template <class T>
void update_transmissions(const JointState<T>& state, const Workspace<T>& ws, DriveWorkspace<T>& drives) {
    const Model& model = ws.model();
    for (int i = 0; i < model.nu; ++i) {
        const Model::Actuator& actuator = model.actuators[i];
        T& length = drives.actuator_length[i];
        if (actuator.transmission == Transmission::tendon) {
            const T gear = lift<T>(actuator.gear[0]);
            const Model::Row& from = model.tendons[actuator.tendon].row;
            for (int k = 0; k < actuator.row.count; ++k)
                drives.row_entries[actuator.row.begin + k] = gear * drives.row_entries[from.begin + k];
            length = gear * drives.tendon_length[actuator.tendon];
            drives.actuator_velocity[i] = gear * drives.tendon_velocity[actuator.tendon];
            continue;
        }
        RowBuilder<T> row(ws, drives, actuator.row);
        switch (actuator.transmission) {
            case Transmission::joint:
            case Transmission::joint_in_parent:
                length = joint_length(state, model, actuator, drives.row.data());
                break;
            case Transmission::site: length = site_length(ws, actuator, row); break;
            case Transmission::slider_crank: length = crank_length(ws, actuator, row); break;
            case Transmission::body: length = T(0); break;
            case Transmission::tendon: break;
        }
        drives.actuator_velocity[i] = row.finish(state.v);
    }
}

#define LIG_INSTANTIATE(T) \
    template void update_transmissions(const JointState<T>&, const Workspace<T>&, DriveWorkspace<T>&);
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
