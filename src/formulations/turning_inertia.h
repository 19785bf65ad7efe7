#pragma once

// TurningInertia: how tension turns with the links it pulls on, within a velocity step.
//
// A force f at r from a link's inboard joint has the moment r × f. When the link turns by θ, that changes by
// −K θ, K = (f·r) 1 − r fᵀ: a pulled link is held like a pendulum. Taken at the beginning of the step, as
// explicit forces are, that is unstable where h² K is more than a few times the link's inertia I: on light
// links under a heavy load. There the part that the step is too long for,
//     N = (h² sym K − ¼ I)₊,
// is taken at its end: N is added to the inertia and −N ω to the impulse of the link, so that it is stable
// for any h, and zero for all links that a step resolves. In the angles of the links K has no entries between
// two of them, so a block a link is all of it.

#include "constraints/rows.h"
#include "constraints/warm_starts.h"

#include <ligament/workspace.h>

#include <span>
#include <vector>

namespace lig {

class TurningInertia {
public:
    explicit TurningInertia(const Model& model);

    // N of each link, and whether there is any. Forces are weight, ws.f_ext at the centres of mass, and those
    // of contacts and loops in the last step, which took `last_time` (0: they are not known). Of loops that
    // is the smaller of the last two steps: a blow is no tension. After forward_kinematics.
    bool find(const Workspace<double>& ws, const Rows& rows, const WarmStarts& warm, double h,
              double last_time);
    // The same with the forces of joints on the links behind them instead of what hangs on these, and all rows
    // with the impulses of a step of length h.
    bool find(const Workspace<double>& ws, const Rows& rows, std::span<const Vec3d> joint_forces, double h);
    std::span<const Sym3d> of_links() const { return added_; }
    // x (nv) += the impulses −N ω of all links.
    void add_impulses(const Workspace<double>& ws, std::span<double> x);

private:
    void hold(int link, const Vec3d& r, const Vec3d& f);
    template <class Lambda>
    void hold_by_rows(const Workspace<double>& ws, const Rows& rows, const Lambda& force_of);
    void begin(const Workspace<double>& ws);
    bool resist(const Workspace<double>& ws, int link, double h);

    std::vector<Vec3d> force_;          // (links) on a link and all beyond it
    std::vector<Sym3d> pull_;           // (links) sym Σ r fᵀ
    std::vector<Sym3d> added_;          // (links)
    std::vector<Force<double>> moment_;  // (links)
};

}  // namespace lig
