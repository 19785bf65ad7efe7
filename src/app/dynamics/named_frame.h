#pragma once

// A body or a site, by its name.

#include "app/dynamics/dynamics_job.h"

#include <string>
#include <string_view>

namespace lig::app {

struct NamedFrame {
    std::string name;
    int body;
    Transformd X_BF;
};

// A body, or else a site. A Failure that names the option where there is none.
NamedFrame find_frame(std::string_view command, std::string_view option, const DynamicsJob& job,
                      const std::string& name);

}  // namespace lig::app
