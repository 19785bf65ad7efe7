#pragma once

// GroupConstraint: what holds any number of bodies by equations between all of them. Programs derive their
// own, or have one made of a function (function_constraint.h), and add it with Scene::add_group_constraint:
//
//   // The middle one of three carts stays halfway between the others.
//   const auto halfway = lig::holonomic_group<3>([](const auto& X, const auto& /*time*/) {
//       return X[1].p.x - 0.5 * (X[0].p.x + X[2].p.x);
//   });
//   scene.add_group_constraint({.name = "halfway", .bodies = {left, middle, right}, .constraint = halfway});
//
// Each body has a frame, at the pose that the GroupConstraintSpec gives it. Rows are as those of a
// PairConstraint, with a part for every frame:
//     Σ on[k] · V_k + rate = 0.

#include <ligament/spatial.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace lig {

// Poses and velocities of all frames. World axes; the linear velocities are those of the frames' origins.
struct GroupState {
    std::span<const Transformd> X;
    std::span<const Motion<double>> V;
    double time = 0;
};

inline constexpr int max_group_bodies = 16;

// As PairRow.
struct GroupRow {
    double error = 0;
    bool holonomic = true;
    std::array<Force<double>, max_group_bodies> on{};  // moment and force about the origin of each frame
    double rate = 0, product = 0;
    double scale = 1, size = 0;
};

// Immutable: evaluate may be called from several threads at once. The answer depends on the state alone.
class GroupConstraint {
public:
    static constexpr int max_rows = 6;

    virtual ~GroupConstraint() = default;

    virtual std::string_view kind() const = 0;
    virtual int bodies() const = 0;  // 1 … max_group_bodies
    virtual int rows() const = 0;    // 1 … max_rows, always the same
    virtual void evaluate(const GroupState& state, GroupRow* out) const = 0;  // (rows)

    // What is wrong with its parameters, for the compiler to refuse it; empty if nothing is.
    virtual std::string fault() const { return {}; }

protected:
    GroupConstraint() = default;
    GroupConstraint(const GroupConstraint&) = default;
    GroupConstraint& operator=(const GroupConstraint&) = default;
};

}  // namespace lig
