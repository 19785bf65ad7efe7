#include "io/xml.h"

#include "core/diagnostic_codes.h"
#include "io/text_encoding.h"

#include <algorithm>

namespace lig::io {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view blanks = " \t\r\n";

std::vector<std::ptrdiff_t> find_line_starts(std::string_view text) {
    std::vector<std::ptrdiff_t> starts{0};
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool lone_return = text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n');
        if (text[i] == '\n' || lone_return) starts.push_back(static_cast<std::ptrdiff_t>(i) + 1);
    }
    return starts;
}

struct TagMismatch {
    std::string_view open;                 // the innermost element that is open; empty if none is
    std::ptrdiff_t open_at = 0;
    std::string_view close;  // the closing tag that is not its own; empty at the end of the text
    std::ptrdiff_t close_at = 0;
};

// The first closing tag that closes something else than the innermost open element, or what is open at the
// end. pugixml only tells that there is a mismatch; where the element was opened is what one looks for.
TagMismatch find_mismatch(std::string_view text) {
    struct Open {
        std::string_view name;
        std::ptrdiff_t at;
    };
    std::vector<Open> stack;
    const auto innermost = [&] { return stack.empty() ? Open{{}, 0} : stack.back(); };
    const auto past = [&](std::size_t from, std::string_view end) {
        const std::size_t found = text.find(end, from);
        return found == text.npos ? text.size() : found + end.size();
    };
    for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("<!--"))
            at = past(at + 4, "-->");
        else if (rest.starts_with("<![CDATA["))
            at = past(at, "]]>");
        else if (rest.starts_with("<?"))
            at = past(at, "?>");
        else if (rest.starts_with("<!"))
            at = past(at, ">");
        else {
            const bool closes = rest.starts_with("</");
            const std::size_t start = closes ? 2 : 1;
            const std::string_view name = rest.substr(start, rest.find_first_of(" \t\r\n/>", start) - start);
            const auto here = static_cast<std::ptrdiff_t>(at);
            std::size_t end = start;
            for (char quote = 0; end < rest.size() && (quote || rest[end] != '>'); ++end)
                if (quote ? rest[end] == quote : rest[end] == '"' || rest[end] == '\'')
                    quote = quote ? 0 : rest[end];
            if (closes) {
                if (stack.empty() || stack.back().name != name)
                    return {innermost().name, innermost().at, name, here};
                stack.pop_back();
            } else if (rest[end - 1] != '/') {
                stack.push_back({name, here});
            }
            at += end;
        }
    }
    return {innermost().name, innermost().at, {}, 0};
}

// What a parse error most likely comes from.
std::string hint_for(const pugi::xml_parse_result& result, bool at_end) {
    if (at_end) return "the file ends too early; it may be truncated";
    switch (result.status) {
        case pugi::status_bad_attribute: return "attributes are written name=\"value\", separated by blanks";
        case pugi::status_bad_start_element: return "a tag is <name attribute=\"value\" …> or <name …/>";
        case pugi::status_bad_end_element: return "a closing tag is </name> and nothing else";
        case pugi::status_end_element_mismatch: return "every <name> needs its own </name>, innermost first";
        case pugi::status_unrecognized_tag: return "write &lt; for a '<' that starts no tag";
        case pugi::status_bad_comment: return "a comment is <!-- … -->";
        default: return {};
    }
}

}  // namespace

bool XmlSource::load_file(const fs::path& path, Diagnostics& log, FileKind allowed) {
    path_ = path;
    name_ = std::make_shared<const std::string>(path.string());
    auto read = read_file_text(path, allowed);
    if (FileFault* fault = std::get_if<FileFault>(&read)) {
        log.report(*fault->code, {name_, 0, 0}, std::move(fault->what), std::move(fault->hint));
        return false;
    }
    return parse(std::get<std::string>(std::move(read)), log);
}

bool XmlSource::load_text(std::string_view text, const fs::path& name, Diagnostics& log) {
    path_ = name;
    name_ = std::make_shared<const std::string>(name.string());
    return parse(std::string(text), log);
}

bool XmlSource::parse(std::string bytes, Diagnostics& log) {
    DecodedText decoded = decode_text(std::move(bytes));
    const SourceLocation whole{name_, 0, 0};
    if (decoded.utf8.find_first_not_of(blanks) == std::string::npos) {
        log.report(codes::E002, whole, "the file is empty", "give a file with a model in it");
        return false;
    }
    document_.reset();
    line_starts_ = find_line_starts(decoded.utf8);
    const auto place = [&](std::size_t offset) { return locate_offset(static_cast<std::ptrdiff_t>(offset)); };
    if (const std::size_t zero = decoded.utf8.find('\0'); zero != std::string::npos) {
        log.report(codes::E003, place(zero), "this is not XML: there is a zero byte, so it is no text file",
                   "give a URDF or MJCF file");
        return false;
    }
    const std::size_t forbidden = find_forbidden_character(decoded.utf8);
    if (forbidden != std::string::npos) {
        log.report(codes::E003, place(forbidden), "this character is not allowed in XML",
                   "remove it: apart from tab and line end there are no control characters");
        return false;
    }
    text_ = decoded.utf8;  // a copy: parsing in place writes terminators and converted line ends into it
    if (decoded.guessed_from)
        log.report(codes::W013, place(*decoded.guessed_from),
                   "the text is not valid UTF-8; all of it is read as Latin-1", "save it as UTF-8");

    // parse_fragment keeps what stands beside the root element, so that it can be refused with its place.
    const unsigned flags = pugi::parse_default | pugi::parse_fragment | pugi::parse_doctype;
    const pugi::xml_parse_result result =
        document_.load_buffer_inplace(text_.data(), text_.size(), flags, pugi::encoding_utf8);
    if (!result) {
        report_parse_error(result, decoded.utf8, log);
        return false;
    }
    return check_top_level(log);
}

void XmlSource::report_parse_error(const pugi::xml_parse_result& result, std::string_view original,
                                   Diagnostics& log) const {
    const bool at_end =
        result.offset >= static_cast<std::ptrdiff_t>(original.rfind('>'));  // -1 if there is none
    std::ptrdiff_t offset = result.offset;
    std::string description = result.description();
    if (!description.empty()) description[0] = static_cast<char>(description[0] | 0x20);
    if (result.status == pugi::status_end_element_mismatch) {
        const TagMismatch mismatch = find_mismatch(original);
        const std::string open =
            "<" + std::string(mismatch.open) + "> of " + locate_offset(mismatch.open_at).to_string();
        const std::string close = "</" + std::string(mismatch.close) + ">";
        if (!mismatch.close.empty()) offset = mismatch.close_at;
        if (mismatch.open.empty())
            description = close + " closes nothing";
        else if (mismatch.close.empty())
            description = open + " is not closed";
        else
            description = close + " where " + open + " should be closed";
    }
    log.report(codes::E003, locate_offset(offset), "the XML is not well formed: " + description,
               hint_for(result, at_end));
}

// pugixml accepts any sequence of elements and texts; a document is one element.
bool XmlSource::check_top_level(Diagnostics& log) const {
    pugi::xml_node root;
    for (const pugi::xml_node node : document_.children()) {
        if (node.type() == pugi::node_doctype) {
            // They would be left in the text as they are written, and nobody would notice.
            if (std::string_view(node.value()).find("<!ENTITY") != std::string_view::npos) {
                log.report(codes::U017, locate(node), "entities of a document type are not expanded",
                           "write out what they stand for; <include> reads other files");
                return false;
            }
            continue;
        }
        if (node.type() == pugi::node_element && !root) {
            root = node;
            continue;
        }
        if (node.type() == pugi::node_element)
            log.report(codes::E003, locate(node),
                       "there is a second root element <" + std::string(node.name()) + "> after <" +
                           std::string(root.name()) + ">",
                       "put all elements inside one root element");
        else
            log.report(codes::E003, locate(node), "there is text outside the root element",
                       root ? "remove it" : "an XML file starts with a tag");
        return false;
    }
    if (!root)
        log.report(codes::E003, {name_, 0, 0}, "there is no element in the file", "it may be truncated");
    return static_cast<bool>(root);
}

SourceLocation XmlSource::locate_offset(std::ptrdiff_t offset) const {
    if (offset < 0 || line_starts_.empty()) return {name_, 0, 0};
    const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    return {name_, static_cast<int>(next - line_starts_.begin()), static_cast<int>(offset - *(next - 1)) + 1};
}

SourceLocation XmlSource::locate(pugi::xml_node node) const {
    const std::ptrdiff_t offset = node.offset_debug();
    if (offset < 0) return {name_, 0, 0};
    // The offset is that of the name, the place that of the tag. A text starts after its leading blanks.
    if (node.type() == pugi::node_element) return locate_offset(offset - 1);
    const std::string_view text = node.value();
    const std::size_t leading = std::min(text.find_first_not_of(blanks), text.size());
    return locate_offset(offset + static_cast<std::ptrdiff_t>(leading));
}

SourceLocation XmlSource::locate(pugi::xml_attribute attribute, std::size_t within) const {
    const char* value = attribute.value();
    if (value < text_.data() || value > text_.data() + text_.size()) return {name_, 0, 0};
    return locate_offset(value - text_.data() + static_cast<std::ptrdiff_t>(within));
}

}  // namespace lig::io
