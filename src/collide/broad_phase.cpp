#include "collide/broad_phase.h"

#include "core/make_room.h"

#include <algorithm>
#include <cmath>

namespace lig::collide {

namespace {

// A fat box exceeds the tight one on every side by this share of its mean extent, and by the way that the
// geom goes in this many updates on the side to which it goes. More means rarer searches and more pairs that
// come to nothing; measured on falling and resting ragdolls.
constexpr float slack = 0.1f;
constexpr float foresight = 4.0f;

constexpr int search_grain = 64;

// Whether a box reaches below this height above the plane z = 0 of X_WP.
bool reaches(const FloatBox& box, const Transformd& X_WP, double height) {
    const Vec3d& n = X_WP.R.z;
    double lowest = -dot(n, X_WP.p), scale = 0;
    for (int k = 0; k < 3; ++k) {
        const double corner = n[k] > 0 ? box.lower[k] : box.upper[k];
        lowest += n[k] * corner;
        scale = std::max({scale, std::abs(corner), std::abs(X_WP.p[k])});
    }
    return lowest <= height + 1e-14 * scale;  // what the sum above may have lost
}

bool before(const GeomPair& x, const GeomPair& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }

}  // namespace

BroadPhase::BroadPhase(const CollisionModel& model) : model_(model) {
    const int count = static_cast<int>(model.geoms.size());
    for (int k = 0; k < count; ++k) {
        const CollisionModel::Geom& geom = model.geoms[k];
        if (geom.shape.type == ShapeType::plane)
            planes_.push_back(k);
        else if (geom.moves)
            moving_.push_back(k);
        else
            still_.push_back(k);
    }
    fat_.resize(count);
    height_.assign(count, 0.0);
    last_tight_.resize(count);
    left_.assign(count, 0);
    searches_.assign(count, 0);
    leavers_.reserve(count);
    starts_.resize(count + 1);
}

void BroadPhase::update(std::span<const FloatBox> tight, std::span<const double> grown,
                        std::span<const PlacedShape> placed, Parallel& parallel) {
    fatten(tight, grown);
    if (leavers_.empty()) return;
    search(placed, parallel);
    merge();
}

void BroadPhase::fatten(std::span<const FloatBox> tight, std::span<const double> grown) {
    leavers_.clear();
    for (std::size_t k = 0; k < tight.size(); ++k) {
        const bool plane = model_.geoms[k].shape.type == ShapeType::plane;
        // A plane that moves (on a kinematic body) or reaches higher makes everybody look again.
        const bool left = !started_ || (plane ? model_.geoms[k].moves || grown[k] > height_[k]
                                              : !contains(fat_[k], tight[k]));
        left_[k] = left;
        if (left && plane) height_[k] = (1 + slack) * grown[k];
        if (left && !plane) {
            FloatBox& box = fat_[k];
            box = tight[k];
            const float share = slack / 3 * (box.extent(0) + box.extent(1) + box.extent(2));
            for (int axis = 0; axis < 3; ++axis) {
                const float way = started_
                                      ? foresight * (0.5f * (box.lower[axis] - last_tight_[k].lower[axis]) +
                                                     0.5f * (box.upper[axis] - last_tight_[k].upper[axis]))
                                      : 0.0f;
                // A geom that was put elsewhere has not gone there.
                const float most = box.extent(axis) + share;
                box.lower[axis] -= share + std::clamp(-way, 0.0f, most);
                box.upper[axis] += share + std::clamp(way, 0.0f, most);
            }
        }
        last_tight_[k] = tight[k];
        if (left) leavers_.push_back(static_cast<int>(k));
    }
    const bool plane_left =
        std::any_of(planes_.begin(), planes_.end(), [this](int plane) { return left_[plane] != 0; });
    if (plane_left) {
        leavers_.clear();
        for (std::size_t k = 0; k < tight.size(); ++k) {
            left_[k] = 1;
            leavers_.push_back(static_cast<int>(k));
        }
    }
    if (leavers_.empty()) return;
    // What stands still, and planes, are found by those who move.
    std::fill(searches_.begin(), searches_.end(), 0);
    for (const int k : moving_) searches_[k] = left_[k];
    if (!started_) {
        still_tree_.build(fat_, still_);
        moving_tree_.build(fat_, moving_);
    } else {
        moving_tree_.refit(fat_);
    }
    started_ = true;
}

void BroadPhase::search_from(int geom, std::span<const PlacedShape> placed, Found& found) const {
    if (!searches_[geom]) return;
    const FloatBox& box = fat_[geom];
    const std::size_t later_begin = found.later.size(), earlier_begin = found.earlier.size();
    const auto meet = [&](int other) {
        // Of two that have both left their boxes the first finds the second.
        if (other == geom || (other < geom && searches_[other])) return;
        const GeomPair pair{std::min(geom, other), std::max(geom, other)};
        if (!model_.may_collide(pair.a, pair.b)) return;
        (pair.a == geom ? found.later : found.earlier).push_back(pair);
    };
    for (const int plane : planes_)
        if (reaches(box, placed[plane].X_WG, height_[plane])) meet(plane);
    still_tree_.find_overlaps(box, meet);
    moving_tree_.find_overlaps(box, meet);
    std::sort(found.later.begin() + later_begin, found.later.end(), before);
    std::sort(found.earlier.begin() + earlier_begin, found.earlier.end(), before);
}

void BroadPhase::search(std::span<const PlacedShape> placed, Parallel& parallel) {
    found_.resize(std::max<std::size_t>(found_.size(), parallel.threads()));
    for (Found& found : found_) {
        found.later.clear();
        found.earlier.clear();
    }
    const int count = static_cast<int>(leavers_.size());
    chunks_.resize((count + search_grain - 1) / search_grain);
    parallel.for_chunks(count, search_grain, [&](int begin, int end, int chunk, int worker) {
        Found& found = found_[worker];
        const int later = static_cast<int>(found.later.size());
        const int earlier = static_cast<int>(found.earlier.size());
        for (int k = begin; k < end; ++k) search_from(leavers_[k], placed, found);
        chunks_[chunk] = {worker, later, static_cast<int>(found.later.size()), earlier,
                          static_cast<int>(found.earlier.size())};
    });
}

void BroadPhase::merge() {
    // Those found from their second geom come in the order of that; counting sorts them by the first.
    std::fill(starts_.begin(), starts_.end(), 0);
    for (const Found& found : found_)
        for (const GeomPair& pair : found.earlier) ++starts_[pair.a + 1];
    for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
    earlier_.resize(starts_.back());
    for (const Chunk& chunk : chunks_)
        for (int k = chunk.earlier_begin; k < chunk.earlier_end; ++k) {
            const GeomPair& pair = found_[chunk.worker].earlier[k];
            earlier_[starts_[pair.a]++] = pair;
        }

    std::size_t found_count = 0;
    for (const Found& found : found_) found_count += found.later.size();
    // Three sorted sequences without a pair in common: what stayed, and both kinds of what was found.
    merged_.clear();
    make_room(merged_, pairs_.size() + earlier_.size() + found_count);
    pairs_.reserve(merged_.capacity());  // the two take turns
    std::size_t old = 0, early = 0;
    const auto take_before = [&](const GeomPair* limit) {
        for (;;) {
            while (old < pairs_.size() && (left_[pairs_[old].a] || left_[pairs_[old].b])) ++old;
            const GeomPair* const kept = old < pairs_.size() ? &pairs_[old] : nullptr;
            const GeomPair* const found = early < earlier_.size() ? &earlier_[early] : nullptr;
            const GeomPair* const next = !kept || (found && before(*found, *kept)) ? found : kept;
            if (!next || (limit && !before(*next, *limit))) return;
            merged_.push_back(*next);
            ++(next == found ? early : old);
        }
    };
    for (const Chunk& chunk : chunks_)
        for (int k = chunk.later_begin; k < chunk.later_end; ++k) {
            const GeomPair& pair = found_[chunk.worker].later[k];
            take_before(&pair);
            merged_.push_back(pair);
        }
    take_before(nullptr);
    std::swap(pairs_, merged_);
}

}  // namespace lig::collide
