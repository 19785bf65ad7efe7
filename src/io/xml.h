#pragma once

// XML as the model readers see it: elements and attributes with a place (file, line, column), numbers read
// without regard to the locale, and a record of what has been read, so that whatever a reader did not ask for
// is named in a warning instead of being dropped.
//
// Nothing here recurses on the depth of the file.

#include "io/file_bytes.h"

#include <ligament/diagnostics.h>
#include <ligament/vec.h>

#include <pugixml.hpp>

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lig::io {

// One parsed file. It keeps the text that pugixml parsed in place, so the address of a name or value tells
// its offset, and that its line and column. Not movable: the readers hold references to it.
class XmlSource {
public:
    XmlSource() = default;
    XmlSource(const XmlSource&) = delete;
    XmlSource& operator=(const XmlSource&) = delete;

    // Read a file or take a text. On failure an error is reported (file missing, unreadable, empty, not well
    // formed with the place) and false is returned.
    bool load_file(const std::filesystem::path& path, Diagnostics& log, FileKind allowed = FileKind::or_pipe);
    bool load_text(std::string_view text, const std::filesystem::path& name, Diagnostics& log);

    pugi::xml_node root() const { return document_.document_element(); }
    const std::filesystem::path& path() const { return path_; }

    SourceLocation locate(pugi::xml_node node) const;
    // Where the attribute's value starts, or a byte within it.
    SourceLocation locate(pugi::xml_attribute attribute, std::size_t within = 0) const;

private:
    bool parse(std::string bytes, Diagnostics& log);
    void report_parse_error(const pugi::xml_parse_result& result, std::string_view original,
                            Diagnostics& log) const;
    bool check_top_level(Diagnostics& log) const;
    SourceLocation locate_offset(std::ptrdiff_t offset) const;

    std::filesystem::path path_;
    std::shared_ptr<const std::string> name_;
    std::string text_;
    std::vector<std::ptrdiff_t> line_starts_;
    pugi::xml_document document_;
};

// The number in a text, whole and finite, or nothing. Locale-free. Leading '+' and surrounding blanks are
// accepted; "nan" and "inf" are not.
std::optional<double> parse_number(std::string_view text);

// One element while it is being read. Every accessor marks its attribute as known; warn_unknown() then names
// the attributes nobody asked for. Missing or malformed values are reported as errors with their place, and
// a default is returned so that reading goes on.
class ElementReader {
public:
    ElementReader(const XmlSource& source, pugi::xml_node node, Diagnostics& log);

    pugi::xml_node node() const { return node_; }
    std::string_view name() const { return node_.name(); }
    std::string label() const;  // for messages: <joint "knee">, or <origin> where there is no name
    SourceLocation where() const { return source_.locate(node_); }
    SourceLocation where(const char* attribute) const;
    Diagnostics& log() { return log_; }

    // An attribute without a value counts as absent here and where numbers are read; a text may be empty.
    bool has(const char* attribute);
    std::optional<std::string> text(const char* attribute);
    std::string text_or(const char* attribute, std::string_view fallback);
    std::string required_text(const char* attribute);

    std::optional<double> number(const char* attribute);
    double number_or(const char* attribute, double fallback);
    double required_number(const char* attribute);
    std::optional<bool> boolean(const char* attribute);  // "true" or "false"

    // Between `least` and `most` numbers separated by blanks; nothing if the attribute is absent or wrong.
    std::optional<std::vector<double>> numbers(const char* attribute, int least, int most);
    std::optional<Vec3d> vec3(const char* attribute);
    Vec3d vec3_or(const char* attribute, Vec3d fallback);

    // The index of the attribute's value among `choices`; anything else is an error that lists them and
    // suggests the nearest.
    std::optional<int> choice(const char* attribute, std::span<const std::string_view> choices);

    // Attributes that are known and on purpose not read, such as colours.
    void ignore(std::initializer_list<const char*> attributes);

    // A warning for each attribute that no accessor asked for, with the nearest known name.
    void warn_unknown();
    // The same for child elements: `known` are read elsewhere. Text between them is named too.
    void warn_unknown_children(std::span<const std::string_view> known);

private:
    pugi::xml_attribute find(const char* attribute);
    pugi::xml_attribute find_filled(const char* attribute);  // nothing where it is blank
    std::string describe(pugi::xml_attribute attribute) const;  // attribute 'xyz' of <origin>
    void report_missing(const char* attribute);
    // The number in `token`, a part of the attribute's value; otherwise an error says what is wrong with it.
    std::optional<double> checked_number(pugi::xml_attribute attribute, std::string_view token);

    const XmlSource& source_;
    pugi::xml_node node_;
    Diagnostics& log_;
    std::vector<std::string_view> known_;
};

}  // namespace lig::io
