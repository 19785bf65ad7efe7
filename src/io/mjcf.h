#pragma once

// MJCF, MuJoCo's model format. What is read, what is only warned about and our own additions are listed in
// docs/format.md.
//
//   mjcf_document   the file with its includes as one tree of elements
//   mjcf_settings   compiler and option
//   mjcf_defaults   default classes
//   mjcf_fields     the attributes of joints, geoms, sites, …, which elements and classes share
//   mjcf_body       worldbody: bodies, frames and what is in them
//   mjcf_attach     other models that are attached
//   mjcf_assembly   copies of parts of the tree and of what refers to them
//   mjcf_contact, mjcf_equality, mjcf_bushing, mjcf_tendon, mjcf_actuator, mjcf_sensor, mjcf_keyframe
//                   what refers to bodies by name
//   mjcf_ignored    sections without influence on the physics
//   mjcf_read       the order in which all this happens
//   mjcf_write…     the way back

#include "io/xml.h"

#include <ligament/load.h>
#include <ligament/scene.h>

namespace lig::io {

// The scene of a file whose root is <mujoco>. Errors are left in `log`; the scene is then what could be made
// out.
Scene read_mjcf(const XmlSource& source, const LoadOptions& options, Diagnostics& log);

}  // namespace lig::io
