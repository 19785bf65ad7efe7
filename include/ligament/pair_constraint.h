#pragma once

// PairConstraint: what holds two bodies together other than a joint. The kinds of the library are in
// pair_kinds.h, docs/constraints.md tells what they do; programs derive their own from this class and add
// them with Scene::add_constraint:
//
//   class Rope : public lig::PairConstraint { … };
//   scene.add_constraint({.name = "rope", .body_a = ceiling, .body_b = load,
//                         .constraint = std::make_shared<Rope>(…)});
//
// A and B below are frames fixed to the two bodies, at the poses that the ConstraintSpec gives them. Each row
// restrains one combination of their velocities,
//     on_a · V_WA + on_b · V_WB + rate = 0,
// and is held up by forces λ · on_a and λ · on_b on the bodies, which do no work beyond λ · rate. A holonomic
// row is the derivative of an equation C = 0 between the poses and the time; a nonholonomic one restrains
// velocities and nothing else.

#include <ligament/spatial.h>

#include <string>
#include <string_view>

namespace lig {

// Poses and velocities of both frames. World axes; the linear velocities are those of the frames' origins.
struct PairState {
    Transformd X_WA = Transformd::identity(), X_WB = Transformd::identity();
    Motion<double> V_WA = Motion<double>::zero(), V_WB = Motion<double>::zero();
    double time = 0;
};

struct PairRow {
    double error = 0;  // C; 0 for a nonholonomic row
    bool holonomic = true;
    // The row of J towards the velocities of the frames: moment and force in world axes, about their origins.
    Force<double> on_a = Force<double>::zero(), on_b = Force<double>::zero();
    double rate = 0;     // ∂C/∂t, or minus the wanted velocity of a nonholonomic row: J v + rate = 0
    double product = 0;  // what is left of d/dt (J v + rate) when the accelerations of both frames are 0
    double scale = 1;    // the row is this times a length or an angle: error / scale is in m or rad
    double size = 0;     // a length or angle this large is a whole one; 0: the size of the bodies
};

// Immutable: evaluate may be called from several threads at once. The answer depends on the state alone.
class PairConstraint {
public:
    static constexpr int max_rows = 6;

    virtual ~PairConstraint() = default;

    virtual std::string_view kind() const = 0;
    virtual int rows() const = 0;  // 1 … max_rows, always the same
    virtual void evaluate(const PairState& state, PairRow* out) const = 0;  // (rows)

    // What is wrong with its parameters, for the compiler to refuse it; empty if nothing is.
    virtual std::string fault() const { return {}; }
    // Why it says less than it should in this state; empty as a rule. Rows must be finite all the same.
    virtual std::string_view undefined_because(const PairState&) const { return {}; }

protected:
    PairConstraint() = default;
    PairConstraint(const PairConstraint&) = default;
    PairConstraint& operator=(const PairConstraint&) = default;
};

}  // namespace lig
