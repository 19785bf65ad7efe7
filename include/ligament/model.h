#pragma once

// Model: a compiled scene. Flat, in tree order, plain double, never written after compile. Share it freely.

#include <ligament/scene.h>
#include <ligament/tree.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lig {

struct Model {
    std::string name;
    Options options;

    int nq = 0;  // coordinates
    int nv = 0;  // velocities
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
        double gravity_scale;
        bool kinematic;
        int joint_begin, joint_count;  // in `joints`
        SourceLocation where;
    };

    struct Joint {
        std::string name;
        JointType type;
        int body;
        int tree_joint;      // in tree.joints
        int scene_joint;     // the JointId it was made from
        int q_adr, v_adr, nq, nv;
        std::array<Range, 3> range;
        std::optional<double> cone, swing;
        std::optional<Range> twist;
        Vec3d twist_axis;    // ball: the axis of swing and twist in M
        double reference;
        double armature, damping, stiffness, friction_loss, effort_limit, velocity_limit;
        SourceLocation where;
    };

    struct Geom {
        GeomSpec spec;
        int body;
        Transformd X_BG;
    };

    struct Site {
        std::string name;
        int body;
        Transformd X_BS;
    };

    // A joint that closes a loop: F on body A, M on body B.
    struct Loop {
        std::string name;
        JointType type;
        int body_a, body_b;
        Transformd X_AF, X_BM;
        double pitch;
        int rows;
        SourceLocation where;
    };

    struct Coupling {
        std::string name;
        int follower, leader;  // joints
        std::array<double, 5> coefficients;
        SourceLocation where;
    };

    struct Keyframe {
        std::string name;
        double time;
        std::vector<double> q, v;
    };

    std::vector<Body> bodies;
    std::vector<Joint> joints;
    std::vector<Geom> geoms;
    std::vector<Site> sites;
    std::vector<Loop> loops;
    std::vector<Coupling> couplings;
    std::vector<Keyframe> keyframes;
    std::vector<MeshAsset> meshes;
    std::vector<Scene::Exclusion> exclusions;  // indices of bodies

    Tree<double> tree;
    std::vector<double> q0;            // (nq) reference configuration
    std::vector<double> q_spring;      // (nq) where the joints' springs are at rest
    std::vector<int> kinematic_bodies; // (nkinematic) base k + 1 is body kinematic_bodies[k]
    // (links) mass and first moment in L that gravity does not pull on; empty when every gravity_scale is 1.
    std::vector<double> floating_mass;
    std::vector<Vec3d> floating_moment;

    double total_mass = 0;             // of all bodies but the world
    std::uint64_t fingerprint = 0;     // of everything that shapes a state; snapshots carry it

    int find_body(std::string_view wanted) const;   // -1 if there is none
    int find_joint(std::string_view wanted) const;
    int find_site(std::string_view wanted) const;
    int find_keyframe(std::string_view wanted) const;
};

// Checks a scene and computes its model. Warnings go to `log`; errors are collected there and thrown together
// as InputError.
std::shared_ptr<const Model> compile(const Scene& scene, Diagnostics& log);
// The same for programs that build their scenes themselves: warnings are dropped.
std::shared_ptr<const Model> compile(const Scene& scene);

}  // namespace lig
