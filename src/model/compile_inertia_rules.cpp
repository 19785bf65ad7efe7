#include "model/compile.h"

#include "linalg/symmetric_eigen.h"

#include <algorithm>

namespace lig::compiling {

// Bounds first, then the balance, as MuJoCo has it: a bound may mend what the balance would otherwise
// flatten.
BodyInertia apply_rules(const InertiaRules& rules, BodyInertia body) {
    body.mass = std::max(body.mass, rules.min_mass);
    if (rules.min_inertia <= 0 && !rules.balance) return body;

    const SymmetricEigen eigen = symmetric_eigen(body.inertia);
    Vec3d moments = eigen.values;
    const auto bounded = [&](double moment) { return std::max(moment, rules.min_inertia); };
    if (rules.min_inertia > 0) moments = {bounded(moments.x), bounded(moments.y), bounded(moments.z)};
    const double sum = moments.x + moments.y + moments.z;
    const double largest = std::max({moments.x, moments.y, moments.z});
    // A flat body has the sum of two moments as the third, to rounding.
    if (rules.balance && sum - largest < (1 - 1e-12) * largest) {
        body.inertia = Sym3d::diagonal(sum / 3, sum / 3, sum / 3);
    } else if (rules.min_inertia > 0 && eigen.values.x < rules.min_inertia) {
        body.inertia = rotate(eigen.vectors, Sym3d::diagonal(moments.x, moments.y, moments.z));
    }
    return body;
}

void scale_to_total_mass(const InertiaRules& rules, std::vector<BodyInertia>& bodies) {
    if (!rules.total_mass) return;
    double total = 0;
    for (const BodyInertia& body : bodies) total += body.mass;
    if (!(total > 0)) return;
    const double scale = *rules.total_mass / total;
    for (BodyInertia& body : bodies) {
        body.mass *= scale;
        body.inertia = scale * body.inertia;
    }
}

}  // namespace lig::compiling
