#include "io/mjcf_ignored.h"

#include "io/mjcf_values.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace lig::io::mjcf {

namespace {

struct KnownElement {
    std::string_view parent, name;
    std::initializer_list<const char*> attributes;
};

const KnownElement known_elements[] = {
    {"mujoco",
     "size",
     {"memory", "njmax", "nconmax", "nstack", "nuserdata", "nkey", "nuser_body", "nuser_jnt", "nuser_geom",
      "nuser_site", "nuser_cam", "nuser_tendon", "nuser_actuator", "nuser_sensor"}},
    {"mujoco", "statistic", {"meaninertia", "meanmass", "meansize", "extent", "center"}},
    {"mujoco", "visual", {}},
    {"visual",
     "global",
     {"cameraid", "orthographic", "fovy", "ipd", "azimuth", "elevation", "linewidth", "glow", "offwidth",
      "offheight", "realtime", "ellipsoidinertia", "bvactive", "treedepth"}},
    {"visual", "quality", {"shadowsize", "offsamples", "numslices", "numstacks", "numquads"}},
    {"visual", "headlight", {"ambient", "diffuse", "specular", "active"}},
    {"visual",
     "map",
     {"stiffness", "stiffnessrot", "force", "torque", "alpha", "fogstart", "fogend", "znear", "zfar", "haze",
      "shadowclip", "shadowscale", "actuatortendon"}},
    {"visual",
     "scale",
     {"forcewidth", "contactwidth", "contactheight", "connect", "com", "camera", "light", "selectpoint",
      "jointlength", "jointwidth", "actuatorlength", "actuatorwidth", "framelength", "framewidth",
      "constraint", "slidercrank", "frustum"}},
    {"visual",
     "rgba",
     {"fog", "haze", "force", "inertia", "joint", "actuator", "actuatornegative", "actuatorpositive", "com",
      "camera", "light", "selectpoint", "connect", "contactpoint", "contactforce", "contactfriction",
      "contacttorque", "contactgap", "rangefinder", "constraint", "slidercrank", "crankbroken", "frustum",
      "bv", "bvactive"}},
    {"mujoco", "custom", {}},
    {"custom", "numeric", {"name", "size", "data"}},
    {"custom", "text", {"name", "data"}},
    {"custom", "tuple", {"name"}},
    {"tuple", "element", {"objtype", "objname", "prm"}},
};

const KnownElement* find_known(std::string_view parent, std::string_view name) {
    for (const KnownElement& known : known_elements)
        if (known.parent == parent && known.name == name) return &known;
    return nullptr;
}

void check(Context& context, int element, std::string_view parent) {
    ElementReader in = context.document.reader(element);
    if (const KnownElement* known = find_known(parent, in.name())) {
        in.ignore(known->attributes);
        in.warn_unknown();
        return;
    }
    std::vector<std::string_view> names;
    for (const KnownElement& known : known_elements)
        if (known.parent == parent) names.push_back(known.name);
    report_unknown_element(in, parent, names);
}

}  // namespace

void check_ignored(Context& context, int element, std::string_view parent) {
    // The table is three levels deep at most: what is below an unknown element is not looked at.
    struct Pending {
        int element;
        std::string_view parent;
    };
    std::vector<Pending> pending{{element, parent}};
    while (!pending.empty()) {
        const Pending current = pending.back();
        pending.pop_back();
        check(context, current.element, current.parent);
        const std::string_view name = context.document.name(current.element);
        if (!find_known(current.parent, name)) continue;
        const std::size_t first = pending.size();
        for (const int child : context.document.children(current.element)) pending.push_back({child, name});
        std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());
    }
}

}  // namespace lig::io::mjcf
