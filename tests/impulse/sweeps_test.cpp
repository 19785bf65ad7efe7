// Sweeps there and back do not swing up: the map from one warm-started sub-step to the next, at frozen
// geometry, has the spectral radius √g < 1, g that of the cold sweep, whatever the masses and however many
// joints meet at a body (docs/impulse.md#sweeps-there-and-back). The matrices are made by the blocks that
// simulations sweep.

#include "dynamics/dynamics_parts.h"
#include "formulations/impulse/joint_blocks.h"
#include "support/pair_runs.h"
#include "support/random_values.h"

#include <ligament/dynamics.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace lig;
using namespace lig::test;

namespace {

using Matrix = std::vector<double>;  // square, by rows

// Trees of 3 to 8 links, masses over four decades. Half of the links hang on the first one.
std::shared_ptr<const Model> random_tree(Random& random) {
    Scene scene;
    std::vector<BodyId> bodies;
    const int count = 3 + random_index(random, 6);
    for (int k = 0; k < count; ++k) {
        const bool at_first = k > 0 && random.uniform(0, 1) < 0.5;
        const BodyId parent = k == 0 ? world : bodies[at_first ? 0 : random_index(random, k)];
        const double m = std::pow(10, random.uniform(0, 4)), size = random.uniform(0.05, 0.3);
        const double moment = 0.4 * m * size * size;
        bodies.push_back(scene.add_body(
            parent,
            {.name = "b" + std::to_string(k),
             .pose = {random_vec(random, 0.4)},
             .inertial = mass(m, {moment, random.uniform(0.5, 1) * moment, random.uniform(0.5, 1) * moment},
                              random_vec(random, 0.3))}));
        const JointType kinds[] = {JointType::hinge, JointType::ball, JointType::slide, JointType::universal};
        const JointType type = kinds[random_index(random, 4)];
        if (k == 0 && random.uniform(0, 1) < 0.5) {
            scene.add_joint(bodies[k], {.type = JointType::free});
            continue;
        }
        JointSpec joint{.type = type, .axis = random_direction(random)};
        if (type == JointType::universal) {
            joint.axis = {1, 0, 0};
            joint.axis2 = {0, 1, 0};
        }
        scene.add_joint(bodies[k], joint);
    }
    return compile(scene);
}

enum class Order {
    there_and_back,
    inward,  // from the leaves to the roots
    one_way
};

class Sweeper {
public:
    explicit Sweeper(const std::shared_ptr<const Model>& model, Random& random)
        : bodies_(model), blocks_(bodies_), state_(*model) {
        for (const Model::Joint& joint : model->joints)
            if (joint.type == JointType::hinge || joint.type == JointType::slide)
                state_.q[joint.q_adr] = random.uniform(-1, 1);
        Workspace<double> ws(model);
        forward_kinematics(state_, ws);
        bodies_.from_joints(ws);
    }
    int rows() const { return blocks_.rows(); }

    // Impulses after a sweep, of bodies that the impulses y have set in motion, which begins with λ.
    std::vector<double> sweep(const std::vector<double>& y, const std::vector<double>& lambda, Order order) {
        std::fill(bodies_.velocities.begin(), bodies_.velocities.end(), impulse::Velocity{});
        for (const std::vector<double>* begun : {&y, &lambda}) {
            NumberStream numbers(begun->data());
            blocks_.save_or_restore(numbers);
            blocks_.prepare(bodies_, true, {}, state_.q.data());
        }
        using Blocks = impulse::JointBlocks;
        if (order == Order::inward) {
            blocks_.sweep(impulse::all, impulse::Give::none(), {}, bodies_.moving());
            return impulses();
        }
        if (order == Order::there_and_back)
            blocks_.sweep(Blocks::middle_back, impulse::Give::none(), {}, bodies_.moving());
        for (const Blocks::Part part : {Blocks::first, Blocks::middle, Blocks::last})
            blocks_.sweep(part, impulse::Give::none(), {}, bodies_.moving());
        return impulses();
    }
    std::vector<double> impulses() {
        std::vector<double> out;
        NumberStream numbers(out);
        blocks_.save_or_restore(numbers);
        return out;
    }
    // From one sub-step to the next: (y, λ) becomes (y + λ⁺, λ⁺).
    Matrix warm_map(Order order) {
        const std::size_t n = static_cast<std::size_t>(rows()), size = 2 * n;
        Matrix out(size * size, 0.0);
        for (std::size_t column = 0; column < size; ++column) {
            std::vector<double> y(n, 0.0), lambda(n, 0.0);
            (column < n ? y[column] : lambda[column - n]) = 1;
            const std::vector<double> next = sweep(y, lambda, order);
            for (std::size_t r = 0; r < n; ++r) {
                out[r * size + column] = y[r] + next[r];
                out[(n + r) * size + column] = next[r];
            }
        }
        return out;
    }
    // What a cold sweep leaves of the impulses that would undo it all.
    Matrix cold_map(Order order) {
        const std::size_t n = static_cast<std::size_t>(rows());
        Matrix out(n * n, 0.0);
        for (std::size_t column = 0; column < n; ++column) {
            std::vector<double> y(n, 0.0);
            y[column] = 1;
            const std::vector<double> found = sweep(y, std::vector<double>(n, 0.0), order);
            for (std::size_t r = 0; r < n; ++r) out[r * n + column] = y[r] + found[r];
        }
        return out;
    }

private:
    impulse::MovingBodies bodies_;
    impulse::JointBlocks blocks_;
    JointState<double> state_;
};

// lim |Aᵏ|^(1/k), by squaring 24 times.
double spectral_radius(Matrix a) {
    const std::size_t n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(a.size()))));
    double logarithm = 0, power = 1;
    Matrix squared(a.size());
    for (int k = 0; k < 24; ++k) {
        double size = 0;
        for (const double x : a) size = std::max(size, std::abs(x));
        if (size == 0) return 0;
        for (double& x : a) x /= size;
        logarithm += std::log(size) / power;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                double sum = 0;
                for (std::size_t l = 0; l < n; ++l) sum += a[i * n + l] * a[l * n + j];
                squared[i * n + j] = sum;
            }
        a.swap(squared);
        power *= 2;
    }
    double size = 0;
    for (const double x : a) size = std::max(size, std::abs(x));
    return size > 0 ? std::exp(logarithm + std::log(size) / power) : 0;
}

}  // namespace

TEST_CASE(
    "sweeps: there and back, a warm start never swings up, whatever the masses and the graph of joints") {
    double slowest = 0, one_way = 0;
    for (int k = 0; k < 200; ++k) {
        CAPTURE(k);
        Random random(900 + k);
        Sweeper sweeper(random_tree(random), random);
        double g[2];
        for (const Order order : {Order::there_and_back, Order::inward}) {
            const double radius = spectral_radius(sweeper.warm_map(order));
            double& own = g[order == Order::inward];
            own = spectral_radius(sweeper.cold_map(order));
            CHECK(radius < 1);
            CHECK(own < 1);
            // |ρ| = √g, up to the rounding of what a sweep leaves at once.
            CHECK(std::abs(radius * radius - own) < 1e-3);
        }
        CHECK(g[0] == doctest::Approx(g[1]).epsilon(1e-4));
        slowest = std::max(slowest, g[0]);
        one_way = std::max(one_way, spectral_radius(sweeper.warm_map(Order::one_way)));
    }
    MESSAGE("slowest: " << slowest << "; there alone: " << one_way);
    CHECK(slowest > 0.99);
    CHECK(one_way > 1);
}
