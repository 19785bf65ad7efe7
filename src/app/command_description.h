#pragma once

// What a command may be given, as its help and the completion of shells tell it. Commands declare it through
// Arguments; there is no other list.

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace lig::app {

// Under which title an option is listed, in this order.
enum class Section {
    own,
    model,
    start,
    formulation,
    steps,
    contacts,
    multiplier,
    implicit,
    impulse,
    control,
    output,
    messages
};

// What completes a value.
enum class Completion {
    nothing,
    choice,
    choices,
    file,
    folder,
    keyframe
};

struct ArgumentDescription {
    std::string name;   // "--dt", "MODEL"
    std::string value;  // what its value is called; empty for flags and arguments without a name
    std::string help;
    Section section = Section::own;
    Completion completion = Completion::nothing;
    std::vector<std::string> words;  // that the value may be, or endings of files it may name

    // One of these words; "{}" in the help becomes "a, b or c".
    ArgumentDescription& choice(const std::vector<std::string_view>& names);
    // Any of them, separated by commas.
    ArgumentDescription& choices(const std::vector<std::string_view>& names);
    // A file with one of these endings, or any.
    ArgumentDescription& file(const std::vector<std::string_view>& endings = {});
    ArgumentDescription& folder();
    // A keyframe of MODEL.
    ArgumentDescription& keyframe();
};

struct CommandDescription {
    std::string name, summary;
    std::string example;  // a line each
    // A deque: whoever declares one goes on to describe it while others come.
    std::deque<ArgumentDescription> positionals, options;
    bool more_of_the_last = false;  // of the positional arguments any number may be given
};

// What --help prints, in lines of so many characters.
std::string help_text(const CommandDescription& command, int width);

// Broken between words, and where it has line breaks, so that no line that begins at column `indent` passes
// `width`, as far as words are short enough.
std::string wrapped(std::string_view text, int indent, int width);

// "a, b or c".
std::string join_or(const std::vector<std::string>& words);

}  // namespace lig::app
