// Constraints between two bodies in <equality>, and loops that close gradually.

#include "io/mjcf_support.h"

#include <ligament/pair_kinds.h>
#include <ligament/save.h>

using namespace lig;
using namespace lig::test;

namespace {

// `a` at (1, 0, 0), and `b` in it at (0, 0, 2), so at (1, 0, 2) in the world.
const std::string two_bodies =
    "<worldbody><body name='a' pos='1 0 0'><joint/><body name='b' pos='0 0 2'><joint type='ball'/></body>"
    "</body></worldbody>";

ReadMjcf with(const std::string& inside) {
    return read_model(two_bodies + "<equality>" + inside + "</equality>");
}

std::string only_message(const std::string& inside) {
    const ReadMjcf m = with(inside);
    CHECK(m.log.all().size() == 1);
    const std::string text = m.messages();
    return text.substr(text.find(' ') + 1);
}

template <class Kind>
const Kind& only(const ReadMjcf& m) {
    CHECK(m.messages() == "");
    REQUIRE(m.scene.constraints().size() == 1);
    const Kind* const kind = dynamic_cast<const Kind*>(m.scene.constraints()[0].constraint.get());
    REQUIRE(kind);
    return *kind;
}

}  // namespace

TEST_CASE("MJCF constraints between bodies: surfaces that touch are read and written") {
    const ReadMjcf m = with(
        "<rolling_tangency body1='a' body2='b' shape1='torus' size1='2 0.5' inside1='true' "
        "shape2='superquadric' size2='1 2 3 4.5'/>");
    const TangencyConstraint& pair = only<TangencyConstraint>(m);
    CHECK(pair.rolling);
    CHECK(pair.kind() == "rolling_tangency");
    const auto& first = dynamic_cast<const StandardSurface&>(*pair.surface_a);
    const auto& second = dynamic_cast<const StandardSurface&>(*pair.surface_b);
    CHECK(first.type == SurfaceKind::torus);
    CHECK(first.sizes[1] == 0.5);
    CHECK(first.inside);
    CHECK(second.type == SurfaceKind::superquadric);
    CHECK(second.sizes[3] == 4.5);
    CHECK(!second.inside);
    const std::string text = write_mjcf(m.scene);
    CHECK(text.find("shape1=\"torus\" size1=\"2 0.5\" inside1=\"true\"") != std::string::npos);
    CHECK(text.find("shape2=\"superquadric\" size2=\"1 2 3 4.5\"") != std::string::npos);
}

TEST_CASE("MJCF constraints between bodies: bodies, frames, and what equalities have in common") {
    const ReadMjcf m = with(
        "<knife_edge name='k' body1='a' body2='b' pos1='1 2 3' quat2='0 2 0 0' active='false' "
        "solref='0.1 1'/>"
        "<point_on_line body2='b' axis1='1 0 0' pos2='0 0 1'/><point_on_line body1='b'/>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.constraints().size() == 3);
    const ConstraintSpec& first = m.scene.constraints()[0];
    CHECK(first.name == "k");
    CHECK(first.constraint->kind() == "knife_edge");
    CHECK(first.body_a.index == 1);
    CHECK(first.body_b.index == 2);
    check_vec(first.frame_a.pos, {1, 2, 3});
    check_quat(first.frame_b.quat, {0, 1, 0, 0});
    CHECK(!first.active);
    CHECK(first.soft.solref[0] == 0.1);
    const ConstraintSpec& second = m.scene.constraints()[1];
    CHECK(second.body_a == world);
    CHECK(second.body_b.index == 2);
    // z of the frame along x of the world.
    check_vec(rotation_matrix(second.frame_a.quat) * Vec3d{0, 0, 1}, {1, 0, 0}, 1e-15);
    check_vec(second.frame_b.pos, {0, 0, 1});
    CHECK(m.scene.constraints()[2].body_a.index == 2);
    CHECK(m.scene.constraints()[2].body_b == world);
}

TEST_CASE("MJCF constraints between bodies: their parameters") {
    CHECK(only<DistanceConstraint>(with("<distance body1='a' body2='b' length='0.7'/>")).length == 0.7);
    const ReadMjcf rope = with("<distance body1='a' body2='b' length='0.7' forcemin='-20' forcemax='0'/>");
    CHECK(rope.scene.constraints()[0].force == Range{-20, 0});
    CHECK(with("<distance body1='a' body2='b' forcemin='0'/>").scene.constraints()[0].force ==
          Range{.lower = 0});
    // From (1, 0, 0) + (0, 3, 0) to (1, 0, 2) + (0, 0, 2).
    const ReadMjcf far = with("<distance body1='a' body2='b' pos1='0 3 0' pos2='0 0 2'/>");
    CHECK(only<DistanceConstraint>(far).length == doctest::Approx(5));
    CHECK(only<PointOnPlaneConstraint>(with("<point_on_plane body2='b' offset='-2'/>")).offset == -2);
    CHECK(only<PointOnPlaneConstraint>(with("<point_on_plane body2='b'/>")).offset == 0);
    CHECK(only<GearConstraint>(with("<gear body1='a' body2='b' ratio='-3'/>")).ratio == -3);
    CHECK(only<RollingBallConstraint>(with("<rolling_ball body2='b' radius='0.2'/>")).radius == 0.2);
    CHECK(only<RollingDiskConstraint>(with("<rolling_disk body2='b' radius='0.3'/>")).radius == 0.3);

    for (const auto& [shape, wanted] :
         {std::pair{"shape='sphere' size='2'", CurveConstraint::sphere(2)},
          std::pair{"shape='ellipsoid' size='1 2 3'", CurveConstraint::ellipsoid({1, 2, 3})},
          std::pair{"shape='circle' size='2'", CurveConstraint::circle(2)},
          std::pair{"shape='ellipse' size='2 3'", CurveConstraint::ellipse(2, 3)}}) {
        CAPTURE(shape);
        const ReadMjcf m = with("<curve body2='b' " + std::string(shape) + "/>");
        const CurveConstraint& curve = only<CurveConstraint>(m);
        CHECK(curve.first == wanted.first);
        CHECK(curve.second == wanted.second);
    }
    const ReadMjcf quadrics =
        with("<curve body2='b' quadric='1 2 3 4 5 6 7 8 9 10' quadric2='0 0 0 0 0 0 0 1 0 0'/>");
    CHECK(only<CurveConstraint>(quadrics).first == Quadric{{1, 2, 3, 4, 5, 6}, {7, 8, 9}, 10});
    CHECK(only<CurveConstraint>(quadrics).second == Quadric{{0, 0, 0, 0, 0, 0}, {0, 1, 0}, 0});

    const ReadMjcf moved = with("<prescribed body2='b' x='1 2' ywave='0.5 2' rz='0 0 3' rzwave='1 2 3'/>");
    const PrescribedConstraint& motion = only<PrescribedConstraint>(moved);
    CHECK(motion.rows() == 3);
    CHECK(motion.position.x == MotionProfile{{1, 2, 0, 0, 0, 0}, 0, 0, 0});
    CHECK(motion.position.y == MotionProfile{{0, 0, 0, 0, 0, 0}, 0.5, 2, 0});
    CHECK(!motion.position.z);
    CHECK(motion.rotation.z == MotionProfile{{0, 0, 3, 0, 0, 0}, 1, 2, 3});
}

TEST_CASE("MJCF constraints between bodies: what is wrong with them") {
    CHECK(only_message("<gear body1='a'/>") ==
          "error[E005]: <gear> has no attribute 'ratio' (add ratio=\"…\")\n");
    CHECK(only_message("<knife_edge/>") ==
          "error[E005]: <knife_edge> has no attribute 'body1' (add body1=\"…\")\n");
    CHECK(only_message("<knife_edge body1='c'/>").substr(0, 12) == "error[E084]:");
    CHECK(only_message("<knife_edge body1='a' lenght='1'/>").substr(0, 14) == "warning[W010]:");
    CHECK(only_message("<knife_edge body1='a' quat1='0 0 0 0'/>").substr(0, 12) == "error[E083]:");
    CHECK(only_message("<knife_edge body1='a' axis1='0 0 0'/>").substr(0, 12) == "error[E032]:");
    CHECK(only_message("<knife_edge body1='a' axis1='0 0 1' quat1='1 0 0 0'/>").substr(0, 12) ==
          "error[E014]:");
    CHECK(only_message("<tangency body1='a' shape1='plane' shape2='cone'/>").substr(0, 12) == "error[E005]:");
    CHECK(only_message("<tangency body1='a' shape1='plan' shape2='plane'/>").substr(0, 12) == "error[E008]:");
    CHECK(only_message("<tangency body1='a' shape1='plane' size1='1' shape2='sphere' size2='1'/>")
              .substr(0, 12) == "error[E014]:");
    CHECK(only_message("<tangency body1='a' shape1='plane' shape2='ellipsoid' size2='1 2'/>").substr(0, 12) ==
          "error[E007]:");
    CHECK(only_message("<curve body1='a'/>").substr(0, 12) == "error[E005]:");
    CHECK(only_message("<curve body1='a' shape='circle' size='-1'/>").substr(0, 12) == "error[E160]:");
    CHECK(only_message("<curve body1='a' shape='circle' size='1 2'/>").substr(0, 12) == "error[E007]:");
    CHECK(only_message("<curve body1='a' shape='circel' size='1'/>").substr(0, 12) == "error[E008]:");
    CHECK(only_message("<curve body1='a' shape='circle' size='1' quadric='1 1 1 0 0 0 0 0 0 1'/>")
              .substr(0, 12) == "error[E014]:");
    CHECK(only_message("<prescribed body1='a' x='1 2 3 4 5 6 7'/>").substr(0, 12) == "error[E007]:");
    CHECK(only_message("<nife_edge body1='a'/>") ==
          "warning[W011]: <nife_edge> inside <equality> is not known and was not read (did you mean "
          "'knife_edge'?)\n");
}

TEST_CASE("MJCF loops: the time in which they close") {
    const ReadMjcf m = with(
        "<connect body1='a' anchor='0 0 0' closingtime='2'/><weld body1='a' closingtime='3'/>"
        "<loop type='hinge' body1='a' closingtime='4'/><weld body1='b'/>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.loops().size() == 4);
    const double times[] = {2, 3, 4, 0};
    for (int k = 0; k < 4; ++k) CHECK(m.scene.loops()[k].closing_time == times[k]);
}

TEST_CASE("MJCF constraints between bodies: copies have their own") {
    const ReadMjcf m = read_model(
        "<worldbody><replicate count='3' offset='1 0 0'><body name='b'><joint type='free'/></body>"
        "</replicate></worldbody><equality><knife_edge name='blade' body2='b'/></equality>");
    CHECK(m.messages() == "");
    REQUIRE(m.scene.constraints().size() == 3);
    for (int k = 0; k < 3; ++k) {
        CHECK(m.scene.constraints()[k].body_b.index == k + 1);
        CHECK(m.scene.constraints()[k].name == "blade" + std::to_string(k));
    }
}

namespace {

class Own final : public PairConstraint {
public:
    std::string_view kind() const override { return "own"; }
    int rows() const override { return 1; }
    void evaluate(const PairState&, PairRow* out) const override { *out = {}; }
};

}  // namespace

TEST_CASE("MJCF written: a constraint of a program's own is refused by name") {
    Scene scene;
    const BodyId body = scene.add_body(world, {.name = "b"});
    scene.add_constraint(
        {.name = "mine", .body_a = world, .body_b = body, .constraint = std::make_shared<Own>()});
    CHECK_THROWS_WITH_AS(write_mjcf(scene),
                         "lig: constraint 'mine' is of the kind 'own', which only the program has that made "
                         "it: a file cannot hold it",
                         std::invalid_argument);
}
