// <attach>: parts of other models, with everything that refers to them.

#include "io/mjcf_support.h"

#include <ligament/model.h>
#include <ligament/state.h>

using namespace lig;
using namespace lig::test;

namespace {

struct ReadFolder {
    explicit ReadFolder(const TemporaryFolder& folder) {
        io::XmlSource source;
        REQUIRE(source.load_file(folder.path() / "main.xml", log));
        scene = io::read_mjcf(source, {}, log);
        messages = all_text(log);
        const std::string prefix = folder.path().string() + "/";
        for (std::size_t at; (at = messages.find(prefix)) != std::string::npos;)
            messages.erase(at, prefix.size());
    }
    const BodySpec& body(std::string_view name) const {
        const BodyId id = scene.find_body(name);
        REQUIRE(id.index >= 0);
        return scene.bodies()[id.index].spec;
    }
    Diagnostics log;
    Scene scene;
    std::string messages;
};

template <class List>
std::string names(const List& list) {
    std::string text;
    for (const auto& item : list) {
        if constexpr (requires { item.spec; })
            text += (item.spec.name.empty() ? "-" : item.spec.name) + " ";
        else
            text += item.name + " ";
    }
    return text;
}

// A model in radians, with classes of its own, a frame, a mocap body, relations and a keyframe.
constexpr std::string_view part =
    "<mujoco model='part'><compiler angle='radian'/>"
    "<default><geom density='500'/><default class='cl'><joint damping='3'/></default></default>"
    "<option gravity='0 0 -1'/>"
    "<worldbody><geom name='wg' size='.1'/><site name='ws' pos='1 1 1'/>"
    "<frame name='fr' pos='0 0 2'><body name='fb'><freejoint name='ff'/><geom size='.1'/></body></frame>"
    "<body name='b' pos='0 0 1' euler='0 0 0.5' childclass='cl'><joint name='j' axis='0 1 0' range='-1 1'/>"
    "<geom name='g' size='.1'/><body name='c' pos='.5 0 0'><joint name='cj'/><geom name='cg' "
    "size='.1'/></body>"
    "</body><body name='d' pos='0 3 1' mocap='true'><geom name='dg' size='.1'/></body></worldbody>"
    "<contact><exclude name='e' body1='b' body2='d'/><exclude name='e2' body1='b' body2='c'/>"
    "<pair name='p' geom1='g' geom2='wg'/></contact>"
    "<equality><weld name='w' body1='b' body2='d'/><connect name='cn' body1='c' anchor='0 0 0'/>"
    "<joint name='ej' joint1='j' joint2='cj'/></equality>"
    "<keyframe><key name='home' time='2' qpos='1 2 3 1 0 0 0 .3 .4' mpos='7 8 9' mquat='0 1 0 0'/></keyframe>"
    "</mujoco>";

}  // namespace

TEST_CASE("MJCF attach: a body with all that refers to it and to nothing else") {
    TemporaryFolder folder;
    folder.write("part.xml", part);
    folder.write("main.xml",
                 "<mujoco model='main'><asset><model name='m' file='part.xml'/></asset><worldbody>"
                 "<body name='top'><joint name='tj'/><geom size='.2'/><frame pos='1 0 0' euler='0 0 90'>"
                 "<attach model='m' body='b' prefix='L_'/></frame></body>"
                 "<body name='other' pos='3 0 0'><freejoint/><geom size='.2'/></body></worldbody>"
                 "<contact><exclude name='mine' body1='L_c' body2='other'/></contact></mujoco>");
    const ReadFolder m(folder);
    CHECK(m.messages == "");
    CHECK(names(m.scene.bodies()) == "world top L_b L_c other ");
    CHECK(names(m.scene.joints()) == "tj L_j L_cj - ");
    CHECK(names(m.scene.exclusions()) == "mine L_e2 ");
    CHECK(names(m.scene.loops()) == "L_cn ");
    CHECK(names(m.scene.couplings()) == "L_ej ");
    CHECK(m.scene.pairs().empty());
    check_vec(m.scene.options.gravity, {0, 0, -9.81});
    // MuJoCo 3.14.
    check_vec(m.body("L_b").pose.pos, {1, 0, 1}, 1e-15);
    check_quat(m.body("L_b").pose.quat, {0.5101835264862034, 0, 0, 0.8600655610487502}, 1e-15);
    check_vec(m.scene.loops()[0].frame_b.pos, {0.7602872306978985, 0.4387912809451864, 1}, 1e-15);
    CHECK(m.scene.joints()[1].spec.damping == 3);
    CHECK(m.scene.joints()[1].spec.range[0] == Range{-1, 1});
    CHECK(m.scene.geoms()[1].spec.density == 500);
    REQUIRE(names(m.scene.keyframes()) == "L_home ");
    CHECK(m.scene.keyframes()[0].qpos == std::vector<double>{0, .3, .4, 3, 0, 0, 1, 0, 0, 0});
    CHECK(m.scene.keyframes()[0].time == 2);
}

TEST_CASE("MJCF attach: the whole model, one body and one frame of it, each with its prefix") {
    TemporaryFolder folder;
    folder.write("part.xml", part);
    folder.write("main.xml",
                 "<mujoco model='main'><asset><model name='m' file='part.xml'/></asset><worldbody>"
                 "<geom name='x' size='.2'/><frame pos='1 0 0' euler='0 0 90'><attach model='m' prefix='L_'/>"
                 "</frame><attach model='m' body='d' prefix='M_'/><attach model='m' frame='fr' prefix='N_'/>"
                 "</worldbody><keyframe><key name='mine' time='3'/></keyframe></mujoco>");
    const ReadFolder m(folder);
    CHECK(m.messages == "");
    CHECK(names(m.scene.bodies()) == "world L_fb L_b L_c L_d M_d N_fb ");
    CHECK(names(m.scene.geoms()) == "x L_wg - L_g L_cg L_dg M_dg - ");
    CHECK(names(m.scene.pairs()) == "L_p ");
    CHECK(names(m.scene.keyframes()) == "mine L_home M_home N_home ");
    // MuJoCo 3.14.
    check_vec(m.body("L_d").pose.pos, {-2, 0, 1}, 1e-15);
    check_vec(m.body("N_fb").pose.pos, {0, 0, 2}, 1e-15);
    CHECK(m.scene.geoms()[1].body == world);
    check_vec(m.scene.geoms()[1].spec.pose.pos, {1, 0, 0});
    check_vec(m.scene.sites()[0].spec.pose.pos, {0, 1, 1}, 1e-15);

    const auto model = compile(m.scene);
    const JointState<double> state = keyframe_state(*model, model->find_keyframe("M_home"));
    REQUIRE(state.kinematic.size() == 2);
    check_vec(state.kinematic[0].pos, {-2, 0, 1}, 1e-15);
    check_vec(state.kinematic[1].pos, {7, 8, 9});
    check_quat(state.kinematic[1].quat, {0, 1, 0, 0});
}

// What MuJoCo 3.14 says of these, but for what it joins by rules of its own under `merge`.
TEST_CASE("MJCF attach: options that differ, by the policy of the file") {
    TemporaryFolder folder;
    const auto said = [&](const std::string& policy, const std::string& own, const std::string& other) {
        folder.write("part.xml",
                     "<mujoco>" + other +
                         "<worldbody><body name='b'><joint/><geom size='1'/></body></worldbody></mujoco>");
        folder.write("main.xml", "<mujoco><compiler conflict='" + policy + "'/>" + own +
                                     "<asset><model name='m' file='part.xml'/></asset><worldbody><attach "
                                     "model='m' prefix='L_'/></worldbody></mujoco>");
        return ReadFolder(folder).messages;
    };
    const std::string fast = "<option timestep='.01'/>", slow = "<option timestep='.02'/>";
    const std::string no_contact = "<option><flag contact='disable'/></option>";
    CHECK(said("warning", slow, fast) == "");
    CHECK(said("error", slow, "") == "");
    CHECK(said("error", "", fast) == "");  // only one of them says something
    CHECK(said("error", fast, fast) == "");
    CHECK(said("error", "", no_contact) == "");
    CHECK(contains(said("error", slow, fast),
                   "error[E117]: the attached model sets other options than this "
                   "file: timestep (make them the same"));
    CHECK(contains(said("error", slow, "<option timestep='.002'/>"), "error[E117]"));
    CHECK(contains(said("error", "<option integrator='implicit'/>", "<option integrator='RK4'/>"),
                   "integrator"));
    CHECK(said("merge", fast, "") == "");
    CHECK(said("merge", fast, fast) == "");
    CHECK(said("merge", no_contact, "") == "");
    CHECK(contains(said("merge", "", "<option gravity='0 0 -1' timestep='.01'/>"),
                   "error[U131]: joining the options of attached models is not supported, and these differ: "
                   "timestep, gravity (write"));
    CHECK(contains(said("merge", "", no_contact), "these differ: contact (write"));
    CHECK(contains(said("merged", "", ""), "error[E008]"));
}

TEST_CASE("MJCF attach: keyframes of planar bodies and particles") {
    TemporaryFolder folder;
    folder.write("part.xml",
                 "<mujoco model='part'><worldbody><body name='bead' kind='particle'><geom size='.1'/></body>"
                 "<body name='arm'><joint name='j'/><geom size='.1'/></body>"
                 "<body name='flat' kind='planar'><geom size='.1'/></body></worldbody>"
                 "<keyframe><key name='home' qpos='1 2 3 .4 5 6 .7' qvel='7 6 5 4 3 2 1'/></keyframe>"
                 "</mujoco>");
    folder.write("main.xml",
                 "<mujoco model='main'><asset><model name='m' file='part.xml'/></asset><worldbody>"
                 "<body name='own' kind='planar' pos='8 0 9'><geom size='.1'/></body>"
                 "<attach model='m' prefix='L_'/></worldbody></mujoco>");
    const ReadFolder m(folder);
    CHECK(m.messages == "");
    REQUIRE(names(m.scene.keyframes()) == "L_home ");
    CHECK(m.scene.keyframes()[0].qpos == std::vector<double>{8, 9, 0, 1, 2, 3, .4, 5, 6, .7});
    CHECK(m.scene.keyframes()[0].qvel == std::vector<double>{0, 0, 0, 7, 6, 5, 4, 3, 2, 1});
    const auto model = compile(m.scene);
    CHECK(model->nq == 10);
    CHECK(model->find_joint("L_flat.angle") == 9);
}

TEST_CASE("MJCF attach: a copy of a body of the same file, and replicated attachments") {
    const ReadMjcf own = read_model(
        "<worldbody><body name='b' pos='1 0 0'><joint name='j'/><body name='c'/></body>"
        "<attach body='b' prefix='x_'/></worldbody>"
        "<contact><exclude name='e' body1='b' body2='c'/></contact>");
    CHECK(own.messages() == "");
    CHECK(names(own.scene.bodies()) == "world b c x_b x_c ");
    CHECK(names(own.scene.exclusions()) == "e x_e ");

    TemporaryFolder folder;
    folder.write("part.xml", part);
    folder.write("main.xml",
                 "<mujoco><asset><model name='m' file='part.xml'/></asset><worldbody>"
                 "<replicate count='2' offset='1 0 0'><attach model='m' body='c' prefix='R_'/></replicate>"
                 "</worldbody></mujoco>");
    const ReadFolder m(folder);
    CHECK(m.messages == "");
    CHECK(names(m.scene.bodies()) == "world R_c0 R_c1 ");
    CHECK(names(m.scene.loops()) == "R_cn0 R_cn1 ");
    check_vec(m.scene.loops()[1].frame_b.pos, {1.5, 0, 0}, 1e-15);
    CHECK(m.scene.keyframes()[0].qpos == std::vector<double>{.4, 0});
}

TEST_CASE("MJCF attach within attach, and circles") {
    TemporaryFolder folder;
    folder.write("main.xml",
                 "<mujoco><asset><model name='m' file='middle.xml'/></asset><worldbody>"
                 "<attach model='m' body='k' prefix='a_'/></worldbody></mujoco>");
    folder.write("middle.xml",
                 "<mujoco><asset><model name='i' file='inner.xml'/></asset><worldbody><body name='k'>"
                 "<attach model='i' prefix='b_'/></body></worldbody></mujoco>");
    folder.write("inner.xml", "<mujoco><worldbody><body name='z'/></worldbody></mujoco>");
    const ReadFolder m(folder);
    CHECK(m.messages == "");
    CHECK(names(m.scene.bodies()) == "world a_k a_b_z ");

    folder.write("inner.xml",
                 "<mujoco>\n<asset><model name='m' file='main.xml'/></asset><worldbody/></mujoco>");
    CHECK(ReadFolder(folder).messages ==
          "inner.xml:2:30: error[E112]: the attached models go in a circle: main.xml → middle.xml → "
          "inner.xml → "
          "main.xml (a model cannot be part of itself; take out one of them)\n");
}

TEST_CASE("MJCF attach: what is wrong is said where it stands") {
    TemporaryFolder folder;
    folder.write("part.xml", part);
    const auto messages = [&](const std::string& inside) {
        folder.write("main.xml", "<mujoco><asset><model name='m' file='part.xml'/></asset><worldbody>" +
                                     inside + "</worldbody></mujoco>");
        return ReadFolder(folder).messages;
    };
    CHECK(messages("<attach model='n' prefix='a'/>") ==
          "main.xml:1:83: error[E084]: there is no model 'n'\n");
    CHECK(contains(messages("<attach model='m' body='x' prefix='a'/>"), "error[E084]: there is no body 'x'"));
    CHECK(
        contains(messages("<attach model='m' frame='x' prefix='a'/>"), "error[E084]: there is no frame 'x'"));
    CHECK(contains(messages("<attach model='m'/>"), "error[E005]: <attach> has no attribute 'prefix'"));
    CHECK(contains(messages("<attach prefix='a'/>"), "error[E088]"));
    CHECK(contains(messages("<attach model='m' body='b' frame='fr' prefix='a'/>"), "error[E088]"));
    CHECK(contains(messages("<body name='q'><attach body='q' prefix='a'/></body>"), "error[E112]"));
    CHECK(contains(messages("<frame name='q'><body/><attach frame='q' prefix='a'/></frame>"), "error[E112]"));
    CHECK(contains(messages("<body name='q'><attach model='m' body='fb' prefix='a'/></body>"),
                   "error[E088]: the free joint 'aff' would not be on a child of the world"));
    CHECK(contains(messages("<attach model='m' body='b' prefix='a'/><attach model='m' body='b' prefix='a'/>"),
                   "error[E086]: there are two of kind body named 'ab'"));
    folder.write("main.xml",
                 "<mujoco><asset><model name='m' file='no.xml'/></asset><worldbody>"
                 "<attach model='m' prefix='a'/></worldbody></mujoco>");
    const ReadFolder missing(folder);
    CHECK(missing.log.all().size() == 1);
    CHECK(contains(missing.messages, "error[E001]: the model file 'no.xml' does not exist"));
}
