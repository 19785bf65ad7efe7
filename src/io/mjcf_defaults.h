#pragma once

// <default>: classes of presets. The outermost class is "main"; a class inherits what its parent says.

#include "io/mjcf_contact.h"
#include "io/mjcf_document.h"
#include "io/mjcf_drive_fields.h"
#include "io/mjcf_fields.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lig::io::mjcf {

struct DefaultClass {
    std::string name;
    JointFields joint;
    GeomFields geom;
    SiteFields site;
    MeshFields mesh;
    MaterialFields material;
    EqualityFields equality;
    TendonFields tendon;
    ActuatorFields actuator;
    PairFields pair;
};

class DefaultClasses {
public:
    DefaultClasses();

    // Reads a top-level <default> with all classes in it.
    void read(const Document& document, int element, NotRead& notes);

    static constexpr int main = 0;
    const DefaultClass& operator[](int index) const { return classes_[index]; }
    // The class that an attribute (`class` or `childclass`) names; `otherwise` when the attribute is absent
    // or, after an error, when there is no such class.
    int select(ElementReader& in, const char* attribute, int otherwise) const;

private:
    int add(ElementReader& in, int parent);
    void read_presets(const Document& document, int element, DefaultClass& into, NotRead& notes);

    std::vector<DefaultClass> classes_;
    std::unordered_map<std::string, int> index_;
};

}  // namespace lig::io::mjcf
