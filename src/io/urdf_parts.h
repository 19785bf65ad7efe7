#pragma once

// The pieces the URDF reader is made of. Links and joints are read one by one, each into its own struct and
// without regard to the others; urdf.cpp then joins them to a tree.

#include <ligament/scene.h>

#include "io/package_path.h"
#include "io/xml.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lig::io::urdf {

// Elements that belong to other programs. They are not mistakes, so each kind is named once with its count.
class Extensions {
public:
    static bool is_extension(std::string_view element);
    void note(std::string_view element, SourceLocation where);
    void report(Diagnostics& log) const;

private:
    struct Kind {
        std::string element;
        SourceLocation first;
        int count;
    };
    std::vector<Kind> kinds_;  // in the order of the file
    std::unordered_map<std::string, std::size_t> index_;
};

// One asset per distinct file and scale.
class MeshTable {
public:
    MeshTable(PackagePaths paths, Diagnostics& log) : paths_(std::move(paths)), log_(log) {}

    // The name of the asset.
    std::string add(const std::string& uri, Vec3d scale, const SourceLocation& where);
    std::vector<MeshAsset>& assets() { return assets_; }

private:
    struct File {
        std::string path;  // empty if it was not found
        std::shared_ptr<const TriangleMesh> mesh;
    };
    const File& locate(const std::string& uri, const SourceLocation& where);
    std::shared_ptr<const TriangleMesh> load(const std::string& path, const SourceLocation& where);

    PackagePaths paths_;
    Diagnostics& log_;
    std::vector<MeshAsset> assets_;
    std::unordered_map<std::string, File> files_;  // by address in the model
    std::unordered_set<std::string> unread_endings_;
    std::map<std::pair<std::string, std::array<double, 3>>, std::size_t> by_content_;
    std::unordered_set<std::string> names_;
};

using Colour = std::array<double, 4>;

// What all parts of one reading share.
struct Reading {
    const XmlSource& source;
    Diagnostics& log;
    Extensions extensions;
    MeshTable meshes;
    std::unordered_map<std::string, Colour> materials;
    std::unordered_set<std::string> geom_names;

    ElementReader element(pugi::xml_node node) { return ElementReader(source, node, log); }
};

// The first child of that name; further ones are reported as not read.
pugi::xml_node only_child(Reading& reading, pugi::xml_node parent, const char* name);
// Warns of every child that is neither `known` nor part of an extension.
void check_children(Reading& reading, ElementReader& parent, std::span<const std::string_view> known);
// The pose of the child <origin>; the identity without one.
Pose read_origin(Reading& reading, pugi::xml_node parent);

// The attributes `xyz` and `rpy`, or `quat_xyzw`, of an element.
Pose read_pose(Reading& reading, ElementReader& element);
Quatd quaternion_from_rpy(const Vec3d& rpy);

struct Link {
    std::string name;
    InertialSpec inertial;
    std::vector<GeomSpec> geoms;
    SourceLocation where;
};

Link read_link(Reading& reading, pugi::xml_node node);
// Collects the colours that links refer to by name. Visuals may define further ones for those that follow.
void read_materials(Reading& reading, pugi::xml_node robot);

struct Mimic {
    std::string leader;
    double multiplier = 1;
    double offset = 0;
    SourceLocation where;
    SourceLocation where_leader;
};

struct Joint {
    std::string name;
    std::string parent, child;               // names of links; empty when missing, which has been reported
    SourceLocation where_parent, where_child;
    Pose origin;
    bool moves = false;                      // not fixed: `spec` is valid
    JointSpec spec;
    std::optional<Mimic> mimic;
    SourceLocation where;
};

Joint read_joint(Reading& reading, pugi::xml_node node);

// A joint that closes a loop between two links, or a link and the world.
struct LoopJoint {
    struct End {
        std::string link;
        SourceLocation where;
        Pose origin;          // of the joint's frame on the link
        bool is_placed = true;  // false: it is where that of the other end is at the zero configuration
        Vec3d axis{1, 0, 0};  // in that frame
    };
    std::string name;
    JointType type = JointType::fixed;
    End a, b;
    bool two_axes = false;  // one was given for each end
    SourceLocation where;
};

// urdf_loop.cpp: what closes loops in a robot, of all elements that say so.
std::vector<LoopJoint> read_loops(Reading& reading, pugi::xml_node robot);
// The same of the scene, with the poses of both bodies at the zero configuration.
LoopSpec loop_spec(const LoopJoint& loop, BodyId a, BodyId b, const Transformd& X_WA, const Transformd& X_WB);

// Reports expressions and calls that xacro would have replaced. True if the file cannot be read for them.
bool reject_xacro(Reading& reading, pugi::xml_node robot);

}  // namespace lig::io::urdf
