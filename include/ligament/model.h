#pragma once

// Model: a compiled scene. Flat, in tree order, plain double, never written after compile. Share it freely.

#include <ligament/scene.h>
#include <ligament/tree.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lig {

struct CollisionModel;  // inside
struct ModalBody;       // inside

struct Model {
    std::string name;
    Options options;

    int nq = 0;  // coordinates
    int nv = 0;  // velocities
    int nu = 0;  // controls, one per actuator
    int na = 0;  // activations of actuators that have a state of their own
    int nkinematic = 0;

    // Depth-first in the order of the file; [0] is the world.
    struct Body {
        std::string name;
        int parent;              // -1 for the world
        int link;                // the link it moves with, or -1 - k: it moves with base k (0 is the world)
        Transformd X_LB;         // its frame in the link's, or in the base's
        Transformd X_WB0;        // its pose at the reference configuration
        double mass;
        Vec3d com;               // centre of mass in the body frame
        Sym3d inertia;           // about the centre of mass, in the axes of the body frame
        Mat3d R_BI;              // principal axes of the inertia, those of the file where it gives them
        double gravity_scale;
        bool kinematic;
        BodyKind kind;
        int joint_begin, joint_count;  // in `joints`
        SourceLocation where;
    };

    // A body that deforms, in the order of Tree::stretches.
    struct Deforming {
        int body;
        int joint;        // the first of its stretches, in `joints`
        Sym3d moment;     // second moment of mass at rest, ∫ r rᵀ dm, in the axes of the body
        double volume;    // at rest
        // Of its elastic energy, what joints' springs do not hold: ½ bulk (sum of three stretches − 3)².
        double bulk, bulk_damping;
        std::shared_ptr<const ModalBody> modal;  // BodyKind::program
    };

    struct Joint {
        std::string name;
        JointType type;
        int body;
        int tree_joint;      // in tree.joints
        int scene_joint;     // the JointId it was made from; −1: one by which a body of its kind moves
        int q_adr, v_adr, nq, nv;
        std::array<Range, 3> range;
        std::optional<double> cone, swing;
        std::optional<Range> twist;
        Vec3d twist_axis;    // ball: the axis of swing and twist in M
        double reference;
        double margin;
        double armature, damping, stiffness, friction_loss, velocity_limit;
        std::array<double, 2> damping_poly, stiffness_poly;
        struct AxisSpring {
            Vec3d stiffness;
            Mat3d R_MS;  // its axes
        };
        std::optional<AxisSpring> axis_spring;  // ball, instead of `stiffness`
        Range effort;
        bool actuators_carry_gravity;
        Softness soft_limit, soft_friction;
        SourceLocation where;
    };

    struct Geom {
        GeomSpec spec;
        int body;
        Transformd X_BG;  // mesh: of its inertial frame
        // Mesh: the frame of its vertices (as scaled and moved by ref_pos and ref_quat) in the geom's.
        Transformd X_GM = Transformd::identity();
    };

    struct Site {
        std::string name;
        int body;
        Transformd X_BS;
        SiteSpec spec;
    };

    struct Camera {
        std::string name;
        int body;
        Transformd X_BC;
        CameraSpec spec;  // its target is a body of the model
    };

    // A joint that closes a loop: F on body A, M on body B.
    struct Loop {
        std::string name;
        JointType type;
        int body_a, body_b;
        Transformd X_AF, X_BM;
        double pitch;
        int rows;
        bool active;
        double torque_scale;
        Softness soft;
        SourceLocation where;
        double closing_time = 0;
        std::array<double, 6> start{};  // the residual at the reference configuration; closing_time > 0

        // Its joint in motion. `lengths` tendons from `length_begin` on are its nv freedoms and, behind them,
        // the angles that limits of a ball bound; 0 where nothing acts on it and nothing reads it.
        int length_begin = -1, lengths = 0;
        int q_adr = -1;         // of its nq coordinates in JointState::loop_q; −1: no angle of it is counted
        double reference = 0;   // kinds of one coordinate: what it is where F and M coincide
        Vec3d twist_axis{0, 0, 1};  // ball: the axis of swing and twist in M
        std::optional<Range> twist;
    };

    // What holds frame F on body A and frame M on body B together other than as a joint does.
    struct PairConstraint {
        std::string name;
        int body_a, body_b;
        Transformd X_AF, X_BM;
        std::shared_ptr<const lig::PairConstraint> constraint;
        int rows;
        Range force;  // of each row
        bool active;
        Softness soft;
        SourceLocation where;

        bool is_equality() const { return force == Range{}; }
        bool is_one_sided() const { return force.lower == 0 || force.upper == 0; }
    };

    // A spring and a damper between frame F on body A and frame M on body B, along and about the axes of F.
    struct Bushing {
        std::string name;
        int body_a, body_b;
        Transformd X_AF, X_BM;
        Vec3d stiffness, damping, turn_stiffness, turn_damping;
        bool active;
        SourceLocation where;
    };

    struct Coupling {
        std::string name;
        int follower, leader;  // joints; leader −1: the follower is held at coefficients[0]
        std::array<double, 5> coefficients;
        bool active;
        Softness soft;
        SourceLocation where;
    };

    struct TendonCoupling {
        std::string name;
        int follower, leader;  // tendons; as above
        std::array<double, 5> coefficients;
        bool active;
        Softness soft;
        SourceLocation where;
    };

    // A component of the centre of mass, or of the momentum, of a body and all below it is held.
    struct SubtreeConstraint {
        std::string name;
        int body;
        SubtreeQuantity quantity;
        std::array<bool, 3> axes;
        Vec3d target;
        double mass;    // of what moves of it,
        double radius;  // and how far that is from its centre of mass at the reference configuration, by the
                        // mean of the squares
        int rows;
        bool active;
        Softness soft;
        SourceLocation where;
    };

    // Bodies that are held by equations between all of them.
    struct GroupConstraint {
        struct Member {
            int body;
            Transformd X_BF;  // its frame in the body
        };
        std::string name;
        std::vector<Member> members;
        std::shared_ptr<const lig::GroupConstraint> constraint;
        int rows;
        Range force;  // of each row
        bool active;
        bool moves;  // something of it does
        Softness soft;
        SourceLocation where;

        bool is_equality() const { return force == Range{}; }
        bool is_one_sided() const { return force.lower == 0 || force.upper == 0; }
    };

    // The derivative of a length with respect to the velocities: its entries sit at the velocities
    // row_velocities[begin … begin + count), in rising order, whatever the state.
    struct Row {
        int begin, count;
    };

    // What a term of a tendon reads of a joint that closes a loop.
    enum class LoopReading : unsigned char {
        freedom,            // of a ball: about an axis of M
        freedom_in_parent,  // of a ball: about an axis of F
        cone,               // angles of a ball, as its limits bound them
        swing,
        twist
    };
    struct TendonTerm {
        int q_adr, v_adr;  // of a joint of one coordinate; −1: of a loop
        double coefficient;
        int loop = -1;     // in `loops`
        LoopReading reading = LoopReading::freedom;
        int freedom = 0;
    };
    struct TendonPoint {
        TendonStop::Kind kind;
        int site;       // in `sites`, or −1
        int geom;       // in `geoms`, or −1
        int side_site;  // in `sites`, or −1
        double divisor;
    };
    struct Tendon {
        std::string name;
        int term_begin, term_count;    // in `tendon_terms`: a fixed tendon
        int point_begin, point_count;  // in `tendon_points`: a spatial one
        Row row;
        Range range;
        double margin, stiffness, damping, friction_loss, armature;
        std::array<double, 2> stiffness_poly, damping_poly;
        std::array<double, 2> spring_length;
        double length0;  // at the reference configuration
        Range effort;
        Softness soft_limit, soft_friction;
        SourceLocation where;
        int loop = -1;  // it is a freedom or an angle of the joint that closes this loop; the last ones are
    };

    struct Actuator {
        std::string name;
        Transmission transmission;
        int joint, tendon, site, reference_site, slider_site, body;  // −1 where there is none
        double crank_length;
        std::array<double, 6> gear;
        Row row;
        Activation activation;
        int act_adr;  // in JointState::act, or −1
        double time_constant, deactivation_time, activation_smoothing;
        bool act_early;
        std::array<double, 3> gain, bias;
        std::optional<MuscleSpec> muscle_gain, muscle_bias;  // with `force` resolved
        std::array<double, 2> length_range;                  // of muscles
        Range ctrl_range, force_range, act_range;
        double damping, armature;
        std::array<double, 2> damping_poly;
        int group;
        bool enabled;    // its group is not switched off
        double length0;  // at the reference configuration
        SourceLocation where;
    };

    struct Sensor {
        SensorSpec spec;  // with indices of the model's objects
        int adr, dim;     // in the vector of all readings
    };

    // What a medium does to a body on a link, per velocity and per squared velocity along and about the axes
    // of a box that has the body's inertia. All of these are empty where there is no medium.
    struct FluidBox {
        int link;
        Transformd X_LI;  // centre of mass and principal axes
        Vec3d drag, angular_drag;
        double viscosity, angular_viscosity;
    };
    // The same for a geom that its fluid coefficients turn into an ellipsoid.
    struct FluidEllipsoid {
        int link;
        Transformd X_LG;
        Vec3d squared_sections;  // of the rectangles on two semi-axes each, normal to the axis
        double largest_section;  // area
        Vec3d added_mass, added_inertia;
        double blunt_drag, slender_drag;  // per area and squared velocity
        Vec3d angular_drag;
        double kutta_lift, magnus_lift;
        double viscosity, angular_viscosity;
    };

    struct Pair {
        PairSpec spec;
        int geom_a, geom_b;
    };

    struct Keyframe {
        std::string name;
        double time;
        std::vector<double> q, v, act, ctrl;
        std::vector<Pose> kinematic;  // (nkinematic)
    };

    std::vector<Body> bodies;
    std::vector<Joint> joints;
    std::vector<Deforming> deforming;
    std::vector<Geom> geoms;
    std::vector<Site> sites;
    std::vector<Loop> loops;
    std::vector<PairConstraint> pair_constraints;
    std::vector<Bushing> bushings;
    std::vector<Coupling> couplings;
    std::vector<TendonCoupling> tendon_couplings;
    std::vector<SubtreeConstraint> subtree_constraints;
    std::vector<GroupConstraint> group_constraints;
    std::vector<Camera> cameras;
    std::vector<Tendon> tendons;
    std::vector<TendonTerm> tendon_terms;
    std::vector<TendonPoint> tendon_points;
    std::vector<Actuator> actuators;
    std::vector<int> row_velocities;
    std::vector<Sensor> sensors;
    std::vector<FluidBox> fluid_boxes;
    std::vector<FluidEllipsoid> fluid_ellipsoids;
    std::vector<Pair> pairs;
    std::vector<Keyframe> keyframes;
    std::vector<MeshAsset> meshes;
    std::vector<HeightFieldAsset> height_fields;
    std::vector<Scene::Exclusion> exclusions;  // indices of bodies

    Tree<double> tree;
    std::vector<double> q0;            // (nq) reference configuration
    std::vector<double> q_spring;      // (nq) where the joints' springs are at rest
    std::vector<double> loop_q0;       // JointState::loop_q at the reference configuration
    std::vector<int> kinematic_bodies; // (nkinematic) base k + 1 is body kinematic_bodies[k]
    // (links) mass and first moment in L that gravity does not pull on; empty when every gravity_scale is 1.
    std::vector<double> floating_mass;
    std::vector<Vec3d> floating_moment;

    std::shared_ptr<const CollisionModel> collision;  // for find_contacts and the queries

    double total_mass = 0;             // of all bodies but the world
    std::uint64_t fingerprint = 0;     // of everything that shapes a state; snapshots carry it

    int find_body(std::string_view wanted) const;   // -1 if there is none
    int find_joint(std::string_view wanted) const;
    int find_site(std::string_view wanted) const;
    int find_loop(std::string_view wanted) const;
    int find_tendon(std::string_view wanted) const;
    int find_actuator(std::string_view wanted) const;
    int find_keyframe(std::string_view wanted) const;
};

// Checks a scene and computes its model. Warnings go to `log`; errors are collected there and thrown together
// as InputError.
std::shared_ptr<const Model> compile(const Scene& scene, Diagnostics& log);
// The same for programs that build their scenes themselves: warnings are dropped.
std::shared_ptr<const Model> compile(const Scene& scene);

}  // namespace lig
