#pragma once

// Walking along the path of a spatial tendon.

#include <ligament/model.h>

namespace lig {

// Calls f(from site, geom stop or null, to site, divisor of the branch) for every piece of the path between
// two sites.
template <class F>
void for_each_piece(const Model& model, const Model::Tendon& tendon, F&& f) {
    const Model::TendonPoint* points = model.tendon_points.data() + tendon.point_begin;
    double divisor = 1;
    for (int p = 0; p + 1 < tendon.point_count;) {
        if (points[p].kind == TendonStop::Kind::pulley) {
            divisor = points[p++].divisor;
            continue;
        }
        const Model::TendonPoint& next = points[p + 1];
        switch (next.kind) {
            case TendonStop::Kind::pulley: ++p; break;
            case TendonStop::Kind::site:
                f(points[p].site, static_cast<const Model::TendonPoint*>(nullptr), next.site, divisor);
                ++p;
                break;
            case TendonStop::Kind::geom:
                f(points[p].site, &next, points[p + 2].site, divisor);
                p += 2;
                break;
        }
    }
}

}  // namespace lig
