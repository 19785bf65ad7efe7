#include "sensors/sensor_kind.h"

#include "sensors/sensor_list.h"
#include "sensors/sensor_stage.h"

namespace lig::sensors {

Reading reading_of(SensorType type) {
    using enum SensorType;
    switch (type) {
        case user: return Reading::unevaluated;
        case touch:
        case jointlimitfrc:
        case tendonlimitfrc:
        case insidesite: return Reading::positive;
        case normal:
        case fromto: return Reading::free;
        case ballquat:
        case framequat:
        case framexaxis:
        case frameyaxis:
        case framezaxis: return Reading::direction;
        default: return Reading::real;
    }
}

namespace {

// Of one ray of a rangefinder or one slot of a contact sensor.
int size_of_fields(const std::vector<std::string>& fields) {
    int sum = 0;
    for (const std::string& field : fields) {
        const bool is_number = field == "found" || field == "dist" || field == "depth";
        sum += is_number ? 1 : 3;
    }
    return sum == 0 ? 1 : sum;
}

}  // namespace

int reading_size(const SensorSpec& spec, const CameraSpec* camera) {
    if (const int own = sensor_info(spec.type).dimension; own > 0) return own;
    if (spec.type == SensorType::user) return spec.count;
    const int fields = size_of_fields(spec.data);
    if (spec.type == SensorType::contact) return spec.count * fields;
    return camera ? camera->resolution[0] * camera->resolution[1] * fields : fields;
}

bool needs_acceleration(SensorType type) {
    using enum SensorType;
    return type == accelerometer || type == force || type == torque || type == framelinacc ||
           type == frameangacc;
}

Stage stage_of(SensorType type) {
    using enum SensorType;
    return needs_acceleration(type) || type == touch || type == contact || type == jointlimitfrc ||
                   type == tendonlimitfrc
               ? Stage::forces
               : Stage::motion;
}

}  // namespace lig::sensors
