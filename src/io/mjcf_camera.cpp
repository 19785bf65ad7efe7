// From the attributes of a camera to a CameraSpec: pose, lens and sensor, and what it is aimed at.

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"

namespace lig::io::mjcf {

namespace {

// Lengths on the image, in metres; the pixels of the sensor have the size of the sensor over the resolution.
std::array<double, 2> on_sensor(const CameraFields& fields,
                                const std::optional<std::array<double, 2>>& metres,
                                const std::optional<std::array<double, 2>>& pixels) {
    if (!pixels) return metres.value_or(std::array<double, 2>{0, 0});
    std::array<double, 2> lengths;
    for (int i = 0; i < 2; ++i) lengths[i] = (*pixels)[i] / fields.resolution[i] * fields.sensor_size[i];
    return lengths;
}

void check_camera(ElementReader& in, const CameraFields& fields) {
    const auto report = [&](const char* attribute, const std::string& what, std::string hint = {}) {
        in.log().report(codes::E128, in.where(attribute), in.label() + ": " + what, std::move(hint));
    };
    const bool has_sensor = fields.sensor_size[0] > 0 && fields.sensor_size[1] > 0;
    const bool has_lens = fields.focal || fields.focal_pixel || fields.principal || fields.principal_pixel;
    if (in.has("fovy") && in.has("sensorsize"))
        report("fovy", "it has both 'fovy' and 'sensorsize'", "keep one");
    if (has_lens && !has_sensor)
        report("focal", "focal lengths and principal points need a positive 'sensorsize'",
               "add sensorsize=\"…\"");
    if (has_sensor && !fields.focal && !fields.focal_pixel)
        report("sensorsize", "a sensor needs a focal length", "add focal=\"…\" or focalpixel=\"…\"");
    if (!fields.orthographic && (fields.fovy < 0 || fields.fovy >= 180))
        report("fovy", "the field of view must lie between 0 and 180 degrees");
}

// A camera that has nothing to look at stays as it is, as in MuJoCo.
CameraMode mode_in_force(ElementReader& in, const CameraFields& fields) {
    if (fields.mode < CameraMode::targetbody || in.has("target")) return fields.mode;
    in.log().report(codes::W094, in.where("mode"),
                    in.label() + ": this mode has no effect without a 'target'", "add target=\"…\"");
    return CameraMode::fixed;
}

}  // namespace

CameraSpec make_camera(Context& context, ElementReader& in, const CameraFields& fields, const Pose& frame) {
    check_camera(in, fields);
    CameraSpec camera;
    camera.where = in.where();
    camera.pose = compose(frame, to_pose(fields.pose, context.settings));
    camera.mode = mode_in_force(in, fields);
    camera.orthographic = fields.orthographic;
    camera.fovy = fields.fovy;
    camera.resolution = fields.resolution;
    camera.sensor_size = fields.sensor_size;
    camera.focal_length = on_sensor(fields, fields.focal, fields.focal_pixel);
    camera.principal_point = on_sensor(fields, fields.principal, fields.principal_pixel);
    return camera;
}

void resolve_camera_targets(Context& context) {
    for (const auto& [camera, element] : context.aimed_cameras) {
        ElementReader in = context.document.reader(element);
        context.scene.camera(camera).target = {context.bodies.find(in, "target")};
    }
}

}  // namespace lig::io::mjcf
