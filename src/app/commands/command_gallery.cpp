// The shipped scenes: what each is, what it shows, and the commands for it, from gallery.json beside them.

#include "app/commands.h"
#include "app/dynamics/model_file.h"
#include "app/json_output.h"
#include "app/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace lig::app {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view list_name = "gallery.json";
constexpr std::size_t line_width = 100;

// Where scenes may be: where the user says, or else in the tree that this program was built or installed in.
std::vector<fs::path> candidates() {
    if (const char* told = std::getenv("LIGAMENT_SCENES"); told && *told) return {told};
    std::error_code none;
    const fs::path program = fs::read_symlink("/proc/self/exe", none);
    if (none) return {};
    const fs::path folder = program.parent_path();
    return {(folder / "../../scenes").lexically_normal(),
            (folder / "../share/ligament/scenes").lexically_normal()};
}

fs::path find_scenes() {
    std::string looked;
    for (const fs::path& folder : candidates()) {
        std::error_code none;
        if (fs::is_regular_file(folder / list_name, none)) return folder;
        looked += "\n  " + (folder / list_name).string();
    }
    throw Failure(
        Exit::io,
        fmt::format("ligament gallery: there is no list of scenes; looked for{}\nSet "
                    "LIGAMENT_SCENES to the folder that holds {}",
                    looked.empty() ? " none: the program's own place is not known" : looked, list_name));
}

const std::string& text(const Json& entry, const char* key) {
    return entry.at(key).get_ref<const std::string&>();
}

// All that is read below, so that a wrong list is told before anything is printed.
void require_sound(const Json& list) {
    for (const Json& entry : list.at("scenes").get_ref<const Json::array_t&>()) {
        for (const char* key : {"name", "title", "file", "sentence", "shows", "paper", "command"})
            text(entry, key);
        for (const Json& name : entry.at("formulations")) name.get_ref<const std::string&>();
        for (const Json& word : entry.at("options")) word.get_ref<const std::string&>();
        for (const auto& [name, reason] : entry.at("left_out").items()) reason.get_ref<const std::string&>();
        if (!entry.at("key").is_null()) text(entry, "key");
        entry.at("duration").get<double>();
        entry.at("formulations").at(0);
    }
}

Json read_list(const fs::path& folder) {
    const fs::path path = folder / list_name;
    try {
        Json list = Json::parse(read_text(path.string()));
        require_sound(list);
        return list;
    } catch (const Json::exception& wrong) {
        throw Failure(Exit::input,
                      fmt::format("{}: is not a list of scenes: {}", path.string(), wrong.what()));
    }
}

// The list names files as seen from above the folder; shown is how they are reached from here.
std::string from_here(std::string_view words, const fs::path& folder) {
    std::error_code none;
    const fs::path shown = fs::equivalent("scenes", folder, none) ? "scenes" : folder;
    std::string out;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        std::string word(words.substr(0, end));
        words.remove_prefix(std::min(end + 1, words.size()));
        if (word.starts_with("scenes/")) word = (shown / word.substr(7)).string();
        out += (out.empty() ? "" : " ") + word;
    }
    return out;
}

std::string run_words(const Json& entry) {
    std::string words = "run " + text(entry, "file");
    if (!entry["key"].is_null()) words += " --key " + text(entry, "key");
    for (const Json& word : entry["options"]) words += " " + word.get<std::string>();
    const std::string method = entry["formulations"][0];
    const std::size_t colon = method.find(':');
    words += fmt::format(" --duration {} --formulation {}", entry["duration"].get<double>(),
                         method.substr(0, colon));
    if (colon != std::string::npos) words += " --integrator " + method.substr(colon + 1);
    return words;
}

// A label and a text beside it, which goes on below itself.
void print_paragraph(std::string_view label, std::string_view words) {
    constexpr std::size_t indent = 10;
    std::string line = fmt::format("{:<{}}", label, indent);
    std::size_t width = indent;
    bool first = true;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        const std::string_view word = words.substr(0, end);
        words.remove_prefix(std::min(end + 1, words.size()));
        const auto letters = static_cast<std::size_t>(
            std::count_if(word.begin(), word.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
        if (!first && width + 1 + letters > line_width) {
            line += '\n' + std::string(indent, ' ');
            width = indent;
            first = true;
        }
        line += first ? "" : " ";
        line += word;
        width += letters + (first ? 0 : 1);
        first = false;
    }
    fmt::print("{}\n", line);
}

void print_whole(const Json& entry, const fs::path& folder) {
    fmt::print("{}\n\n", text(entry, "title"));
    print_paragraph("what", text(entry, "sentence"));
    print_paragraph("shows", text(entry, "shows"));
    print_paragraph("from", text(entry, "paper"));
    fmt::print("file      {}\n", from_here(text(entry, "file"), folder));
    for (const auto& [name, reason] : entry["left_out"].items())
        print_paragraph("without", name + ": " + reason.get<std::string>());
    // Commands are for copying: one line each.
    fmt::print("run       ligament {}\n", from_here(run_words(entry), folder));
    fmt::print("compare   ligament {}\n", from_here(text(entry, "command"), folder));
}

Json chosen(const Json& scenes, const std::vector<std::string>& wanted) {
    if (wanted.empty()) return scenes;
    std::vector<std::string_view> names;
    for (const Json& entry : scenes) names.push_back(text(entry, "name"));
    Json found = Json::array();
    for (const std::string& name : wanted) {
        const auto at = std::find(names.begin(), names.end(), name);
        if (at == names.end()) {
            const std::string suggestion = did_you_mean(name, names);
            throw Failure(Exit::usage,
                          fmt::format("ligament gallery: there is no scene '{}'{}", name,
                                      suggestion.empty() ? "; there are: " + join(names) : suggestion));
        }
        found.push_back(scenes[static_cast<std::size_t>(at - names.begin())]);
    }
    return found;
}

}  // namespace

Exit run_gallery(Arguments& arguments) {
    std::vector<std::string> wanted;
    bool json = false;
    arguments.positionals(wanted, "NAME", "scenes to show whole; without any, all are listed");
    arguments.flag(json, "--json", "print one JSON document");
    if (!arguments.parse()) return Exit::ok;

    const fs::path folder = find_scenes();
    const Json list = read_list(folder);
    const Json scenes = chosen(list["scenes"], wanted);
    if (json) {
        print_json({{"folder", folder.string()}, {"scenes", scenes}});
    } else if (wanted.empty()) {
        Table table({"name", "what it is", "from"});
        for (const Json& entry : scenes)
            table.add({text(entry, "name"), text(entry, "sentence"), text(entry, "paper")});
        table.print();
        fmt::print("\n'ligament gallery NAME' tells what a scene shows and the commands for it.\n");
    } else {
        for (std::size_t k = 0; k < scenes.size(); ++k) {
            if (k > 0) fmt::print("\n");
            print_whole(scenes[k], folder);
        }
    }
    return Exit::ok;
}

}  // namespace lig::app
