#pragma once

// The sensors, one line each, in the order of SensorType: name in MJCF, how many numbers it gives (0: the
// sensor's own data tell), what kind of object it measures.
//
//   X(name, dimension, object)

#include <ligament/drive_specs.h>

#include <string_view>

#define LIG_FOR_EACH_SENSOR(X)           \
    X(touch, 1, site)                    \
    X(accelerometer, 3, site)            \
    X(velocimeter, 3, site)              \
    X(gyro, 3, site)                     \
    X(force, 3, site)                    \
    X(torque, 3, site)                   \
    X(magnetometer, 3, site)             \
    X(camprojection, 2, site_seen)       \
    X(rangefinder, 0, ray_source)        \
    X(jointpos, 1, scalar_joint)         \
    X(jointvel, 1, scalar_joint)         \
    X(tendonpos, 1, tendon)              \
    X(tendonvel, 1, tendon)              \
    X(actuatorpos, 1, actuator)          \
    X(actuatorvel, 1, actuator)          \
    X(actuatorfrc, 1, actuator)          \
    X(jointactuatorfrc, 1, scalar_joint) \
    X(tendonactuatorfrc, 1, tendon)      \
    X(ballquat, 4, ball_joint)           \
    X(ballangvel, 3, ball_joint)         \
    X(jointlimitpos, 1, limited_joint)   \
    X(jointlimitvel, 1, limited_joint)   \
    X(jointlimitfrc, 1, limited_joint)   \
    X(tendonlimitpos, 1, limited_tendon) \
    X(tendonlimitvel, 1, limited_tendon) \
    X(tendonlimitfrc, 1, limited_tendon) \
    X(framepos, 3, frame_in_frame)       \
    X(framequat, 4, frame_in_frame)      \
    X(framexaxis, 3, frame_in_frame)     \
    X(frameyaxis, 3, frame_in_frame)     \
    X(framezaxis, 3, frame_in_frame)     \
    X(framelinvel, 3, frame_in_frame)    \
    X(frameangvel, 3, frame_in_frame)    \
    X(framelinacc, 3, frame)             \
    X(frameangacc, 3, frame)             \
    X(subtreecom, 3, subtree)            \
    X(subtreelinvel, 3, subtree)         \
    X(subtreeangmom, 3, subtree)         \
    X(insidesite, 1, frame_in_site)      \
    X(distance, 1, two_shapes)           \
    X(normal, 3, two_shapes)             \
    X(fromto, 6, two_shapes)             \
    X(contact, 0, contact)               \
    X(e_potential, 1, nothing)           \
    X(e_kinetic, 1, nothing)             \
    X(clock, 1, nothing)                 \
    X(user, 0, any)

namespace lig::sensors {

// What a sensor names, as MJCF writes it.
enum class Measures {
    site,
    site_seen,       // a site, by a camera
    ray_source,      // a site or a camera
    scalar_joint,    // of one coordinate
    ball_joint,
    limited_joint,   // any with limits
    tendon,
    limited_tendon,
    actuator,
    frame,           // of a body, geom, site or camera
    frame_in_frame,  // the same, maybe in the frame of another
    frame_in_site,   // the same, in the volume of a site
    subtree,         // a body and all below it
    two_shapes,      // geoms, or bodies for all their geoms
    contact,         // what touches: geoms, bodies, subtrees, or all inside a site
    nothing,
    any              // whatever the user says
};

struct SensorInfo {
    SensorType type;
    std::string_view name;
    int dimension;
    Measures measures;
};

inline constexpr SensorInfo sensor_list[] = {
#define LIG_SENSOR_INFO(name, dimension, object) \
    SensorInfo{SensorType::name, #name, dimension, Measures::object},
    LIG_FOR_EACH_SENSOR(LIG_SENSOR_INFO)
#undef LIG_SENSOR_INFO
};
inline constexpr int sensor_count = static_cast<int>(sizeof(sensor_list) / sizeof(sensor_list[0]));

consteval bool list_is_in_enum_order() {
    for (int i = 0; i < sensor_count; ++i)
        if (static_cast<int>(sensor_list[i].type) != i) return false;
    return true;
}
static_assert(list_is_in_enum_order(), "sensor_list.h must list the sensors in the order of SensorType");
static_assert(sensor_count == static_cast<int>(SensorType::user) + 1, "the list names every SensorType");

constexpr const SensorInfo& sensor_info(SensorType type) { return sensor_list[static_cast<int>(type)]; }

// The fields that `data` of contact sensors and rangefinders may name, in the order in which they must stand.
inline constexpr std::string_view contact_fields[] = {"found", "force", "torque", "dist",
                                                      "pos", "normal", "tangent"};
inline constexpr std::string_view ray_fields[] = {"dist", "dir", "origin", "point", "normal", "depth"};

// How the contacts of a sensor are put into its slots; none: in the order in which they are found.
inline constexpr std::string_view contact_reductions[] = {"none", "mindist", "maxforce", "netforce"};

}  // namespace lig::sensors
