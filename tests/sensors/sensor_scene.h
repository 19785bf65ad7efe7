#pragma once

// A model with every sensor that is evaluated, and what MuJoCo 3.14 reads there in two states. The limits'
// readings are of its run with limits, all others of its run without.

#include <ligament/model.h>

#include <string_view>
#include <vector>

namespace lig::test {

using Kind = ObjectRef::Kind;

struct NamedObject {
    Kind kind;
    std::string_view name;
};

struct SensorRow {
    const char* name;
    SensorType type;
    NamedObject object, reference;
    double cutoff;
    std::vector<double> first, second;  // the readings in both states
};

namespace sensor_states {
constexpr double q[2][13] = {{0.2, -0.3, 1.4, 0.7035264706814484, 0.30151134457776363, -0.40201512610368484,
        // clang-format off: rows of numbers
                              0.502518907629606, 0.8988771049900602, 0.2996257016633534,
                               -0.19975046777556893, 0.24968808471946116,
                              0.63, -0.11},
                             {0.2, -0.3, 1.4, 0.7035264706814484, 0.30151134457776363, -0.40201512610368484,
                              0.502518907629606, 0.9934832980197044, 0.05017592414240932,
                               -0.10035184828481863, 0.020070369656963724,
                              -0.48, 0.31}};
constexpr double v[11] = {0.7, -1.1, 0.4, 2.0, -1.5, 0.8, 1.2, -0.5, 0.9, -1.7, 0.6};
constexpr double ctrl[3] = {0.8, 0.3, -1.5};
}  // namespace sensor_states

inline const std::vector<SensorRow>& sensor_rows() {
    static const std::vector<SensorRow> rows{
        {"jp", SensorType::jointpos, {Kind::joint, "elbow"}, {Kind::none, ""}, 0, {0.63}, {-0.48}},
        {"jv", SensorType::jointvel, {Kind::joint, "reach"}, {Kind::none, ""}, 0, {0.6}, {0.6}},
        {"tp", SensorType::tendonpos, {Kind::tendon, "cable"}, {Kind::none, ""}, 0, {0.395}, {-0.595}},
        {"tv", SensorType::tendonvel, {Kind::tendon, "cable"}, {Kind::none, ""}, 0, {-1.46}, {-1.46}},
        {"ap", SensorType::actuatorpos, {Kind::actuator, "m2"}, {Kind::none, ""}, 0, {0.395}, {-0.595}},
        {"av", SensorType::actuatorvel, {Kind::actuator, "m1"}, {Kind::none, ""}, 0, {-5.1}, {-5.1}},
        {"af", SensorType::actuatorfrc, {Kind::actuator, "m2"}, {Kind::none, ""}, 0, {-0.4400000000000004},
         {19.36}},
        {"jaf", SensorType::jointactuatorfrc, {Kind::joint, "elbow"}, {Kind::none, ""}, 0,
         {1.9240000000000002}, {9.844}},
        {"taf", SensorType::tendonactuatorfrc, {Kind::tendon, "cable"}, {Kind::none, ""}, 0,
         {-1.9400000000000004}, {17.86}},
        {"bq", SensorType::ballquat, {Kind::joint, "ball"}, {Kind::none, ""}, 0, {0.8988771049900602,
         0.2996257016633534, -0.19975046777556893, 0.24968808471946116}, {0.9934832980197044,
         0.05017592414240932, -0.10035184828481863, 0.020070369656963724}},
        {"bv", SensorType::ballangvel, {Kind::joint, "ball"}, {Kind::none, ""}, 0, {1.2, -0.5, 0.9}, {1.2,
         -0.5, 0.9}},
        {"acc", SensorType::accelerometer, {Kind::site, "imu"}, {Kind::none, ""}, 0, {-0.7930590303178462,
         5.485395086966399, 0.2348180903109598}, {5.136187929427269, -6.449975974715828,
         -0.9460482317369869}},
        {"vel", SensorType::velocimeter, {Kind::site, "tip"}, {Kind::none, ""}, 0, {-2.270759387958197,
         2.055711153985614, 1.7227556504824793}, {-2.9692640545182387, -1.2625805617705765,
         3.722119547850839}},
        {"gyro", SensorType::gyro, {Kind::site, "wrist"}, {Kind::none, ""}, 0, {-2.4972598225797724,
         -2.6033359943793757, 1.9627264655698207}, {-2.1553822391414807, -3.196774661017213,
         1.4112568786458775}},
        {"mag", SensorType::magnetometer, {Kind::site, "imu"}, {Kind::none, ""}, 0, {0.38160676532769555,
         0.03192389006342494, 0.45095137420718817}, {0.38160676532769555, 0.03192389006342494,
         0.45095137420718817}},
        {"force", SensorType::force, {Kind::site, "wrist"}, {Kind::none, ""}, 0, {3.280357297089424,
         -1.7526810678230444, 2.7876939608249667}, {-0.060394932461625306, -19.603166984775466,
         -3.6582806362040694}},
        {"torque", SensorType::torque, {Kind::site, "wrist"}, {Kind::none, ""}, 0, {0.85229185167709,
         0.4812431943335785, 1.0409298180135904}, {7.612225357935763, 1.353402430951514, 1.8904628931765666}},
        {"postforce", SensorType::force, {Kind::site, "post"}, {Kind::none, ""}, 0, {17.302105263157895,
         2.772631578947369, 23.257894736842104}, {17.302105263157895, 2.772631578947369, 23.257894736842104}},
        {"roottorque", SensorType::torque, {Kind::site, "imu"}, {Kind::none, ""}, 0,
         {-2.4484925785500295e-15, -2.027608221954455e-15, 1.7136287897051948e-15}, {1.785885199541825e-14,
         -1.9952354589202735e-15, -2.3725190142155514e-14}},
        {"p_body", SensorType::framepos, {Kind::body, "root"}, {Kind::none, ""}, 0, {0.22464646464646465,
         -0.3891919191919192, 1.4658585858585857}, {0.22464646464646465, -0.3891919191919192,
         1.4658585858585857}},
        {"q_body", SensorType::framequat, {Kind::body, "root"}, {Kind::none, ""}, 0, {0.786584956999537,
         0.5603070926572044, 0.17240218235606297, 0.19395245515057086}, {0.786584956999537,
         0.5603070926572044, 0.17240218235606297, 0.19395245515057086}},
        {"p_geom", SensorType::framepos, {Kind::geom, "shell"}, {Kind::none, ""}, 0, {0.1398989898989899,
         -0.16262626262626262, 1.3959595959595958}, {0.1398989898989899, -0.16262626262626262,
         1.3959595959595958}},
        {"q_geom", SensorType::framequat, {Kind::geom, "shell"}, {Kind::none, ""}, 0, {0.7126829645199947,
         -0.420599782339669, -0.11683327287213027, 0.5491163824990123}, {0.7126829645199947,
         -0.420599782339669, -0.11683327287213027, 0.5491163824990123}},
        {"p_cam", SensorType::framepos, {Kind::camera, "ptarget"}, {Kind::none, ""}, 0, {0.2231578947368421,
         -1.1421052631578947, 1.8252631578947367}, {0.2231578947368421, -1.1421052631578947,
         1.8252631578947367}},
        {"x_cam", SensorType::framexaxis, {Kind::camera, "ptarget"}, {Kind::none, ""}, 0,
         {0.9809376353634516, 0.19432281267921148, 0}, {0.8553743696825713, 0.518010316200502, 0}},
        {"y_cam", SensorType::frameyaxis, {Kind::camera, "ptargetcom"}, {Kind::none, ""}, 0,
         {-0.041211858305131584, 0.1692896748077407, 0.9847043153853483}, {-0.03911381796574648,
         0.14528778583504567, 0.9886159863826259}},
        {"q_cam", SensorType::framequat, {Kind::camera, "ptarget"}, {Kind::none, ""}, 0,
         {0.9233805168766387, 0.10259783520851541, -0.3077935056255462, 0.20519567041703082},
         {0.9233805168766387, 0.10259783520851541, -0.3077935056255462, 0.20519567041703082}},
        {"p_track", SensorType::framepos, {Kind::camera, "track"}, {Kind::none, ""}, 0,
         {0.23999999999999994, -0.5, 2.68}, {0.23999999999999994, -0.5, 2.68}},
        {"z_track", SensorType::framezaxis, {Kind::camera, "track"}, {Kind::none, ""}, 0,
         {-0.10574712643678166, -0.9885057471264367, -0.10804597701149454}, {-0.10574712643678166,
         -0.9885057471264367, -0.10804597701149454}},
        {"p_trackcom", SensorType::framepos, {Kind::camera, "trackcom"}, {Kind::none, ""}, 0,
         {-0.2772892870826526, -0.3639200990526979, 2.6401810402890455}, {-0.3054092369250446,
         -0.38420148595040543, 2.675289312722697}},
        {"v_track", SensorType::framelinvel, {Kind::camera, "trackcom"}, {Kind::none, ""}, 0,
         {0.5826315728582007, -4.035429757405849, 0.20353541470416833}, {0.6181559009004867,
         -4.149250658077112, 0.1662364162045867}},
        {"rp", SensorType::framepos, {Kind::site, "tip"}, {Kind::body, "shoulder"}, 0, {0.0675325531786439,
         0.23306351976835837, 0.19687673542826023}, {-0.168210900221684, 0.028059322960369216,
         0.671678122626418}},
        {"rq", SensorType::framequat, {Kind::xbody, "arm"}, {Kind::site, "imu"}, 0, {0.8859313349463622,
         0.12830167274431692, 0.4267935332541014, -0.1284975894857436}, {0.8179819231666545,
         -0.3211404036538398, 0.12380115027997035, -0.46092048088904247}},
        {"rz", SensorType::framezaxis, {Kind::body, "arm"}, {Kind::geom, "shell"}, 0, {-0.2946438586937735,
         -0.7213275668753432, 0.6267946536145159}, {-0.3361332759192677, -0.7789862609974096,
         -0.5293343234639682}},
        {"lv", SensorType::framelinvel, {Kind::body, "arm"}, {Kind::none, ""}, 0, {1.349834772988129,
         -2.4954921977890048, 0.37196272933576513}, {2.338910381952455, -3.398105313273364,
         -1.2683011207826211}},
        {"wv", SensorType::frameangvel, {Kind::xbody, "arm"}, {Kind::none, ""}, 0, {2.45907225003845,
         0.776774431612953, 4.068754723686055}, {3.4084901354435297, 0.12921270886376923, 3.552346103249214}},
        {"rlv", SensorType::framelinvel, {Kind::site, "tip"}, {Kind::site, "imu"}, 0, {0.11356176428554907,
         0.3982351437487508, 1.1046649336469752}, {-0.5039147095284763, 1.7394250552307082,
         0.9456070811407284}},
        {"rwv", SensorType::frameangvel, {Kind::body, "arm"}, {Kind::camera, "fixed"}, 0,
         {1.5322806788362575, -1.5892127773310905, 0.8736729431240076}, {0.677283465007848,
         -1.4145450865292113, 1.7824519763845796}},
        {"la", SensorType::framelinacc, {Kind::body, "arm"}, {Kind::none, ""}, 0, {-6.4315214643010155,
         -8.391194146902349, -6.437225124343427}, {8.7772171794619, 50.73780613441868, 33.246028220344996}},
        {"wa", SensorType::frameangacc, {Kind::site, "tip"}, {Kind::none, ""}, 0, {-179.30221723788202,
         -592.3838037066224, -214.53913057919266}, {-423.21826752530524, -1116.8857336659332,
         181.68859314625564}},
        {"pla", SensorType::framelinacc, {Kind::site, "post"}, {Kind::none, ""}, 0, {0, 0, 0}, {0, 0, 0}},
        {"sc", SensorType::subtreecom, {Kind::subtree, "root"}, {Kind::none, ""}, 0, {0.17127978756475032,
         -0.37619753283322765, 1.550127583116703}, {0.14315983772235832, -0.3964789197309352,
         1.585235855550354}},
        {"sl", SensorType::subtreelinvel, {Kind::subtree, "shoulder"}, {Kind::none, ""}, 0,
         {0.9897913620571523, -1.9914538101352846, 0.3104011542142907}, {1.1229611652737086,
         -2.430098049885771, -0.1414351873251593}},
        {"sa", SensorType::subtreeangmom, {Kind::subtree, "root"}, {Kind::none, ""}, 0, {0.1814255327734069,
         -0.005174189312983728, 0.2777845479306888}, {0.6690448598688976, -0.11233330341386184,
         0.7302887319866794}},
        {"scw", SensorType::subtreecom, {Kind::subtree, "world"}, {Kind::none, ""}, 0, {0.5331382573319691,
         -0.6740981758037702, 1.1723183946186801}, {0.5178001028724826, -0.6851607504752469,
         1.1914683614006716}},
        {"c1", SensorType::camprojection, {Kind::site, "tip"}, {Kind::camera, "fixed"}, 0,
         {-39.34910075244349, -301.6892028067409}, {-6.846070900632213, -110.22312763503635}},
        {"c2", SensorType::camprojection, {Kind::site, "tip"}, {Kind::camera, "track"}, 0,
         {67.54410556125792, -382.0316002778744}, {51.704644356094235, -117.13910885248825}},
        {"c3", SensorType::camprojection, {Kind::site, "wrist"}, {Kind::camera, "ptarget"}, 0,
         {339.18616557016423, 114.65580083892102}, {526.4086964533049, 171.41662847212146}},
        {"i1", SensorType::insidesite, {Kind::site, "tip"}, {Kind::site, "wrist"}, 0, {1}, {0}},
        {"i2", SensorType::insidesite, {Kind::xbody, "root"}, {Kind::site, "bx"}, 0, {1}, {1}},
        {"i3", SensorType::insidesite, {Kind::body, "arm"}, {Kind::site, "cap"}, 0, {1}, {1}},
        {"i4", SensorType::insidesite, {Kind::site, "wrist"}, {Kind::site, "cyl"}, 0, {1}, {1}},
        {"ep", SensorType::e_potential, {Kind::none, ""}, {Kind::none, ""}, 0, {73.10640028190961},
         {74.34814810255615}},
        {"ek", SensorType::e_kinetic, {Kind::none, ""}, {Kind::none, ""}, 0, {6.567917261390576},
         {9.485510464601038}},
        {"clock", SensorType::clock, {Kind::none, ""}, {Kind::none, ""}, 0, {0}, {0}},
        {"l1", SensorType::jointlimitpos, {Kind::joint, "elbow"}, {Kind::none, ""}, 0,
         {-0.08000000000000003}, {-0.029999999999999985}},
        {"l2", SensorType::jointlimitvel, {Kind::joint, "elbow"}, {Kind::none, ""}, 0, {1.7}, {-1.7}},
        {"l3", SensorType::jointlimitpos, {Kind::joint, "ball"}, {Kind::none, ""}, 0, {-0.3071921950761807},
         {0}},
        {"l4", SensorType::jointlimitvel, {Kind::joint, "ball"}, {Kind::none, ""}, 0, {-1.56125989749704},
         {0}},
        {"l5", SensorType::jointlimitpos, {Kind::joint, "reach"}, {Kind::none, ""}, 0, {0},
         {-0.03000000000000001}},
        {"l6", SensorType::jointlimitvel, {Kind::joint, "reach"}, {Kind::none, ""}, 0, {0}, {-0.6}},
        {"l7", SensorType::tendonlimitpos, {Kind::tendon, "cable"}, {Kind::none, ""}, 0, {-0.255}, {-0.505}},
        {"l8", SensorType::tendonlimitvel, {Kind::tendon, "cable"}, {Kind::none, ""}, 0, {1.46}, {-1.46}},
        {"cutacc", SensorType::accelerometer, {Kind::site, "imu"}, {Kind::none, ""}, 3,
         {-0.7930590303178462, 3, 0.2348180903109598}, {3, -3, -0.9460482317369869}},
        {"cutin", SensorType::insidesite, {Kind::xbody, "root"}, {Kind::site, "bx"}, 0.5, {0.5}, {0.5}},
        {"cutcam", SensorType::camprojection, {Kind::site, "tip"}, {Kind::camera, "fixed"}, 40,
         {-39.34910075244349, -40}, {-6.846070900632213, -40}},
    };
    return rows;
}

inline InertialSpec inertial(const Vec3d& pos, const Quatd& quat, double mass, const Vec3d& moments) {
    return {mass, {pos, quat}, Sym3d::diagonal(moments.x, moments.y, moments.z), {}};
}

// Adds sensors to a scene that find their objects by name.
class SensorScene {
public:
    SensorScene() {
        const Quatd none{1, 0, 0, 0};
        scene.options.magnetic = {0.1, -0.5, 0.3};
        scene.options.gravity = {0.3, -0.2, -9.7};
        const BodyId post = scene.add_body(
            world, {.name = "post",
                    .pose = {{1, -1, 0.5}, {0.9, 0.1, -0.3, 0.2}},
                    .inertial = inertial({0.1, 0, 0.2}, none, 3, {0.1, 0.1, 0.05})});
        site(post, "post", {{0, 0.1, 0.3}});
        const BodyId root =
            scene.add_body(world, {.name = "root",
                                   .pose = {{0, 0, 1}, {0.8, 0.2, 0.4, -0.1}},
                                   .inertial = inertial({0.02, -0.05, 0.1}, {0.7, 0.3, 0.2, -0.5}, 2,
                                                        {0.03, 0.05, 0.04})});
        scene.add_joint(root, {.name = "root", .type = JointType::free});
        scene.add_geom(root, {.name = "shell",
                              .shape = ShapeType::box,
                              .pose = {{0.05, 0.1, -0.1}, {0.6, -0.3, 0.5, 0.2}},
                              .size = {0.1, 0.2, 0.05}});
        site(root, "imu", {{0.1, 0.05, -0.2}, {0.5, 0.4, -0.3, 0.6}});
        const BodyId shoulder = scene.add_body(
            root, {.name = "shoulder",
                   .pose = {{0.3, 0, 0.1}},
                   .inertial = inertial({0, 0.1, 0.05}, none, 0.7, {0.004, 0.005, 0.006})});
        scene.add_joint(shoulder, {.name = "ball",
                                   .type = JointType::ball,
                                   .pos = {0.02, 0.01, 0},
                                   .cone = 0.7,
                                   .margin = 0.1});
        const BodyId welded = scene.add_body(
            shoulder, {.name = "welded",
                       .pose = {{0, 0.15, 0}, {0.9, 0.2, 0.1, 0.3}},
                       .inertial = inertial({0.01, 0.02, 0.03}, none, 0.4, {0.001, 0.002, 0.0015})});
        site(welded, "wrist", {{0.03, 0, 0.02}, {0.8, -0.2, 0.1, 0.4}}, ShapeType::ellipsoid, {0.2, 0.3,
         0.4});
        const BodyId arm = scene.add_body(
            welded, {.name = "arm",
                     .pose = {{0, 0.2, 0.05}},
                     .inertial = inertial({0.05, 0.02, 0.1}, {0.9, 0.3, 0, 0.1}, 0.5, {0.002, 0.003,
                      0.0025})});
        const JointId elbow = scene.add_joint(
            arm, {.name = "elbow", .axis = {0.2, 1, 0.3}, .range = {Range{-0.5, 0.6}}, .margin = 0.05});
        const JointId reach = scene.add_joint(arm, {.name = "reach",
                                                    .type = JointType::slide,
                                                    .axis = {0, 0.3, 1},
                                                    .range = {Range{-0.2, 0.3}},
                                                    .margin = 0.02});
        site(arm, "tip", {{0.05, 0.04, 0.3}}, ShapeType::sphere, {0.02, 0.02, 0.02});
        site(arm, "bx", {{0, 0.5, 0}, {0.8, 0.1, 0.2, 0.3}}, ShapeType::box, {1, 1, 1.2});
        site(arm, "cap", {}, ShapeType::capsule, {0.3, 0.5, 0});
        site(arm, "cyl", {}, ShapeType::cylinder, {0.3, 0.5, 0});
        camera(post, {.name = "ptarget",
                      .pose = {{0.2, 0.3, 1.5}},
                      .mode = CameraMode::targetbody,
                      .target = arm,
                      .fovy = 50,
                      .resolution = {640, 480}});
        camera(post, {.name = "ptargetcom",
                      .pose = {{0.2, -0.3, 1.5}},
                      .mode = CameraMode::targetbodycom,
                      .target = root});
        camera(root, {.name = "fixed",
                      .pose = {{-1, 0.5, 0.8}, {0.7, 0.5, -0.1, 0.3}},
                      .fovy = 60,
                      .resolution = {320, 200}});
        camera(root, {.name = "track",
                      .pose = {{-1, 0.2, 0.8}, {0.7, 0.5, -0.2, 0.3}},
                      .mode = CameraMode::track,
                      .resolution = {64, 48},
                      .sensor_size = {0.036, 0.024},
                      .focal_length = {0.05, 0.045},
                      .principal_point = {0.001, 0.002}});
        camera(root, {.name = "trackcom",
                      .pose = {{-1, 0.2, 0.4}, {0.6, 0.5, -0.2, 0.3}},
                      .mode = CameraMode::trackcom});
        const TendonId cable = scene.add_tendon(
            {.name = "cable", .joints = {{elbow, 0.4}, {reach, -1.3}}, .range = {-0.1, 0.15},
             .margin = 0.01});
        // clang-format on
        scene.add_actuator({.name = "m1", .joint = elbow, .gear = {3, 0, 0, 0, 0, 0}});
        scene.add_actuator({.name = "m2",
                            .transmission = Transmission::tendon,
                            .tendon = cable,
                            .gain = {20, 0, 0},
                            .bias = {0, -20, -1}});
        scene.add_actuator({.name = "m3",
                            .transmission = Transmission::tendon,
                            .tendon = cable,
                            .gear = {0.5, 0, 0, 0, 0, 0}});
    }

    ObjectRef find(const NamedObject& wanted) const {
        const auto in = [&](const auto& list, auto name_of) {
            for (std::size_t i = 0; i < list.size(); ++i)
                if (name_of(list[i]) == wanted.name) return ObjectRef{wanted.kind, static_cast<int>(i)};
            return ObjectRef{wanted.kind, -1};
        };
        const auto spec_name = [](const auto& x) { return x.spec.name; };
        const auto own_name = [](const auto& x) { return x.name; };
        switch (wanted.kind) {
            case Kind::none: return {};
            case Kind::body:
            case Kind::xbody:
            case Kind::subtree: return in(scene.bodies(), spec_name);
            case Kind::geom: return in(scene.geoms(), spec_name);
            case Kind::site: return in(scene.sites(), spec_name);
            case Kind::camera: return in(scene.cameras(), spec_name);
            case Kind::joint: return in(scene.joints(), spec_name);
            case Kind::loop: return in(scene.loops(), own_name);
            case Kind::tendon: return in(scene.tendons(), own_name);
            case Kind::actuator: return in(scene.actuators(), own_name);
        }
        return {};
    }

    void add(const SensorRow& row) {
        scene.add_sensor({.name = row.name,
                          .type = row.type,
                          .object = find(row.object),
                          .reference = find(row.reference),
                          .cutoff = row.cutoff});
    }

    Scene scene{"sensors"};

private:
    void site(BodyId body, const char* name, const Pose& pose, ShapeType shape = ShapeType::sphere,
              const Vec3d& size = {0.005, 0.005, 0.005}) {
        scene.add_site(body, {.name = name, .pose = pose, .shape = shape, .size = size});
    }
    void camera(BodyId body, const CameraSpec& spec) { scene.add_camera(body, spec); }
};

}  // namespace lig::test
