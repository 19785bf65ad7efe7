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
    Limited limited = Limited::if_range_is_given;
    std::optional<std::vector<double>> range;
    Limited force_limited = Limited::if_range_is_given;
    std::optional<std::array<double, 2>> force_range;
    double ref = 0, springref = 0;
    double stiffness = 0, damping = 0, armature = 0, frictionloss = 0;
};

struct GeomFields {
    ShapeType shape = ShapeType::sphere;
    Vec3d size{0, 0, 0};
    PoseFields pose;
    std::optional<std::array<double, 6>> fromto;
    std::optional<double> mass;
    double density = 1000;
    bool shell = false;
    int contype = 1, conaffinity = 1, condim = 3, group = 0;
    Vec3d friction{1, 0.005, 0.0001};
    double margin = 0;
    std::optional<std::array<double, 4>> rgba;
    std::string mesh, hfield, material;
};

struct SiteFields {
    PoseFields pose;
    std::optional<std::array<double, 6>> fromto;
};

struct MeshFields {
    Vec3d scale{1, 1, 1};
};

struct MaterialFields {
    std::array<double, 4> rgba{1, 1, 1, 1};
};

struct EqualityFields {
    bool active = true;
};

// Each reads the attributes of one element, except `name` and `class`, which are its own.
void read_joint_fields(ElementReader& in, JointFields& fields, NotRead& notes);
void read_geom_fields(ElementReader& in, GeomFields& fields, NotRead& notes);
void read_site_fields(ElementReader& in, SiteFields& fields, NotRead& notes);
void read_mesh_fields(ElementReader& in, MeshFields& fields, NotRead& notes);
void read_material_fields(ElementReader& in, MaterialFields& fields, NotRead& notes);
void read_equality_fields(ElementReader& in, EqualityFields& fields, NotRead& notes);

// The pose of a shape between two points: in their middle, z towards the first.
Pose pose_between(const std::array<double, 6>& fromto);
double half_length(const std::array<double, 6>& fromto);

}  // namespace lig::io::mjcf
