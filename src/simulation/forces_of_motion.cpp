#include "simulation/forces_of_motion.h"

#include "dynamics/bushing_pulls.h"

#include <ligament/fluid.h>

#include <vector>

namespace lig {

void find_forces_of_motion(const JointState<double>& state, std::span<const double> qacc,
                           Workspace<double>& ws, DriveWorkspace<double>& drives, std::span<double> tau) {
    const Model& model = ws.model();
    std::vector<double> passive(model.nv, 0.0);
    clear_external(ws);
    add_fluid_forces(ws);
    add_bushing_forces(ws);
    inverse_dynamics<double>(state, qacc, ws, drives, tau, has_medium(model) || has_bushings(model));
    add_passive_forces<double>(state, model, drives, passive);
    add_bushing_pulls<double>(ws, passive);
    for (int k = 0; k < model.nv; ++k) tau[k] -= passive[k];
}

}  // namespace lig
