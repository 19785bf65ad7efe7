#include "app/dynamics/named_frame.h"

#include <fmt/format.h>

namespace lig::app {

NamedFrame find_frame(std::string_view command, std::string_view option, const DynamicsJob& job,
                      const std::string& name) {
    if (const int body = job.names.find_body(name); body >= 0)
        return {name, body, {Mat3d::identity(), Vec3d::zero()}};
    if (const int site = job.names.find_site(name); site >= 0)
        return {name, job.model().sites[site].body, job.model().sites[site].X_BS};
    std::vector<std::string_view> choices(job.names.bodies.begin(), job.names.bodies.end());
    choices.insert(choices.end(), job.names.sites.begin(), job.names.sites.end());
    const std::string suggestion = did_you_mean(name, choices);
    throw Failure(Exit::usage,
                  fmt::format("ligament {}: {}: the model has no body or site '{}'{}", command, option, name,
                              suggestion.empty() ? "; 'ligament info MODEL' lists the bodies" : suggestion));
}

}  // namespace lig::app
