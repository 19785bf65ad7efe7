#pragma once

// Which blocks go into which pack: one after the other, each to the first pack that has room and none of its
// bodies. Packs that are full, or have waited for long, are not looked at any more.

#include "formulations/impulse/impulse_kernels.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lig::impulse {

inline void set_lane3(Vec3<Four>& v, int lane, const Vec3d& value) {
    for (int k = 0; k < 3; ++k) v[k].set(lane, value[k]);
}
inline Vec3d lane3(const Vec3<Four>& v, int lane) { return {v.x[lane], v.y[lane], v.z[lane]}; }

// Bodies of a pack: has int a[lanes], b[lanes]; found by a function of it.
template <class Pack, class BodiesOf>
class PackFilling {
public:
    PackFilling(const MovingBodies& bodies, std::vector<Pack>& packs, BodiesOf bodies_of)
        : bodies_(bodies), packs_(packs), bodies_of_(bodies_of) {}

    struct Place {
        Pack& pack;
        int lane;
    };
    // A lane for a block between two bodies, which it has from now on.
    Place take(int a, int b) {
        for (std::size_t k = 0; k < open_.size(); ++k) {
            if (!fits(open_[k], a, b)) continue;
            const Open found = open_[k];
            if (++open_[k].filled == lanes) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(k));
            return place(packs_[found.pack], found.filled, a, b);
        }
        if (open_.size() == max_open) open_.erase(open_.begin());
        open_.push_back({packs_.size(), 1});
        Pack& pack = packs_.emplace_back();
        pack = {};
        std::fill_n(bodies_of_(pack).a, lanes, bodies_.idle());
        std::fill_n(bodies_of_(pack).b, lanes, bodies_.idle());
        return place(pack, 0, a, b);
    }

private:
    static constexpr std::size_t max_open = 64;
    struct Open {
        std::size_t pack;
        int filled;
    };
    bool fits(const Open& open, int a, int b) const {
        const auto& in = bodies_of_(packs_[open.pack]);
        for (int lane = 0; lane < open.filled; ++lane)
            for (const int body : {a, b})
                if (body >= bodies_.bases() && (in.a[lane] == body || in.b[lane] == body)) return false;
        return true;
    }
    Place place(Pack& pack, int lane, int a, int b) {
        bodies_of_(pack).a[lane] = a;
        bodies_of_(pack).b[lane] = b;
        return {pack, lane};
    }

    const MovingBodies& bodies_;
    std::vector<Pack>& packs_;
    BodiesOf bodies_of_;
    std::vector<Open> open_;
};

}  // namespace lig::impulse
