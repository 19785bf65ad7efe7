#include "io/support_urdf.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>

using namespace lig;
using lig::test::all_text;
using lig::test::contains;
using lig::test::count_code;
using lig::test::TemporaryFolder;
using namespace std::string_literals;

namespace {

const std::string triangle =
    "solid\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendsolid\n";

// Sets an environment variable for the length of a test.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name)) before_ = old;
        value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
    }
    ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

struct Bench {
    // The model is at top/robot_pkg/urdf/r.urdf and names the given meshes, one per line from line 2.
    Scene load(std::initializer_list<std::string> meshes) {
        std::string text = "<robot name='r'><link name='a'>";
        for (const std::string& mesh : meshes)
            text += "\n<collision><geometry><mesh filename='" + mesh + "'/></geometry></collision>";
        const auto file = top.write("robot_pkg/urdf/r.urdf", text + "</link></robot>");
        log = {};
        return load_scene(file, options, log);
    }
    std::string found(const std::string& mesh) { return load({mesh}).meshes().at(0).file; }
    std::string at(const char* path) const { return (top.path() / path).string(); }

    TemporaryFolder top;
    LoadOptions options;
    Diagnostics log;
    Variable ros{"ROS_PACKAGE_PATH", ""};
    Variable ament{"AMENT_PREFIX_PATH", ""};
};

}  // namespace

TEST_CASE("urdf: meshes by relative, absolute and file:// path") {
    Bench bench;
    bench.top.write("robot_pkg/meshes/a b.stl", triangle);
    const std::string expected = bench.at("robot_pkg/meshes/a b.stl");
    CHECK(bench.found("../meshes/a b.stl") == expected);
    CHECK(bench.found("..\\meshes\\a b.stl") == expected);
    CHECK(bench.found(expected) == expected);
    CHECK(bench.found("file://" + expected) == expected);
    CHECK(bench.found("file://localhost" + bench.at("robot_pkg/meshes/a%20b.stl")) == expected);
    CHECK(bench.log.all().empty());
}

TEST_CASE("urdf: meshes by package, in the documented order") {
    Bench bench;
    const std::string uri = "package://robot_pkg/meshes/m.stl";
    const std::string above = bench.top.write("robot_pkg/meshes/m.stl", triangle).string();
    CHECK(bench.found(uri) == above);
    CHECK(bench.found("model://robot_pkg/meshes/m.stl") == above);

    const std::string in_ament = bench.top.write("ament/share/robot_pkg/meshes/m.stl", triangle).string();
    const Variable ament("AMENT_PREFIX_PATH", "/nowhere:" + bench.at("ament"));
    CHECK(bench.found(uri) == in_ament);

    const std::string in_ros = bench.top.write("ros/robot_pkg/meshes/m.stl", triangle).string();
    const Variable ros("ROS_PACKAGE_PATH", ":/nowhere::" + bench.at("ros"));
    CHECK(bench.found(uri) == in_ros);

    const std::string in_option = bench.top.write("own/robot_pkg/meshes/m.stl", triangle).string();
    bench.options.package_paths = {bench.at("none"), bench.at("own")};
    CHECK(bench.found(uri) == in_option);
    bench.options.package_paths = {bench.at("own/robot_pkg")};  // the package itself
    CHECK(bench.found(uri) == in_option);
    CHECK(bench.log.all().empty());
}

TEST_CASE("urdf: a missing mesh is one warning that lists the places tried") {
    Bench bench;
    bench.options.package_paths = {bench.at("own")};
    const Variable ros("ROS_PACKAGE_PATH", bench.at("ros"));
    const Variable ament("AMENT_PREFIX_PATH", bench.at("ament"));
    const Scene scene =
        bench.load({"package://robot_pkg/m.stl", "package://robot_pkg/m.stl", "n.stl", "n.stl"});
    CHECK(bench.log.error_count() == 0);
    CHECK(count_code(bench.log, "W012") == 2);
    const std::string model = bench.at("robot_pkg/urdf/r.urdf");
    CHECK(all_text(bench.log) ==
          model + ":2:38: warning[W012]: the mesh 'package://robot_pkg/m.stl' was not found; tried: " +
              bench.at("own/robot_pkg/m.stl") + ", " + bench.at("ros/robot_pkg/m.stl") + ", " +
              bench.at("ament/share/robot_pkg/m.stl") + ", " + bench.at("robot_pkg/m.stl") +
              " (give the folder that holds the package as a package path or in ROS_PACKAGE_PATH)\n" + model +
              ":4:38: warning[W012]: the mesh 'n.stl' was not found; tried: " +
              bench.at("robot_pkg/urdf/n.stl") + " (relative paths start from the folder of the model)\n");
    REQUIRE(scene.geoms().size() == 4);
    REQUIRE(scene.meshes().size() == 2);
    CHECK(scene.meshes()[0].name == "m");
    CHECK(scene.meshes()[0].file.empty());
    CHECK(scene.geoms()[1].spec.shape == ShapeType::mesh);
    CHECK(scene.geoms()[1].spec.mesh == "m");

    bench.load({"package://other/m.stl", "https://a.b/m.stl", "package://", "."});
    CHECK(contains(all_text(bench.log), "no folder 'other' in or above " + bench.at("robot_pkg/urdf")));
    CHECK(contains(all_text(bench.log), "web addresses are not fetched"));
    CHECK(count_code(bench.log, "W012") == 4);  // a folder is no mesh
}

TEST_CASE("urdf: one asset per file and scale, each with a name of its own") {
    const std::string mesh = "<collision><geometry><mesh filename='";
    const lig::test::UrdfResult r(lig::test::with_link(
        mesh + "x/m.stl'/></geometry></collision>" + mesh +
        "x/m.stl' scale='1 1 1'/></geometry></collision>" + mesh +
        "x/m.stl' scale='1 -2 3'/></geometry></collision>" + mesh + "y/m.stl'/></geometry></collision>" +
        mesh + "y/m.stl' scale='0 1 1'/></geometry></collision>"));
    const auto& meshes = r.scene.meshes();
    REQUIRE(meshes.size() == 3);
    CHECK(meshes[0].name == "m");
    CHECK(meshes[1].name == "m_2");
    CHECK(meshes[1].scale.y == -2);
    CHECK(meshes[2].name == "m_3");
    REQUIRE(r.scene.geoms().size() == 4);
    CHECK(r.scene.geoms()[1].spec.mesh == "m");
    CHECK(r.scene.geoms()[3].spec.mesh == "m_3");
    CHECK(count_code(r.log, "W012") == 2);
    CHECK(count_code(r.log, "W076") == 1);
}

TEST_CASE("urdf: STL and OBJ are read, what cannot be is left out with a warning") {
    Bench bench;
    bench.top.write("robot_pkg/urdf/a.stl", triangle);
    bench.top.write("robot_pkg/urdf/b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3 4\n");
    bench.top.write("robot_pkg/urdf/c.stl", "no mesh");
    bench.top.write("robot_pkg/urdf/d.dae", "<COLLADA/>");
    bench.top.write("robot_pkg/urdf/e.dae", "<COLLADA/>");
    const Scene scene = bench.load({"a.stl", "b.obj", "c.stl", "d.dae", "e.dae"});
    REQUIRE(scene.meshes().size() == 5);
    REQUIRE(scene.meshes()[0].mesh);
    CHECK(scene.meshes()[0].mesh->faces.size() == 1);
    REQUIRE(scene.meshes()[1].mesh);
    CHECK(scene.meshes()[1].mesh->faces.size() == 2);
    for (const int i : {2, 3, 4}) CHECK(!scene.meshes()[i].mesh);
    CHECK(count_code(bench.log, "W102") == 2);
    CHECK(contains(all_text(bench.log), "r.urdf:4:38: warning[W102]: " + bench.at("robot_pkg/urdf/c.stl") +
                                            ": the file is too short for STL"));
    CHECK(contains(all_text(bench.log), "r.urdf:5:38: warning[W102]: meshes in '.dae' files are not read"));
}
