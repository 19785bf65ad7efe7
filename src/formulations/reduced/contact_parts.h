#pragma once

// What touches in a state, and which forces that leaves open: what ContactDynamics works on. Rows are those
// of an EventStep; each part of them is in a mode (it opens, sticks, is at its bound, …), found from
// accelerations and, where they are being found, from forces.

#include "formulations/reduced/event_step.h"
#include "formulations/reduced/tuning.h"
#include "linalg/vector_ops.h"
#include "simulation/forces_besides.h"

#include <ligament/contact_dynamics.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lig {

struct ContactDynamics::Inside {
    Inside(const std::shared_ptr<const Model>& model, const TouchingOptions& options_)
        : options(options_),
          context(model, simulation),
          event(context, {.accuracy = contact_tuning.accuracy,
                          .caught_gap = options.gap,
                          .caught_angle = options.gap,
                          .bouncing_gap = options.gap,
                          .speed = options.speed,
                          .slip = options.speed}) {}

    // Rows that belong together and what is open about their forces.
    struct Part {
        RowKind kind;
        int index;           // of the set's list of its kind
        int row, count;      // of rows()
        int unknown = -1;    // in ForcesBesides::unknown
        std::vector<double> share = {};  // of each row in its one force, where that is all there is
        TouchingMode mode = TouchingMode::opens;
        bool held = false;         // its force keeps its acceleration at nothing
        bool is_overcome = false;  // it breaks away by its force, its slip is not known yet

        // Its friction goes with its acceleration.
        bool rubs() const { return mode == TouchingMode::breaks_away && !is_overcome; }
    };
    // What the modes of a state are found from: accelerations that are given, or found with forces.
    struct Modes {
        std::span<const double> qacc;
        double same;  // what counts as nothing of an acceleration
        bool forces_are_found = false;
    };

    const Model& model() const { return *context.model; }
    const Workspace<double>& ws() const { return context.motion.dynamics.ws; }
    bool look(const JointState<double>& state);
    std::string approaching() const;
    void write_jacobian();
    // J v̇ + γ of a row.
    double acceleration(int row, std::span<const double> qacc) const {
        return event.row_bias()[row] + dot(&J[static_cast<std::size_t>(row) * qacc.size()], qacc.data(),
                                           static_cast<int>(qacc.size()));
    }
    // … what of it is as good as nothing, beside the terms that make it up.
    double nothing(int row, std::span<const double> qacc, double same) const {
        double largest = 1;
        for (std::size_t k = 0; k < qacc.size(); ++k)
            largest =
                std::max(largest, std::fabs(J[static_cast<std::size_t>(row) * qacc.size() + k] * qacc[k]));
        return same * largest;
    }
    // −1, 0 or 1
    int sign_of(int row, const Modes& modes) const {
        const double w = acceleration(row, modes.qacc), least = nothing(row, modes.qacc, modes.same);
        return w > least ? 1 : w < -least ? -1
                                          : 0;
    }
    void find_parts(const Modes& modes);
    void place(Part& part, const Range& range, const Modes& modes);
    double slack(double lower, double upper) const;
    void place_contact(Part& part, const Modes& modes);
    TouchingMode mode_of_friction(Part& part, const Modes& modes) const;
    void add_cone(Part& part);
    void add_ray(Part& part, std::span<const double> direction);
    void add_interval(Part& part, const Range& range);
    void give(const Part& part, double force);
    std::string into_what(std::span<const double> qacc, double same) const;
    std::string name_of(const Part& part) const;
    // Of a row of a part, as the forces besides have it.
    double force_of(const Part& part, int row) const;
    // A row that is held, and what a unit of its force does: of a part, or of an equality (−1).
    struct Holding {
        int row, part;
        std::vector<double> along;
    };
    std::vector<Holding> holding() const;
    double rubbing(const Part& part, int row, std::span<const double> qacc, std::vector<double>& by) const;
    void take_forces();
    void settle(std::span<double> qacc);
    bool refine(std::span<double> qacc);
    bool is_settled() const;
    void widen();

    const TouchingOptions options;
    SimulationOptions simulation;
    StepContext context;
    EventStep event;
    StepReport report;
    std::vector<double> J;  // (rows × nv)
    ForcesBesides besides;
    std::vector<double> given;  // (rows) of those that are known
    std::vector<double> forces;  // (rows) of the accelerations
    std::vector<Part> parts;
};

}  // namespace lig
