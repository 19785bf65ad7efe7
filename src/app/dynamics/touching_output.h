#pragma once

// What touches in single states and what it does, for `forward` and `inverse`.

#include "app/json_output.h"
#include "app/names.h"

#include <ligament/contact_dynamics.h>

namespace lig::app {

// "contacts", "limits", "limit_force" and "friction_force".
void add_touching(const ContactDynamics& found, const Names& names, Json& out);
void print_touching(const ContactDynamics& found, const Names& names);

}  // namespace lig::app
