#pragma once

// What a joint that leans on its limit may have to hold up: along each of its freedoms the inertia of all
// that is outward of it, at the reference configuration. Loads that hang there by loops, pair constraints or
// bushings count as masses where these are: of other trees all that is joined to them, of the same tree the
// other branch.

#include "formulations/implicit/contact_loads.h"

#include <ligament/model.h>

#include <vector>

namespace lig::implicit {

// (nv) With rotors.
std::vector<double> find_joint_inertias(const Model& model, const ContactLoads& loads);

}  // namespace lig::implicit
