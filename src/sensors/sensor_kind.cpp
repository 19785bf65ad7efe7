#include "sensors/sensor_kind.h"

#include <string_view>

namespace lig::sensors {

Reading reading_of(SensorType type) {
    using enum SensorType;
    switch (type) {
        case touch:
        case rangefinder:
        case jointlimitfrc:
        case tendonlimitfrc:
        case distance:
        case normal:
        case fromto:
        case contact:
        case user: return Reading::unevaluated;
        case insidesite: return Reading::positive;
        case ballquat:
        case framequat:
        case framexaxis:
        case frameyaxis:
        case framezaxis: return Reading::direction;
        case accelerometer:
        case velocimeter:
        case gyro:
        case force:
        case torque:
        case magnetometer:
        case camprojection:
        case jointpos:
        case jointvel:
        case tendonpos:
        case tendonvel:
        case actuatorpos:
        case actuatorvel:
        case actuatorfrc:
        case jointactuatorfrc:
        case tendonactuatorfrc:
        case ballangvel:
        case jointlimitpos:
        case jointlimitvel:
        case tendonlimitpos:
        case tendonlimitvel:
        case framepos:
        case framelinvel:
        case frameangvel:
        case framelinacc:
        case frameangacc:
        case subtreecom:
        case subtreelinvel:
        case subtreeangmom:
        case e_potential:
        case e_kinetic:
        case clock: break;
    }
    return Reading::real;
}

namespace {

// The numbers of one ray of a rangefinder and of one slot of a contact sensor, by the words of MJCF.
int field_size(std::string_view field) {
    for (const std::string_view one : {"found", "dist", "depth"})
        if (field == one) return 1;
    return 3;
}

int field_sizes(const std::vector<std::string>& fields) {
    int sum = 0;
    for (const std::string& field : fields) sum += field_size(field);
    return sum == 0 ? 1 : sum;
}

}  // namespace

int reading_size(const SensorSpec& spec) {
    using enum SensorType;
    switch (spec.type) {
        case rangefinder: return field_sizes(spec.data);
        case contact: return spec.count * field_sizes(spec.data);
        case user: return spec.count;
        case camprojection: return 2;
        case ballquat:
        case framequat: return 4;
        case fromto: return 6;
        case accelerometer:
        case velocimeter:
        case gyro:
        case force:
        case torque:
        case magnetometer:
        case ballangvel:
        case framepos:
        case framexaxis:
        case frameyaxis:
        case framezaxis:
        case framelinvel:
        case frameangvel:
        case framelinacc:
        case frameangacc:
        case subtreecom:
        case subtreelinvel:
        case subtreeangmom:
        case normal: return 3;
        case touch:
        case jointpos:
        case jointvel:
        case tendonpos:
        case tendonvel:
        case actuatorpos:
        case actuatorvel:
        case actuatorfrc:
        case jointactuatorfrc:
        case tendonactuatorfrc:
        case jointlimitpos:
        case jointlimitvel:
        case jointlimitfrc:
        case tendonlimitpos:
        case tendonlimitvel:
        case tendonlimitfrc:
        case insidesite:
        case distance:
        case e_potential:
        case e_kinetic:
        case clock: break;
    }
    return 1;
}

bool needs_acceleration(SensorType type) {
    using enum SensorType;
    return type == accelerometer || type == force || type == torque || type == framelinacc ||
           type == frameangacc;
}

}  // namespace lig::sensors
