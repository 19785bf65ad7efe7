#pragma once

// The attributes of the elements that default classes may preset. A struct holds them as written (angles in
// the file's unit) and starts with MuJoCo's defaults; a class is a copy of its parent's with some replaced,
// an element a copy of its class with some replaced. So each attribute is read and checked once, where it
// stands.

#include "io/mjcf_limits.h"
#include "io/mjcf_orientation.h"

#include <ligament/scene.h>

#include <array>
#include <optional>
#include <string>

namespace lig::io::mjcf {

struct JointFields {
    JointType type = JointType::hinge;
    Vec3d pos{0, 0, 0};
    Vec3d axis{0, 0, 1};
    Vec3d axis2{0, 1, 0};
    double pitch = 0;
    std::optional<double> velocity_limit;
    Limited limited = Limited::if_range_is_given;
    std::optional<std::vector<double>> range;  // as in RangeFields, two numbers per coordinate
    RangeFields force;
    // Our own limits of balls: the largest angle of rotation, the largest angle of the axis from where it
    // was, the range of the angle about the axis. In the unit of the file, like all angles.
    std::optional<double> cone, swing;
    std::optional<std::array<double, 2>> twist;
    double ref = 0, springref = 0, margin = 0;
    std::array<double, 3> stiffness{0, 0, 0}, damping{0, 0, 0};
    std::optional<Vec3d> axis_stiffness;  // of balls, our own
    Quatd stiffness_axes{1, 0, 0, 0};
    std::array<double, 2> springdamper{0, 0};  // 0: not given
    double armature = 0, frictionloss = 0;
    bool actuators_carry_gravity = false;
    Softness soft_limit, soft_friction;
    int group = 0;
};

struct GeomFields {
    ShapeType shape = ShapeType::sphere;
    Vec3d size{0, 0, 0};
    PoseFields pose;
    std::optional<std::array<double, 6>> fromto;
    std::optional<double> mass;
    double density = 1000;
    bool shell = false;
    int contype = 1, conaffinity = 1, condim = 3, group = 0, priority = 0;
    Vec3d friction{1, 0.005, 0.0001};
    double restitution = 0;  // our own
    double margin = 0, gap = 0, adhesion = 0, solmix = 1;
    Softness soft;
    bool has_fluid_forces = false;
    FluidSpec fluid;
    std::optional<std::array<double, 4>> rgba;
    std::string mesh, hfield, material;
    double fit_scale = 1;
};

struct SiteFields {
    PoseFields pose;
    std::optional<std::array<double, 6>> fromto;
    ShapeType shape = ShapeType::sphere;
    Vec3d size{0.005, 0.005, 0.005};
    int group = 0;
    std::optional<std::array<double, 4>> rgba;
    std::string material;
};

struct CameraFields {
    PoseFields pose;
    CameraMode mode = CameraMode::fixed;
    bool orthographic = false;
    double fovy = 45;
    std::array<int, 2> resolution{1, 1};
    std::array<double, 2> sensor_size{0, 0};
    // Pixels win over metres.
    std::optional<std::array<double, 2>> focal, focal_pixel, principal, principal_pixel;
};

struct MeshFields {
    std::string content_type;
    Vec3d scale{1, 1, 1};
    Vec3d ref_pos{0, 0, 0};
    Quatd ref_quat{1, 0, 0, 0};
    MeshInertia inertia = MeshInertia::legacy;
    int max_hull_vertices = -1;
};

struct MaterialFields {
    std::array<double, 4> rgba{1, 1, 1, 1};
};

struct EqualityFields {
    bool active = true;
    Softness soft;
};

// Each reads the attributes of one element, except `name` and `class`, which are its own.
void read_joint_fields(ElementReader& in, JointFields& fields, NotRead& notes);
void read_geom_fields(ElementReader& in, GeomFields& fields, NotRead& notes);
void read_site_fields(ElementReader& in, SiteFields& fields, NotRead& notes);
void read_camera_fields(ElementReader& in, CameraFields& fields);
// Lights are only for drawing: their attributes are known and have no effect.
void read_light(ElementReader& in);
void read_mesh_fields(ElementReader& in, MeshFields& fields, NotRead& notes);
void read_material_fields(ElementReader& in, MaterialFields& fields, NotRead& notes);
void read_equality_fields(ElementReader& in, EqualityFields& fields, NotRead& notes);

// The pose of a shape between two points: in their middle, z towards the first.
Pose pose_between(const std::array<double, 6>& fromto);
double half_length(const std::array<double, 6>& fromto);

}  // namespace lig::io::mjcf
