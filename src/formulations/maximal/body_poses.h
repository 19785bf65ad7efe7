#pragma once

// BodyPoses: where the links of a BodyGraph are and how they move, and what follows from that alone: joint
// coordinates, velocities along freedoms, momenta, and forces on the entries of bodies.
//
// World axes; velocities of bodies are those at their centres of mass, so mass blocks have no coupling.

#include "dynamics/dynamics_parts.h"
#include "formulations/maximal/body_graph.h"
#include "formulations/maximal/link_joint.h"

#include <ligament/workspace.h>

#include <span>
#include <vector>

namespace lig::maximal {

// Poses and velocities of the links' centres of mass. The axes are those of the link frames.
struct BodyCoordinates {
    std::vector<Vec3d> x;
    std::vector<Quatd> quat;
    std::vector<Motion<double>> V;
    std::vector<StretchWork<double>> shapes;  // (Tree::stretches)
};

class BodyPoses {
public:
    explicit BodyPoses(const BodyGraph& graph);

    // Links that are looked at from now on, as BodySystem::choose.
    void choose(std::span<const int> links) { chosen_.assign(links.begin(), links.end()); }
    std::span<const int> chosen() const { return chosen_; }

    // ---- Between joint and body coordinates.
    // After forward_kinematics of the state in `from`.
    void from_joints(const Workspace<double>& from, const JointState<double>& state, BodyCoordinates& out);
    // q and v of the bodies looked at last; angles come out nearest to those that state.q has.
    void to_joints(JointState<double>& state);

    // ---- One state. `bases` (world and kinematic bodies) as in Workspace::bases.
    void look(const BodyCoordinates& bodies, std::span<const BaseWork<double>> bases, double time);
    double time() const { return time_; }
    // The poses that were looked at, as functions on a workspace read them; links[].a0 are accelerations
    // while the bodies' own are 0.
    const Workspace<double>& workspace() const { return ws_; }
    const Vec3d& centre(int link) const { return x_[link]; }
    // Of a link, or of a base (negative, as parents are).
    const Quatd& orientation(int link) const { return quat_[graph_.links() - 1 - link]; }

    // ---- The joints of links. F is the frame of the first joint on the parent, M that of the link.
    const Mat3d& joint_axes(int link) const { return R_WF_[link]; }
    const Transformd& pose_before(int link) const { return carrier_pose(ws_, tree_.links[link].parent); }
    const Motion<double>& velocity_before(int link) const {
        return carrier_velocity(ws_, tree_.links[link].parent);
    }
    // V_FM, and A_FM while the bodies' own accelerations are 0, with that of the bases.
    Motion<double> relative_velocity(int link) const;
    Motion<double> relative_acceleration(int link) const;
    // The rows of a link's joint, as it states them. Coordinates of compound joints are improved.
    void find_joint(int link, bool with_products, JointRows& rows);
    // (nq) coordinates near those of the bodies.
    std::span<const double> coordinates() const { return q_; }
    // S and W of all links, or of one.
    void find_freedoms();
    const JointFreedoms& find_freedoms(int link);
    const JointFreedoms& freedoms(int link) const { return freedoms_[link]; }

    // ---- Velocities: entries of the bodies, u.
    // Those looked at last, and back.
    void velocities(std::span<double> u) const;
    void read_velocities(std::span<const double> u, BodyCoordinates& bodies) const;
    // Of one of the stretches that were looked at.
    double stretch_rate(int dof) const;
    // The velocity of the origin of a link.
    Motion<double> origin_motion(std::span<const double> u, int link) const;
    // v of the freedoms from u; base: whether what is prescribed counts (velocities) or not (changes of
    // them). After find_freedoms.
    void joint_velocities(std::span<const double> u, bool with_bases, std::span<double> v) const;
    // v̇ from accelerations a (body entries). After find_freedoms, and find_rows of the matrix with products.
    void joint_accelerations(std::span<const double> a, std::span<double> out) const;
    // Free motion for a time h.
    void drift(double h, BodyCoordinates& bodies) const;
    // A body moved by its entries of u, times a factor: a displacement, not a velocity.
    void displace(int link, double factor, std::span<const double> u, BodyCoordinates& bodies) const;

    // ---- Forces: entries of the bodies, f.
    // The mass block of a link.
    void write_mass(int link, double* M) const;
    // f = M u.
    void momenta(std::span<const double> u, std::span<double> f) const;
    // f += gravity; gyroscopic forces; wrenches on links about the origins of their frames; generalized
    // forces on the freedoms. The last after find_freedoms.
    void add_gravity(std::span<double> f) const;
    void add_gyroscopic_forces(std::span<double> f) const;
    // What motion u does to the momenta of stretches: ∂T/∂s.
    void add_shape_forces(std::span<const double> u, std::span<double> f) const;
    void add_link_forces(std::span<const Force<double>> on_links, std::span<double> f) const;
    void add_joint_forces(std::span<const double> tau, std::span<double> f) const;
    void add_wrench(int link, const Force<double>& about_origin, std::span<double> f) const;
    // The same into the entries of one body.
    void add_wrench_to(int link, const Force<double>& about_origin, double* own) const;
    // What a force `value` on a freedom that is no stretch does to its link, about the origin of the link;
    // after find_freedoms. The parent gets the opposite, seen from its own origin.
    Force<double> freedom_force(int link, int dof, double value) const;
    Force<double> seen_from(int other, int link, const Force<double>& about_origin) const;
    // The inertia of the two bodies of a freedom against a force along it, if nothing else held them: 1/(W
    // M⁻¹ Wᵀ).
    double pair_inertia(int link, int dof) const;

private:
    // Where the stretches of one of Tree::stretches begin in u.
    std::size_t stretches_at(std::size_t stretch) const {
        return static_cast<std::size_t>(graph_.offset(tree_.stretches[stretch].link) + 6);
    }

    const BodyGraph& graph_;
    const Tree<double>& tree_;
    Workspace<double> ws_;
    double time_ = 0;
    std::vector<double> q_;                // (nq)
    std::vector<Mat3d> R_WF_;              // (links)
    std::vector<Vec3d> x_;                 // (links) centres of mass
    std::vector<Quatd> quat_;              // (links and bases) orientations, those of links from the end
    std::vector<JointFreedoms> freedoms_;  // (links)
    std::vector<int> chosen_;              // links
};

}  // namespace lig::maximal
