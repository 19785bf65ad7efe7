#pragma once

// URDF, as documented at wiki.ros.org/urdf/XML. What is read and how it is mapped is told in docs/urdf.md.

#include <ligament/load.h>

#include "io/xml.h"

namespace lig::io {

// Reports what is wrong or not read in `log`; with errors the scene is incomplete.
Scene read_urdf(const XmlSource& source, const LoadOptions& options, Diagnostics& log);

}  // namespace lig::io
