#pragma once

// HeldLimits: limits of joints that have been passed, held within the factorization.
//
// A sweep that treats the limit of a knee and the contact of its foot in turn needs many rounds until they
// agree. Instead, the bound resists the joint's motion along its gradient like a damper of many times the
// articulated inertia there, so that contacts feel shin and thigh as one. A bound is held while it is passed
// and the joint does not leave it; it has no row then.

#include "constraints/limit_rows.h"
#include "constraints/warm_starts.h"
#include "dynamics/joint_terms.h"

#include <ligament/model.h>
#include <ligament/state.h>

#include <span>
#include <vector>

namespace lig {

class HeldLimits {
public:
    explicit HeldLimits(const Model& model);

    // At the beginning of a sub-step. held: of all limits, from WarmStarts::limit(0) on, which these are.
    void find(const JointState<double>& state, const WarmStarts& warm, std::vector<char>& held);
    bool empty() const { return bounds_.empty(); }
    // For JointTerms::held.
    std::span<HeldBound> bounds() { return bounds_; }

    // After the factorization: x (nv) gets the impulses that stop joints which move at v,
    void resist(std::span<const double> v, std::span<double> x) const;
    // and those that bring joints back within their limits, in a step of length h.
    void bring_back(double h, std::span<double> x) const;
    // J, that resisting takes from joints whose velocities v change so.
    double lost(std::span<const double> v, std::span<const double> change) const;

private:
    double rate_of(std::size_t bound, std::span<const double> v) const;
    void push(std::size_t bound, double impulse, std::span<double> x) const;

    const Model& model_;
    std::vector<int> link_of_dof_;  // (nv)
    std::vector<NearLimit> near_;
    std::vector<HeldBound> bounds_;
    std::vector<int> first_;    // (bounds) of all velocities
    std::vector<double> gaps_;  // (bounds) negative
};

}  // namespace lig
