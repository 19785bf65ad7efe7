#include "io/mjcf_defaults.h"

#include "core/diagnostic_codes.h"
#include "core/suggest.h"
#include "io/mjcf_values.h"

#include <algorithm>

namespace lig::io::mjcf {

namespace {

// Elements that may stand in a class and that nothing we read takes presets from.
constexpr std::string_view unused_presets[] = {"light", "skin"};

constexpr std::string_view known_presets[] = {"default", "joint", "geom", "site",
                                              "mesh", "material", "equality", "pair", "tendon", "camera",
                                              "general", "motor", "position", "velocity",
                                              "intvelocity", "damper", "cylinder"};

constexpr std::size_t max_classes = 10'000;

}  // namespace

DefaultClasses::DefaultClasses() {
    classes_.push_back({.name = "main"});
    index_["main"] = main;
}

void DefaultClasses::read(const Document& document, int element, NotRead& notes) {
    ElementReader top = document.reader(element);
    if (const std::string name = top.text_or("class", "main"); name != "main")
        top.log().report(codes::E081, top.where("class"),
                         "the outermost default class is called 'main', not '" + name + "'",
                         "put the class into another <default> around it");
    top.warn_unknown();

    // Classes whose presets have been read and whose nested classes are still to come.
    struct Pending {
        int element, of_class;
    };
    read_presets(document, element, classes_[main], notes);
    std::vector<Pending> pending{{element, main}};
    while (!pending.empty()) {
        const Pending current = pending.back();
        pending.pop_back();
        for (const int child : document.children(current.element)) {
            if (document.name(child) != "default") continue;
            ElementReader in = document.reader(child);
            const int added = add(in, current.of_class);
            in.warn_unknown();
            read_presets(document, child, classes_[added], notes);
            pending.push_back({child, added});
        }
    }
}

int DefaultClasses::add(ElementReader& in, int parent) {
    const std::string name = in.required_text("class");
    // A class holds a preset of everything there is, a few thousand bytes.
    if (classes_.size() > max_classes) {
        in.log().report(codes::E111, in.where(),
                        "there are more than " + std::to_string(max_classes) + " default classes",
                        "classes that are the same can be one");
        return parent;
    }
    classes_.push_back(DefaultClass(classes_[parent]));
    const int added = static_cast<int>(classes_.size()) - 1;
    classes_.back().name = name;
    if (!name.empty() && !index_.try_emplace(name, added).second)
        in.log().report(codes::E081, in.where("class"), "the default class '" + name + "' is defined twice",
                        "give one of them another name");
    return added;
}

void DefaultClasses::read_presets(const Document& document, int element, DefaultClass& into, NotRead& notes) {
    for (const int child : document.children(element)) {
        const std::string_view kind = document.name(child);
        if (kind == "default" ||
            std::find(std::begin(unused_presets), std::end(unused_presets), kind) != std::end(unused_presets))
            continue;
        ElementReader in = document.reader(child);
        if (kind == "joint")
            read_joint_fields(in, into.joint, notes);
        else if (kind == "geom")
            read_geom_fields(in, into.geom, notes);
        else if (kind == "site")
            read_site_fields(in, into.site, notes);
        else if (kind == "mesh")
            read_mesh_fields(in, into.mesh, notes);
        else if (kind == "material")
            read_material_fields(in, into.material, notes);
        else if (kind == "equality")
            read_equality_fields(in, into.equality, notes);
        else if (kind == "pair")
            read_pair_fields(in, into.pair, notes);
        else if (kind == "camera")
            read_camera_fields(in, into.camera);
        else if (kind == "tendon")
            read_tendon_fields(in, into.tendon, true);
        else if (is_actuator(kind)) {
            read_actuator_fields(in, into.actuator);
            if (into.actuator.foreign == kind) continue;  // refused where it is used, not here
        } else {
            report_unknown_element(in, "default", known_presets);
            continue;
        }
        in.warn_unknown();
    }
}

int DefaultClasses::select(ElementReader& in, const char* attribute, int otherwise) const {
    const std::optional<std::string> name = in.text(attribute);
    if (!name) return otherwise;
    if (const auto it = index_.find(*name); it != index_.end()) return it->second;
    std::vector<std::string_view> names;
    if (in.log().lists(codes::E080))
        for (const DefaultClass& known : classes_) names.push_back(known.name);
    const std::string_view near = nearest(*name, names);
    in.log().report(codes::E080, in.where(attribute), "there is no default class '" + *name + "'",
                    near.empty() ? "define it in <default>" : "did you mean '" + std::string(near) + "'?");
    return otherwise;
}

}  // namespace lig::io::mjcf
