#include "io/mjcf_document.h"

#include "core/diagnostic_codes.h"

#include <algorithm>
#include <system_error>

namespace lig::io::mjcf {

namespace fs = std::filesystem;

namespace {

fs::path resolved(const fs::path& path) {
    std::error_code failure;
    fs::path result = fs::weakly_canonical(path, failure);
    return failure ? path.lexically_normal() : result;
}

pugi::xml_node first_element(pugi::xml_node node) {
    while (node && node.type() != pugi::node_element) node = node.next_sibling();
    return node;
}

}  // namespace

Document::Document(const XmlSource& main, Diagnostics& log) : main_(main), log_(log) {
    files_.push_back({resolved(main.path()), {}, &main});
    append(-1, main.root(), main);
    levels_.push_back({first_element(main.root().first_child()), &main, root, -1});
    build();
}

void Document::build() {
    while (!levels_.empty()) {
        Level& level = levels_.back();
        const pugi::xml_node node = level.next;
        if (!node) {
            levels_.pop_back();
            continue;
        }
        level.next = first_element(node.next_sibling());
        const XmlSource& source = *level.source;
        const int parent = level.parent;
        if (std::string_view(node.name()) == "include") {
            include(node, source, parent);
            continue;
        }
        const int index = append(parent, node, source);
        if (const pugi::xml_node child = first_element(node.first_child()))
            levels_.push_back({child, &source, index, -1});
    }
}

int Document::append(int parent, pugi::xml_node node, const XmlSource& source) {
    const int index = static_cast<int>(elements_.size());
    elements_.push_back({node, &source, -1, -1});
    last_child_.push_back(-1);
    if (parent >= 0) {
        if (last_child_[parent] < 0)
            elements_[parent].first_child = index;
        else
            elements_[last_child_[parent]].next_sibling = index;
        last_child_[parent] = index;
    }
    return index;
}

void Document::include(pugi::xml_node node, const XmlSource& from, int parent) {
    ElementReader in(from, node, log_);
    const std::string file = in.required_text("file");
    in.warn_unknown();
    if (file.empty()) return;

    // The format says: relative to the folder of the main file. Files written for tools that start from the
    // including file are common enough to try that as well.
    std::vector<fs::path> tried{(main_.path().parent_path() / file).lexically_normal()};
    const fs::path beside = (from.path().parent_path() / file).lexically_normal();
    if (beside != tried[0]) tried.push_back(beside);
    std::error_code failure;
    const auto found = std::find_if(tried.begin(), tried.end(),
                                    [&](const fs::path& path) { return fs::exists(path, failure); });
    if (found == tried.end()) {
        std::string places;
        for (const fs::path& path : tried) places += (places.empty() ? "" : ", ") + path.string();
        log_.report(codes::E001, in.where("file"), "the included file '" + file + "' does not exist",
                    "looked for " + places);
        return;
    }

    const fs::path path = resolved(*found);
    for (const File& known : files_) {
        if (known.canonical != path) continue;
        const std::string chain = include_chain(known);
        if (!chain.empty())
            log_.report(codes::E082, in.where("file"), "the include goes in a circle: " + chain,
                        "take out one of the includes");
        else
            log_.report(codes::E082, in.where("file"), "'" + file + "' is included twice",
                        "the first time at " + known.included_at.to_string());
        return;
    }
    auto source = std::make_unique<XmlSource>();
    files_.push_back({path, in.where(), source.get()});
    if (source->load_file(*found, log_, FileKind::regular))
        levels_.push_back({first_element(source->root().first_child()), source.get(), parent,
                           static_cast<int>(files_.size()) - 1});
    included_.push_back(std::move(source));
}

// "a.xml, b.xml, a.xml" when the file is one of those that are open, else nothing.
std::string Document::include_chain(const File& repeated) const {
    std::vector<const XmlSource*> open{&main_};
    for (const Level& level : levels_)
        if (level.file >= 0) open.push_back(level.source);
    const auto start = std::find(open.begin(), open.end(), repeated.source);
    if (start == open.end()) return {};
    std::string chain;
    for (auto it = start; it != open.end(); ++it) chain += (*it)->path().filename().string() + " → ";
    return chain + repeated.source->path().filename().string();
}

}  // namespace lig::io::mjcf
