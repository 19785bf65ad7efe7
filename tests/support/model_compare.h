#pragma once

// Whether two models are the same to the last bit, and if not, where they first differ.
//
// Left out: places in files, and `scene_joint`, which counts the joints of the scene, fixed ones included.
// Poses are compared as compiled; the specs that geoms, sites and cameras keep may have a quaternion of
// another length.

#include <ligament/model.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

namespace lig::test {

class ModelComparison {
public:
    ModelComparison(const Model& a, const Model& b) { model(a, b); }

    bool same() const { return first_.empty(); }
    // "joints[3].range[0].lower: 0.1 and 0.2", or nothing.
    const std::string& first_difference() const { return first_; }

private:
    void report(const std::string& where, const std::string& a, const std::string& b) {
        if (first_.empty()) first_ = where + ": " + a + " and " + b;
    }

    // Numbers and words.
    void at(const std::string& where, double a, double b) {
        if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)) return;
        char text[2][32];
        std::snprintf(text[0], sizeof text[0], "%.17g", a);
        std::snprintf(text[1], sizeof text[1], "%.17g", b);
        report(where, text[0], text[1]);
    }
    template <class T>
        requires std::is_integral_v<T> || std::is_enum_v<T>
    void at(const std::string& where, T a, T b) {
        if (a != b)
            report(where, std::to_string(static_cast<long long>(a)),
                   std::to_string(static_cast<long long>(b)));
    }
    void at(const std::string& where, const std::string& a, const std::string& b) {
        if (a != b) report(where, "'" + a + "'", "'" + b + "'");
    }

    // What is made of them.
    void at(const std::string& where, const Vec3d& a, const Vec3d& b) {
        at(where + ".x", a.x, b.x), at(where + ".y", a.y, b.y), at(where + ".z", a.z, b.z);
    }
    void at(const std::string& where, const Quatd& a, const Quatd& b) {
        at(where + ".w", a.w, b.w), at(where, a.vec(), b.vec());
    }
    void at(const std::string& where, const Mat3d& a, const Mat3d& b) {
        at(where + ".x", a.x, b.x), at(where + ".y", a.y, b.y), at(where + ".z", a.z, b.z);
    }
    void at(const std::string& where, const Sym3d& a, const Sym3d& b) {
        at(where + ".xx", a.xx, b.xx), at(where + ".yy", a.yy, b.yy), at(where + ".zz", a.zz, b.zz);
        at(where + ".xy", a.xy, b.xy), at(where + ".xz", a.xz, b.xz), at(where + ".yz", a.yz, b.yz);
    }
    void at(const std::string& where, const Transformd& a, const Transformd& b) {
        at(where + ".R", a.R, b.R), at(where + ".p", a.p, b.p);
    }
    void at(const std::string& where, const Pose& a, const Pose& b) {
        at(where + ".pos", a.pos, b.pos), at(where + ".quat", a.quat, b.quat);
    }
    void at(const std::string& where, const Range& a, const Range& b) {
        at(where + ".lower", a.lower, b.lower), at(where + ".upper", a.upper, b.upper);
    }
    void at(const std::string& where, const Softness& a, const Softness& b) {
        at(where + ".solref", a.solref, b.solref), at(where + ".solimp", a.solimp, b.solimp);
    }
    void at(const std::string& where, const ObjectRef& a, const ObjectRef& b) {
        at(where + ".kind", a.kind, b.kind), at(where + ".index", a.index, b.index);
    }
    void at(const std::string& where, const FluidSpec& a, const FluidSpec& b) {
        at(where + ".blunt_drag", a.blunt_drag, b.blunt_drag);
        at(where + ".slender_drag", a.slender_drag, b.slender_drag);
        at(where + ".angular_drag", a.angular_drag, b.angular_drag);
        at(where + ".kutta_lift", a.kutta_lift, b.kutta_lift);
        at(where + ".magnus_lift", a.magnus_lift, b.magnus_lift);
    }
    void at(const std::string& where, const Model::Row& a, const Model::Row& b) {
        at(where + ".begin", a.begin, b.begin), at(where + ".count", a.count, b.count);
    }
    template <class T>
    void at(const std::string& where, const std::optional<T>& a, const std::optional<T>& b) {
        at(where + " is there", a.has_value(), b.has_value());
        if (a && b) at(where, *a, *b);
    }
    template <class T, std::size_t N>
    void at(const std::string& where, const std::array<T, N>& a, const std::array<T, N>& b) {
        for (std::size_t i = 0; i < N; ++i) at(where + "[" + std::to_string(i) + "]", a[i], b[i]);
    }
    template <class T>
    void at(const std::string& where, const std::vector<T>& a, const std::vector<T>& b) {
        at(where + ".size()", a.size(), b.size());
        if constexpr (std::is_trivially_copyable_v<T>)
            if (a.size() == b.size() && (a.empty() || !std::memcmp(a.data(), b.data(), a.size() * sizeof(T))))
                return;
        for (std::size_t i = 0; i < a.size() && i < b.size() && same(); ++i)
            at(where + "[" + std::to_string(i) + "]", a[i], b[i]);
    }
    template <class T>
    void at(const std::string& where, const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
        at(where + " is there", a != nullptr, b != nullptr);
        if (a && b && a != b) at(where, *a, *b);
    }

#define LIG_AT(field) at(where + "." #field, a.field, b.field)

    void at(const std::string& where, const Model::Body& a, const Model::Body& b) {
        LIG_AT(name), LIG_AT(parent), LIG_AT(link), LIG_AT(X_LB), LIG_AT(X_WB0), LIG_AT(mass), LIG_AT(com);
        LIG_AT(inertia), LIG_AT(R_BI), LIG_AT(gravity_scale), LIG_AT(kinematic), LIG_AT(kind),
            LIG_AT(joint_begin);
        LIG_AT(joint_count);
    }
    void at(const std::string& where, const Model::Joint& a, const Model::Joint& b) {
        LIG_AT(name), LIG_AT(type), LIG_AT(body), LIG_AT(tree_joint), LIG_AT(q_adr), LIG_AT(v_adr);
        LIG_AT(nq), LIG_AT(nv), LIG_AT(range), LIG_AT(cone), LIG_AT(swing), LIG_AT(twist);
        LIG_AT(twist_axis), LIG_AT(reference), LIG_AT(margin), LIG_AT(armature), LIG_AT(damping);
        LIG_AT(stiffness), LIG_AT(friction_loss), LIG_AT(velocity_limit), LIG_AT(damping_poly);
        LIG_AT(stiffness_poly), LIG_AT(effort), LIG_AT(actuators_carry_gravity), LIG_AT(soft_limit);
        LIG_AT(soft_friction), LIG_AT(axis_spring);
    }
    void at(const std::string& where, const Model::Joint::AxisSpring& a, const Model::Joint::AxisSpring& b) {
        LIG_AT(stiffness), LIG_AT(R_MS);
    }
    void at(const std::string& where, const Model::Bushing& a, const Model::Bushing& b) {
        LIG_AT(name), LIG_AT(body_a), LIG_AT(body_b), LIG_AT(X_AF), LIG_AT(X_BM), LIG_AT(stiffness);
        LIG_AT(damping), LIG_AT(turn_stiffness), LIG_AT(turn_damping), LIG_AT(active);
    }
    void at(const std::string& where, const GeomSpec& a, const GeomSpec& b) {
        LIG_AT(name), LIG_AT(shape), LIG_AT(size), LIG_AT(mesh), LIG_AT(density), LIG_AT(mass);
        LIG_AT(shell), LIG_AT(collides), LIG_AT(contype), LIG_AT(conaffinity), LIG_AT(condim);
        LIG_AT(group), LIG_AT(priority), LIG_AT(friction), LIG_AT(restitution), LIG_AT(margin);
        LIG_AT(gap), LIG_AT(solmix), LIG_AT(soft), LIG_AT(fluid), LIG_AT(rgba);
    }
    void at(const std::string& where, const Model::Geom& a, const Model::Geom& b) {
        LIG_AT(spec), LIG_AT(body), LIG_AT(X_BG), LIG_AT(X_GM);
    }
    void at(const std::string& where, const SiteSpec& a, const SiteSpec& b) {
        LIG_AT(name), LIG_AT(shape), LIG_AT(size), LIG_AT(group), LIG_AT(rgba);
    }
    void at(const std::string& where, const Model::Site& a, const Model::Site& b) {
        LIG_AT(name), LIG_AT(body), LIG_AT(X_BS), LIG_AT(spec);
    }
    void at(const std::string& where, const CameraSpec& a, const CameraSpec& b) {
        LIG_AT(name), LIG_AT(mode), LIG_AT(target.index), LIG_AT(orthographic), LIG_AT(fovy);
        LIG_AT(resolution), LIG_AT(sensor_size), LIG_AT(focal_length), LIG_AT(principal_point);
    }
    void at(const std::string& where, const Model::Camera& a, const Model::Camera& b) {
        LIG_AT(name), LIG_AT(body), LIG_AT(X_BC), LIG_AT(spec);
    }
    void at(const std::string& where, const Model::Loop& a, const Model::Loop& b) {
        LIG_AT(name), LIG_AT(type), LIG_AT(body_a), LIG_AT(body_b), LIG_AT(X_AF), LIG_AT(X_BM);
        LIG_AT(pitch), LIG_AT(rows), LIG_AT(active), LIG_AT(torque_scale), LIG_AT(soft);
        LIG_AT(closing_time), LIG_AT(start), LIG_AT(length_begin), LIG_AT(lengths), LIG_AT(q_adr);
        LIG_AT(reference), LIG_AT(twist_axis), LIG_AT(twist);
    }
    void at(const std::string& where, const Model::PairConstraint& a, const Model::PairConstraint& b) {
        LIG_AT(name), LIG_AT(body_a), LIG_AT(body_b), LIG_AT(X_AF), LIG_AT(X_BM), LIG_AT(rows);
        LIG_AT(active), LIG_AT(soft);
        at(where + ".kind", std::string(a.constraint->kind()), std::string(b.constraint->kind()));
        if (a.rows != b.rows) return;
        // What they say about some state that is like no other.
        PairState state;
        state.X_WB.p = {0.3, -0.4, 0.7};
        state.X_WB.R = rotation_matrix(Quatd{0.8, 0.1, -0.3, 0.2});
        state.V_WB = {{0.2, 0.7, -0.4}, {1.1, -0.6, 0.3}};
        state.time = 0.37;
        PairRow rows_a[PairConstraint::max_rows], rows_b[PairConstraint::max_rows];
        a.constraint->evaluate(state, rows_a);
        b.constraint->evaluate(state, rows_b);
        for (int k = 0; k < a.rows; ++k) {
            at(where + ".error", rows_a[k].error, rows_b[k].error);
            at(where + ".rate", rows_a[k].rate, rows_b[k].rate);
            at(where + ".product", rows_a[k].product, rows_b[k].product);
        }
    }
    void at(const std::string& where, const Model::Coupling& a, const Model::Coupling& b) {
        LIG_AT(name), LIG_AT(follower), LIG_AT(leader), LIG_AT(coefficients), LIG_AT(active), LIG_AT(soft);
    }
    void at(const std::string& where, const Model::TendonCoupling& a, const Model::TendonCoupling& b) {
        LIG_AT(name), LIG_AT(follower), LIG_AT(leader), LIG_AT(coefficients), LIG_AT(active), LIG_AT(soft);
    }
    void at(const std::string& where, const Model::SubtreeConstraint& a, const Model::SubtreeConstraint& b) {
        LIG_AT(name), LIG_AT(body), LIG_AT(quantity), LIG_AT(axes), LIG_AT(target), LIG_AT(mass),
            LIG_AT(radius), LIG_AT(rows), LIG_AT(active), LIG_AT(soft);
    }
    void at(const std::string& where, const Model::TendonTerm& a, const Model::TendonTerm& b) {
        LIG_AT(q_adr), LIG_AT(v_adr), LIG_AT(coefficient), LIG_AT(loop), LIG_AT(reading), LIG_AT(freedom);
    }
    void at(const std::string& where, const Model::TendonPoint& a, const Model::TendonPoint& b) {
        LIG_AT(kind), LIG_AT(site), LIG_AT(geom), LIG_AT(side_site), LIG_AT(divisor);
    }
    void at(const std::string& where, const Model::Tendon& a, const Model::Tendon& b) {
        LIG_AT(name), LIG_AT(term_begin), LIG_AT(term_count), LIG_AT(point_begin), LIG_AT(point_count);
        LIG_AT(row), LIG_AT(range), LIG_AT(margin), LIG_AT(stiffness), LIG_AT(damping);
        LIG_AT(friction_loss), LIG_AT(armature), LIG_AT(stiffness_poly), LIG_AT(damping_poly);
        LIG_AT(spring_length), LIG_AT(length0), LIG_AT(effort), LIG_AT(soft_limit), LIG_AT(soft_friction);
        LIG_AT(loop);
    }
    void at(const std::string& where, const Model::Actuator& a, const Model::Actuator& b) {
        LIG_AT(name), LIG_AT(transmission), LIG_AT(joint), LIG_AT(tendon), LIG_AT(site);
        LIG_AT(reference_site), LIG_AT(slider_site), LIG_AT(crank_length), LIG_AT(gear), LIG_AT(row);
        LIG_AT(activation), LIG_AT(act_adr), LIG_AT(time_constant), LIG_AT(act_early), LIG_AT(gain);
        LIG_AT(bias), LIG_AT(ctrl_range), LIG_AT(force_range), LIG_AT(act_range), LIG_AT(damping);
        LIG_AT(armature), LIG_AT(damping_poly), LIG_AT(group), LIG_AT(enabled), LIG_AT(length0);
    }
    void at(const std::string& where, const Model::Sensor& a, const Model::Sensor& b) {
        LIG_AT(spec.name), LIG_AT(spec.type), LIG_AT(spec.object), LIG_AT(spec.reference);
        LIG_AT(spec.site), LIG_AT(spec.cutoff), LIG_AT(spec.noise), LIG_AT(spec.data), LIG_AT(spec.count);
        LIG_AT(spec.reduce), LIG_AT(adr), LIG_AT(dim);
    }
    void at(const std::string& where, const Model::FluidBox& a, const Model::FluidBox& b) {
        LIG_AT(link), LIG_AT(X_LI), LIG_AT(drag), LIG_AT(angular_drag), LIG_AT(viscosity);
        LIG_AT(angular_viscosity);
    }
    void at(const std::string& where, const Model::FluidEllipsoid& a, const Model::FluidEllipsoid& b) {
        LIG_AT(link), LIG_AT(X_LG), LIG_AT(squared_sections), LIG_AT(largest_section), LIG_AT(added_mass);
        LIG_AT(added_inertia), LIG_AT(blunt_drag), LIG_AT(slender_drag), LIG_AT(angular_drag);
        LIG_AT(kutta_lift), LIG_AT(magnus_lift), LIG_AT(viscosity), LIG_AT(angular_viscosity);
    }
    void at(const std::string& where, const Model::Pair& a, const Model::Pair& b) {
        LIG_AT(spec.name), LIG_AT(spec.condim), LIG_AT(spec.friction), LIG_AT(spec.restitution);
        LIG_AT(spec.margin), LIG_AT(spec.gap), LIG_AT(spec.soft), LIG_AT(spec.solref_friction);
        LIG_AT(geom_a), LIG_AT(geom_b);
    }
    void at(const std::string& where, const Model::Keyframe& a, const Model::Keyframe& b) {
        LIG_AT(name), LIG_AT(time), LIG_AT(q), LIG_AT(v), LIG_AT(act), LIG_AT(ctrl), LIG_AT(kinematic);
    }
    void at(const std::string& where, const TriangleMesh& a, const TriangleMesh& b) {
        LIG_AT(vertices), LIG_AT(faces);
    }
    void at(const std::string& where, const MeshAsset& a, const MeshAsset& b) {
        LIG_AT(name), LIG_AT(scale), LIG_AT(ref_pos), LIG_AT(ref_quat), LIG_AT(inertia);
        LIG_AT(max_hull_vertices), LIG_AT(mesh);
    }
    void at(const std::string& where, const HeightFieldAsset& a, const HeightFieldAsset& b) {
        LIG_AT(name), LIG_AT(rows), LIG_AT(columns), LIG_AT(size), LIG_AT(elevation);
    }
    void at(const std::string& where, const Scene::Exclusion& a, const Scene::Exclusion& b) {
        LIG_AT(name), LIG_AT(a.index), LIG_AT(b.index);
    }
    void at(const std::string& where, const SplitInertia<double>& a, const SplitInertia<double>& b) {
        LIG_AT(mass), LIG_AT(h), LIG_AT(least), LIG_AT(u), LIG_AT(v);
    }
    void at(const std::string& where, const TreeLink<double>& a, const TreeLink<double>& b) {
        LIG_AT(parent), LIG_AT(joint_begin), LIG_AT(joint_count), LIG_AT(v_adr), LIG_AT(nv), LIG_AT(kernel);
        LIG_AT(carries_parent), LIG_AT(has_other_children), LIG_AT(inertia);
    }
    void at(const std::string& where, const TreeJoint<double>& a, const TreeJoint<double>& b) {
        LIG_AT(type), LIG_AT(turn), LIG_AT(q_adr), LIG_AT(v_adr), LIG_AT(X_PF), LIG_AT(pitch);
        LIG_AT(reference), LIG_AT(angle);
    }
    void at(const std::string& where, const Tree<double>& a, const Tree<double>& b) {
        LIG_AT(nq), LIG_AT(nv), LIG_AT(nbase), LIG_AT(links), LIG_AT(joints), LIG_AT(armature);
        LIG_AT(angle_adr), LIG_AT(angle_reference);
    }
    void at(const std::string& where, const Switches& a, const Switches& b) {
        LIG_AT(constraint), LIG_AT(equality), LIG_AT(friction_loss), LIG_AT(limit), LIG_AT(contact);
        LIG_AT(spring), LIG_AT(damper), LIG_AT(actuation), LIG_AT(sensor), LIG_AT(clamp_control);
        LIG_AT(filter_parent);
    }
    void at(const std::string& where, const Options& a, const Options& b) {
        LIG_AT(timestep), LIG_AT(gravity), LIG_AT(integrator), LIG_AT(wind), LIG_AT(density);
        LIG_AT(viscosity), LIG_AT(magnetic), LIG_AT(impratio), LIG_AT(elliptic_cone), LIG_AT(enabled);
        LIG_AT(disabled_actuator_groups);
    }

    void model(const Model& a, const Model& b) {
        const std::string where = "model";
        LIG_AT(name), LIG_AT(options), LIG_AT(nq), LIG_AT(nv), LIG_AT(nu), LIG_AT(na), LIG_AT(nkinematic);
        LIG_AT(bodies), LIG_AT(joints), LIG_AT(geoms), LIG_AT(sites), LIG_AT(cameras), LIG_AT(loops);
        LIG_AT(pair_constraints), LIG_AT(bushings);
        LIG_AT(couplings), LIG_AT(tendon_couplings), LIG_AT(subtree_constraints);
        LIG_AT(tendons), LIG_AT(tendon_terms);
        LIG_AT(tendon_points), LIG_AT(actuators), LIG_AT(row_velocities), LIG_AT(sensors),
            LIG_AT(fluid_boxes), LIG_AT(fluid_ellipsoids), LIG_AT(pairs);
        LIG_AT(keyframes), LIG_AT(meshes), LIG_AT(height_fields), LIG_AT(exclusions), LIG_AT(tree);
        LIG_AT(q0), LIG_AT(q_spring), LIG_AT(kinematic_bodies), LIG_AT(floating_mass);
        LIG_AT(floating_moment), LIG_AT(total_mass), LIG_AT(fingerprint);
    }

#undef LIG_AT

    std::string first_;
};

}  // namespace lig::test
