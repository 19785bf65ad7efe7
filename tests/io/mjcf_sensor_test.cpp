// Sensors: all of the list are read and kept.

#include "io/mjcf_support.h"
#include "sensors/sensor_list.h"

using namespace lig;
using namespace lig::test;

namespace {

using Kind = ObjectRef::Kind;

const std::string bodies =
    "<worldbody><body name='b'><joint name='h' range='0 1'/><geom name='g' size='0.1'/><site name='s'/>"
    "<camera name='c' resolution='3 2'/><body name='d'><joint name='ball' type='ball'/><geom name='g2' "
    "size='0.1'/></body></body></worldbody><tendon><fixed name='t' range='0 1'><joint joint='h' "
    "coef='1'/></fixed>"
    "<fixed name='u'><joint joint='h' coef='1'/></fixed></tendon><actuator><motor name='a' "
    "joint='h'/></actuator>";

ReadMjcf read_sensor(const std::string& element) {
    return read_model(bodies + "<sensor><" + element + "/></sensor>");
}

SensorSpec only(const std::string& element) {
    CAPTURE(element);
    const ReadMjcf m = read_sensor(element);
    CHECK(m.messages() == "");
    REQUIRE(m.scene.sensors().size() == 1);
    return m.scene.sensors()[0];
}

std::string said_of(const std::string& element) {
    const std::string text = read_sensor(element).messages();
    return text.substr(text.find(' ') + 1);
}

// What a sensor must name, for every way of naming.
std::string attributes(sensors::Measures measures) {
    using enum sensors::Measures;
    switch (measures) {
        case site:
        case ray_source: return "site='s'";
        case site_seen: return "site='s' camera='c'";
        case scalar_joint:
        case limited_joint: return "joint='h'";
        case ball_joint: return "joint='ball'";
        case tendon:
        case limited_tendon: return "tendon='t'";
        case actuator: return "actuator='a'";
        case frame:
        case frame_in_frame: return "objtype='geom' objname='g2'";
        case frame_in_site: return "site='s' objtype='geom' objname='g2'";
        case subtree: return "body='d'";
        case two_shapes: return "geom1='g' body2='d'";
        case contact:
        case nothing: return "";
        case any: return "dim='2'";
    }
    return "";
}

}  // namespace

TEST_CASE("MJCF: every sensor of the list is read") {
    for (const sensors::SensorInfo& info : sensors::sensor_list) {
        const SensorSpec sensor =
            only(std::string(info.name) + " name='x' noise='0.1' user='1' " + attributes(info.measures));
        CHECK(sensor.type == info.type);
        CHECK(sensor.name == "x");
        CHECK(sensor.noise == 0.1);
    }
}

TEST_CASE("MJCF sensors name their objects") {
    CHECK(only("gyro site='s'").object == ObjectRef{Kind::site, 0});
    CHECK(only("jointpos joint='h'").object == ObjectRef{Kind::joint, 0});
    CHECK(only("ballquat joint='ball'").object == ObjectRef{Kind::joint, 1});
    CHECK(only("tendonpos tendon='u' cutoff='3'").cutoff == 3);
    CHECK(only("actuatorfrc actuator='a'").object == ObjectRef{Kind::actuator, 0});
    const SensorSpec seen = only("camprojection site='s' camera='c'");
    CHECK(seen.object == ObjectRef{Kind::site, 0});
    CHECK(seen.reference == ObjectRef{Kind::camera, 0});
    const SensorSpec framed = only("framepos objtype='body' objname='d' reftype='xbody' refname='b'");
    CHECK(framed.object == ObjectRef{Kind::body, 2});
    CHECK(framed.reference == ObjectRef{Kind::xbody, 1});
    CHECK(only("framequat objtype='xbody' objname='world'").reference.kind == Kind::none);
    CHECK(only("subtreecom body='b'").object == ObjectRef{Kind::subtree, 1});
    CHECK(only("insidesite site='s' objtype='geom' objname='g'").reference == ObjectRef{Kind::site, 0});
    const SensorSpec distance = only("distance geom1='g' body2='d'");
    CHECK(distance.object == ObjectRef{Kind::geom, 0});
    CHECK(distance.reference == ObjectRef{Kind::body, 2});
    const SensorSpec user =
        only("user dim='4' objtype='tendon' objname='u' datatype='quaternion' needstage='pos'");
    CHECK(user.count == 4);
    CHECK(user.object == ObjectRef{Kind::tendon, 1});
}

TEST_CASE("MJCF contact sensors and rangefinders choose their data") {
    const SensorSpec contact =
        only("contact geom1='g' subtree2='b' num='3' data='found force normal' reduce='maxforce'");
    CHECK(contact.object == ObjectRef{Kind::geom, 0});
    CHECK(contact.reference == ObjectRef{Kind::subtree, 1});
    CHECK(contact.count == 3);
    CHECK(contact.data == std::vector<std::string>{"found", "force", "normal"});
    CHECK(contact.reduce == "maxforce");
    const SensorSpec volume = only("contact site='s'");
    CHECK(volume.site == ObjectRef{Kind::site, 0});
    CHECK(volume.object.kind == Kind::none);
    CHECK(volume.data == std::vector<std::string>{"found"});
    CHECK(only("rangefinder camera='c' data='dist depth'").data == std::vector<std::string>{"dist", "depth"});
    CHECK(only("rangefinder site='s'").data == std::vector<std::string>{"dist"});

    CHECK(said_of("contact data='force found'") ==
          "error[E127]: <contact>: 'found' is in the wrong place (the order is found, force, torque, dist, "
          "pos, "
          "normal, tangent)\n");
    CHECK(said_of("rangefinder site='s' data='far'") ==
          "error[E127]: <rangefinder>: 'far' is not one of dist, dir, origin, point, normal, depth\n");
    CHECK(said_of("contact num='0'") == "error[E127]: <contact>: 'num' must be positive\n");
    CHECK(said_of("contact geom1='g' site='s'") ==
          "error[E127]: <contact>: it has both 'geom1' and 'site' (keep one)\n");
}

TEST_CASE("MJCF sensors that are wrong or refused") {
    CHECK(said_of("gyro") == "error[E005]: <gyro> has no attribute 'site' (add site=\"…\")\n");
    CHECK(said_of("gyro site='ss'") == "error[E084]: there is no site 'ss' (did you mean 's'?)\n");
    CHECK(said_of("jointpos joint='ball'") ==
          "error[E127]: <jointpos>: this sensor is for joints of one coordinate\n");
    CHECK(said_of("ballquat joint='h'") == "error[E127]: <ballquat>: this sensor is for balls\n");
    CHECK(said_of("jointlimitpos joint='ball'") ==
          "error[E127]: <jointlimitpos>: this sensor is for joints with limits\n");
    CHECK(said_of("tendonlimitvel tendon='u'") ==
          "error[E127]: <tendonlimitvel>: this sensor is for tendons with limits\n");
    CHECK(said_of("rangefinder") ==
          "error[E127]: <rangefinder>: it is not said what it measures (add one of 'site', 'camera')\n");
    CHECK(said_of("distance geom1='g' geom2='g'") == "error[E127]: <distance>: both objects are the same\n");
    CHECK(said_of("framequat objtype='geom' objname='g' cutoff='1'") ==
          "error[E127]: <framequat>: axes and quaternions have no cutoff (remove it)\n");
    CHECK(said_of("framepos objtype='joint' objname='h'").substr(0, 12) == "error[E008]:");
    CHECK(count_code(read_sensor("gyro site='s' noise='-1'").log, "E006") == 1);
    CHECK(count_code(read_sensor("user dim='1e9'").log, "E127") == 1);
    for (const char* kind : {"plugin", "tactile"})
        CHECK(said_of(kind) ==
              "error[U125]: sensors of kind <" + std::string(kind) + "> are not supported (remove it)\n");
    CHECK(said_of("gyroscope site='s'").substr(0, 14) == "warning[W011]:");
    // Values of an earlier time are named, for the sensor gives those of now.
    CHECK(said_of("gyro site='s' nsample='2' delay='0.1'") ==
          "warning[W093]: attribute 'delay' of <gyro> is not honoured yet\n"
          "m.xml:1:" +
              std::to_string(9 + bodies.size() + 32) +
              ": warning[W093]: attribute 'nsample' of <gyro> is not honoured yet\n");
    // An actuator that was refused is not reported again by its sensors.
    const ReadMjcf m = read_model(
        "<worldbody><body><joint name='h'/><geom size='1'/></body></worldbody><actuator><pid name='m' "
        "joint='h' kp='1'/>"
        "</actuator><sensor><actuatorpos actuator='m'/></sensor>");
    CHECK(m.log.all().size() == 1);
}
