#pragma once

// The parts of the MJCF writer, one file each. Sections that refer to objects are written before those that
// hold them, so that a name invented for a reference is known where the object is written; write_mjcf then
// puts them in the usual order.

#include "io/xml_write.h"

#include <ligament/scene.h>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace lig::io::mjcf {

// Names as they are written.
class WrittenNames {
public:
    enum class Kind {
        body,
        joint,
        geom,
        site,
        camera,
        tendon,
        actuator,
        loop
    };

    explicit WrittenNames(const Scene& scene);

    // A name by which the object can be referred to; invented if it has none.
    const std::string& to_refer(Kind kind, int index);
    const std::string& to_refer(BodyId id) { return to_refer(Kind::body, id.index); }
    const std::string& to_refer(JointId id) { return to_refer(Kind::joint, id.index); }
    const std::string& to_refer(GeomId id) { return to_refer(Kind::geom, id.index); }
    const std::string& to_refer(SiteId id) { return to_refer(Kind::site, id.index); }
    const std::string& to_refer(LoopId id) { return to_refer(Kind::loop, id.index); }
    const std::string& to_refer(TendonId id) { return to_refer(Kind::tendon, id.index); }

    // The object's own name or the invented one; may be empty.
    const std::string& of(Kind kind, int index) const {
        return lists_[static_cast<int>(kind)].names[static_cast<std::size_t>(index)];
    }

private:
    struct List {
        std::vector<std::string> names;
        std::unordered_set<std::string> taken;  // filled when the first name is invented
    };
    std::string invent(Kind kind, int index);

    std::array<List, 8> lists_;
};

struct WriteContext {
    const Scene& scene;
    WrittenNames names;
    std::filesystem::path folder;  // paths are written relative to it
    bool aligns_free = false;      // unless a joint says otherwise
    bool names_files = true;       // false: what is in files of meshes and height fields is written out
};

// Each writes the inside of its section.
void write_assets(const WriteContext& context, XmlWriter& xml);
void write_worldbody(const WriteContext& context, XmlWriter& xml);
// What a joint has besides its place and axes.
void write_joint_properties(const JointSpec& joint, XmlWriter& xml);
void write_contacts(WriteContext& context, XmlWriter& xml);
void write_equalities(WriteContext& context, XmlWriter& xml);
// One element of it. Throws std::invalid_argument for kinds that the library does not have.
void write_pair_constraint(WriteContext& context, const ConstraintSpec& spec, XmlWriter& xml);
// body1 and body2, the world left out where it can be, and one of the frames on them.
void write_body_pair(WriteContext& context, BodyId a, BodyId b, XmlWriter& xml);
void write_frame(XmlWriter& xml, std::string_view pos, std::string_view quat, const Pose& frame);
void write_forces(WriteContext& context, XmlWriter& xml);
void write_tendons(WriteContext& context, XmlWriter& xml);
void write_actuators(WriteContext& context, XmlWriter& xml);
void write_sensors(WriteContext& context, XmlWriter& xml);
void write_keyframes(const WriteContext& context, XmlWriter& xml);

// Attributes that several elements share.
void write_pose(XmlWriter& xml, const Pose& pose);
// Nothing when no end is finite. A missing end is written as the largest number there is. A range of a single
// value has to be confirmed by the flag: two equal numbers alone mean that there is none.
void write_ranges(XmlWriter& xml, std::string_view flag, std::string_view name,
                  std::span<const Range> ranges);
inline void write_range(XmlWriter& xml, std::string_view flag, std::string_view name, const Range& range) {
    write_ranges(xml, flag, name, {&range, 1});
}
void write_softness(XmlWriter& xml, std::string_view solref, std::string_view solimp, const Softness& soft);
// A coefficient and those of higher order, as far as they are not zero.
void write_polynomial(XmlWriter& xml, std::string_view name, double first,
                      const std::array<double, 2>& higher);
void write_rgba(XmlWriter& xml, const std::array<double, 4>& rgba);
std::string_view shape_word(ShapeType shape);
// Whether the compiler's `alignfree` says it all, which other programs read on every joint.
bool aligns_all_free_joints(const Scene& scene);

}  // namespace lig::io::mjcf
