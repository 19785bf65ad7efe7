#pragma once

// The models that a file attaches. Each is read as a document of its own, with its own settings, classes and
// folders, and only then copied into the scene.

#include "io/mjcf_context.h"

#include <deque>
#include <filesystem>
#include <set>

namespace lig::io::mjcf {

struct AttachedModel {
    bool broken = false;  // already complained about
    Scene scene;
    std::set<std::string_view> written_options;  // as in Settings
    bool gravity = true;
    std::vector<NamedFrame> frames;
    NameTable bodies{"body"}, frame_names{"frame"};
    std::vector<std::pair<std::string, std::array<double, 4>>> material_colours;
    // Prefixes under which its meshes are already in the scene that attaches it.
    std::set<std::string> prefixes;
};

class AttachedModels {
public:
    void add(const std::string& name, AttachedModel model, const SourceLocation& where, Diagnostics& log);
    // The model that an attribute names; nothing after an error.
    AttachedModel* find(ElementReader& in, const char* attribute);

private:
    NameTable names_{"model"};
    std::deque<AttachedModel> models_;
};

}  // namespace lig::io::mjcf
