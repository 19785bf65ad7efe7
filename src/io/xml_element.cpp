#include "core/diagnostic_codes.h"
#include "core/printable.h"
#include "core/suggest.h"
#include "io/xml.h"

#include <algorithm>
#include <unordered_set>

namespace lig::io {

namespace {

constexpr std::string_view blanks = " \t\r\n";

// Names are copied: into every object of a default class, into every copy of a body.
constexpr std::size_t longest_text = 1024;

// A value as it is shown in a message: not longer than a line.
constexpr std::size_t longest_value = 60;

std::string quoted(std::string_view value) { return "'" + shortened(value, longest_value) + "'"; }

std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> choices) {
    const std::string_view near = nearest(wanted, choices);
    return near.empty() ? std::string() : "did you mean '" + std::string(near) + "'?";
}

std::string listed(std::span<const std::string_view> words) {
    std::string text;
    for (const std::string_view word : words) {
        if (!text.empty()) text += ", ";
        text += word;
    }
    return text;
}

bool only_digits_and_commas(std::string_view text) {
    return text.find(',') != text.npos && text.find_first_not_of("+-.,0123456789eE") == text.npos;
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::string hint_for_number(std::string_view token) {
    if (only_digits_and_commas(token)) {
        if (std::count(token.begin(), token.end(), ',') == 1)
            return "use a dot, not a comma, as the decimal mark";
        return "separate numbers by blanks, not commas";
    }
    std::string word = lower(token);
    if (word.starts_with('-') || word.starts_with('+')) word.erase(0, 1);
    if (word == "inf" || word == "infinity" || word == "nan") return "the number must be finite";
    if (!word.empty() && word.find_first_not_of("0123456789.e+-") == word.npos && word.find('e') != word.npos)
        return "the number must be finite, below 1.8e308";
    return "write it like 0.5 or 1e-3";
}

}  // namespace

ElementReader::ElementReader(const XmlSource& source, pugi::xml_node node, Diagnostics& log)
    : source_(source), node_(node), log_(log) {}

SourceLocation ElementReader::where(const char* attribute) const {
    const pugi::xml_attribute found = node_.attribute(attribute);
    return found ? source_.locate(found) : where();
}

std::string ElementReader::label() const {
    std::string text = "<" + shortened(name(), longest_value);
    if (const pugi::xml_attribute own_name = node_.attribute("name"))
        text += " \"" + shortened(own_name.value(), longest_value) + "\"";
    return text + ">";
}

pugi::xml_attribute ElementReader::find(const char* attribute) {
    if (std::find(known_.begin(), known_.end(), attribute) == known_.end()) known_.push_back(attribute);
    return node_.attribute(attribute);
}

pugi::xml_attribute ElementReader::find_filled(const char* attribute) {
    const pugi::xml_attribute found = find(attribute);
    if (std::string_view(found.value()).find_first_not_of(blanks) == std::string_view::npos) return {};
    return found;
}

std::string ElementReader::describe(pugi::xml_attribute attribute) const {
    return "attribute " + quoted(attribute.name()) + " of " + label();
}

void ElementReader::report_missing(const char* attribute) {
    if (const pugi::xml_attribute empty = node_.attribute(attribute))
        return log_.report(codes::E005, source_.locate(empty), describe(empty) + " is empty",
                           "give it a value");
    log_.report(codes::E005, where(), label() + " has no attribute '" + attribute + "'",
                "add " + std::string(attribute) + "=\"…\"");
}

bool ElementReader::has(const char* attribute) { return static_cast<bool>(find_filled(attribute)); }

std::optional<std::string> ElementReader::text(const char* attribute) {
    const pugi::xml_attribute found = find(attribute);
    if (!found) return {};
    const std::string_view value = found.value();
    if (value.size() <= longest_text) return std::string(value);
    log_.report(codes::E018, source_.locate(found),
                describe(found) + " has " + std::to_string(value.size()) + " bytes",
                "names and paths have at most " + std::to_string(longest_text));
    return {};
}

std::string ElementReader::text_or(const char* attribute, std::string_view fallback) {
    return text(attribute).value_or(std::string(fallback));
}

std::string ElementReader::required_text(const char* attribute) {
    const pugi::xml_attribute found = find(attribute);
    if (*found.value() == '\0') report_missing(attribute);
    return text_or(attribute, "");
}

std::optional<double> ElementReader::checked_number(pugi::xml_attribute attribute, std::string_view token) {
    if (const std::optional<double> value = parse_number(token)) return value;
    const std::string_view whole = attribute.value();
    const std::size_t within = static_cast<std::size_t>(token.data() - whole.data());
    log_.report(codes::E006, source_.locate(attribute, within),
                describe(attribute) + ": " + quoted(token) + " is not a finite number",
                hint_for_number(token));
    return {};
}

std::optional<double> ElementReader::number(const char* attribute) {
    const pugi::xml_attribute found = find_filled(attribute);
    if (!found) return {};
    std::string_view token = found.value();
    token.remove_prefix(token.find_first_not_of(blanks));
    token = token.substr(0, token.find_last_not_of(blanks) + 1);
    return checked_number(found, token);
}

double ElementReader::number_or(const char* attribute, double fallback) {
    return number(attribute).value_or(fallback);
}

double ElementReader::required_number(const char* attribute) {
    if (!has(attribute)) report_missing(attribute);
    return number_or(attribute, 0);
}

std::optional<bool> ElementReader::boolean(const char* attribute) {
    static constexpr std::string_view words[] = {"false", "true"};
    const std::optional<int> index = choice(attribute, words);
    if (!index) return {};
    return *index == 1;
}

std::optional<std::vector<double>> ElementReader::numbers(const char* attribute, int least, int most) {
    const pugi::xml_attribute found = find_filled(attribute);
    if (!found) return {};
    const std::string_view whole = found.value();
    std::vector<double> values;
    for (std::size_t at = whole.find_first_not_of(blanks); at != whole.npos;) {
        const std::size_t end = std::min(whole.find_first_of(blanks, at), whole.size());
        const std::optional<double> value = checked_number(found, whole.substr(at, end - at));
        if (!value) return {};
        values.push_back(*value);
        at = whole.find_first_not_of(blanks, end);
    }
    const int count = static_cast<int>(values.size());
    if (count < least || count > most) {
        std::string expected = std::to_string(least);
        if (most != least) expected += " to " + std::to_string(most);
        log_.report(codes::E007, source_.locate(found),
                    describe(found) + ": " + quoted(whole) + " has " + std::to_string(count) +
                        (count == 1 ? " number; " : " numbers; ") + expected + (most == 1 ? " is" : " are") +
                        " expected");
        return {};
    }
    return values;
}

std::optional<Vec3d> ElementReader::vec3(const char* attribute) {
    const std::optional<std::vector<double>> values = numbers(attribute, 3, 3);
    if (!values) return {};
    return Vec3d{(*values)[0], (*values)[1], (*values)[2]};
}

Vec3d ElementReader::vec3_or(const char* attribute, Vec3d fallback) {
    return vec3(attribute).value_or(fallback);
}

std::optional<int> ElementReader::choice(const char* attribute, std::span<const std::string_view> choices) {
    const pugi::xml_attribute found = find(attribute);
    if (!found) return {};
    const std::string_view value = found.value();
    const auto match = std::find(choices.begin(), choices.end(), value);
    if (match != choices.end()) return static_cast<int>(match - choices.begin());
    std::string hint = did_you_mean(value, choices);
    log_.report(codes::E008, source_.locate(found),
                describe(found) + ": " + quoted(value) + " is not one of " + listed(choices),
                std::move(hint));
    return {};
}

void ElementReader::ignore(std::initializer_list<const char*> attributes) {
    for (const char* attribute : attributes) find(attribute);
}

void ElementReader::warn_unknown() {
    // An element may have a million attributes, and every message looks for its name among them.
    const auto report = [&](const DiagnosticCode& code, pugi::xml_attribute attribute, const char* what) {
        if (!log_.lists(code)) return log_.report(code, source_.locate(attribute), {});
        std::string hint = &code == &codes::E003 ? "remove one" : did_you_mean(attribute.name(), known_);
        log_.report(code, source_.locate(attribute), describe(attribute) + what, std::move(hint));
    };
    // XML forbids two attributes of one name; pugixml keeps both, and only the first has been read.
    std::vector<std::string_view> names;
    for (const pugi::xml_attribute attribute : node_.attributes()) names.emplace_back(attribute.name());
    std::sort(names.begin(), names.end());
    const bool repeats = std::adjacent_find(names.begin(), names.end()) != names.end();
    std::unordered_set<std::string_view> seen;
    for (const pugi::xml_attribute attribute : node_.attributes()) {
        const std::string_view name = attribute.name();
        const bool is_namespace = name == "xmlns" || name.starts_with("xmlns:");
        if (repeats && !seen.insert(name).second)
            report(codes::E003, attribute, " is given twice");
        else if (!is_namespace && std::find(known_.begin(), known_.end(), name) == known_.end())
            report(codes::W010, attribute, " is not known and was not read");
    }
}

void ElementReader::warn_unknown_children(std::span<const std::string_view> known) {
    for (const pugi::xml_node child : node_.children()) {
        if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
            log_.report(codes::W011, source_.locate(child), "text inside " + label() + " was not read",
                        "values are written as attributes");
        } else if (child.type() == pugi::node_element) {
            const std::string_view child_name = child.name();
            if (std::find(known.begin(), known.end(), child_name) != known.end()) continue;
            log_.report(codes::W011, source_.locate(child),
                        "<" + shortened(child_name, longest_value) + "> inside " + label() +
                            " is not known and was not read",
                        did_you_mean(child_name, known));
        }
    }
}

}  // namespace lig::io
