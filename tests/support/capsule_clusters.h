#pragma once

// Ragdolls of sixteen capsules each, packed so closely that they touch, and drifting: what collision
// detection meets in a heap of characters. Only their poses matter; nothing simulates them.

#include "core/rotation.h"
#include "scalar_types.h"

#include <ligament/model.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace lig::test {

class CapsuleClusters {
public:
    // `spacing` is the distance of neighbours; speeds are drawn up to `speed` m/s and rad/s.
    CapsuleClusters(int ragdolls, double spacing, double speed) {
        Scene scene;
        scene.add_geom(world, {.name = "floor", .shape = ShapeType::plane});
        for (int n = 0; n < ragdolls; ++n) add_ragdoll(scene);
        model = compile(scene);

        Random random(7);
        const int side = std::max(1, static_cast<int>(std::lround(std::cbrt(ragdolls))));
        for (int n = 0; n < ragdolls; ++n) {
            Body body;
            body.place = {spacing * (n % side), spacing * (n / side % side),
                          spacing * (n / side / side) + 0.1};
            body.turn = rotation_exp(random.uniform(0, std::numbers::pi) * direction(random));
            body.velocity = random.uniform(0, speed) * direction(random);
            body.spin = random.uniform(0, speed) * direction(random);
            bodies_.push_back(body);
        }
    }

    void poses(double time, std::vector<Transformd>& X_WB) const {
        X_WB.resize(model->bodies.size());
        X_WB[0] = Transformd::identity();
        for (std::size_t n = 0; n < bodies_.size(); ++n) {
            const Body& body = bodies_[n];
            // The middle of the ragdoll, at a height of one metre, is what is placed and turned.
            Transformd X_WR;
            X_WR.R = rotation_matrix(rotation_exp(time * body.spin) * body.turn);
            X_WR.p = body.place + time * body.velocity - X_WR.R * Vec3d{0, 0, 1};
            for (int k = 0; k < parts; ++k) {
                const std::size_t b = 1 + parts * n + k;
                X_WB[b] = X_WR * model->bodies[b].X_WB0;
            }
        }
    }

    static constexpr int parts = 16;
    std::shared_ptr<const Model> model;

private:
    struct Body {
        Vec3d place;
        Quatd turn;
        Vec3d velocity, spin;
    };

    static Vec3d direction(Random& random) {
        const double z = random.uniform(-1, 1), angle = random.uniform(0, 2 * std::numbers::pi);
        const double r = std::sqrt(1 - z * z);
        return {r * std::cos(angle), r * std::sin(angle), z};
    }

    static void add_ragdoll(Scene& scene) {
        struct Part {
            int parent;
            Vec3d center;  // in the standing pose, arms stretched out along x
            char along;
            double half_length, radius;
        };
        static const Part body[parts] = {
            {-1, {0, 0, 1.00}, 'x', 0.08, 0.11},
            {0, {0, 0, 1.16}, 'x', 0.06, 0.10},
            {1, {0, 0, 1.36}, 'x', 0.09, 0.13},
            {2, {0, 0, 1.66}, 'z', 0.05, 0.09},
            {2, {0.36, 0, 1.42}, 'x', 0.11, 0.045},
            {4, {0.63, 0, 1.42}, 'x', 0.10, 0.04},
            {5, {0.83, 0, 1.42}, 'x', 0.04, 0.035},
            {2, {-0.36, 0, 1.42}, 'x', 0.11, 0.045},
            {7, {-0.63, 0, 1.42}, 'x', 0.10, 0.04},
            {8, {-0.83, 0, 1.42}, 'x', 0.04, 0.035},
            {0, {0.10, 0, 0.72}, 'z', 0.16, 0.07},
            {10, {0.10, 0, 0.29}, 'z', 0.16, 0.055},
            {11, {0.10, -0.05, 0.04}, 'y', 0.07, 0.04},
            {0, {-0.10, 0, 0.72}, 'z', 0.16, 0.07},
            {13, {-0.10, 0, 0.29}, 'z', 0.16, 0.055},
            {14, {-0.10, -0.05, 0.04}, 'y', 0.07, 0.04},
        };
        const double half = std::sqrt(0.5);
        BodyId ids[parts];
        for (int k = 0; k < parts; ++k) {
            const Part& part = body[k];
            const Vec3d from = part.parent < 0 ? Vec3d::zero() : body[part.parent].center;
            ids[k] = scene.add_body(part.parent < 0 ? world : ids[part.parent],
                                    {.pose = {.pos = part.center - from}});
            scene.add_joint(ids[k], {.type = part.parent < 0 ? JointType::free : JointType::ball});
            const Quatd along = part.along == 'x'   ? Quatd{half, 0, half, 0}
                                : part.along == 'y' ? Quatd{half, half, 0, 0}
                                                    : Quatd{1, 0, 0, 0};
            scene.add_geom(ids[k], {.shape = ShapeType::capsule,
                                    .pose = {.quat = along},
                                    .size = {part.radius, part.half_length, 0}});
        }
    }

    std::vector<Body> bodies_;
};

}  // namespace lig::test
