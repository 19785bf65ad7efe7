#pragma once

// TurningInertia: how tension turns with the links it pulls on, within a velocity step.
//
// Tension resists the turning of links by a stiffness K (dynamics/tension_stiffness.h). Taken at the
// beginning of the step, as explicit forces are, that is unstable where h² K is more than a few times the
// link's inertia I: on light links under a heavy load. There the part that the step is too long for,
//     N = (h² sym K − ¼ I)₊,
// is taken at its end: N is added to the inertia and −N ω to the impulse of the link, so that it is stable
// for any h, and zero for all links that a step resolves.

#include "constraints/rows.h"
#include "constraints/warm_starts.h"
#include "dynamics/tension_stiffness.h"

#include <ligament/workspace.h>

#include <span>
#include <vector>

namespace lig {

// A link that something holds by a moment, which turns with it: −K θ.
struct HeldLink {
    int link;
    Sym3d K;
};

class TurningInertia {
public:
    explicit TurningInertia(const Model& model);

    // N of each link, and whether there is any. Forces are weight, ws.f_ext at the centres of mass, and those
    // of contacts and equalities in the last step, which took `last_time` (0: they are not known). Of
    // equalities that is the smaller of the last two steps: a blow is no tension. After forward_kinematics.
    bool find(const Workspace<double>& ws, const Rows& rows, const WarmStarts& warm, double h,
              double last_time);
    // The same of some links, whole trees, with the forces of joints on the links behind them instead of what
    // hangs on these, and all rows, which act on no others, with the impulses of a step that took
    // `last_time`; and what else holds them.
    bool find(const Workspace<double>& ws, std::span<const int> links, const Rows& rows,
              std::span<const Vec3d> joint_forces, std::span<const HeldLink> held, double h,
              double last_time);
    std::span<const Sym3d> of_links() const { return tension_.of_links(); }
    // How many steps in place of that of the last `find` would resolve all links; at least 1.
    double needed_steps() const;
    // x (nv) += the impulses −N ω of all links.
    void add_impulses(const Workspace<double>& ws, std::span<double> x);

private:
    void push_weight(const Workspace<double>& ws, std::size_t link);
    template <class ForceOf>
    void push_rows(const Workspace<double>& ws, const Rows& rows, const ForceOf& force_of);

    TensionStiffness tension_;
    std::vector<Force<double>> moment_;  // (links)
};

}  // namespace lig
