#pragma once

// MovingBodies: bases and links as sequential impulses see them, flat. Sweeps read and write
// velocities.
//
// Bases come first (the world, then kinematic bodies), then the links in tree order; a base has no inverse
// mass, so impulses leave it alone. A link is kept by its centre of mass and its principal axes: in these its
// inertia is three numbers, and its free rotation a few turns about them (bodies/free_rotation.h). What a
// kind of body does not do (bodies/) has an inverse mass of 0: particles never turn, planar bodies move in
// their plane.
//
// Bodies that deform have a second place, behind all others: there a velocity is the rates of their
// stretches, and a push a force on these. Pushes at one place are felt at the other, too (Shape).

#include "bodies/deforming.h"
#include "dynamics/joint_terms.h"

#include <ligament/simulation.h>
#include <ligament/workspace.h>

#include <span>
#include <vector>

namespace lig::impulse {

inline constexpr int max_stretches = bodies::max_body_dim - 6;

// Of the centre of mass, in world axes; or the rates of stretches, one after the other. A cache line.
struct alignas(64) Velocity {
    Vec3d v = Vec3d::zero(), w = Vec3d::zero();
    double unused[2] = {};

    LIG_INLINE double& rate(int k) { return k < 3 ? v[k] : w[k - 3]; }
    LIG_INLINE double rate(int k) const { return k < 3 ? v[k] : w[k - 3]; }
};
static_assert(max_stretches == 6);

// How a body turns while nothing acts on it, in world axes.
struct alignas(64) Spin {
    Vec3d change = Vec3d::zero(), w = Vec3d::zero();  // α and ω
    double followed = 1;  // of the bend: bodies::followed_share
    double unused = 0;

    // The acceleration of a point at an arm from the centre of mass.
    LIG_INLINE Vec3d bend(const Vec3d& arm) const { return cross(change, arm) + cross(w, cross(w, arm)); }
};

struct alignas(32) Inertia {
    Vec3d inv_mass = Vec3d::zero();     // along the world's axes
    Sym3d inv_inertia = Sym3d::zero();  // about the centre of mass, in world axes
    double unused = 0;
    // Of a body that deforms, at both of its places; 0: it does not.
    int shape = 0;             // in MovingBodies::shapes
    int frame = 0, rates = 0;  // its places
    int unused_too = 0;
};

// How a body is stretched, and what pushes do to that. Numbers alone, for lanes. The inverse of its mass
// block for turning and stretching, without its mass for moving, is
//     ( inv_inertia   by_momentᵀ )
//     ( by_moment     by_force   )
struct alignas(64) Shape {
    Sym3d S = Sym3d::diagonal(1, 1, 1), inverse = S;
    Sym3d by_rate[max_stretches] = {};    // Ṡ by a unit of each rate; zero behind those that there are
    Vec3d by_moment[max_stretches] = {};  // of each rate, world axes
    double by_force[max_stretches * max_stretches] = {};
    // Of a program's kind its s, and S and Ṡ have no meaning: every point moves in its own way (StretchSide).
    Sym3d coordinates = Sym3d::zero();
};

// What a sweep works on: velocities, or the velocities that remove errors of position, with the inertias.
struct BodyView {
    Velocity* u;
    const Inertia* inertias;
    const Shape* shapes;  // null: nothing deforms

    LIG_INLINE Vec3d velocity_at(int body, const Vec3d& arm) const {
        return u[body].v + cross(u[body].w, arm);
    }
    // Through the centre of mass of a link: nothing turns or stretches by it.
    LIG_INLINE void push(int body, const Vec3d& impulse) const {
        const Vec3d& inverse = inertias[body].inv_mass;
        u[body].v += Vec3d{inverse.x * impulse.x, inverse.y * impulse.y, inverse.z * impulse.z};
    }
    LIG_INLINE void push(int body, const Vec3d& impulse, const Vec3d& moment) const {
        push_alone(body, impulse, moment);
        if (shapes) push_shape(body, impulse, moment);
    }
    // push is this, then push_shape where anything deforms.
    LIG_INLINE void push_alone(int body, const Vec3d& impulse, const Vec3d& moment) const {
        push(body, impulse);
        u[body].w += inertias[body].inv_inertia * moment;
    }
    LIG_INLINE void turn(int body, const Vec3d& moment) const {
        u[body].w += inertias[body].inv_inertia * moment;
        if (shapes) push_shape(body, Vec3d::zero(), moment);
    }
    // What is felt at the other place of a body that deforms, and by its rates.
    void push_shape(int body, const Vec3d& impulse, const Vec3d& moment) const;
};

struct alignas(64) Place {
    Vec3d x;   // of the centre of mass
    Quatd q;   // principal axes in the world,
    Mat3d R;   // and their matrix
};

class MovingBodies {
public:
    explicit MovingBodies(std::shared_ptr<const Model> model);

    const Model& model() const { return *model_; }
    int bases() const { return bases_; }
    int links() const { return static_cast<int>(kinds_.size()); }
    // The place of a link or base (negative, as parents are) in the arrays.
    int index(int link) const { return link >= 0 ? bases_ + link : -1 - link; }
    // Behind the last: a body that nothing moves, for lanes that hold nothing.
    int idle() const { return bases_ + links(); }
    // The place of the rates of one of Model::deforming; of the body at a place, or `idle`.
    int rates(int deforming) const { return idle() + 1 + deforming; }
    int rates_at(int index) const { return inertias[index].shape ? inertias[index].rates : idle(); }
    template <class F>
    void for_each_place(int link, F&& f) const {
        f(index(link));
        if (kinds_[link].deforms >= 0) f(rates(kinds_[link].deforms));
    }
    bool deform() const { return !deforming_.empty(); }

    std::vector<Velocity> velocities;
    std::vector<Velocity> corrections;  // that move bodies for one sub-step and are no motion
    std::vector<Inertia> inertias;
    std::vector<Place> places;
    std::vector<Shape> shapes;  // first that of all that does not deform; empty: nothing does
    BodyView view(Velocity* u) const { return {u, inertias.data(), deform() ? shapes.data() : nullptr}; }
    BodyView moving() { return view(velocities.data()); }
    BodyView correcting() { return view(corrections.data()); }

    // From the kinematics of a state. Bases alone, where only these have moved.
    void from_joints(const Workspace<double>& ws);
    void place_bases(std::span<const BaseWork<double>> bases);
    void set(int link, const Vec3d& x, const Quatd& q, const Motion<double>& V);
    // Of one of Model::deforming; after `set` of its link.
    void set_shape(int deforming, const Sym3d& S, const Velocity& rates);
    StretchWork<double> shape_of(int deforming) const;
    // q and v of all links; angles come out nearest to those that the state has.
    void to_joints(JointState<double>& state) const;
    void to_joint(int link, JointState<double>& state) const;  // of one
    // The same, but those that sleep keep their q and are at rest.
    void to_joints_of_awake(JointState<double>& state) const;
    // Poses of all bodies of the model.
    void body_poses(std::span<Transformd> out) const;
    Transformd link_pose(int link) const;                        // of the frame L
    Motion<double> velocity_at(int link, const Vec3d& p) const;  // of the frame, at p
    // Of the point of a body (a place in the arrays) at an arm from its centre of mass, on one of its geoms.
    Vec3d point_velocity(int index, const Vec3d& arm, int geom) const {
        const Vec3d moved = velocities[index].v + cross(velocities[index].w, arm);
        return inertias[index].shape ? moved + stretch_velocity(index, arm, geom) : moved;
    }
    // Of a frame of a link or base, given in L: where it is seen from the centre of mass, in principal axes.
    Vec3d arm_of(int link, const Vec3d& p_L) const;
    Quatd turn_of(int link, const Mat3d& R_L) const;

    double mass(int link) const { return kinds_[link].mass; }
    // What leads a link from one velocity to another, about its centre of mass, where it is; forces on its
    // stretches, if it has any, beside it. With what resists stretching.
    Force<double> impulse_between(int link, std::span<const Velocity> before, std::span<const Velocity> after,
                                  std::span<double, max_stretches> on_stretches) const;
    double gyration(int link) const;  // the largest radius: m
    // Of all links with these velocities, where they are.
    double kinetic_energy(std::span<const Velocity> u) const;
    // Of some, with what resists stretching: impulses of rows that ask for no motion only take of it.
    double resisted_energy(std::span<const Velocity> u, std::span<const int> links) const;
    // Of a link, about the world's origin.
    Force<double> momentum(int link) const;
    // Other kinds than rigid bodies have joints by what they are.
    bool has_joint_rows(int link) const { return is_rigid(link); }
    // What a push at one place does along another one, beyond inv_mass and inv_inertia.
    struct Push {
        int place;
        const Vec3d &lin, &ang;
    };
    double shape_response(const Push& to, const Push& of) const;
    // Of a place in the arrays: the place of the link at the root of its tree; −1: a base, or the idle body.
    int root(int index) const { return roots_[index]; }
    bool is_rigid(int link) const { return link < 0 || kinds_[link].kind == BodyKind::rigid; }
    // With these velocities, where bodies are, to be followed for a time h; bases included. (all)
    void find_spins(std::span<const Velocity> u, double h, std::span<Spin> out) const;
    // Free motion for a time h, with the corrections, which are 0 afterwards: gyroscopic terms are in it,
    // momenta stay, and inertias are those of the new orientation.
    void drift(double h);
    // What stretches resist in a sub-step of length h by their stiffness and damping, as an inertia
    // (JointTerms): from now on, in all that pushes them. They resist the mean of their rates, so that what
    // turning adds to these within the sub-step (½ h of the acceleration) is pushed against at once:
    // otherwise a stiff body that turns by h ω would be stretched by ½ (h ω)² when it ends.
    void resist_stretching(const JointTerms& terms, double h);

    // Links that sleep do not move, whatever pushes them. (links)
    void set_asleep(std::span<const char> links);
    bool is_asleep(int index) const { return asleep_[index] != 0; }  // bases and the idle body never are
    // Takes off whatever has pushed those that sleep.
    void hold_still();

private:
    struct Kind {
        BodyKind kind;
        double mass;
        Vec3d com;   // in L
        Quatd axes;  // the principal ones, in L
        int deforms;  // in Model::deforming; −1: it does not
    };
    struct Deforming {
        int link;
        bodies::Substance substance;
        double resists[max_stretches * max_stretches] = {};
        // Of its mass block where it is now, the part of turning and stretching, rows of 3 + its stretches.
        double turning_block[(3 + max_stretches) * (3 + max_stretches)] = {};
    };
    void add_shapes();
    void set_shape(int deforming, const StretchWork<double>& shape);
    Vec3d stretch_velocity(int index, const Vec3d& arm, int geom) const;
    // Of one of Model::deforming, as its kind has them.
    Sym3d& stretch_of(int deforming);
    const Sym3d& stretch_of(int deforming) const;
    Sym3d rate_of(int deforming, const Velocity& rates) const;
    double twice_energy(int link, std::span<const Velocity> u) const;
    // Of turning and stretching.
    double twice_shape_energy(int link, std::span<const Velocity> u, bool resisted) const;
    void find_inertia(int link);
    void find_shape_block(int link);
    void find_shape_inertia(int link);  // after find_shape_block
    // As it turns and stretches on while nothing acts: how turning changes, and the rates.
    struct ShapeSpin {
        Vec3d turning;
        Velocity rates;
    };
    ShapeSpin find_shape_spin(int link, std::span<const Velocity> u) const;
    void drift_shape(int link, double h);
    bool read_plain_joint(int link, JointState<double>& state) const;
    void find_groups();
    void drift(int link, double h);

    std::shared_ptr<const Model> model_;
    int bases_;
    std::vector<Kind> kinds_;     // (links)
    std::vector<Deforming> deforming_;
    std::vector<Vec3d> moments_;  // (bases and links) about the principal axes
    std::vector<int> roots_;      // (all)
    std::vector<char> asleep_;    // (all)
    std::vector<int> sleepers_;   // places of those
    // Those that move: where four rigid bodies begin, and the links in none of them.
    std::vector<int> groups_, singles_;
};

}  // namespace lig::impulse
