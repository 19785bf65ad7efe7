// Meshes of MJCF from the file to the model: masses, frames and fits. The numbers were computed with MuJoCo
// 3.14.

#include "core/rotation.h"
#include "io/mjcf_support.h"

#include <ligament/model.h>

#include <algorithm>

using namespace lig;
using namespace lig::test;

namespace {

// A prism over the pentagon (0, 0), (2, 0), (2, 1), (0.7, 0.6), (0, 2), which is not convex.
const std::string vertices = "vertex='0 0 0 2 0 0 2 1 0 .7 .6 0 0 2 0 0 0 1 2 0 1 2 1 1 .7 .6 1 0 2 1'";
const std::string faces =
    "3 1 0 3 2 1 3 0 4 8 5 6 8 6 7 8 9 5 0 1 6 0 6 5 1 2 7 1 7 6 2 3 8 2 8 7 3 4 9 3 9 8 4 0 5 4 5 9";

enum class Faces {
    closed,
    open,  // without the last one
    points  // none at all
};

std::string faces_of(Faces which) {
    if (which == Faces::points) return "";
    return " face='" + (which == Faces::open ? faces.substr(0, faces.size() - 6) : faces) + "'";
}

struct Case {
    const char* name;
    const char* mesh;  // attributes
    Faces faces;
    const char* geom;  // attributes
    double mass;
    Vec3d com;
    Sym3d inertia;
    Quatd frame;  // of the geom
};

const Case cases[] = {
    {"legacy",
     "inertia='legacy'",
     Faces::closed,
     "density='700'",
     1464.850637755976,
     {0.856141068331852, 0.5933830478448054, 0.5000000000000002},
     {375.30586631520293, 685.273947139793, 823.0947488449254, 151.48720757147294, -4.697575106802404e-12,
      4.992695453419394e-13},
     {0.13597095372401552, 0.6939105848330775, -0.13597095372401552, 0.6939105848330775}},
    {"legacy, mirrored",
     "inertia='legacy' scale='-.1 .2 .05'",
     Faces::closed,
     "",
     2.0947891420850664,
     {-0.08595681557348134, 0.11822522056439634, 0.025},
     {0.015115603948554813, 0.008521153505990177, 0.022788060166043532, -0.004337926066993611,
      -5.760983584871427e-17, 1.6471576631155938e-17},
     {0.6009027800959167, 0.37271416510913535, -0.6009027800959167, 0.37271416510913535}},
    {"legacy, moved and turned",
     "inertia='legacy' refpos='.3 -.2 .1' refquat='.8 .1 -.5 .3' scale='1 2 .5'",
     Faces::closed,
     "pos='.1 .2 .3' quat='1 2 3 4' mass='2.5'",
     2.5,
     {-0.6112730933041833, 0.39219008504415, 0.9829517093704891},
     {3.4308247533780083, 3.3943783010060273, 0.8009851497054987, 0.3019055680630779, -0.6921377621720338,
      0.9045531372861395},
     {-0.19068186279328742, 0.8560929165325424, 0.4793619454937508, -0.03094302307364788}},
    {"legacy, open",
     "inertia='legacy'",
     Faces::open,
     "",
     1825.3750371862209,
     {0.9498959135236057, 0.5116517309868367, 0.4796622062338876},
     {384.82759443427074, 821.7655514116353, 895.0802499115244, 97.24483499190383, -29.68463917649552,
      15.25247382941573},
     {0.13223393715020776, 0.68517208275958, -0.019103890709696425, 0.7160226562284262}},
    {"legacy, points",
     "inertia='legacy'",
     Faces::points,
     "",
     3000,
     {0.8888888888888888, 0.7777777777777777, 0.49999999999999994},
     {935.1851851851927, 1212.9629629629828, 1648.1481481481617, 240.7407407407453, -9.861824210141608e-12,
      1.6798669260925707e-12},
     {0.18306741975182553, 0.6829980379367213, -0.18306741975182553, 0.6829980379367213}},
    {"exact",
     "inertia='exact'",
     Faces::closed,
     "density='700'",
     1365.0000125169756,
     {0.8829059852023877, 0.5504273521045883, 0.49999999999999994},
     {328.09558561868073, 661.5094759377589, 762.1050594702693, 123.59836088842671, -4.59582389038218e-12,
      4.0008786021682454e-13},
     {0.11230269344295873, 0.6981318679486412, -0.11230269344295873, 0.6981318679486412}},
    {"exact, mirrored",
     "inertia='exact' scale='-.1 .2 .05'",
     Faces::closed,
     "",
     1.950000017881394,
     {-0.08829059852023882, 0.11008547042091768, 0.025},
     {0.01265456912233089, 0.008231385359363384, 0.020073454474243736, -0.0035313817396692556,
      -5.295056308086846e-17, 1.7068965540557975e-17},
     {0.6091736013408926, 0.35903693880904336, -0.6091736013408926, 0.35903693880904336}},
    {"exact, moved and turned",
     "inertia='exact' refpos='.3 -.2 .1' refquat='.8 .1 -.5 .3' scale='1 2 .5'",
     Faces::closed,
     "pos='.1 .2 .3' quat='1 2 3 4' mass='2.5'",
     2.5,
     {-0.6098069027435827, 0.41335865788438053, 0.9077999369637211},
     {3.2266340359915158, 3.2249650740192664, 0.8150252940016722, 0.3105204887150548, -0.7072258146129884,
      0.8506577596923137},
     {-0.19714409275519137, 0.855546862632083, 0.4770070809921301, -0.040472425372130305}},
    {"exact, open",
     "inertia='exact'",
     Faces::open,
     "",
     1615.5350281094086,
     {1.0033949693159536, 0.4405449490893007, 0.4777463686430799},
     {270.35624379044395, 753.933387544806, 733.9807395582538, 22.614214182444258, -32.812477903233216,
      17.930558747067753},
     {0.3804273918762369, 0.5986789889333632, 0.32504510614185833, 0.6254631457513717}},
    {"exact, points",
     "inertia='exact'",
     Faces::points,
     "",
     3000,
     {0.8888888888888888, 0.7777777777777777, 0.49999999999999994},
     {935.1851851851927, 1212.9629629629828, 1648.1481481481617, 240.7407407407453, -9.861824210141608e-12,
      1.6798669260925707e-12},
     {0.18306741975182553, 0.6829980379367213, -0.18306741975182553, 0.6829980379367213}},
    {"convex",
     "inertia='convex'",
     Faces::closed,
     "density='700'",
     2100,
     {0.8888888888888887, 0.7777777777777778, 0.49999999999999994},
     {654.6296296296351, 849.0740740740881, 1153.7037037037132, 168.5185185185221, -6.903276947099126e-12,
      1.1759068482648002e-12},
     {0.18306741975182567, 0.6829980379367213, -0.18306741975182567, 0.6829980379367213}},
    {"convex, moved and turned",
     "inertia='convex' refpos='.3 -.2 .1' refquat='.8 .1 -.5 .3' scale='1 2 .5'",
     Faces::closed,
     "pos='.1 .2 .3' quat='1 2 3 4' mass='2.5'",
     2.5,
     {-0.6621623643845862, 0.317471006359895, 1.262282080059858},
     {3.3748149399760505, 3.305566413717278, 0.7489448771901777, 0.2440145247659188, -0.4930995711931465,
      0.8737662601099122},
     {-0.17524346933206336, 0.844338396387775, 0.5063417231704401, -0.0006769184400788886}},
    {"convex, open",
     "inertia='convex'",
     Faces::open,
     "",
     3000,
     {0.8888888888888888, 0.7777777777777777, 0.5},
     {935.1851851851927, 1212.9629629629828, 1648.1481481481617, 240.7407407407453, -9.861824210141608e-12,
      1.6798669260925707e-12},
     {0.18306741975182553, 0.6829980379367213, -0.18306741975182553, 0.6829980379367213}},
    {"convex, points",
     "inertia='convex'",
     Faces::points,
     "",
     3000,
     {0.8888888888888888, 0.7777777777777777, 0.49999999999999994},
     {935.1851851851927, 1212.9629629629828, 1648.1481481481617, 240.7407407407453, -9.861824210141608e-12,
      1.6798669260925707e-12},
     {0.18306741975182553, 0.6829980379367213, -0.18306741975182553, 0.6829980379367213}},
    {"shell",
     "inertia='shell'",
     Faces::closed,
     "density='700'",
     8277.776254028679,
     {0.8310393706254919, 0.657027222153168, 0.5},
     {3579.913224478094, 5366.502339481218, 6656.7861799431475, 1261.6970251551336, -4.110864061818805e-11,
      5.972538192945448e-12},
     {0.16717341856695234, 0.6870611676733308, -0.16717341856695234, 0.6870611676733308}},
    {"shell, mirrored",
     "inertia='shell' scale='-.1 .2 .05'",
     Faces::closed,
     "",
     140.06303884620644,
     {-0.08154963673469905, 0.13251061823594426, 0.025},
     {1.5067664433753674, 0.757994521545637, 2.1414013648057093, -0.4174616373950025, -5.932435042635515e-15,
      1.6226415829269694e-15},
     {0.5932207361895256, 0.3848235415807597, -0.5932207361895256, 0.3848235415807597}},
    {"shell, moved and turned",
     "inertia='shell' refpos='.3 -.2 .1' refquat='.8 .1 -.5 .3' scale='1 2 .5'",
     Faces::closed,
     "pos='.1 .2 .3' quat='1 2 3 4' mass='2.5'",
     2.5,
     {-0.5695086127018935, 0.3039542523394435, 1.281471778825816},
     {5.590305047843417, 5.4224923105548815, 1.1952229223405901, 0.4365224929482058, -0.9497107729907395,
      1.4580047401059255},
     {-0.18061941283374194, 0.8737806476995991, 0.4510160719754661, -0.021645097206682007}},
    {"shell, open",
     "inertia='shell'",
     Faces::open,
     "",
     10825.394648612399,
     {0.9078069525567446, 0.5945531846577448, 0.4846041024760209},
     {4306.398681415216, 6826.109278779681, 8033.407472687325, 1188.4689318686653, -151.30115883381615,
      67.57446903708508},
     {0.13881733665226975, 0.6813067195943088, -0.12709521159182596, 0.7073879473604601}},
    {"shell, points",
     "inertia='shell'",
     Faces::points,
     "",
     13236.06797749979,
     {0.8740814364583304, 0.7948560441666498, 0.5},
     {6958.001075138753, 8305.164051388925, 11057.153796944282, 1547.917922638916, -6.40609687727111e-11,
      1.3021767056656997e-11},
     {0.2022592861603983, 0.6775626769250858, -0.2022592861603983, 0.6775626769250858}},
};

std::shared_ptr<const Model> compiled(const std::string& inside) {
    ReadMjcf m = read_model(inside);
    REQUIRE(m.messages() == "");
    return compile(m.scene);
}

std::string compile_errors(const ReadMjcf& m) {
    try {
        compile(m.scene);
    } catch (const InputError& error) { return error.what(); }
    return "";
}

void check_close(double a, double b, double size) { CHECK(std::fabs(a - b) <= 1e-9 * size); }

}  // namespace

TEST_CASE("MJCF mesh geoms weigh what they weigh in MuJoCo") {
    for (const Case& c : cases) {
        CAPTURE(c.name);
        const auto model =
            compiled("<asset><mesh name='m' " + std::string(c.mesh) + " " + vertices + faces_of(c.faces) +
                     "/></asset><worldbody><body name='b' pos='1 2 3'>"
                     "<geom name='g' type='mesh' mesh='m' " +
                     c.geom + "/></body></worldbody>");
        const Model::Body& body = model->bodies[1];
        check_close(body.mass, c.mass, c.mass);
        for (int k = 0; k < 3; ++k) check_close(body.com[k], c.com[k], 1);
        const Sym3d &I = body.inertia, &J = c.inertia;
        const double size = std::max({J.xx, J.yy, J.zz});
        check_close(I.xx, J.xx, size);
        check_close(I.yy, J.yy, size);
        check_close(I.zz, J.zz, size);
        check_close(I.xy, J.xy, size);
        check_close(I.xz, J.xz, size);
        check_close(I.yz, J.yz, size);

        // The geom's frame is at the centre of mass.
        const Model::Geom& geom = model->geoms[0];
        for (int k = 0; k < 3; ++k) check_close(geom.X_BG.p[k], c.com[k], 1);
        CHECK(std::fabs(dot(quaternion(geom.X_BG.R), c.frame)) > 1 - 1e-14);
        const Transformd X_BM = geom.X_BG * geom.X_GM;
        const Vec3d written = geom.spec.pose.pos;
        for (int k = 0; k < 3; ++k) check_close(X_BM.p[k], written[k], 1);
    }
}

TEST_CASE("MJCF: shapes fitted to a mesh") {
    struct Fit {
        const char* type;
        bool bounds;
        Vec3d size, pos;
        Quatd quat;
    };
    const Quatd q{-0.1543586333403518, 0.8044771494431251, 0.008624867887860266, 0.5735115866232208};
    const Vec3d centre{0.7309006547443174, 1.0516668996410865, 0.7572976104792126};
    const Vec3d middle{0.6748386697416332, 1.1868058665779393, 0.8018459286875561};
    const Fit fits[] = {
        {"sphere", false, {1.127456041913148, 0, 0}, centre, q},
        {"capsule", false, {0.8381656402887447, 1.286954025017582, 0}, centre, q},
        {"cylinder", false, {0.8381656402887447, 1.7060368451619543, 0}, centre, q},
        {"ellipsoid", false, {0.75, 0.9263312805774895, 1.7060368451619543}, centre, q},
        {"box", false, {0.75, 0.9263312805774895, 1.7060368451619543}, centre, q},
        {"sphere", true, {1.8947411651667259, 0, 0}, middle, q},
        {"capsule", true, {1.4243286302727476, 0.4704125348939783, 0}, middle, q},
        {"cylinder", true, {1.4243286302727476, 1.8947411651667259, 0}, middle, q},
        {"ellipsoid", true, {0.75, 1.4243286302727476, 1.8947411651667259}, middle, q},
        {"box", true, {0.75, 1.4243286302727476, 1.8947411651667259}, middle, q},
    };
    const auto with = [](const std::string& type, bool bounds) {
        return "<compiler fitaabb='" + std::string(bounds ? "true" : "false") +
               "'/><asset><mesh name='m' inertia='exact' " + vertices + faces_of(Faces::closed) +
               "/></asset><worldbody><body pos='1 2 3'><geom type='" + type +
               "' mesh='m' pos='.1 .2 .3' euler='10 20 30' fitscale='1.5'/></body></worldbody>";
    };
    for (const Fit& fit : fits) {
        CAPTURE(fit.type);
        CAPTURE(fit.bounds);
        const auto model = compiled(with(fit.type, fit.bounds));
        const Model::Geom& geom = model->geoms[0];
        for (int k = 0; k < 3; ++k) {
            check_close(geom.spec.size[k], fit.size[k], 1);
            check_close(geom.X_BG.p[k], fit.pos[k], 1);
        }
        CHECK(std::fabs(dot(quaternion(geom.X_BG.R), fit.quat)) > 1 - 1e-14);
    }
    CHECK(contains(read_model(with("plane", false)).messages(),
                   "error[E087]: <geom>: a plane cannot be fitted"));
}

TEST_CASE("MJCF: built-in meshes are MuJoCo's") {
    struct Builtin {
        const char* attributes;
        double mass;
        Vec3d moments;  // largest first
        double z;  // of the centre of mass
    };
    const Builtin list[] = {
        {"builtin='sphere' params='2'",
         24.282267969906133,
         {0.6170460847359927, 0.4746508328416618, 0.23732541961854658},
         0},
        {"builtin='hemisphere' params='2'",
         10.713843470540935,
         {0.1298117408228637, 0.0964760085986701, 0.07192613566366164},
         0.10628365446604687},
        {"builtin='cone' params='5 .3'",
         13.219685830093121,
         {0.35965785238427844, 0.31271493473972295, 0.07823819528537702},
         -0.09820143954804329},
        {"builtin='cone' params='4 0'", 8, {0.14, 0.116, 0.04}, -0.15},
        {"builtin='supersphere' params='6 .5 .7'",
         28.18635091648781,
         {0.8353986809245835, 0.6466811192312593, 0.305839897447536},
         0},
        {"builtin='supertorus' params='7 .3 .5 .7'",
         17.656512272089945,
         {0.34372672136833016, 0.30828868351757915, 0.10168710546190081},
         0},
        {"builtin='wedge' params='4 5 60 40 .3'",
         1.4102352624588745,
         {0.004793650330169966, 0.00433918964069211, 0.0019578597965809815},
         -0.23386225769125743},
        {"builtin='plate' params='3 4'",
         40.0000011920929,
         {0.35925927349814707, 0.300000008940697, 0.059259264557450085},
         -0.3},
    };
    for (const Builtin& b : list) {
        CAPTURE(b.attributes);
        const auto model =
            compiled("<asset><mesh name='m' scale='.1 .2 .3' " + std::string(b.attributes) +
                     "/></asset><worldbody><body><geom type='mesh' mesh='m' contype='0' conaffinity='0'/>"
                     "</body></worldbody>");  // the plate has no hull to collide with
        const Model::Body& body = model->bodies[1];
        check_close(body.mass, b.mass, b.mass);
        check_close(body.com.z, b.z, 1);
        Vec3d I{body.inertia.xx, body.inertia.yy, body.inertia.zz};
        std::sort(&I.x, &I.x + 3, std::greater<>());
        for (int k = 0; k < 3; ++k) check_close(I[k], b.moments[k], b.moments.x);
    }
    CHECK(contains(read_model("<asset><mesh name='m' builtin='sphere' params='5'/></asset>").messages(),
                   "error[E104]: <mesh \"m\">: the subdivision is 5 (it is a whole number from 0 to 4)"));
    CHECK(contains(read_model("<asset><mesh name='m' builtin='cone'/></asset>").messages(),
                   "a cone takes 2 parameters, not 0 (they are: edge count, radius)"));
    CHECK(contains(read_model("<asset><mesh name='m' builtin='spere' params='1'/></asset>").messages(),
                   "did you mean 'sphere'?"));
}

TEST_CASE("MJCF: what is wrong with a mesh is said") {
    const auto asset = [](const std::string& attributes) {
        return read_model("<asset><mesh name='m' " + attributes + "/></asset>").messages();
    };
    CHECK(contains(asset("vertex='0 0 0 1'"), "error[E104]: <mesh \"m\">: 'vertex' has 4 numbers"));
    CHECK(contains(asset(vertices + " face='0 1'"), "error[E104]: <mesh \"m\">: 'face' has 2 numbers"));
    CHECK(contains(asset(vertices + " face='0 1 10'"), "face 0 names a vertex that does not exist"));
    CHECK(contains(asset(vertices + " face='0 1 .5'"), "face 0 names a vertex that does not exist"));
    CHECK(contains(asset("vertex='0 0 0 1 0 0 0 1 0 0 0 1e39'"), "too large for single precision"));
    CHECK(contains(asset(vertices + " file='a.stl'"), "error[E014]"));
    CHECK(contains(asset(vertices + " refquat='0 0 0 0'"), "error[E083]"));
    CHECK(contains(asset(vertices + " maxhullvert='3'"), "'maxhullvert' must be larger than 3"));
    CHECK(contains(asset(vertices + " inertia='exat'"), "did you mean 'exact'?"));
    CHECK(contains(asset(""), "error[E005]"));

    const auto body = [&](const std::string& mesh, const std::string& geom) {
        return read_model("<asset><mesh name='m' " + mesh +
                          "/></asset><worldbody><body name='b'><geom "
                          "type='mesh' mesh='m' " +
                          geom + "/></body></worldbody>");
    };
    CHECK(contains(body(vertices, "shellinertia='true'").messages(), "error[E088]"));
    const std::string flat = "vertex='0 0 0 1 0 0 1 1 0 0 1 0' face='0 1 2 0 2 3'";
    CHECK(contains(compile_errors(body(flat, "")),
                   "error[E103]: body 'b' takes its inertia from geom 0 (without "
                   "a name): its mesh 'm' cannot tell, its volume is too small"));
    const std::string unseen = " contype='0' conaffinity='0'";
    CHECK(compile_errors(body(flat, "mass='0'" + unseen)) == "");
    CHECK(compile_errors(body(flat + " inertia='shell'", unseen)) == "");
    CHECK(contains(compile_errors(body(flat + " inertia='shell'", "")),
                   "m.xml:1:134: error[E140]: geom 0 (without a name): its mesh 'm' has no convex hull to "
                   "collide with: all points are in one plane"));
    CHECK(contains(compile_errors(body(vertices + " inertia='exact' face='" + faces + " 0 1 6'", "")),
                   "inconsistent orientation"));

    const ReadMjcf absent = body("file='nowhere.stl'", "");
    CHECK(count_code(absent.log, "W012") == 1);
    CHECK(contains(compile_errors(absent), "error[E100]: body 'b' takes its inertia from geom"));
    CHECK(compile_errors(body("file='nowhere.stl'", "mass='0'")) == "");
    CHECK(contains(
        read_model("<asset><mesh name='m' file='nowhere.stl'/></asset><worldbody><body><geom type='box' "
                   "mesh='m'/></body></worldbody>")
            .messages(),
        "error[E100]: <geom> is fitted to mesh 'm', whose file was not found"));
}

TEST_CASE("MJCF: mesh files through class, content type, and once for several scales") {
    TemporaryFolder folder;
    folder.write("box.xyz", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    folder.write("bad.obj", "v 0 0 0\nf 1 2 3\n");
    const ReadMjcf m(
        "<mujoco><default><mesh inertia='exact'/></default><asset>"
        "<mesh file='box.xyz'/><mesh name='two' file='box.xyz' scale='2 2 -2'/>"
        "<mesh name='three' file='box.xyz' content_type='model/obj'/></asset></mujoco>",
        folder.path() / "m.xml");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.meshes().size() == 3);
    CHECK(m.scene.meshes()[0].mesh == m.scene.meshes()[1].mesh);
    CHECK(m.scene.meshes()[0].inertia == MeshInertia::exact);
    const ReadMjcf bad(
        "<mujoco><asset><mesh file='bad.obj'/>\n<mesh file='box.xyz' content_type='model/x'/>"
        "</asset></mujoco>",
        folder.path() / "m.xml");
    CHECK(contains(bad.messages(), "m.xml:1:28: error[E101]: " + (folder.path() / "bad.obj").string() +
                                       ":2: a face names vertex 2, and there are 1 so far"));
    CHECK(contains(bad.messages(), "the content type 'model/x' is not known"));
}
