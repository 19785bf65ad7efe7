// Filtering and mixing by the rules of MJCF, as MuJoCo 3.14 applies them.
//
// Its contacts act within the margin and are found within margin + gap, where both are the sums of the two
// geoms. ContactProperties::margin is where contacts are found, so it holds the sum of all four.

#include "model/collision_model.h"

#include <algorithm>

namespace lig {

namespace {

// How much the first of two geoms counts.
double mixing_weight(double first, double second) {
    constexpr double least = 1e-15;
    if (first >= least && second >= least) return first / (first + second);
    if (first < least && second < least) return 0.5;
    return first < least ? 0 : 1;
}

Softness mixed(const CollisionModel::Material& a, const CollisionModel::Material& b) {
    const double weight = mixing_weight(a.solmix, b.solmix);
    const auto mix = [&](double x, double y) { return weight * x + (1 - weight) * y; };
    Softness soft;
    // Negative numbers are a stiffness and a damping, which do not mix with time constants.
    const bool standard = a.soft.solref[0] > 0 && b.soft.solref[0] > 0;
    for (std::size_t i = 0; i < soft.solref.size(); ++i)
        soft.solref[i] = standard ? mix(a.soft.solref[i], b.soft.solref[i])
                                  : std::min(a.soft.solref[i], b.soft.solref[i]);
    for (std::size_t i = 0; i < soft.solimp.size(); ++i)
        soft.solimp[i] = mix(a.soft.solimp[i], b.soft.solimp[i]);
    return soft;
}

std::array<double, 5> all_frictions(const Vec3d& f) { return {f.x, f.x, f.y, f.z, f.z}; }

}  // namespace

int CollisionModel::explicit_pair(int a, int b) const {
    if (!filters[a].paired || !filters[b].paired) return -1;
    if (a > b) std::swap(a, b);
    const auto found = std::lower_bound(pairs.begin(), pairs.end(), std::pair{a, b},
                                        [](const ExplicitPair& pair, const std::pair<int, int>& wanted) {
                                            return std::pair{pair.a, pair.b} < wanted;
                                        });
    const bool there = found != pairs.end() && found->a == a && found->b == b;
    return there ? static_cast<int>(found - pairs.begin()) : -1;
}

bool CollisionModel::are_excluded(int body_a, int body_b) const {
    const auto bodies = std::minmax(body_a, body_b);
    return std::binary_search(exclusions.begin(), exclusions.end(), std::pair<int, int>(bodies));
}

ContactProperties CollisionModel::properties(int a, int b) const {
    if (const int pair = explicit_pair(a, b); pair >= 0) return pairs[pair].properties;
    const Material &first = materials[filters[a].material], &second = materials[filters[b].material];
    ContactProperties made;
    made.gap = first.gap + second.gap;
    made.margin = first.margin + second.margin + made.gap;
    if (first.priority != second.priority) {
        const Material& leading = first.priority > second.priority ? first : second;
        made.condim = leading.condim;
        made.friction = all_frictions(leading.friction);
        made.restitution = leading.restitution;
        made.soft = leading.soft;
        made.adhesion = leading.adhesion;
        return made;
    }
    made.condim = std::max(first.condim, second.condim);
    made.friction = all_frictions({std::max(first.friction.x, second.friction.x),
                                   std::max(first.friction.y, second.friction.y),
                                   std::max(first.friction.z, second.friction.z)});
    made.restitution = std::max(first.restitution, second.restitution);
    made.adhesion = first.adhesion + second.adhesion;
    made.soft = mixed(first, second);
    return made;
}

}  // namespace lig
