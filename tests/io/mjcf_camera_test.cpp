// Cameras, lights, sites.

#include "io/mjcf_support.h"

using namespace lig;
using namespace lig::test;

namespace {

ReadMjcf read_camera(const std::string& attributes, const std::string& presets = "") {
    return read_model((presets.empty() ? "" : "<default><camera " + presets + "/></default>") +
                      "<worldbody><body name='a' pos='1 0 0'><camera " + attributes +
                      "/></body><body name='z'/></worldbody>");
}

CameraSpec only(const std::string& attributes, const std::string& presets = "") {
    CAPTURE(attributes);
    const ReadMjcf m = read_camera(attributes, presets);
    CHECK(m.messages() == "");
    REQUIRE(m.scene.cameras().size() == 1);
    CHECK(m.scene.cameras()[0].body.index == 1);
    return m.scene.cameras()[0].spec;
}

std::string said_of(const std::string& attributes) {
    const std::string text = read_camera(attributes).messages();
    return text.substr(text.find(' ') + 1);
}

ReadMjcf read_site(const std::string& attributes) {
    return read_model("<asset><material name='red' rgba='1 0 0 1'/></asset><worldbody><site name='s' " +
                      attributes + "/></worldbody>");
}

}  // namespace

TEST_CASE("MJCF cameras") {
    const CameraSpec plain =
        only("name='c' pos='0 0 1' euler='90 0 0' fovy='60' ipd='0.1' output='rgb' user='1'");
    CHECK(plain.name == "c");
    CHECK(plain.fovy == 60);
    CHECK(plain.mode == CameraMode::fixed);
    CHECK(plain.target.index == -1);
    check_vec(plain.pose.pos, {0, 0, 1});
    check_quat(plain.pose.quat, {std::sqrt(0.5), std::sqrt(0.5), 0, 0});
    // The target stands behind the camera in the file.
    const CameraSpec aimed = only("mode='targetbodycom' target='z'");
    CHECK(aimed.mode == CameraMode::targetbodycom);
    CHECK(aimed.target.index == 2);
    CHECK(only("projection='orthographic' fovy='200'").orthographic);
    CHECK(only("", "fovy='30' mode='track'").fovy == 30);
}

TEST_CASE("MJCF cameras with a lens: lengths in metres and in pixels") {
    // Computed with MuJoCo 3.14: cam_intrinsic, which it keeps in single precision.
    const CameraSpec metres = only(
        "focal='0.03 0.04' principal='0.001 0.002' sensorsize='0.02 0.01' resolution='640 480'", "fovy='30'");
    CHECK(metres.resolution == std::array<int, 2>{640, 480});
    CHECK(metres.sensor_size == std::array<double, 2>{0.02, 0.01});
    CHECK(metres.focal_length == std::array<double, 2>{0.03, 0.04});
    CHECK(metres.principal_point == std::array<double, 2>{0.001, 0.002});
    const CameraSpec pixels = only(
        "focalpixel='600 500' focal='1 1' principalpixel='10 20' sensorsize='0.02 0.01' resolution='640 "
        "480'");
    CHECK(pixels.focal_length[0] == doctest::Approx(0.01875000074505806).epsilon(1e-7));
    CHECK(pixels.focal_length[1] == doctest::Approx(0.010416666977107525).epsilon(1e-7));
    CHECK(pixels.principal_point[0] == doctest::Approx(0.0003124999930150807).epsilon(1e-7));
    CHECK(pixels.principal_point[1] == doctest::Approx(0.00041666667675599456).epsilon(1e-7));
}

TEST_CASE("MJCF cameras that make no sense") {
    CHECK(said_of("focal='1 1'") ==
          "error[E128]: <camera>: focal lengths and principal points need a positive 'sensorsize' (add "
          "sensorsize=\"…\")\n");
    CHECK(said_of("sensorsize='1 1'") ==
          "error[E128]: <camera>: a sensor needs a focal length (add focal=\"…\" or focalpixel=\"…\")\n");
    CHECK(said_of("fovy='190'") ==
          "error[E128]: <camera>: the field of view must lie between 0 and 180 degrees\n");
    CHECK(said_of("fovy='30' sensorsize='1 1' focal='1 1'") ==
          "error[E128]: <camera>: it has both 'fovy' and 'sensorsize' (keep one)\n");
    CHECK(said_of("mode='targetbody'") ==
          "warning[W094]: <camera>: this mode has no effect without a 'target' (add target=\"…\")\n");
    CHECK(read_camera("mode='targetbody'").scene.cameras().at(0).spec.mode == CameraMode::fixed);
    CHECK(said_of("mode='targetbody' target='zz'") ==
          "error[E084]: there is no body 'zz' (did you mean 'z'?)\n");
    CHECK(count_code(read_camera("resolution='0 1'").log, "E006") == 1);
}

TEST_CASE("MJCF lights have no effect and are known") {
    CHECK(read_world("<light name='l' directional='true' pos='0 0 1' dir='0 0 -1' castshadow='false'/>")
              .messages() == "");
    CHECK(count_code(read_world("<light colour='red'/>").log, "W010") == 1);
}

TEST_CASE("MJCF sites have a shape and a colour") {
    const ReadMjcf m = read_site("type='capsule' size='0.1' fromto='0 0 0 1 0 0' group='3' material='red'");
    CHECK(m.messages() == "");
    const SiteSpec& site = m.site("s");
    CHECK(site.shape == ShapeType::capsule);
    check_vec(site.size, {0.1, 0.5, 0});
    check_vec(site.pose.pos, {0.5, 0, 0});
    CHECK(site.group == 3);
    CHECK(site.rgba == std::array<double, 4>{1, 0, 0, 1});
    check_vec(read_site("type='box' size='0.1 0.2'").site("s").size, {0.1, 0.2, 0.005});
    CHECK(count_code(read_site("fromto='0 0 0 1 0 0'").log, "E087") == 1);
    CHECK(count_code(read_site("size='0'").log, "E087") == 1);
    CHECK(count_code(read_site("type='plane'").log, "E008") == 1);
}
