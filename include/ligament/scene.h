#pragma once

// Scene: what formats read and write and what programs build by hand. Names, nesting, units of the user;
// nothing is computed here. compile(scene) turns it into an immutable Model.

#include <ligament/drive_specs.h>
#include <ligament/group_constraint.h>
#include <ligament/mesh.h>
#include <ligament/pair_constraint.h>
#include <ligament/specs.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lig {

enum class Integrator {
    euler,
    rk4,
    implicit,
    implicitfast
};

// Parts of the physics that a file may switch off.
struct Switches {
    bool constraint = true, equality = true, friction_loss = true, limit = true, contact = true;
    bool spring = true, damper = true, actuation = true, sensor = true;
    bool clamp_control = true;   // controls are clamped to their ranges
    bool filter_parent = true;   // a body and its parent do not collide
    friend bool operator==(const Switches&, const Switches&) = default;
};

struct Options {
    double timestep = 0.002;
    Vec3d gravity{0, 0, -9.81};
    Integrator integrator = Integrator::euler;
    Vec3d wind{0, 0, 0};                // velocity of the medium
    double density = 0, viscosity = 0;  // of the medium
    Vec3d magnetic{0, -0.5, 0};         // magnetic flux, for magnetometers
    double impratio = 1;                // soft friction against soft normal forces
    bool elliptic_cone = false;         // soft formulations of other engines; ours are always circular
    Switches enabled;
    std::vector<int> disabled_actuator_groups;
};

// What compile does to masses and inertias once they are known.
struct InertiaRules {
    double min_mass = 0, min_inertia = 0;      // of every body that may move
    bool balance = false;                      // moments against the triangle inequality become their mean
    bool fuse_static = false;                  // bodies without joints become part of their parents, unless
                                               // something refers to them
    std::optional<double> total_mass;          // everything is scaled to this mass
};

class Scene {
public:
    explicit Scene(std::string name = {});

    // The parent must be in the scene already, so parents always come before their children. A handle
    // of another scene, or one that does not exist, throws std::out_of_range.
    BodyId add_body(BodyId parent, BodySpec body);
    JointId add_joint(BodyId body, JointSpec joint);
    GeomId add_geom(BodyId body, GeomSpec geom);
    SiteId add_site(BodyId body, SiteSpec site);
    CameraId add_camera(BodyId body, CameraSpec camera);
    LoopId add_loop(LoopSpec loop);
    void add_constraint(ConstraintSpec constraint);
    void add_bushing(BushingSpec bushing);
    void add_coupling(CouplingSpec coupling);
    void add_tendon_coupling(TendonCouplingSpec coupling);
    void add_subtree_constraint(SubtreeConstraintSpec constraint);
    void add_group_constraint(GroupConstraintSpec constraint);
    TendonId add_tendon(TendonSpec tendon);
    ActuatorId add_actuator(ActuatorSpec actuator);
    void add_sensor(SensorSpec sensor);
    void add_mesh(MeshAsset mesh);
    void add_height_field(HeightFieldAsset field);
    void add_keyframe(KeyframeSpec key);
    void add_pair(PairSpec pair);
    // Two bodies that never collide with each other.
    void exclude_collision(BodyId a, BodyId b, std::string name = {});

    std::string name;
    Options options;
    InertiaRules inertia_rules;

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
    struct Camera {
        CameraSpec spec;
        BodyId body;
    };
    struct Exclusion {
        BodyId a, b;
        std::string name;
    };

    const std::vector<Body>& bodies() const { return bodies_; }  // [0] is the world
    const std::vector<Joint>& joints() const { return joints_; }
    const std::vector<Geom>& geoms() const { return geoms_; }
    const std::vector<Site>& sites() const { return sites_; }
    const std::vector<Camera>& cameras() const { return cameras_; }
    const std::vector<LoopSpec>& loops() const { return loops_; }
    const std::vector<ConstraintSpec>& constraints() const { return constraints_; }
    const std::vector<BushingSpec>& bushings() const { return bushings_; }
    const std::vector<CouplingSpec>& couplings() const { return couplings_; }
    const std::vector<TendonCouplingSpec>& tendon_couplings() const { return tendon_couplings_; }
    const std::vector<SubtreeConstraintSpec>& subtree_constraints() const { return subtree_constraints_; }
    const std::vector<GroupConstraintSpec>& group_constraints() const { return group_constraints_; }
    const std::vector<TendonSpec>& tendons() const { return tendons_; }
    const std::vector<ActuatorSpec>& actuators() const { return actuators_; }
    const std::vector<SensorSpec>& sensors() const { return sensors_; }
    const std::vector<MeshAsset>& meshes() const { return meshes_; }
    const std::vector<HeightFieldAsset>& height_fields() const { return height_fields_; }
    const std::vector<KeyframeSpec>& keyframes() const { return keyframes_; }
    const std::vector<PairSpec>& pairs() const { return pairs_; }
    const std::vector<Exclusion>& exclusions() const { return exclusions_; }

    // The specs stay editable until compile reads them; the structure does not.
    BodySpec& body(BodyId id);
    JointSpec& joint(JointId id);
    GeomSpec& geom(GeomId id);
    LoopSpec& loop(LoopId id);
    CameraSpec& camera(CameraId id);

    // The first object of that name, or an id of index -1. Linear in the number of objects: readers that look
    // up many names keep a map of their own.
    BodyId find_body(std::string_view name) const;
    JointId find_joint(std::string_view name) const;

private:
    std::vector<Body> bodies_;
    std::vector<Joint> joints_;
    std::vector<Geom> geoms_;
    std::vector<Site> sites_;
    std::vector<Camera> cameras_;
    std::vector<LoopSpec> loops_;
    std::vector<ConstraintSpec> constraints_;
    std::vector<BushingSpec> bushings_;
    std::vector<CouplingSpec> couplings_;
    std::vector<TendonCouplingSpec> tendon_couplings_;
    std::vector<SubtreeConstraintSpec> subtree_constraints_;
    std::vector<GroupConstraintSpec> group_constraints_;
    std::vector<TendonSpec> tendons_;
    std::vector<ActuatorSpec> actuators_;
    std::vector<SensorSpec> sensors_;
    std::vector<MeshAsset> meshes_;
    std::vector<HeightFieldAsset> height_fields_;
    std::vector<KeyframeSpec> keyframes_;
    std::vector<PairSpec> pairs_;
    std::vector<Exclusion> exclusions_;
};

}  // namespace lig
