#pragma once

// What the parts of the MJCF reader share while one file is being read.

#include "geometry/mesh_mass.h"
#include "io/mjcf_assembly.h"
#include "io/mjcf_defaults.h"
#include "io/mjcf_document.h"
#include "io/mjcf_not_read.h"
#include "io/mjcf_settings.h"

#include <ligament/scene.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace lig::io::mjcf {

// The names of one kind of object.
class NameTable {
public:
    // While *pattern_depth is not 0, names are those of patterns, which give way to others; see Assembly.
    explicit NameTable(std::string_view kind, const int* pattern_depth = nullptr)
        : kind_(kind), pattern_depth_(pattern_depth) {}

    // The index of an object that was left out after an error: references to it are not reported as well.
    static constexpr int left_out = -2;

    // Unnamed objects are not entered. A name that is taken already is an error.
    void add(const std::string& name, int index, SourceLocation where, Diagnostics& log);
    // The object that an attribute names; -1 after an error when there is none. An absent attribute gives -1
    // without a word.
    int find(ElementReader& in, const char* attribute) const;
    // The same for a name that may come from a default class.
    int find(const std::string& name, SourceLocation where, Diagnostics& log) const;
    // The index, or -1.
    int lookup(const std::string& name) const;
    bool has(const std::string& name) const { return lookup(name) != -1; }
    // All names with what a list holds for them, sorted.
    template <class T>
    std::vector<std::pair<std::string, T>> named(const std::vector<T>& list) const {
        std::vector<std::pair<std::string, T>> all;
        for (const auto& [name, entry] : entries_) all.emplace_back(name, list[entry.index]);
        std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        return all;
    }

private:
    struct Entry {
        int index;
        SourceLocation where;
        bool pattern;
    };
    std::string_view kind_;
    const int* pattern_depth_;
    std::unordered_map<std::string, Entry> entries_;
};

// A <frame> with a name: everything that was read inside it.
struct NamedFrame {
    std::string name;
    BodyId body;
    TreeMark begin, end;
    bool open = true;  // still being read
};

class AttachedModels;

// What a few letters can ask for, counted over all files together.
struct Budget {
    int models = 0;            // files to attach
    std::size_t geometry = 0;  // faces of all meshes, points of all height fields
};

struct Context {
    // `attached_by` is the reader of the file that attaches this one.
    Context(const XmlSource& main, Diagnostics& diagnostics, const Context* attached_by = nullptr);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    Document document;
    Diagnostics& log;
    const Context* attached_by;
    std::shared_ptr<Budget> budget;
    Settings settings;
    DefaultClasses defaults;
    NotRead notes;
    Scene scene;

    int pattern_depth = 0;  // how many <replicate> are open
    NameTable bodies{"body", &pattern_depth}, joints{"joint", &pattern_depth}, geoms{"geom", &pattern_depth};
    NameTable sites{"site", &pattern_depth}, cameras{"camera", &pattern_depth};
    NameTable frame_names{"frame", &pattern_depth};
    NameTable tendons{"tendon"}, actuators{"actuator"}, sensors{"sensor"};
    NameTable equalities{"equality"}, loops{"loop"}, bushings{"bushing"};
    NameTable meshes{"mesh"}, hfields{"hfield"}, materials{"material"};
    std::vector<std::array<double, 4>> material_colours;
    // Mesh files that were read already, by path and content type; empty when they could not be.
    std::map<std::pair<std::string, std::string>, std::shared_ptr<const TriangleMesh>> mesh_files;
    std::set<int> absent_meshes;  // whose files were not found
    std::map<int, std::variant<geometry::MeshBody, geometry::MeshFault>> mesh_bodies;  // fitted to, by mesh
    std::vector<Pose> X_WB;  // of every body at the reference configuration
    std::vector<NamedFrame> frames;
    Assembly assembly;
    std::unique_ptr<AttachedModels> models;
    std::vector<std::pair<CameraId, int>> aimed_cameras;  // and their elements
};

// Whether the joint that an attribute names is one that closes a loop; joints of the tree come first.
inline bool closes_loop(const Context& context, ElementReader& in, const char* attribute) {
    const std::string name = in.text_or(attribute, "");
    return !context.joints.has(name) && context.loops.has(name);
}

// Whether a mesh or height field of so many faces, vertices or points may be added; otherwise an error.
bool take_geometry(Context& context, std::size_t count, const SourceLocation& where);

// Everything in the file; the result is context.scene.
void read_document(Context& context);

void read_asset(Context& context, int section);
void read_worldbody(Context& context, int section);
// <model> in <asset>, and <attach>, which puts it at a place in the tree.
void read_model_asset(Context& context, int element);
void read_attach(Context& context, int element, BodyId parent, const Pose& frame);
void read_contact(Context& context, int section);
void read_loops(Context& context, int section);  // of <equality>
void read_equality(Context& context, int section);
void read_force(Context& context, int section);
void read_keyframe(Context& context, int section);
void read_tendon(Context& context, int section);
void read_actuator(Context& context, int section);
void read_sensor(Context& context, int section);
// Planes and height fields may only be on bodies that cannot move.
void check_static_shapes(Context& context);

// The joint and the geom that an element and its class describe; `frame` is the pose of the frame the element
// stands in.
JointSpec make_joint(Context& context, ElementReader& in, const JointFields& fields, const Pose& frame);
GeomSpec make_geom(Context& context, ElementReader& in, const GeomFields& fields, const Pose& frame);
SiteSpec make_site(Context& context, ElementReader& in, const SiteFields& fields, const Pose& frame);
CameraSpec make_camera(Context& context, ElementReader& in, const CameraFields& fields, const Pose& frame);
// The bodies that cameras look at, which may stand behind them in the file.
void resolve_camera_targets(Context& context);

}  // namespace lig::io::mjcf
