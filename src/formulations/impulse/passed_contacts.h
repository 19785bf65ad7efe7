#pragma once

// Contacts that do not hold. What is deeper in something than its own middle has as good as passed it:
// normals turn over, and it is let go, or pushed out on the other side.

#include "formulations/impulse/contact_points.h"

#include <optional>
#include <vector>

namespace lig::impulse {

struct PassedContact {
    int geom_a, geom_b;
    double depth;  // m
};

class PassedContacts {
public:
    explicit PassedContacts(const Model& model);
    // The deepest of those that are beyond the middle of a geom; after ContactPoints::prepare.
    std::optional<PassedContact> find(const ContactPoints& points, const Contacts& contacts) const;

private:
    std::vector<double> halves_;  // (geoms) m: half of their thinnest side; infinity: they have no inside
};

}  // namespace lig::impulse
