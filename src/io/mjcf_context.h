#pragma once

// What the parts of the MJCF reader share while one file is being read.

#include "io/mjcf_defaults.h"
#include "io/mjcf_document.h"
#include "io/mjcf_not_read.h"
#include "io/mjcf_settings.h"

#include <ligament/scene.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lig::io::mjcf {

// The names of one kind of object.
class NameTable {
public:
    explicit NameTable(std::string_view kind) : kind_(kind) {}

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

private:
    struct Entry {
        int index;
        SourceLocation where;
    };
    std::string_view kind_;
    std::unordered_map<std::string, Entry> entries_;
};

struct Context {
    Context(const XmlSource& main, Diagnostics& diagnostics)
        : document(main, diagnostics), log(diagnostics) {}

    Document document;
    Diagnostics& log;
    Settings settings;
    DefaultClasses defaults;
    NotRead notes;
    Scene scene;

    NameTable bodies{"body"}, joints{"joint"}, geoms{"geom"}, sites{"site"};
    NameTable tendons{"tendon"}, actuators{"actuator"}, cameras{"camera"}, sensors{"sensor"};
    NameTable equalities{"equality"};
    NameTable meshes{"mesh"}, hfields{"hfield"}, materials{"material"};
    std::vector<std::array<double, 4>> material_colours;
    std::vector<Pose> X_WB;  // of every body at the reference configuration
    bool gravity_is_off = false;
    std::vector<std::pair<CameraId, int>> aimed_cameras;  // and their elements
};

void read_asset(Context& context, int section);
void read_worldbody(Context& context, int section);
void read_contact(Context& context, int section);
void read_equality(Context& context, int section);
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
