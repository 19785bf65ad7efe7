#pragma once

// The broad phase: which pairs of geoms are near each other. Every geom has a fat box around it; as long as
// it stays inside, nothing is done about it. The geoms that have left theirs get new ones, stretched the way
// they go, and look for company in the trees.
//
// The pairs are those whose fat boxes overlap. So they depend on the past; what the narrow phase makes of
// them does not, because it goes by the tight boxes.

#include "collide/box_tree.h"
#include "collide/narrow_phase.h"
#include "core/parallel.h"
#include "model/collision_model.h"

#include <span>
#include <vector>

namespace lig::collide {

struct GeomPair {
    int a, b;             // in CollisionModel::geoms, a < b
    int properties = -1;  // in Contacts::properties; −1: not looked up yet
};

class BroadPhase {
public:
    explicit BroadPhase(const CollisionModel& model);

    // Of all geoms: their boxes, margins included; by how much margins have grown them and where they are,
    // which counts for planes.
    void update(std::span<const FloatBox> tight, std::span<const double> grown,
                std::span<const PlacedShape> placed, Parallel& parallel);

    // In rising order of (a, b).
    std::span<GeomPair> pairs() { return pairs_; }

    // Calls visit(geom) for each geom whose fat box passes `enter(box)`; planes are visited unasked.
    template <class Enter, class Visit>
    void find_if(Enter&& enter, Visit&& visit) const {
        for (const int plane : planes_) visit(plane);
        still_tree_.find_if(enter, visit);
        moving_tree_.find_if(enter, visit);
    }

private:
    // What one worker has found, in the order of the chunks it ran.
    struct Found {
        std::vector<GeomPair> later;    // (a, b) found from a: sorted within each a
        std::vector<GeomPair> earlier;  // (a, b) found from b: sorted within each b
    };
    struct Chunk {
        int worker;
        int later_begin, later_end, earlier_begin, earlier_end;
    };

    void fatten(std::span<const FloatBox> tight, std::span<const double> grown);
    void search(std::span<const PlacedShape> placed, Parallel& parallel);
    void search_from(int geom, std::span<const PlacedShape> placed, Found& found) const;
    void merge();

    const CollisionModel& model_;
    std::vector<int> planes_, still_, moving_;  // geoms by what they are
    std::vector<FloatBox> fat_;                 // (geoms)
    std::vector<double> height_;                // (geoms) of planes: how far above them others are looked for
    std::vector<FloatBox> last_tight_;          // (geoms) as of the last update, to see where they go
    std::vector<char> left_;                    // (geoms) whether it has left its fat box,
    std::vector<char> searches_;                // (geoms) and looks for company because of that
    std::vector<int> leavers_;                  // those, in rising order
    BoxTree still_tree_, moving_tree_;
    bool started_ = false;

    std::vector<Found> found_;    // (workers)
    std::vector<Chunk> chunks_;
    std::vector<int> starts_;     // (geoms + 1) for sorting by a
    std::vector<GeomPair> earlier_, pairs_, merged_;
};

}  // namespace lig::collide
