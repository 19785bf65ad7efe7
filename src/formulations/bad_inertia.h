#pragma once

// Why equations cannot be solved, for reports: the first body of a link whose inertia is not positive.

#include "model/named.h"

#include <string>

namespace lig {

// otherwise: where there is no such body.
inline std::string bad_inertia(const Model& model, int link, std::string otherwise = "") {
    for (const Model::Body& body : model.bodies)
        if (body.link == link) return "the inertia of " + named(model, body) + " is not positive";
    return otherwise;
}

}  // namespace lig
