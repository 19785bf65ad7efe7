#pragma once

// The attributes of <pair>, which default classes may preset; see mjcf_fields.h.

#include "io/mjcf_not_read.h"
#include "io/xml.h"

#include <ligament/scene.h>

namespace lig::io::mjcf {

// A PairSpec without the two geoms, its name and its place. Nothing is taken from the geoms.
struct PairFields {
    PairSpec spec;
};

void read_pair_fields(ElementReader& in, PairFields& fields, NotRead& notes);

}  // namespace lig::io::mjcf
