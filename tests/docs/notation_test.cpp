// docs/notation.md and the public headers name the same fields, of the same sizes.

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

const std::filesystem::path source_dir = LIG_SOURCE_DIR;

std::string read(const std::filesystem::path& path) {
    std::ifstream in(path);
    REQUIRE_MESSAGE(in.good(), path.string());
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string trimmed(std::string text) {
    const auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
    text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), blank));
    text.erase(std::find_if_not(text.rbegin(), text.rend(), blank).base(), text.end());
    return text;
}

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// --- the headers
// ----------------------------------------------------------------------------------------------

// A public header without comments and preprocessor lines.
std::string header(const std::string& file) {
    const std::string text = read(source_dir / "include/ligament" / file);
    std::string code;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        line.resize(std::min(line.find("//"), line.size()));
        if (!line.starts_with('#')) code += line + '\n';
        at = end + 1;
    }
    return code;
}

// Where `word` stands as a whole word at or after `at`.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t at = 0) {
    while ((at = text.find(word, at)) != text.npos) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_name_char(text[at - 1])) && (end == text.size() || !is_name_char(text[end])))
            return at;
        at = end;
    }
    return text.npos;
}

// What stands between the bracket at `open` and the one that closes it.
std::string inside(std::string_view text, std::size_t open, char left, char right) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        if (text[i] == left) ++depth;
        if (text[i] == right && --depth == 0) return std::string(text.substr(open + 1, i - open - 1));
    }
    return {};
}

// The body of a struct or class, `A::B` for one within another; empty if there is none.
std::string struct_body(std::string code, std::string path) {
    for (path += "::"; !path.empty() && !code.empty();) {
        const std::string name = path.substr(0, path.find("::"));
        path.erase(0, name.size() + 2);
        std::string body;
        for (std::size_t at = 0; body.empty() && (at = find_word(code, name, at)) != code.npos;
             at += name.size()) {
            const std::string before = trimmed(code.substr(0, at));
            const std::size_t open = code.find_first_not_of(" \n", at + name.size());
            if ((before.ends_with("struct") || before.ends_with("class")) && open != code.npos &&
                code[open] == '{')
                body = inside(code, open, '{', '}');
        }
        code = body;
    }
    return code;
}

// At commas outside of all brackets.
std::vector<std::string> split_at_commas(std::string_view text) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        depth += (c == '<' || c == '(' || c == '{') - (c == '>' || c == ')' || c == '}');
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

struct Field {
    std::string type, name;
};

// `int a = 0, b` as two fields.
std::vector<Field> declared(const std::string& declaration) {
    std::vector<Field> fields;
    std::string type;
    for (std::string part : split_at_commas(declaration)) {
        part = trimmed(part.substr(0, part.find('=')));
        std::size_t begin = part.size();
        while (begin > 0 && is_name_char(part[begin - 1])) --begin;
        if (fields.empty()) type = trimmed(part.substr(0, begin));
        fields.push_back({type, part.substr(begin)});
    }
    return fields;
}

// The data members of a struct body: no functions, no nested types, nothing private.
std::vector<Field> members(std::string body) {
    const std::size_t hidden = body.find("private:");
    body.resize(std::min(hidden, body.size()));
    std::string statement;
    std::vector<Field> fields;
    const auto finish = [&] {
        std::string text = trimmed(statement);
        if (text.starts_with("public:")) text = trimmed(text.substr(7));
        const bool is_type =
            text.starts_with("enum") || text.starts_with("struct") || text.starts_with("using");
        if (!text.empty() && !is_type && text.find('(') == text.npos)
            for (Field& field : declared(text)) fields.push_back(std::move(field));
        statement.clear();
    };
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (body[i] == '{') {
            const bool is_function = statement.find('(') != statement.npos;
            i += inside(body, i, '{', '}').size() + 1;
            if (is_function) finish();
        } else if (body[i] == ';') {
            finish();
        } else {
            statement += body[i];
        }
    }
    return fields;
}

// The parameters of the first function of that name.
std::vector<Field> parameters(const std::string& code, const std::string& function) {
    std::vector<Field> fields;
    for (std::size_t at = 0; (at = find_word(code, function, at)) != code.npos; at += function.size()) {
        if (code[at + function.size()] != '(') continue;
        for (const std::string& part : split_at_commas(inside(code, at + function.size(), '(', ')')))
            for (Field& field : declared(part)) fields.push_back(std::move(field));
        break;
    }
    return fields;
}

// How many numbers a type holds; 1 for everything that is not a vector, matrix or inertia.
std::string numbers_in(const std::string& type) {
    const std::pair<const char*, const char*> sizes[] = {
        {"Vec3", "3"},
        {"Sym3", "6"},
        {"Motion", "6"},
        {"Force", "6"},
        {"Mat3", "9"},
        {"Transform", "12"},
        {"RigidInertia", "10"},
        {"SplitInertia", "11"},
        {"Quat", "4"},
    };
    for (const auto& [name, size] : sizes)
        if (type.starts_with(name)) return size;
    return "1";
}

// --- the table
// ------------------------------------------------------------------------------------------------

struct Row {
    std::string symbol, size, field, header, meaning, literature;
};

std::vector<Row> table() {
    const std::string text = read(source_dir / "docs/notation.md");
    std::vector<Row> rows;
    bool inside_table = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        if (!line.starts_with('|')) {
            inside_table = false;
            continue;
        }
        std::vector<std::string> cells;
        for (std::size_t cell = 1, bar; (bar = line.find('|', cell)) != line.npos; cell = bar + 1) {
            std::string content = trimmed(line.substr(cell, bar - cell));
            if (content.size() > 2 && content.find('`', 1) == content.size() - 1)
                content = content.substr(1, content.size() - 2);
            cells.push_back(content);
        }
        if (cells[0] == "symbol") {
            inside_table = true;
        } else if (inside_table && !cells[0].starts_with("---")) {
            CAPTURE(line);
            REQUIRE(cells.size() == 6);
            rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]});
        }
    }
    return rows;
}

bool size_fits(const std::string& size, const std::string& type) {
    const std::string_view vector = "std::vector<", span = "std::span<";
    if (type.starts_with(span)) return true;  // the caller's array; its size stands in the comment
    if (!type.starts_with(vector)) return size == numbers_in(type);
    const std::string each = numbers_in(type.substr(vector.size()));
    const std::size_t times = size.rfind(" × ");
    return each == "1" ? times == size.npos : times != size.npos && size.substr(times + 4) == each;
}

}  // namespace

TEST_CASE("docs/notation.md: every field is in its header and has the size that is given") {
    const std::vector<Row> rows = table();
    REQUIRE(rows.size() > 50);
    for (const Row& row : rows) {
        CAPTURE(row.field);
        CAPTURE(row.header);
        CHECK(!row.symbol.empty());
        CHECK(!row.meaning.empty());
        CHECK(!row.literature.empty());

        const std::string code = header(row.header);
        std::vector<Field> fields;
        std::string name;
        if (const std::size_t open = row.field.find('('); open != row.field.npos) {
            fields = parameters(code, row.field.substr(0, open));
            name = inside(row.field, open, '(', ')');
        } else {
            const std::size_t colons = row.field.rfind("::");
            REQUIRE(colons != row.field.npos);
            fields = members(struct_body(code, row.field.substr(0, colons)));
            name = row.field.substr(colons + 2);
        }
        const auto found =
            std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
        REQUIRE_MESSAGE(found != fields.end(), "the header has no such field");
        CAPTURE(found->type);
        CHECK(size_fits(row.size, found->type));
    }
}

TEST_CASE("docs/notation.md: the work and tree structures have no field that is not in the table") {
    std::set<std::string> listed;
    for (const Row& row : table())
        CHECK_MESSAGE(listed.insert(row.field).second, row.field, " is listed twice");

    const std::pair<const char*, const char*> structures[] = {
        {"workspace.h", "BaseWork"},
        {"workspace.h", "LinkWork"},
        {"workspace.h", "BranchWork"},
        {"workspace.h", "DofWork"},
        {"workspace.h", "PoseWork"},
        {"workspace.h", "Workspace"},
        {"tree.h", "TreeLink"},
        {"tree.h", "TreeJoint"},
        {"tree.h", "SplitInertia"},
    };
    for (const auto& [file, name] : structures) {
        const std::vector<Field> fields = members(struct_body(header(file), name));
        CHECK_MESSAGE(!fields.empty(), name, " has no fields, or is not in ", file);
        for (const Field& field : fields) {
            const std::string full = std::string(name) + "::" + field.name;
            CHECK_MESSAGE(listed.contains(full), full, " is not in the table");
        }
    }
}
