#pragma once

// The inner loops of sequential impulses, four blocks at a time in the lanes of a register, built per
// instruction set like the recursions (dynamics/kernels.h). The blocks of a pack share no body that moves, so
// that they could just as well be done one after the other. Lanes that hold nothing have both bodies at one
// that nothing moves, behind the last.
//
// Blocks keep what a sub-step needs of their bodies' inertias beside them: it is read by several sweeps.

#include "dynamics/kernels.h"
#include "formulations/impulse/give.h"
#include "formulations/impulse/moving_bodies.h"
#include "linalg/sym_factor3.h"

#include <ligament/lanes.h>

namespace lig::impulse {

inline constexpr int lanes = 4;
using Four = Lanes4d;

// Two bodies and their inverse inertias in world axes, of a sub-step.
struct PackBodies {
    int a[lanes], b[lanes];
    Four mass_a, mass_b;
    Sym3<Four> inertia_a, inertia_b;
};

// A point of one body on a point of another: three rows along the world's axes.
struct PointPack {
    PackBodies bodies;
    int link[lanes];              // behind the joint; −1: nothing
    Vec3<Four> local_a, local_b;  // from the centres of mass in principal axes
    Vec3<Four> impulse;
    Four empty;                   // 1 in lanes that hold nothing
    // Of a sub-step:
    Vec3<Four> arm_a, arm_b;
    Vec3<Four> error;             // m
    Vec3<Four> bend;              // m/s, asked for beside it: see Bend
    Four missed;                  // when it was last swept: m/s, the larger of velocities and corrections
    Four chosen;                  // 1 in lanes that a sweep of chosen trees goes over
    SymFactor3<Four> factor;
};

// A hinge: a point, and the two rows that keep the axis z of b orthogonal to x and y of a.
struct HingePack {
    PointPack point;
    Vec3<Four> x_a, y_a, z_b;     // in principal axes
    Four impulse[2];
    // Of a sub-step. The five rows are solved at once: the point's factor is that of its rows when the two
    // others are eliminated.
    Vec3<Four> axis[2];           // on b; a gets the opposite
    Four error[2];
    Four bend[2];                 // rad/s
    Four i11, i12, i22;           // inverse of the two rows' own matrix
    Vec3<Four> between[2];        // what unit impulses along the axes do to the point
};

// Limits of a joint, on the rotation (w, v) of frame M on b in frame F on a, v = p c + u along and across an
// axis c: of the swing, tan(σ/2) = |u|/√(w² + p²), or of the whole angle, tan(φ/2) = |v|/w, and of the twist,
// tan(θ/2) = p/w, which is the angle of a hinge (dynamics/ball_angles.h). Two rows that only push: one for
// swing or angle, one for the bound of the twist that is nearer.
struct LimitPack {
    int a[lanes], b[lanes];
    int joint[lanes];            // of whoever made the pack; −1: nothing
    bool pushes;                 // it has rows, or impulses that are not 0
    bool by_angles;              // some bound is next to half a turn or beyond, where tangents do not tell
    Quat<Four> before, own;      // F and M in the principal axes of the two bodies
    Vec3<Four> axis;             // c, in M
    Four of_angle;               // 1: the first row is of the whole angle
    Four circle, tan_circle;     // its limit, and the tangent of half of it; none: 10¹⁰⁰
    Four lower, upper;           // of the twist,
    Four tan_lower, tan_upper;   // … and tangents of half of them,
    Four reference;              // … which is counted from here
    Four turns;                  // 1: a hinge, which may turn any number of times
    Four near;  // the twist comes out nearest to this: where a hinge was, the middle of a range
    Four side;                   // of the second row: 1 its lower bound, −1 the upper one
    Four impulse[2];
    // Of a sub-step:
    Vec3<Four> row[2];           // on b; a gets the opposite
    Four gap[2];
    bool responds;               // as of contacts, of these:
    Vec3<Four> turn_a[2], turn_b[2];  // by unit impulses
    Four inverse[2];
    Four correction[2];
    Four missed;                 // as of points: m/s, at limit_tuning.lever
    Four chosen;                 // as of points
};

struct ContactPack {
    int a[lanes], b[lanes];
    int source[lanes];            // in Contacts::contacts; −1: nothing
    Vec3<Four> n, t1, t2;
    Vec3<Four> local_a, local_b;  // from the centres of mass, in principal axes: of the part that turns (of
                                  // what deforms: at rest),
    Four round_a, round_b;        // and how far beyond it along n the surface is
    Four with_b;                  // 1: the point goes with the witness on b; 0: with that on a; or between
    Four offset;                  // margin − gap of the properties
    Four friction[2];
    Four restitution;
    Four approach;                // speed along n before the step
    Four impulse, tangent[2];
    Four largest;                 // impulse within the step
    Four empty;
    // Of a sub-step:
    Vec3<Four> arm_a, arm_b;
    Four gap;                     // lanes that hold nothing are open
    bool responds;                // what follows up to `along` was found: where something presses or arrives
    Vec3<Four> mass_a, mass_b;    // inverse, along the axes
    Sym3<Four> inertia_a, inertia_b;
    Four nn, inv_nn, n1, n2;      // responses to unit impulses along n
    Four i11, i12, i22;           // inverse of the friction block,
    Four along;                   // and of its largest eigenvalue
    Four correction;
    Four missed, chosen;          // as of points
};

// What stretching adds to a side of a ContactPack whose bodies deform, some or all. For forces along n, t1
// and t2: the velocities that they stand for, and how rates and turning answer.
struct StretchSide {
    int shape[lanes];              // in MovingBodies::shapes
    int rates[lanes];              // where they are among the velocities
    // Of points of a program's kind, in the axes of the body at rest: by how much a unit of each coordinate
    // moves them; zero for others. Of no meaning if no lane has such a point.
    bool has_own;
    Vec3<Four> own[max_stretches];
    // Of a sub-step:
    Vec3<Four> by[max_stretches];  // the velocity of the point by a unit of each rate
    Four answers[3][max_stretches];  // these and `turns` if the ContactPack responds
    Vec3<Four> turns[3];
};
struct StretchPack {
    StretchSide a, b;
};

// Packs in a row.
struct ContactRun {
    ContactPack* packs;
    StretchPack* stretches;  // one for each; null: none of the bodies deform
    int count;
};

struct ContactSettings {
    double h;                    // of a sub-step
    double slop;
    double fastest = 4;          // m/s: of corrections
    bool per_axis = false;       // friction: each direction by itself
    bool accumulated = true;     // bounds hold for the sums of impulses
    bool bounce = false;         // restitution as a velocity bias,
    double min_bounce = 0.01;    // of what approaches faster: m/s
};

// Velocities of their own that remove errors at a rate (1/s) and then are forgotten.
struct Correction {
    double rate = 0;
    Velocity* u = nullptr;  // null: none
};

// What a sweep has met at most: by how much a velocity was missed, and a corrective impulse; and the largest
// `missed` of its blocks.
struct Swept {
    double velocity = 0, impulse = 0, missed = 0;

    void join(const Swept& other) {
        velocity = other.velocity > velocity ? other.velocity : velocity;
        impulse = other.impulse > impulse ? other.impulse : impulse;
        missed = other.missed > missed ? other.missed : missed;
    }
};

// What impulses of contacts have done.
struct ContactWork {
    double normal = 0, friction = 0;
};

// Which blocks a sweep goes over: all that are awake, or those of trees that were chosen (unmet_trees.h).
enum Scope {
    all,
    chosen
};

struct PackIndices {
    const int* begin;
    int count;
};

// Arrays of MovingBodies.
struct DriftingBodies {
    const Vec3d* moments;
    Place* places;
    Inertia* inertias;
    Velocity *u, *corrections;
};

// How joints follow the turning of their bodies. Velocities that fit a joint where the bodies are do not fit
// it a time h later: with C̈ = κ at these velocities the joint opens by ½ h² κ, and what fits it there is
// another motion by h κ along its rows. A joint that asks for −½ h κ is closed to third order, and finds
// ½ h κ the next time: it turns velocities round and takes no energy of them. Asked for nothing, it takes all
// of h κ, a share h ω² of the kinetic energy per time.
struct Bend {
    double half = 0;  // ½ h, negative behind the motion; 0: not followed
    const Spin* spins = nullptr;
    const Velocity* u = nullptr;  // the velocities that κ is of

    double followed(int body) const { return spins[body].followed; }
};

struct ImpulseKernels {
    // Arms, errors, matrices where the bodies are, and the kept impulses (warm). Returns the largest error.
    double (*prepare_points)(PointPack* packs, int count, const Place* places, const Inertia* inertias,
                             bool warm, const Bend& bend, Velocity* u);
    double (*prepare_hinges)(HingePack* packs, int count, const Place* places, const Inertia* inertias,
                             bool warm, const Bend& bend, Velocity* u);
    // Points where bodies are now; watches: the speeds at which they approach. Returns the deepest
    // penetration.
    double (*prepare_contacts)(const ContactRun& run, const Place* places, bool watches,
                               const BodyView& bodies);
    // … and their impulses so far.
    void (*warm_start_contacts)(const ContactRun& run, const BodyView& bodies);
    // Which packs may reach a limit within h, turning by reach_speed beside their present speed: their
    // indices in `near`. Returns how many. The others lose their impulses.
    int (*screen_limits)(LimitPack* packs, int count, double h, double reach_speed, const Place* places,
                         const Velocity* u, int* near);
    // Rows of these, and their impulses so far (warm). Returns the largest violation.
    double (*prepare_limits)(LimitPack* packs, const int* which, int count, const Place* places, bool warm,
                             const BodyView& bodies);
    // One sweep. Errors are removed beside it, if wished.
    Swept (*sweep_points)(PointPack* packs, int count, Scope scope, const Give& give,
                          const Correction& correction, Velocity* u);
    Swept (*sweep_hinges)(HingePack* packs, int count, Scope scope, const Give& give,
                          const Correction& correction, Velocity* u);
    Swept (*sweep_contacts)(const ContactRun& run, Scope scope, const ContactSettings& settings,
                            const Give& give, const Correction& correction, const BodyView& bodies);
    Swept (*sweep_limits)(LimitPack* packs, PackIndices which, Scope scope, const ContactSettings& settings,
                          const Give& give, const Correction& correction, const BodyView& bodies);
    // What the impulses so far have done, at the mean velocities u.
    ContactWork (*contact_work)(const ContactPack* packs, const StretchPack* stretches, int count,
                                const Velocity* u);
    // Impulses of what bounces.
    void (*restitute)(const ContactRun& run, double min_bounce, const BodyView& bodies);
    // Free motion of rigid bodies for a time h, with their corrections, which are then 0: groups of four, by
    // the first of each.
    void (*drift)(const int* groups, int count, double h, const DriftingBodies& bodies);
};

#define LIG_DECLARE_IMPULSE_KERNELS(isa)             \
    namespace isa {                                  \
    void add_joint_kernels(ImpulseKernels& table);   \
    void add_limit_kernels(ImpulseKernels& table);   \
    void add_contact_kernels(ImpulseKernels& table); \
    void add_motion_kernels(ImpulseKernels& table);  \
    }
LIG_FOR_EACH_ISA(LIG_DECLARE_IMPULSE_KERNELS)
#undef LIG_DECLARE_IMPULSE_KERNELS

// Those of the instruction set in use.
const ImpulseKernels& impulse_kernels();

}  // namespace lig::impulse
