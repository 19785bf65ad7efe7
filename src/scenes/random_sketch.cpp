#include "scenes/random_sketch.h"

#include "core/length.h"
#include "core/rotation.h"

#include <ligament/pair_kinds.h>

#include <cmath>
#include <memory>
#include <numbers>

namespace lig::scenes {

double Draw::ratio(int decades) {
    double scale = 1;
    for (int k = whole(0, decades - 1); k > 0; --k) scale *= 10;
    return scale * between(1, 10);
}

Vec3d Draw::direction() {
    while (true) {
        const double x = between(-1, 1), y = between(-1, 1), z = between(-1, 1);
        const double length2 = x * x + y * y + z * z;
        if (length2 > 0.01 && length2 < 1) return (1 / std::sqrt(length2)) * Vec3d{x, y, z};
    }
}

Quatd Draw::turn(double most) {
    const double angle = between(0, most);
    return rotation_exp(angle * direction());
}

namespace {

// A frame at a point, x along one direction.
Mat3d axes_along(const Vec3d& x) {
    const Vec3d other = std::abs(x.z) < 0.9 ? Vec3d{0, 0, 1} : Vec3d{0, 1, 0};
    const Vec3d across = cross(other, x);
    const Vec3d y = (1 / length(across)) * across;
    return {x, y, cross(x, y)};
}

Pose pose_of(const Transformd& X) { return {X.p, quaternion(X.R)}; }

}  // namespace

Sketch::Sketch(std::string name, std::uint64_t seed)
    : scene(frame_scene(std::move(name))), draw(seed), X_WB{Transformd::identity()} {}

Habits Sketch::habits() {
    constexpr double share = 0.35;
    const bool springs = draw.chance(share), dampers = draw.chance(share), friction = draw.chance(share),
               limits = draw.chance(share), armature = draw.chance(0.15);
    return {springs, dampers, friction, limits, armature};
}

std::string Sketch::name(std::string_view what) {
    return part + '_' + std::string(what) + std::to_string(named_++);
}

BodyId Sketch::add(BodyId parent, std::string_view what, const Transformd& pose, const Solid& solid) {
    const BodyId body =
        add_solid(scene, parent, name(what), pose_of(X_WB[parent.index].inverse() * pose), solid);
    // As compile will have it, from the quaternion.
    const Pose& written = scene.bodies()[body.index].spec.pose;
    X_WB.push_back(X_WB[parent.index] * Transformd{rotation_matrix(written.quat), written.pos});
    return body;
}

BodyId Sketch::add_link(BodyId parent, std::string_view what, const Vec3d& from, const Vec3d& to,
                        double thickness, double mass) {
    const Vec3d along = to - from;
    const double reach = length(along);
    const Transformd pose{axes_along((1 / reach) * along), 0.5 * (from + to)};
    const double half = 0.5 * reach - thickness;
    if (draw.chance(0.3))
        return add(parent, what, pose,
                   {.shape = ShapeType::box, .size = {half, thickness, thickness}, .mass = mass});
    return add(parent, what, pose,
               {.shape = ShapeType::capsule, .size = {thickness, half, 0}, .mass = mass, .along = Along::x});
}

JointId Sketch::join(BodyId body, JointType type, const Vec3d& anchor, const Vec3d& axis,
                     const Habits& habits, double mass, double length) {
    constexpr double share = 0.7;  // of the joints of a part
    constexpr double g = 9.81;
    const Transformd X_BW = X_WB[body.index].inverse();
    const bool slide = type == JointType::slide;
    const double inertia = slide ? mass : mass * length * length / 3;
    const double load = slide ? mass * g : mass * g * length;
    JointSpec joint{.name = name("joint"), .type = type, .pos = X_BW * anchor, .axis = X_BW.R * axis};
    joint.axis2 = X_BW.R * axes_along(axis).y;
    if (habits.springs && draw.chance(share)) {
        const double frequency = 0.5 * draw.ratio(1);  // Hz
        const double omega = 2 * std::numbers::pi * frequency;
        joint.stiffness = inertia * omega * omega;
    }
    if (habits.dampers && draw.chance(share)) joint.damping = inertia * 0.1 * draw.ratio(2);
    if (habits.friction && draw.chance(share)) joint.friction_loss = load * 1e-4 * draw.ratio(3);
    if (habits.armature && draw.chance(share)) joint.armature = inertia * draw.between(0.01, 1);
    if (habits.limits && draw.chance(share)) {
        const double size = slide ? 0.3 : 1.5;
        const double below = draw.between(0.05, 1) * size, above = draw.between(0.05, 1) * size;
        if (type == JointType::ball)
            joint.cone = above;
        else if (type == JointType::hinge || type == JointType::slide)
            joint.range[0] = {-below, above};
    }
    return scene.add_joint(body, std::move(joint));
}

void Sketch::set_free(BodyId body) {
    scene.add_joint(body, {.name = name("joint"), .type = JointType::free});
}

void Sketch::pin(JointType type, BodyId a, BodyId b, const Vec3d& anchor, const Vec3d& axis) {
    const Mat3d along = axes_along(axis);
    const Transformd frame{Mat3d{along.y, along.z, along.x}, anchor};
    scene.add_loop({.name = name("loop"),
                    .type = type,
                    .body_a = a,
                    .body_b = b,
                    .frame_a = pose_of(X_WB[a.index].inverse() * frame),
                    .frame_b = pose_of(X_WB[b.index].inverse() * frame)});
    if (a.index != 0 && b.index != 0) scene.exclude_collision(a, b);
}

void Sketch::add_rod(BodyId a, const Vec3d& on_a, BodyId b, const Vec3d& on_b) {
    const Vec3d along = on_b - on_a;
    scene.add_constraint({.name = name("rod"),
                          .body_a = a,
                          .body_b = b,
                          .frame_a = {.pos = X_WB[a.index].inverse() * on_a},
                          .frame_b = {.pos = X_WB[b.index].inverse() * on_b},
                          .constraint = std::make_shared<DistanceConstraint>(length(along))});
}

SiteId Sketch::add_site(BodyId body, const Vec3d& at) {
    return scene.add_site(body, {.name = name("site"), .pose = {.pos = X_WB[body.index].inverse() * at}});
}

}  // namespace lig::scenes
