#pragma once

#include <ligament/drives.h>
#include <ligament/model.h>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace lig::compiling {

// The least and the greatest length of an actuator's transmission that its joints allow within their limits,
// found by going downhill and uphill from the reference configuration: local extrema, as those that a weak
// force on the actuator would lead to. Couplings of joints hold.
class LengthRangeSearch {
public:
    explicit LengthRangeSearch(const std::shared_ptr<const Model>& model);

    // Nothing where the length has no end.
    std::optional<std::array<double, 2>> find(int actuator);
    // Whether something that the search does not see may hold the freedoms of this actuator: the range of
    // another tendon, a loop, a constraint or a coupling of tendons.
    bool overlooks(int actuator) const;

private:
    // A freedom with a coordinate of its own, or one of those that are moved on a manifold.
    struct Freedom {
        int velocity;
        int coordinate;  // −1: on a manifold
        Range range;
        double scale;  // of its motion
        double farthest;  // where it has no end
    };
    struct Follower {
        const Model::Coupling* coupling;
        int leader, follower;  // coordinates
        double leader_reference, follower_reference;
    };

    void collect_freedoms(int actuator);
    bool is_follower(int coordinate) const;
    // Where the freedoms have gone by x, within their limits; what the followers do comes with them.
    void move_to(const std::vector<double>& x);
    void clamp(std::vector<double>& x) const;
    double evaluate(int actuator, double sign, const std::vector<double>& x, std::vector<double>& gradient);
    std::optional<double> least(int actuator, double sign, double first_offset);
    std::optional<double> end(int actuator, double sign);

    const Model& model_;
    Workspace<double> ws_;
    DriveWorkspace<double> drives_;
    JointState<double> state_;
    std::vector<Follower> followers_;
    std::vector<Freedom> freedoms_;
    std::vector<double> base_;            // (nq) where motions on manifolds begin
    std::vector<double> motion_, slope_;  // (nv)
    bool has_manifolds_ = false;
};

}  // namespace lig::compiling
