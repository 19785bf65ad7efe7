#pragma once

// A model in body coordinates, as `implicit` has it, to compare matrices with finite differences of forces.

#include "core/rotation.h"
#include "formulations/implicit/stiff_rows.h"
#include "formulations/maximal/body_dynamics.h"
#include "support/random_values.h"
#include "support/simulation_scenes.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace lig::test {

inline constexpr double eta = 0.02;

// A model in body coordinates, at a state with velocities.
struct Bodies {
    std::shared_ptr<const Model> model;
    maximal::BodyDynamics dynamics;
    maximal::BodySystem& system = dynamics.system;
    SmoothDynamics inputs;
    JointState<double> state;
    maximal::BodyCoordinates bodies;

    explicit Bodies(const std::string& xml)
        : model(model_of(xml)),
          dynamics(maximal::BodyDynamics::with_body_blocks(model)),
          inputs(model),
          state(*model) {}

    void look(const maximal::BodyCoordinates& at) {
        system.poses.look(at, inputs.ws.bases, 0);
        system.matrix.find_rows(false);
    }
    // Bodies of the joint state.
    void look() {
        forward_kinematics(state, inputs.ws);
        update_drives(state, inputs.ws, inputs.drives);
        system.poses.from_joints(inputs.ws, state, bodies);
        look(bodies);
        system.poses.to_joints(state);
    }
    std::vector<double> vector() const { return std::vector<double>(system.graph.size(), 0.0); }
    // The velocities of bodies when joints have these.
    std::vector<double> directions(const std::vector<double>& v) {
        const std::vector<double> kept = state.v;
        state.v = v;
        look();
        std::vector<double> u = vector();
        system.poses.velocities(u);
        state.v = kept;
        look();
        return u;
    }
    // Moved on along u, with velocities changed by it.
    maximal::BodyCoordinates moved(const std::vector<double>& u, double by) const {
        maximal::BodyCoordinates out = bodies;
        for (int i = 0; i < system.graph.links(); ++i) {
            const Motion<double> V = system.graph.motion_of(u, i);
            out.x[i] += by * eta * V.lin;
            out.quat[i] = normalized(rotation_exp(by * eta * V.ang) * bodies.quat[i]);
            out.V[i] = out.V[i] + by * V;
        }
        return out;
    }
    // uᵀ A u of what `add` adds to the matrix.
    double added(const std::vector<double>& u, const std::function<void()>& add) {
        const auto form = [&] {
            std::vector<double> out = vector();
            system.matrix.blocks().multiply(u, out);
            double sum = 0;
            for (int k = 0; k < system.graph.body_entries(); ++k) sum += u[k] * out[k];
            return sum;
        };
        system.matrix.find_inertias();
        const double before = form();
        add();
        return form() - before;
    }
    // uᵀ A u of soft rows beside the matrix: by what they answer to velocities u, where they are so soft that
    // they do not change them.
    double along_rows(const std::vector<double>& u, implicit::StiffRows& rows) {
        system.matrix.find_inertias();
        REQUIRE(system.matrix.factor().bad_node < 0);
        REQUIRE(rows.find_forces(system, u, 1e-12));
        std::vector<double> f = vector();
        rows.add_forces(system, f);
        double sum = 0;
        for (int k = 0; k < system.graph.body_entries(); ++k) sum -= u[k] * f[k];
        return sum;
    }
    // The change of a vector of body entries along u, times u.
    double along(const std::vector<double>& u, const std::function<void(std::vector<double>&)>& find) {
        const double step = 1e-5;
        double sum = 0;
        for (const double side : {1.0, -1.0}) {
            look(moved(u, side * step));
            std::vector<double> f = vector();
            find(f);
            for (int k = 0; k < system.graph.body_entries(); ++k) sum += side * f[k] * u[k] / (2 * step);
        }
        look(bodies);
        return sum;
    }
};

inline std::vector<double> random_entries(Random& random, std::size_t n, double size) {
    std::vector<double> out(n);
    for (double& x : out) x = random.uniform(-size, size);
    return out;
}

inline void set_random(Random& random, Bodies& all, double angle, double speed) {
    JointState<double>& state = all.state;
    const std::vector<double> v = random_entries(random, state.v.size(), angle);
    integrate<double>(all.inputs.ws, state.q, v, 1.0, state.q);
    state.v = random_entries(random, state.v.size(), speed);
    all.look();
}

}  // namespace lig::test
