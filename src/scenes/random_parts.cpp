#include "scenes/random_parts.h"

#include "core/length.h"
#include "core/rotation.h"

#include <algorithm>
#include <numbers>
#include <vector>

namespace lig::scenes {

namespace {

constexpr double pi = std::numbers::pi;
constexpr Vec3d up{0, 0, 1}, across{0, 1, 0};

// A point on a circle in the x–z plane.
Vec3d on_circle(double angle, double radius) {
    double sine, cosine;
    sin_cos(angle, sine, cosine);
    return {radius * cosine, 0, radius * sine};
}

JointType joint_kind(Draw& draw) {
    constexpr JointType kinds[] = {JointType::hinge, JointType::hinge, JointType::hinge,
                                   JointType::ball, JointType::ball, JointType::slide,
                                   JointType::universal, JointType::hinge};
    return kinds[draw.whole(0, 7)];
}

// A chain of links on ball joints through points of the world, each below the one before; the first below
// `parent`, without a joint of its own.
struct Chain {
    std::vector<BodyId> links;
    double mass;  // of a link
};
Chain add_chain(Sketch& sketch, BodyId parent, const std::vector<Vec3d>& points, const Habits& habits,
                bool fixed) {
    Chain chain;
    chain.mass = sketch.draw.between(0.05, 0.5);
    const double reach = length(points[1] - points[0]), thickness = sketch.draw.between(0.05, 0.12) * reach;
    for (std::size_t k = 0; k + 1 < points.size(); ++k) {
        parent = sketch.add_link(parent, "link", points[k], points[k + 1], thickness, chain.mass);
        chain.links.push_back(parent);
        if (k > 0 || fixed)
            sketch.join(parent, JointType::ball, points[k], across, habits, chain.mass, reach);
        else
            sketch.set_free(parent);
    }
    return chain;
}

// A load of up to 10⁴ times the mass, hung on a body at a point.
void hang_load(Sketch& sketch, BodyId body, const Vec3d& at, double mass) {
    Draw& draw = sketch.draw;
    const double radius = draw.between(0.05, 0.2), load = mass * draw.ratio(4);
    const BodyId ball =
        sketch.add(body, "load", {Mat3d::identity(), at - (radius + 0.05) * up},
                   {.shape = draw.chance(0.5) ? ShapeType::sphere : ShapeType::box,
                    .size = {radius, 0.8 * radius, 0.8 * radius},
                    .mass = load});
    sketch.join(ball, JointType::ball, at, up, sketch.habits(), load, 2 * radius);
}

std::vector<BodyId> add_links(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const Habits habits = sketch.habits();
    const int count = draw.whole(3, 9);
    const bool floating = draw.chance(0.5);
    const double mass = draw.between(0.1, 2);
    const int decades = draw.chance(0.4) ? draw.whole(1, 4) : 0;
    struct End {
        BodyId body;
        Vec3d at;
    };
    std::vector<End> ends{{world, place + 2.5 * up}};
    std::vector<BodyId> links;
    for (int k = 0; k < count; ++k) {
        // The last end, or any.
        const int last = static_cast<int>(ends.size()) - 1;
        const End from = ends[draw.chance(0.6) ? last : draw.whole(std::min(1, last), last)];
        const double reach = draw.between(0.2, 0.5), thickness = draw.between(0.02, 0.05);
        const Vec3d to = from.at + reach * draw.direction();
        const double own = decades == 0 ? mass : mass * draw.ratio(decades);
        const BodyId link = sketch.add_link(from.body, "link", from.at, to, thickness, own);
        if (k == 0 && floating)
            sketch.set_free(link);
        else {
            const JointType kind = joint_kind(draw);
            sketch.join(link, kind, from.at, draw.direction(), habits, own, reach);
        }
        ends.push_back({link, to});
        links.push_back(link);
    }
    return links;
}

}  // namespace

void add_tree(Sketch& sketch, const Vec3d& place) { add_links(sketch, place); }

void add_pinned_tree(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const std::vector<BodyId> links = add_links(sketch, place);
    const int last = static_cast<int>(links.size()) - 1;
    for (int pins = draw.whole(1, 3); pins > 0; --pins) {
        const int a = draw.whole(0, last - 1), b = draw.whole(a + 1, last);
        const BodyId body_a = draw.chance(0.25) ? world : links[a], body_b = links[b];
        const Vec3d at = sketch.X_WB[body_b.index] * Vec3d{draw.between(-0.2, 0.2), 0, 0};
        if (draw.chance(0.3)) {
            const Vec3d from = body_a == world ? place + 2 * up : sketch.X_WB[body_a.index].p + 0.1 * up;
            sketch.add_rod(body_a, from, body_b, at);
            continue;
        }
        const JointType type = draw.chance(0.3) ? JointType::hinge : JointType::ball;
        const Vec3d axis = draw.direction();
        // Some are there twice.
        for (int times = draw.chance(0.25) ? 2 : 1; times > 0; --times)
            sketch.pin(type, body_a, body_b, at, axis);
    }
}

void add_rope(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const int count = draw.whole(4, 12);
    const double reach = draw.between(0.15, 0.3);
    // The directions of the links turn by this from end to end. The less, the more the tension.
    const double turn = 0.05 * draw.ratio(1);
    std::vector<Vec3d> points{place + Vec3d{-0.5 * count * reach, 0, 3}};
    for (int k = 0; k < count; ++k)
        points.push_back(points.back() + on_circle((k + 0.5 - 0.5 * count) * turn / count, reach));
    const Chain rope = add_chain(sketch, world, points, sketch.habits(), true);
    sketch.pin(JointType::ball, world, rope.links.back(), points.back(), across);
    const int middle = draw.whole(1, count - 1);
    if (draw.chance(0.6)) hang_load(sketch, rope.links[middle], points[middle], rope.mass);
    if (draw.chance(0.3)) {
        // Somebody steps on it.
        const double half = draw.between(0.08, 0.2), mass = rope.mass * draw.ratio(4);
        const BodyId rider =
            sketch.add(world, "rider", {Mat3d::identity(), points[middle] + (half + 0.2) * up},
                       {.shape = ShapeType::box, .size = {half, half, half}, .mass = mass});
        sketch.set_free(rider);
    }
}

void add_hanging(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const int count = draw.whole(3, 12);
    const double reach = draw.between(0.1, 0.25), slope = draw.between(-0.5 * pi, 0);
    std::vector<Vec3d> points{place + 3.2 * up};
    for (int k = 0; k < count; ++k) points.push_back(points.back() + on_circle(slope, reach));
    const Chain chain = add_chain(sketch, world, points, sketch.habits(), true);
    hang_load(sketch, chain.links.back(), points.back(), chain.mass);
}

void add_draped(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const double radius = draw.between(0.05, 0.3), height = 1.5;
    sketch.scene.add_geom(world, {.name = sketch.name("peg"),
                                  .shape = ShapeType::capsule,
                                  .pose = {place + height * up, rotation_exp(Vec3d{pi / 2, 0, 0})},
                                  .size = {radius, 0.5, 0}});
    const int count = draw.whole(6, 14);
    const double reach = draw.between(0.1, 0.2), off = draw.between(0.2, 0.8);
    std::vector<Vec3d> points{place + Vec3d{-off * count * reach, 0, height + radius + 0.1}};
    for (int k = 0; k < count; ++k) points.push_back(points.back() + Vec3d{reach, 0, 0});
    const Chain chain = add_chain(sketch, world, points, sketch.habits(), false);
    for (int weights = draw.whole(0, 2); weights > 0; --weights)
        hang_load(sketch, weights == 1 ? chain.links.back() : chain.links.front(),
                  weights == 1 ? points.back() : points.front(), chain.mass);
}

void add_ring(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const int count = draw.whole(4, 10);
    const double radius = draw.between(0.2, 0.5);
    const Mat3d tilt = rotation_matrix(draw.turn(pi));
    std::vector<Vec3d> points;
    for (int k = 0; k <= count; ++k)
        points.push_back(place + (radius + 0.9) * up +
                         tilt * on_circle(2 * pi * (k % count) / count, radius));
    const Chain ring = add_chain(sketch, world, points, sketch.habits(), false);
    sketch.pin(draw.chance(0.3) ? JointType::hinge : JointType::ball, ring.links.front(), ring.links.back(),
               points.front(), tilt * across);
}

void add_cranks(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const Habits habits = sketch.habits();
    const int cranks = draw.whole(2, 4);
    const double spacing = draw.between(0.3, 0.6), radius = draw.between(0.2, 0.5);
    const Vec3d crank = on_circle(draw.between(0, 2 * pi), radius);
    const double mass = draw.between(0.1, 1), heavy = mass * (draw.chance(0.5) ? draw.ratio(4) : 1);
    const auto pivot = [&](int k) { return place + Vec3d{(k - 0.5 * (cranks - 1)) * spacing, 0, 1.5}; };
    const double thickness = 0.03;
    BodyId beam;
    for (int k = 0; k < cranks; ++k) {
        const BodyId link = sketch.add_link(world, "crank", pivot(k), pivot(k) + crank, thickness, mass);
        sketch.join(link, JointType::hinge, pivot(k), across, habits, mass, radius);
        if (k > 0) {
            sketch.pin(draw.chance(0.7) ? JointType::hinge : JointType::ball, link, beam, pivot(k) + crank,
                       across);
            continue;
        }
        beam = sketch.add_link(link, "beam", pivot(0) + crank, pivot(cranks - 1) + crank, thickness, heavy);
        sketch.join(beam, JointType::hinge, pivot(0) + crank, across, habits, heavy, spacing);
    }
}

void add_mesh_of_links(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const Habits habits = sketch.habits();
    const int columns = draw.whole(2, 4), rows = draw.whole(2, 4);
    const double reach = draw.between(0.2, 0.4);
    const Vec3d along = on_circle(draw.between(-0.5 * pi, 0.2), reach);
    // From knot to knot down the columns; ties across from link to link.
    std::vector<BodyId> before;
    double mass = 0;
    for (int column = 0; column < columns; ++column) {
        std::vector<Vec3d> points{place + Vec3d{0, (column - 0.5 * (columns - 1)) * reach, 3}};
        for (int k = 0; k < rows; ++k) points.push_back(points.back() + along);
        const Chain chain = add_chain(sketch, world, points, habits, true);
        for (int k = 0; k < rows && column > 0; ++k) {
            const Vec3d at = points[k + 1] - Vec3d{0, reach, 0};
            const BodyId tie = sketch.add_link(before[k], "tie", at, points[k + 1], 0.08 * reach, chain.mass);
            sketch.join(tie, JointType::ball, at, across, habits, chain.mass, reach);
            sketch.pin(JointType::ball, tie, chain.links[k], points[k + 1], across);
        }
        before = chain.links;
        mass = chain.mass;
        if (draw.chance(0.3)) hang_load(sketch, before.back(), points.back(), mass);
    }
}

void add_heap(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const double mass = draw.between(0.1, 5);
    const int decades = draw.chance(0.4) ? draw.whole(1, 4) : 0;
    double height = 0;
    for (int count = draw.whole(1, 6); count > 0; --count) {
        constexpr ShapeType shapes[] = {ShapeType::box, ShapeType::box, ShapeType::sphere,
                                        ShapeType::capsule};
        const ShapeType shape = shapes[draw.whole(0, 3)];
        const double x = draw.between(0.1, 0.3), y = draw.between(0.1, 0.3), z = draw.between(0.05, 0.3);
        const Vec3d size = shape == ShapeType::sphere ? Vec3d{z, 0, 0} : Vec3d{x, y, z};
        const bool lying = shape == ShapeType::capsule && draw.chance(0.7);
        const double top = shape == ShapeType::capsule ? (lying ? x : x + y) : z;
        // Upright ones may rest on what is below, others fall.
        const bool tilted = draw.chance(0.3);
        const double room = tilted ? length(size) + x : top;
        height += room + (tilted || draw.chance(0.5) ? draw.between(0, 0.2) : 0);
        const Mat3d turn = tilted ? rotation_matrix(draw.turn(pi)) : Mat3d::identity();
        const Vec3d aside{draw.between(-0.05, 0.05), draw.between(-0.05, 0.05), height};
        const BodyId body = sketch.add(world, "body", {turn, place + aside},
                                       {.shape = shape,
                                        .size = shape == ShapeType::capsule ? Vec3d{x, y, 0} : size,
                                        .mass = decades == 0 ? mass : mass * draw.ratio(decades),
                                        .along = lying ? Along::x : Along::z});
        sketch.set_free(body);
        height += room;
    }
}

void add_hand(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const Habits habits = sketch.habits();
    const double mass = draw.between(0.02, 0.2);
    const Vec3d middle = place + 1.5 * up;
    const BodyId palm = sketch.add(world, "palm", {Mat3d::identity(), middle},
                                   {.shape = ShapeType::box,
                                    .size = {0.1, 0.15, 0.03},
                                    .mass = mass * (draw.chance(0.5) ? draw.ratio(4) : 10)});
    if (draw.chance(0.5))
        sketch.set_free(palm);
    else
        sketch.join(palm, JointType::hinge, middle, up, habits, 10 * mass, 0.2);
    const int fingers = draw.whole(1, 4);
    for (int finger = 0; finger < fingers; ++finger) {
        Vec3d at = middle + Vec3d{0.12, (finger - 0.5 * (fingers - 1)) * 0.08, 0};
        BodyId body = palm;
        TendonSpec tendon{.name = sketch.name("tendon")};
        std::vector<JointId> joints;
        for (int k = 0; k < 3; ++k) {
            const Vec3d to = at + on_circle(-0.2 * k, 0.08);
            body = sketch.add_link(body, "finger", at, to, 0.012, mass);
            joints.push_back(sketch.join(body, JointType::hinge, at, across, habits, mass, 0.08));
            tendon.joints.push_back({joints.back(), draw.between(0.005, 0.02)});
            at = to;
        }
        const double scale = mass * 9.81;
        if (draw.chance(0.6)) tendon.stiffness = scale * 100 * draw.ratio(2);
        if (draw.chance(0.6)) tendon.damping = scale * draw.ratio(2);
        if (draw.chance(0.3)) tendon.friction_loss = scale * draw.between(0.01, 0.5);
        if (draw.chance(0.4)) tendon.range = {-draw.between(0.001, 0.02), draw.between(0.001, 0.02)};
        sketch.scene.add_tendon(std::move(tendon));
        if (draw.chance(0.4))
            sketch.scene.add_coupling({.name = sketch.name("coupling"),
                                       .follower = joints[2],
                                       .leader = joints[1],
                                       .coefficients = {0, draw.between(0.5, 1.5), 0, 0, 0}});
    }
}

void add_telescope(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const Habits habits = sketch.habits();
    const double mass = draw.between(0.01, 0.5);
    const double slope = draw.between(-0.3, 0.5 * pi);
    const Vec3d along = on_circle(slope, 1);
    BodyId body = world;
    JointId before;
    const int count = draw.whole(2, 5);
    const double reach = 0.3, spacing = 0.12;
    Vec3d at = place + 2 * up;
    for (int k = 0; k < count; ++k) {
        body = sketch.add_link(body, "stage", at, at + reach * along, 0.02, mass);
        const JointId slide = sketch.join(body, JointType::slide, at, along, habits, mass * count, reach);
        if (k > 0 && draw.chance(0.8))
            sketch.scene.add_coupling({.name = sketch.name("coupling"), .follower = slide, .leader = before});
        before = slide;
        at = at + spacing * along;
    }
    hang_load(sketch, body, at + reach * along, mass);
}

void add_truss(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const double size = draw.between(0.2, 0.5), mass = draw.between(0.1, 2);
    const int decades = draw.chance(0.4) ? draw.whole(1, 3) : 0;
    const Mat3d tilt = rotation_matrix(draw.turn(pi));
    constexpr Vec3d corners[] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    std::vector<BodyId> balls;
    for (const Vec3d& corner : corners) {
        const Vec3d at = place + (2 * size + 0.1) * up + tilt * (size * corner);
        balls.push_back(sketch.add(world, "ball", {Mat3d::identity(), at},
                                   {.shape = ShapeType::sphere,
                                    .size = {0.2 * size, 0, 0},
                                    .mass = decades == 0 ? mass : mass * draw.ratio(decades)}));
        sketch.set_free(balls.back());
    }
    // Between middles, or between points of the surfaces; some are missing.
    const bool eccentric = draw.chance(0.3);
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j) {
            if (draw.chance(0.15)) continue;
            const Vec3d a = sketch.X_WB[balls[i].index].p, b = sketch.X_WB[balls[j].index].p;
            const Vec3d off = eccentric ? 0.1 * size * draw.direction() : Vec3d{0, 0, 0};
            sketch.add_rod(balls[i], a + off, balls[j], b + off);
        }
}

void add_tether(Sketch& sketch, const Vec3d& place) {
    Draw& draw = sketch.draw;
    const double radius = draw.between(0.05, 0.2), mass = draw.between(0.1, 10);
    const Vec3d top = place + 2.5 * up;
    const double angle = draw.between(-pi, 0), away = draw.between(0.4, 1);
    const Vec3d at = top + on_circle(angle, away);
    const BodyId ball = sketch.add(world, "ball", {Mat3d::identity(), at},
                                   {.shape = ShapeType::sphere, .size = {radius, 0, 0}, .mass = mass});
    sketch.set_free(ball);
    TendonSpec tendon{.name = sketch.name("tendon"),
                      .stops = {{.site = sketch.add_site(world, top)}, {.site = sketch.add_site(ball, at)}}};
    if (draw.chance(0.6)) tendon.range = {0, away * draw.between(1.001, 1.5)};
    if (draw.chance(0.5)) tendon.stiffness = mass * 10 * draw.ratio(3);
    if (draw.chance(0.4)) tendon.damping = mass * 0.1 * draw.ratio(2);
    sketch.scene.add_tendon(std::move(tendon));
}

}  // namespace lig::scenes
