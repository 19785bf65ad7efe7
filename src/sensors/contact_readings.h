#pragma once

// What sensors read of the contacts: how hard they press, and where.

#include <ligament/sensors.h>

#include <span>
#include <vector>

namespace lig::sensors {

// One contact that a sensor is about.
struct MatchedContact {
    int contact;
    bool flipped;      // the sensor's first object is body B of the contact
    double criterion;  // those of the least come first
};

// The normal forces on the body of a site by contacts that act towards the volume of the site, as MuJoCo has
// it: along the outward normal from the point of contact.
double touch_reading(const Model& model, const SensedForces& forces, const SensorSpec& spec,
                     const Transformd& X_WS);

// All slots of a contact sensor. X_WS: of its site, if it has one. `matched` is scratch.
void contact_reading(const Model& model, const SensedForces& forces, const SensorSpec& spec,
                     const Transformd& X_WS, std::vector<MatchedContact>& matched, std::span<double> out);

}  // namespace lig::sensors
