// A sheet of particles, `count` along its first row and `rows` across, that keep their distances: to their
// neighbours (weft along the rows, warp across them) and, against shearing, along diagonals of the squares,
// alternately one way and the other or both. Springs to the next but one resist bending, where wanted.
//
// Distances are constraints, so a row that is held at its ends has to be longer than the way between them:
// straight, it could carry its weight by no finite force. Such a sheet starts as part of a cylinder, each row
// an arc of equal chords. Squares are plane there, and all distances those of the flat sheet. One that is
// held all along its first row, or nowhere, or at one corner, starts flat.
//
// Particles of the first row are held to the world by loops, whose forces are those of the hooks. Particles
// do not collide with each other.

#include "core/scalar_math.h"
#include "scenes/generator_list.h"
#include "scenes/parts.h"

#include <ligament/pair_kinds.h>

#include <algorithm>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace lig::scenes {

namespace {

constexpr Parameter parameters[] = {
    {"count", "particles along the first row", 20, 2, 200, true},
    {"rows", "rows of particles", 20, 2, 200, true},
    {"spacing", "between neighbours [m]", 0.05, 1e-6, 1e6, false},
    {"mass", "of the sheet [kg]", 0.4, 1e-9, 1e9, false},
    {"held", "particles of the first row that are held, spread evenly", 2, 0, 200, true},
    {"shear", "diagonals of each square that keep their length", 1, 0, 2, true},
    {"bending", "stiffness between next but one [N/m]", 0, 0, 1e12, false},
    {"ball", "radius of a ball under the sheet [m], or none", 0, 0, 1e6, false}};

constexpr double arc = 2;  // rad, by which the direction of a row between hooks changes from end to end

// Of a particle's geom, in spacings: neighbours do not touch.
constexpr double particle_radius = 0.4;

struct Sheet {
    int count, rows;
    double spacing;
    std::vector<Vec3d> first_row;
    std::vector<BodyId> bodies;  // row by row
    std::vector<bool> held;

    int at(int i, int j) const { return j * count + i; }
    Vec3d place(int i, int j) const { return first_row[i] + Vec3d{0, j * spacing, 0}; }
};

// From end to end about x = 0, the lowest point at height `lowest`.
std::vector<Vec3d> row_of(int count, double spacing, double turn, double lowest) {
    std::vector<Vec3d> row{{0, 0, 0}};
    for (int k = 1; k < count; ++k) {
        double sine, cosine;
        sin_cos((k - 0.5 * count) * turn / (count - 1), sine, cosine);
        row.push_back(row.back() + Vec3d{spacing * cosine, 0, spacing * sine});
    }
    const auto below = [](const Vec3d& a, const Vec3d& b) { return a.z < b.z; };
    const Vec3d shift{-0.5 * row.back().x, 0, lowest - std::ranges::min_element(row, below)->z};
    for (Vec3d& place : row) place = place + shift;
    return row;
}

std::string label(int i, int j) { return std::to_string(i) + '_' + std::to_string(j); }

void add_particles(Scene& scene, Sheet& sheet, double mass) {
    for (int j = 0; j < sheet.rows; ++j)
        for (int i = 0; i < sheet.count; ++i) {
            const std::string name = "particle" + label(i, j);
            const BodyId body = scene.add_body(world, {.name = name,
                                                       .pose = {.pos = sheet.place(i, j)},
                                                       .inertial = InertialSpec{.mass = mass},
                                                       .kind = BodyKind::particle});
            scene.add_geom(body, {.name = name,
                                  .shape = ShapeType::sphere,
                                  .size = {particle_radius * sheet.spacing, 0, 0},
                                  .contype = 0,
                                  .friction = friction,
                                  .rgba = (i + j) % 2 == 0 ? Colour{0.80, 0.28, 0.24, 1}
                                                           : Colour{0.90, 0.90, 0.88, 1}});
            sheet.bodies.push_back(body);
        }
}

void hold(Scene& scene, Sheet& sheet, int wanted) {
    sheet.held.assign(sheet.bodies.size(), false);
    for (int k = 0; k < wanted; ++k) {
        const int i = wanted == 1 ? 0 : (2 * k * (sheet.count - 1) + wanted - 1) / (2 * (wanted - 1));
        sheet.held[i] = true;
        scene.add_loop({.name = "hook" + std::to_string(k),
                        .type = JointType::ball,
                        .body_a = world,
                        .body_b = sheet.bodies[i],
                        .frame_a = {.pos = sheet.place(i, 0)}});
    }
}

void keep_distance(Scene& scene, const Sheet& sheet, std::string name, int a, int b, double length) {
    if (sheet.held[a] && sheet.held[b]) return;
    scene.add_constraint({.name = std::move(name),
                          .body_a = sheet.bodies[a],
                          .body_b = sheet.bodies[b],
                          .constraint = std::make_shared<DistanceConstraint>(length)});
}

void weave(Scene& scene, const Sheet& sheet, int diagonals) {
    const double diagonal = std::numbers::sqrt2 * sheet.spacing;
    for (int j = 0; j < sheet.rows; ++j)
        for (int i = 0; i < sheet.count; ++i) {
            const bool right = i + 1 < sheet.count, down = j + 1 < sheet.rows;
            const auto keep = [&](const char* kind, int a, int b, double length) {
                keep_distance(scene, sheet, kind + label(i, j), a, b, length);
            };
            if (right) keep("weft", sheet.at(i, j), sheet.at(i + 1, j), sheet.spacing);
            if (down) keep("warp", sheet.at(i, j), sheet.at(i, j + 1), sheet.spacing);
            if (!right || !down) continue;
            const bool even = (i + j) % 2 == 0;
            if (diagonals == 2 || (diagonals == 1 && even))
                keep("falling", sheet.at(i, j), sheet.at(i + 1, j + 1), diagonal);
            if (diagonals == 2 || (diagonals == 1 && !even))
                keep("rising", sheet.at(i, j + 1), sheet.at(i + 1, j), diagonal);
        }
}

// At rest where the sheet is flat.
void resist_bending(Scene& scene, const Sheet& sheet, double stiffness) {
    std::vector<SiteId> sites;
    for (int j = 0; j < sheet.rows; ++j)
        for (int i = 0; i < sheet.count; ++i)
            sites.push_back(scene.add_site(sheet.bodies[sheet.at(i, j)], {.name = "site" + label(i, j)}));
    const auto add_spring = [&](std::string name, int a, int b) {
        if (sheet.held[a] && sheet.held[b]) return;
        scene.add_tendon({.name = std::move(name),
                          .stops = {{.site = sites[a]}, {.site = sites[b]}},
                          .stiffness = stiffness,
                          .spring_length = std::array{2 * sheet.spacing, 2 * sheet.spacing}});
    };
    for (int j = 0; j < sheet.rows; ++j)
        for (int i = 0; i < sheet.count; ++i) {
            if (i + 2 < sheet.count)
                add_spring("bend_weft" + label(i, j), sheet.at(i, j), sheet.at(i + 2, j));
            if (j + 2 < sheet.rows)
                add_spring("bend_warp" + label(i, j), sheet.at(i, j), sheet.at(i, j + 2));
        }
}

Scene make(std::span<const double> values) {
    const int count = static_cast<int>(values[0]), rows = static_cast<int>(values[1]);
    const int held = static_cast<int>(values[4]), diagonals = static_cast<int>(values[5]);
    const double spacing = values[2], mass = values[3], bending = values[6], ball = values[7];
    if (held > count) throw std::invalid_argument("'cloth' cannot hold more particles than a row has");
    Scene scene = frame_scene("cloth" + std::to_string(count) + 'x' + std::to_string(rows));
    const double lowest = ball > 0 ? 2 * ball + spacing : (rows - 1) * spacing;
    Sheet sheet{.count = count,
                .rows = rows,
                .spacing = spacing,
                .first_row = row_of(count, spacing, held > 1 && held < count ? arc : 0, lowest),
                .bodies = {},
                .held = {}};
    if (ball > 0) {
        add_ground(scene);
        scene.add_geom(world, {.name = "ball",
                               .shape = ShapeType::sphere,
                               .pose = {.pos = {0, 0.5 * (rows - 1) * spacing, ball}},
                               .size = {ball, 0, 0},
                               .friction = friction,
                               .rgba = {0.25, 0.48, 0.72, 1}});
    }
    add_particles(scene, sheet, mass / (static_cast<double>(count) * rows));
    hold(scene, sheet, held);
    weave(scene, sheet, diagonals);
    if (bending > 0) resist_bending(scene, sheet, bending);
    return scene;
}

}  // namespace

const Generator cloth{"cloth", "a sheet of particles that hangs from hooks or falls on a ball", parameters,
                      make};

}  // namespace lig::scenes
