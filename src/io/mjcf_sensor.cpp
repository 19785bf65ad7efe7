// <sensor>: every sensor of the list is kept with what it measures; whether it is evaluated is not decided
// here.

#include "core/diagnostic_codes.h"
#include "io/mjcf_context.h"
#include "io/mjcf_values.h"
#include "joints/joint_list.h"
#include "sensors/sensor_list.h"

#include <algorithm>

namespace lig::io::mjcf {

namespace {

using Kind = ObjectRef::Kind;
using sensors::Measures;

void report(ElementReader& in, const char* attribute, const std::string& what, std::string hint = {}) {
    in.log().report(codes::E127, in.where(attribute), in.label() + ": " + what, std::move(hint));
}

class SensorReader {
public:
    SensorReader(Context& context, ElementReader& in, SensorSpec& sensor)
        : c_(context), in_(in), sensor_(sensor) {}

    // False after an error.
    bool read() {
        switch (sensors::sensor_info(sensor_.type).measures) {
            case Measures::site: return find("site", Kind::site, sensor_.object);
            case Measures::site_seen: {
                const bool seen = find("site", Kind::site, sensor_.object);
                return find("camera", Kind::camera, sensor_.reference) && seen;
            }
            case Measures::ray_source: {
                const bool data = read_data(sensors::ray_fields);
                return find_one({{"site", Kind::site}, {"camera", Kind::camera}}, true, sensor_.object) &&
                       data;
            }
            case Measures::scalar_joint:
                return find("joint", Kind::joint, sensor_.object) &&
                       joint_is("is for joints of one coordinate", [](const JointSpec& joint) {
                           return joints::joint_info(joint.type).nq == 1;
                       });
            case Measures::ball_joint:
                return find("joint", Kind::joint, sensor_.object) &&
                       joint_is("is for balls",
                                [](const JointSpec& joint) { return joint.type == JointType::ball; });
            case Measures::limited_joint:
                return find("joint", Kind::joint, sensor_.object) &&
                       joint_is("is for joints with limits", [](const JointSpec& joint) {
                           const bool has_range =
                               std::any_of(joint.range.begin(), joint.range.end(),
                                           [](const Range& range) { return range != Range{}; });
                           return has_range || joint.cone || joint.swing || joint.twist;
                       });
            case Measures::tendon: return find("tendon", Kind::tendon, sensor_.object);
            case Measures::limited_tendon: return find_limited_tendon();
            case Measures::actuator: return find("actuator", Kind::actuator, sensor_.object);
            case Measures::frame: return find_frame("objtype", "objname", sensor_.object);
            case Measures::frame_in_frame: return read_frame_in_frame();
            case Measures::frame_in_site: {
                const bool framed = find_frame("objtype", "objname", sensor_.object);
                return find("site", Kind::site, sensor_.reference) && framed;
            }
            case Measures::subtree: return find("body", Kind::subtree, sensor_.object);
            case Measures::two_shapes: return read_two_shapes();
            case Measures::contact: return read_contact_sensor();
            case Measures::nothing: return true;
            case Measures::any: return read_user();
        }
        return false;
    }

private:
    struct Choice {
        const char* attribute;
        Kind kind;
    };

    const NameTable& names_of(Kind kind) const {
        switch (kind) {
            case Kind::geom: return c_.geoms;
            case Kind::site: return c_.sites;
            case Kind::camera: return c_.cameras;
            case Kind::joint: return c_.joints;
            case Kind::tendon: return c_.tendons;
            case Kind::actuator: return c_.actuators;
            case Kind::loop: return c_.loops;
            case Kind::none:
            case Kind::body:
            case Kind::xbody:
            case Kind::subtree: break;
        }
        return c_.bodies;
    }

    // The object that a required attribute names.
    bool find(const char* attribute, Kind kind, ObjectRef& object) {
        if (!in_.has(attribute)) {
            in_.required_text(attribute);
            return false;
        }
        if (kind == Kind::joint && closes_loop(c_, in_, attribute)) kind = Kind::loop;
        object = {kind, names_of(kind).find(in_, attribute)};
        return object.index >= 0;
    }

    // At most one of several attributes; without any, `required` makes an error of it.
    bool find_one(std::initializer_list<Choice> choices, bool required, ObjectRef& object) {
        const Choice* chosen = nullptr;
        std::string words;
        for (const Choice& choice : choices) {
            words += (words.empty() ? "'" : ", '") + std::string(choice.attribute) + "'";
            if (!in_.has(choice.attribute)) continue;
            if (chosen) {
                report(in_, choice.attribute,
                       "it has both '" + std::string(chosen->attribute) + "' and '" + choice.attribute + "'",
                       "keep one");
                return false;
            }
            chosen = &choice;
        }
        if (chosen) return find(chosen->attribute, chosen->kind, object);
        if (required) report(in_, "name", "it is not said what it measures", "add one of " + words);
        return !required;
    }

    template <class Good>
    bool joint_is(const char* what, Good&& good) {
        const int index = sensor_.object.index;
        if (sensor_.object.kind == Kind::loop) {
            JointSpec joint = c_.scene.loops()[index].joint;
            joint.type = c_.scene.loops()[index].type;
            if (good(joint)) return true;
        } else if (good(c_.scene.joints()[index].spec)) {
            return true;
        }
        report(in_, "joint", std::string("this sensor ") + what);
        return false;
    }

    bool find_limited_tendon() {
        if (!find("tendon", Kind::tendon, sensor_.object)) return false;
        if (c_.scene.tendons()[sensor_.object.index].range != Range{}) return true;
        report(in_, "tendon", "this sensor is for tendons with limits");
        return false;
    }

    // Something with a frame: its kind is in one attribute, its name in another.
    bool find_frame(const char* kind_attribute, const char* name_attribute, ObjectRef& object) {
        static constexpr std::string_view words[] = {"body", "xbody", "geom", "site", "camera"};
        static constexpr Kind kinds[] = {Kind::body, Kind::xbody, Kind::geom, Kind::site, Kind::camera};
        if (!in_.has(kind_attribute)) in_.required_text(kind_attribute);
        const auto word = in_.choice(kind_attribute, words);
        in_.ignore({name_attribute});
        return word && find(name_attribute, kinds[*word], object);
    }

    bool read_frame_in_frame() {
        const bool good = find_frame("objtype", "objname", sensor_.object);
        if (!in_.has("reftype") && !in_.has("refname")) return good;
        return find_frame("reftype", "refname", sensor_.reference) && good;
    }

    bool read_two_shapes() {
        const bool first = find_one({{"geom1", Kind::geom}, {"body1", Kind::body}}, true, sensor_.object);
        const bool second = find_one({{"geom2", Kind::geom}, {"body2", Kind::body}}, true, sensor_.reference);
        if (!first || !second) return false;
        if (sensor_.object != sensor_.reference) return true;
        report(in_, sensor_.object.kind == Kind::geom ? "geom2" : "body2", "both objects are the same");
        return false;
    }

    bool read_contact_sensor() {
        bool good = read_data(sensors::contact_fields);
        if (const auto word = in_.choice("reduce", sensors::contact_reductions))
            sensor_.reduce = sensors::contact_reductions[*word];
        if (const auto count = integer(in_, "num")) {
            if (*count < 1) {
                report(in_, "num", "'num' must be positive");
                good = false;
            }
            sensor_.count = *count;
        }
        ObjectRef first;
        good &= find_one(
            {{"geom1", Kind::geom}, {"body1", Kind::body}, {"subtree1", Kind::subtree}, {"site", Kind::site}},
            false, first);
        (first.kind == Kind::site ? sensor_.site : sensor_.object) = first;
        good &= find_one({{"geom2", Kind::geom}, {"body2", Kind::body}, {"subtree2", Kind::subtree}}, false,
                         sensor_.reference);
        return good;
    }

    bool read_user() {
        static constexpr std::string_view words[] = {"body", "xbody", "geom", "site",
                                                     "camera", "joint", "tendon", "actuator"};
        static constexpr Kind kinds[] = {Kind::body, Kind::xbody, Kind::geom, Kind::site,
                                         Kind::camera, Kind::joint, Kind::tendon, Kind::actuator};
        if (!in_.has("dim")) in_.required_number("dim");
        const auto dimension = integer(in_, "dim");
        in_.ignore({"datatype", "needstage"});  // for those who compute it
        if (!dimension) return false;
        constexpr int most = 1'000'000;
        if (*dimension < 0 || *dimension > most) {
            report(in_, "dim", "'dim' must lie between 0 and " + std::to_string(most));
            return false;
        }
        sensor_.count = *dimension;
        if (!in_.has("objtype") && !in_.has("objname")) return true;
        if (!in_.has("objtype")) in_.required_text("objtype");
        const auto word = in_.choice("objtype", words);
        in_.ignore({"objname"});
        return word && find("objname", kinds[*word], sensor_.object);
    }

    // A list of words in the order of `fields`; the first of them when there is none.
    bool read_data(std::span<const std::string_view> fields) {
        const std::optional<std::string> text = in_.text("data");
        if (!text) {
            sensor_.data = {std::string(fields[0])};
            return true;
        }
        std::size_t next = 0;
        constexpr std::string_view blanks = " \t\r\n";
        for (std::size_t at = text->find_first_not_of(blanks); at != text->npos;) {
            const std::size_t end = std::min(text->find_first_of(blanks, at), text->size());
            const std::string word = text->substr(at, end - at);
            const auto found = std::find(fields.begin(), fields.end(), word);
            std::string order;
            for (const std::string_view field : fields)
                order += (order.empty() ? "" : ", ") + std::string(field);
            if (found == fields.end()) {
                report(in_, "data", "'" + word + "' is not one of " + order);
                return false;
            }
            if (found < fields.begin() + static_cast<std::ptrdiff_t>(next)) {
                report(in_, "data", "'" + word + "' is in the wrong place", "the order is " + order);
                return false;
            }
            next = static_cast<std::size_t>(found - fields.begin()) + 1;
            sensor_.data.push_back(word);
            at = text->find_first_not_of(blanks, end);
        }
        return true;
    }

    Context& c_;
    ElementReader& in_;
    SensorSpec& sensor_;
};

constexpr auto sensor_names = [] {
    std::array<std::string_view, sensors::sensor_count> names;
    for (int i = 0; i < sensors::sensor_count; ++i) names[i] = sensors::sensor_list[i].name;
    return names;
}();

bool has_no_cutoff(SensorType type) {
    return type == SensorType::ballquat || type == SensorType::framequat || type == SensorType::framexaxis ||
           type == SensorType::frameyaxis || type == SensorType::framezaxis;
}

void read_common(Context& context, ElementReader& in, SensorSpec& sensor) {
    assign(sensor.cutoff, non_negative(in, "cutoff"));
    assign(sensor.noise, non_negative(in, "noise"));
    if (sensor.cutoff > 0 && has_no_cutoff(sensor.type))
        report(in, "cutoff", "axes and quaternions have no cutoff", "remove it");
    // Values that are older than the state: MuJoCo keeps a history for them, which we do not.
    for (const char* attribute : {"delay", "nsample", "interval"})
        if (const auto numbers = in.numbers(attribute, 1, 2); numbers && numbers->front() != 0)
            context.notes.attribute(attribute, in.name(), in.where(attribute));
    in.ignore({"interp", "user"});
}

}  // namespace

void read_sensor(Context& context, int section) {
    for (const int child : context.document.children(section)) {
        ElementReader in = context.document.reader(child);
        if (in.name() == "plugin" || in.name() == "tactile") {
            in.log().report(codes::U125, in.where(),
                            "sensors of kind <" + std::string(in.name()) + "> are not supported",
                            "remove it");
            continue;
        }
        const auto found = std::find(sensor_names.begin(), sensor_names.end(), in.name());
        if (found == sensor_names.end()) {
            report_unknown_element(in, "sensor", sensor_names);
            continue;
        }
        SensorSpec sensor{.name = in.text_or("name", ""), .where = in.where()};
        sensor.type = static_cast<SensorType>(found - sensor_names.begin());
        read_common(context, in, sensor);
        const bool good = SensorReader(context, in, sensor).read();
        in.warn_unknown();
        context.sensors.add(sensor.name, static_cast<int>(context.scene.sensors().size()), in.where(),
                            context.log);
        if (good) context.scene.add_sensor(std::move(sensor));
    }
}

}  // namespace lig::io::mjcf
