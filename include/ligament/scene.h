#pragma once

// Scene: what formats read and write and what programs build by hand. Names, nesting, units of the
// user; nothing is computed here. compile(scene) turns it into an immutable Model.
//
// The words are MJCF's: body, joint, geom, site, keyframe. SI units, radians, Z up, quaternions w first.

#include <ligament/diagnostics.h>
#include <ligament/vec.h>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace lig {

// The joint kinds. The order is that of the list in src/joints/joint_list.h (checked there).
enum class JointType {
    fixed,
    hinge,
    slide,
    ball,
    free,
    universal,
    cylindrical,
    planar,
    screw
};

// The shapes. The order is that of the list in src/shapes/shape_list.h (checked there).
enum class ShapeType {
    plane,
    sphere,
    capsule,
    cylinder,
    ellipsoid,
    box,
    mesh,
    heightfield
};

// Position and orientation of a frame in its parent's. The quaternion is normalized by compile.
struct Pose {
    Vec3d pos{0, 0, 0};
    Quatd quat{1, 0, 0, 0};
};

// Handles into a Scene. Distinct types, so that a joint is not taken for a body.
struct BodyId {
    int index = -1;
    friend bool operator==(BodyId, BodyId) = default;
};
struct JointId {
    int index = -1;
    friend bool operator==(JointId, JointId) = default;
};
struct GeomId {
    int index = -1;
    friend bool operator==(GeomId, GeomId) = default;
};
struct SiteId {
    int index = -1;
    friend bool operator==(SiteId, SiteId) = default;
};

inline constexpr BodyId world{0};

// Mass, centre of mass and rotational inertia about the centre of mass, the latter in the axes `quat`.
struct InertialSpec {
    double mass = 0;
    Pose frame;  // centre of mass and axes of `inertia` in the body frame
    Sym3d inertia = Sym3d::zero();
    SourceLocation where;
};

struct BodySpec {
    std::string name;
    Pose pose;                             // in the parent's frame, at the reference configuration
    std::optional<InertialSpec> inertial;  // without it the inertia comes from the geoms
    bool kinematic = false;                // pose prescribed by the user; only directly below the world
    double gravity_scale = 1;              // 0 floats, 1 falls
    SourceLocation where;
};

struct Range {
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
};

// A joint between a body and its parent. Several joints on one body act one after the other, the first
// nearest to the parent, and form one compound joint.
struct JointSpec {
    std::string name;
    JointType type = JointType::hinge;
    Vec3d pos{0, 0, 0};    // anchor in the body frame
    Vec3d axis{0, 0, 1};   // in the body frame; hinge, slide, cylindrical, screw; planar: the normal;
                           // universal: the axis fixed to the parent
    Vec3d axis2{0, 1, 0};  // universal only: the axis fixed to the body, orthogonal to `axis`
    double pitch = 0;      // screw only: metres along the axis per radian
    double reference = 0;  // hinge and slide: the coordinate at the reference configuration

    // Limits. `range` per coordinate for joints whose coordinates are angles or lengths (unused entries
    // stay infinite); a ball may have a cone (largest rotation angle) or swing and twist limits about `axis`.
    std::array<Range, 3> range{};
    std::optional<double> cone;         // ball: largest angle of rotation from the reference
    std::optional<double> swing;        // ball: largest angle of `axis` from its reference direction
    std::optional<Range> twist;         // ball: range of the rotation about `axis`

    double armature = 0;      // rotor inertia or mass added to the joint-space inertia, per coordinate
    double damping = 0;       // force per velocity
    double stiffness = 0;     // force per displacement from `spring_reference`
    std::optional<double> spring_reference;  // hinge and slide; default: `reference`
    double friction_loss = 0; // dry friction force
    double effort_limit = std::numeric_limits<double>::infinity();    // |force| an actuator may apply
    double velocity_limit = std::numeric_limits<double>::infinity();  // |velocity| the joint is built for
    SourceLocation where;
};

// Any joint may also close a loop: it then holds frame F on body A and frame M on body B together in the
// way of its kind (for axes: z of both frames; universal: x of F, y of M).
struct LoopSpec {
    std::string name;
    JointType type = JointType::ball;
    BodyId body_a, body_b;
    Pose frame_a, frame_b;
    double pitch = 0;  // screw only
    SourceLocation where;
};

// follower = sum_k coefficients[k] * (leader - leader reference)^k, joints of one coordinate each. URDF's
// mimic is {offset, multiplier}.
struct CouplingSpec {
    std::string name;
    JointId follower;
    JointId leader;
    std::array<double, 5> coefficients{0, 1, 0, 0, 0};
    SourceLocation where;
};

// Sizes are half-sizes, as in MJCF: sphere {radius}; capsule and cylinder {radius, half length along z};
// ellipsoid and box {three half sizes}; plane {half x, half y, spacing of the drawn grid}, 0 = infinite.
struct GeomSpec {
    std::string name;
    ShapeType shape = ShapeType::sphere;
    Pose pose;
    Vec3d size{0, 0, 0};
    std::string mesh;                  // mesh and heightfield: the name of the asset
    double density = 1000;             // kg/m³; used when `mass` is absent
    std::optional<double> mass;
    bool shell = false;                // the mass sits on the surface
    bool collides = true;              // false: only to be seen
    int contype = 1, conaffinity = 1, condim = 3, group = 0;
    Vec3d friction{1, 0.005, 0.0001};  // sliding, torsional, rolling
    double restitution = 0;
    double margin = 0;
    std::array<double, 4> rgba{0.5, 0.5, 0.5, 1};
    SourceLocation where;
};

struct SiteSpec {
    std::string name;
    Pose pose;
    SourceLocation where;
};

struct MeshAsset {
    std::string name;
    std::string file;  // as found; empty when it was not found
    Vec3d scale{1, 1, 1};
    SourceLocation where;
};

// A named state. Empty vectors mean the reference configuration and zero velocity.
struct KeyframeSpec {
    std::string name;
    double time = 0;
    std::vector<double> qpos, qvel;
    SourceLocation where;
};

enum class Integrator {
    euler,
    rk4,
    implicit,
    implicitfast
};

struct Options {
    double timestep = 0.002;
    Vec3d gravity{0, 0, -9.81};
    Integrator integrator = Integrator::euler;
};

class Scene {
public:
    explicit Scene(std::string name = {});

    // The parent must be in the scene already, so parents always come before their children. A body handle
    // of another scene, or one that does not exist, throws std::out_of_range.
    BodyId add_body(BodyId parent, BodySpec body);
    JointId add_joint(BodyId body, JointSpec joint);
    GeomId add_geom(BodyId body, GeomSpec geom);
    SiteId add_site(BodyId body, SiteSpec site);
    void add_loop(LoopSpec loop);
    void add_coupling(CouplingSpec coupling);
    void add_mesh(MeshAsset mesh);
    void add_keyframe(KeyframeSpec key);
    // Two bodies that never collide with each other.
    void exclude_collision(BodyId a, BodyId b);

    std::string name;
    Options options;

    struct Body {
        BodySpec spec;
        BodyId parent;
        std::vector<JointId> joints;
    };
    struct Joint {
        JointSpec spec;
        BodyId body;
    };
    struct Geom {
        GeomSpec spec;
        BodyId body;
    };
    struct Site {
        SiteSpec spec;
        BodyId body;
    };
    struct Exclusion {
        BodyId a, b;
    };

    const std::vector<Body>& bodies() const { return bodies_; }  // [0] is the world
    const std::vector<Joint>& joints() const { return joints_; }
    const std::vector<Geom>& geoms() const { return geoms_; }
    const std::vector<Site>& sites() const { return sites_; }
    const std::vector<LoopSpec>& loops() const { return loops_; }
    const std::vector<CouplingSpec>& couplings() const { return couplings_; }
    const std::vector<MeshAsset>& meshes() const { return meshes_; }
    const std::vector<KeyframeSpec>& keyframes() const { return keyframes_; }
    const std::vector<Exclusion>& exclusions() const { return exclusions_; }

    // The specs stay editable until compile reads them; the structure does not.
    BodySpec& body(BodyId id);
    JointSpec& joint(JointId id);
    GeomSpec& geom(GeomId id);

    // The first object of that name, or an id of index -1. Linear in the number of objects: readers that look
    // up many names keep a map of their own.
    BodyId find_body(std::string_view name) const;
    JointId find_joint(std::string_view name) const;

private:
    void require(BodyId id) const;

    std::vector<Body> bodies_;
    std::vector<Joint> joints_;
    std::vector<Geom> geoms_;
    std::vector<Site> sites_;
    std::vector<LoopSpec> loops_;
    std::vector<CouplingSpec> couplings_;
    std::vector<MeshAsset> meshes_;
    std::vector<KeyframeSpec> keyframes_;
    std::vector<Exclusion> exclusions_;
};

}  // namespace lig
