#pragma once

// How a file holds each kind of constraint between two bodies, apart from bodies and frames: one table for
// reader and writer, in the order of pair_list.

#include "io/mjcf_context.h"
#include "io/mjcf_write.h"

#include <ligament/pair_kinds.h>

#include <memory>

namespace lig::io::mjcf {

struct PairSource {
    Context& context;
    ElementReader& in;
    const ConstraintSpec& spec;  // its bodies and frames
};

struct PairFormat {
    std::string_view kind;
    const char* attribute;  // for kinds with one number
    // Null after an error.
    std::shared_ptr<const PairConstraint> (*read)(const PairSource& from, const char* attribute);
    // False: it is of another class.
    bool (*write)(const PairConstraint& constraint, const char* attribute, XmlWriter& xml);
};

// Null where there is none.
const PairFormat* find_pair_format(std::string_view kind);

}  // namespace lig::io::mjcf
