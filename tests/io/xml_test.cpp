#include "io/xml.h"
#include "io/support.h"
#include "io/support_locale.h"

#include <doctest/doctest.h>

#include <cmath>
#include <sys/stat.h>
#include <unistd.h>

using namespace lig;
using namespace lig::io;
using lig::test::all_text;
using lig::test::contains;
using lig::test::count_code;
using lig::test::TemporaryFolder;
using namespace std::string_literals;

namespace {

// The diagnostics of a text that must not load.
std::string failure_of(std::string_view text) {
    Diagnostics log;
    XmlSource source;
    CHECK_FALSE(source.load_text(text, "f.xml", log));
    CHECK(log.error_count() == 1);
    return all_text(log);
}

struct Loaded {
    explicit Loaded(std::string_view text) {
        const bool good = source.load_text(text, "f.xml", log);
        INFO(all_text(log));
        REQUIRE(good);
    }
    ElementReader root() { return ElementReader(source, source.root(), log); }

    Diagnostics log;
    XmlSource source;
};

std::string utf16_le(std::string_view ascii) {
    std::string bytes = "\xFF\xFE";
    for (const char c : ascii) (bytes += c) += '\0';
    return bytes;
}

std::string utf32_be(std::string_view ascii) {
    std::string bytes = "\0\0\xFE\xFF"s;
    for (const char c : ascii) (bytes += "\0\0\0"s) += c;
    return bytes;
}

}  // namespace

TEST_CASE("places of elements and attribute values") {
    const char* const text = "<robot name='r'>\n  <link\n      name = \"a\"/>\n</robot>";
    Loaded loaded(text);
    const pugi::xml_node link = loaded.source.root().child("link");
    CHECK(loaded.source.locate(loaded.source.root()).to_string() == "f.xml:1:1");
    CHECK(loaded.source.locate(loaded.source.root().attribute("name")).to_string() == "f.xml:1:14");
    CHECK(loaded.source.locate(link).to_string() == "f.xml:2:3");
    CHECK(loaded.source.locate(link.attribute("name")).to_string() == "f.xml:3:15");
}

TEST_CASE("places do not depend on line ends, a byte order mark or the encoding") {
    const std::string text = "<?xml version='1.0'?><r>\n<a/>\n  <b c='x'/>\n</r>";
    std::string crlf, cr;
    for (const char c : text) (c == '\n' ? crlf += "\r\n" : crlf += c), cr += c == '\n' ? '\r' : c;
    const std::string variants[] = {text, crlf, cr, "\xEF\xBB\xBF" + text, utf16_le(text), utf32_be(text)};
    for (const std::string& variant : variants) {
        Loaded loaded(variant);
        CHECK(loaded.source.locate(loaded.source.root()).to_string() == "f.xml:1:22");
        CHECK(loaded.source.locate(loaded.source.root().child("b")).to_string() == "f.xml:3:3");
        CHECK(loaded.source.locate(loaded.source.root().child("b").attribute("c")).to_string() ==
              "f.xml:3:9");
        CHECK(all_text(loaded.log).empty());
    }
}

TEST_CASE("places behind entities and converted blanks in attributes") {
    Loaded loaded("<r a='&lt;&amp;\n&#65;' b='1'><c/></r>");
    CHECK(loaded.source.root().attribute("a").value() == "<& A"s);
    CHECK(loaded.source.locate(loaded.source.root().attribute("b")).to_string() == "f.xml:2:11");
    CHECK(loaded.source.locate(loaded.source.root().child("c")).to_string() == "f.xml:2:14");
}

TEST_CASE("text that is not UTF-8") {
    Loaded declared("<?xml version='1.0' encoding='ISO-8859-1'?><r a='\xFC' b='1'/>");
    CHECK(declared.source.root().attribute("a").value() == "\xC3\xBC"s);
    CHECK(all_text(declared.log).empty());

    Loaded guessed("<r a='\xFC'/>");
    CHECK(guessed.source.root().attribute("a").value() == "\xC3\xBC"s);
    CHECK(count_code(guessed.log, "W013") == 1);
    // The place is that of the first byte that is no UTF-8; what precedes it is longer as UTF-8 than as
    // Latin-1.
    Loaded late("<r\na='\xC3\xBC \xFC'/>");
    CHECK(contains(all_text(late.log), "f.xml:2:9: warning[W013]"));

    // 𝄞 is a surrogate pair in UTF-16.
    Loaded wide("\xFE\xFF\0<\0r\0 \0a\0=\0'\xD8\x34\xDD\x1E\0'\0/\0>"s);
    CHECK(wide.source.root().attribute("a").value() == "\xF0\x9D\x84\x9E"s);

    CHECK(contains(failure_of("<r>\n\0</r>"s),
                   "f.xml:2:1: error[E003]: this is not XML: there is a zero byte"));
}

TEST_CASE("characters that XML does not have") {
    for (const std::string& bad : {"\x01"s, "\x1b"s, "&#0;"s, "&#27;"s, "&#x1B;"s, "&#00000000000027;"s,
                                   "&#xd800;"s, "&#xffff;"s, "&#x110000;"s, "&#99999999999999999999;"s}) {
        CAPTURE(bad);
        CHECK(contains(failure_of("<r>\n<a name='x" + bad + "'/></r>"),
                       "f.xml:2:11: error[E003]: this character is not allowed in XML"));
        // A reference in a comment or in CDATA is none; a control character is one everywhere.
        for (const auto& [before, after] : {std::pair("<!--", "-->"), std::pair("<![CDATA[", "]]>")}) {
            Diagnostics log;
            XmlSource source;
            const std::string text = "<r>" + std::string(before) + bad + after + "</r>";
            CHECK(source.load_text(text, "f.xml", log) == (bad[0] == '&'));
        }
    }
    for (const std::string& good :
         {"\t"s, "&#9;"s, "&#10;"s, "&#x41;"s, "&#x10ffff;"s, "&#27"s, "&#;"s, "&#x;"s}) {
        CAPTURE(good);
        Diagnostics log;
        XmlSource source;
        CHECK(source.load_text("<r name='" + good + "'/>", "f.xml", log));
    }
}

TEST_CASE("document types are read past, their entities refused") {
    Diagnostics log;
    XmlSource source;
    CHECK(source.load_text("<!DOCTYPE r SYSTEM 'r.dtd' [<!ELEMENT r ANY>]>\n<r/>", "f.xml", log));
    CHECK(log.all().empty());
    CHECK(contains(failure_of("\n<!DOCTYPE r [<!ENTITY e 'x'>]><r a='&e;'/>"),
                   "f.xml:2:11: error[U017]: entities of a document type are not expanded"));
}

TEST_CASE("texts longer than any name are refused") {
    for (const std::size_t length : {1024, 1025}) {
        Loaded loaded("<r a='" + std::string(length, 'x') + "'/>");
        ElementReader in = loaded.root();
        CHECK(in.text("a").has_value() == (length == 1024));
        CHECK(in.required_text("a").size() == (length == 1024 ? 1024 : 0));
        CHECK(count_code(loaded.log, "E018") == (length == 1024 ? 0 : 2));
    }
}

TEST_CASE("files that cannot be read") {
    const TemporaryFolder folder;
    folder.write("robot.urdf", "<robot/>");
    Diagnostics log;
    XmlSource source;

    CHECK_FALSE(source.load_file(folder.path() / "robto.urdf", log));
    CHECK(all_text(log) == (folder.path() / "robto.urdf").string() +
                               ": error[E001]: there is no such file (did you mean " +
                               (folder.path() / "robot.urdf").string() + "?)\n");
    CHECK(log.all()[0].code->kind == ErrorKind::io);

    log = {};
    CHECK_FALSE(source.load_file(folder.path() / "none" / "robot.urdf", log));
    CHECK(contains(all_text(log), "there is no folder " + (folder.path() / "none").string()));

    log = {};
    CHECK_FALSE(source.load_file(folder.path(), log));
    CHECK(
        contains(all_text(log), "error[E015]: this is a folder, not a file (give the path of a file)"));
    CHECK(log.all()[0].code->kind == ErrorKind::input);

    log = {};
    const auto secret = folder.write("secret.urdf", "<robot/>");
    ::chmod(secret.c_str(), 0);
    if (::geteuid() == 0) {
        MESSAGE("skipped: the superuser may read every file");
    } else {
        CHECK_FALSE(source.load_file(secret, log));
        CHECK(contains(all_text(log), "error[E001]: the file cannot be opened: Permission denied"));
    }

    log = {};
    CHECK(source.load_file(folder.path() / "robot.urdf", log));
    CHECK(source.root().name() == "robot"s);
}

TEST_CASE("empty files") {
    for (const char* const text : {"", "  \r\n\t", "\xEF\xBB\xBF"})
        CHECK(failure_of(text) == "f.xml: error[E002]: the file is empty (give a file with a model in it)\n");
}

TEST_CASE("XML that is not well formed") {
    CHECK(contains(failure_of("<a>\n <b x=1/>\n</a>"), "f.xml:2:7: error[E003]: "));
    CHECK(failure_of("<a>\n <b x='<>'>\n  <!-- </b> --><c/>\n</a>") ==
          "f.xml:4:1: error[E003]: the XML is not well formed: </a> where <b> of f.xml:2:2 should be closed "
          "(every "
          "<name> needs its own </name>, innermost first)\n");
    CHECK(failure_of("<a>\n <b>\n </b>\n") ==
          "f.xml:3:6: error[E003]: the XML is not well formed: <a> of f.xml:1:1 is not closed (the file ends "
          "too "
          "early; it may be truncated)\n");
    CHECK(contains(failure_of("<a/>\n</b>"),
                   "f.xml:2:1: error[E003]: the XML is not well formed: </b> closes nothing"));
    CHECK(contains(failure_of("<a/>\n<b/>"),
                   "f.xml:2:1: error[E003]: there is a second root element <b> after <a>"));
    CHECK(contains(failure_of("<a/>\n rest"),
                   "f.xml:2:2: error[E003]: there is text outside the root element"));
    CHECK(
        contains(failure_of("solid cube"), "f.xml:1:1: error[E003]: there is text outside the root element"));
    CHECK(contains(failure_of("<!-- only a comment -->"),
                   "f.xml: error[E003]: there is no element in the file"));
}

TEST_CASE("every truncation of a file is refused") {
    const std::string text = "<a>\n  <b x='1' y='2'>\n    <c/><!-- d -->\n  </b>\n</a>";
    for (std::size_t length = 1; length < text.size(); ++length) {
        Diagnostics log;
        XmlSource source;
        CAPTURE(text.substr(0, length));
        CHECK_FALSE(source.load_text(text.substr(0, length), "f.xml", log));
        CHECK(contains(all_text(log), "truncated"));
    }
}

TEST_CASE("a file nested 100,000 deep") {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += "<b>";
    Diagnostics log;
    XmlSource truncated;
    CHECK_FALSE(truncated.load_text(text, "f.xml", log));
    CHECK(count_code(log, "E003") == 1);
    for (int i = 0; i < 100000; ++i) text += "</b>";
    Loaded loaded(text);
    int depth = 0;
    pugi::xml_node node = loaded.source.root();
    for (; node.first_child(); node = node.first_child()) ++depth;
    CHECK(depth == 99999);
    CHECK(loaded.source.locate(node).column == 3 * 99999 + 1);
}

TEST_CASE("numbers") {
    CHECK(parse_number("0.5") == 0.5);
    CHECK(parse_number("+0.5") == 0.5);
    CHECK(parse_number(" \t-1e-3\r\n") == -1e-3);
    CHECK(parse_number(".5") == 0.5);
    CHECK(parse_number("5.") == 5.0);
    CHECK(parse_number("1E5") == 1e5);
    CHECK(parse_number("0.1") == 0.1);
    CHECK(parse_number("1e+3") == 1e3);
    // Too small for a double is zero, too large is no number.
    CHECK(parse_number("1e-400") == 0.0);
    CHECK(std::signbit(*parse_number("-1e-400")));
    CHECK(parse_number("1" + std::string(400, '0') + "e-800") == 0.0);
    CHECK(parse_number("0." + std::string(400, '0') + "1") == 0.0);
    CHECK(parse_number("4.9e-324") == 4.9e-324);
    for (const char* const bad :
         {"", " ", "nan", "NaN", "inf", "-inf", "Infinity",
          "1e999", "-1e999", "0,5", "1.2.3", "1 2", "0x10", "1e",
          "+-1", "-+1", "++1", "1f", "--1", "e5", "1e99999999999999999999"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_number(bad).has_value());
    }
    CHECK_FALSE(parse_number("1" + std::string(400, '0') + "e-5").has_value());
}

TEST_CASE("numbers do not depend on the locale") {
    const lig::test::CommaLocale locale;
    if (!locale.active()) {
        MESSAGE("skipped: there is no locale with a decimal comma");
        return;
    }
    CHECK(std::to_string(0.5) == "0,500000");  // the locale is in force
    CHECK(parse_number("0.5") == 0.5);
    CHECK_FALSE(parse_number("0,5").has_value());
}

TEST_CASE("wrong values are reported with their place and what would fix them") {
    const auto report = [](const char* text, auto read) {
        Loaded loaded(text);
        ElementReader reader = loaded.root();
        read(reader);
        CHECK(loaded.log.error_count() == loaded.log.all().size());
        return all_text(loaded.log);
    };
    const auto number = [](ElementReader& r) { CHECK_FALSE(r.number("x").has_value()); };
    const auto vector = [](ElementReader& r) { CHECK_FALSE(r.vec3("x").has_value()); };
    CHECK(report("<a\nx='0,5'/>", number) ==
          "f.xml:2:4: error[E006]: attribute 'x' of <a>: '0,5' is not a finite number (use a dot, not a "
          "comma, as the "
          "decimal mark)\n");
    CHECK(report("<a name='k' x='nan'/>", number) ==
          "f.xml:1:16: error[E006]: attribute 'x' of <a \"k\">: 'nan' is not a finite number (the number "
          "must be "
          "finite)\n");
    CHECK(contains(report("<a x='1e999'/>", number), "below 1.8e308"));
    // What is empty counts as absent, as in MuJoCo.
    CHECK(report("<a x=''/>", number) == "");
    CHECK(report("<a x=' \n'/>", vector) == "");
    CHECK(report("<a x=''/>", [](ElementReader& r) { CHECK_FALSE(r.has("x")); }) == "");
    CHECK(contains(report("<a x=''/>", [](ElementReader& r) { r.required_number("x"); }),
                   "f.xml:1:7: error[E005]: attribute 'x' of <a> is empty"));
    CHECK(contains(report("<a x='1 0 -inf'/>", vector), "f.xml:1:11: error[E006]"));
    CHECK(contains(report("<a x='1,2,3'/>", vector), "separate numbers by blanks, not commas"));
    CHECK(report("<a x='1 2'/>", vector) ==
          "f.xml:1:7: error[E007]: attribute 'x' of <a>: '1 2' has 2 numbers; 3 are expected\n");
    CHECK(contains(report("<a x='1 2 3 4'/>", vector), "has 4 numbers; 3 are expected"));
    CHECK(contains(report("<a/>", [](ElementReader& r) { r.required_number("x"); }),
                   "f.xml:1:1: error[E005]: <a> has no attribute 'x' (add x=\"…\")"));
    CHECK(contains(report("<a x=''/>", [](ElementReader& r) { r.required_text("x"); }),
                   "f.xml:1:7: error[E005]"));
    CHECK(report("<a x='ture'/>", [](ElementReader& r) { r.boolean("x"); }) ==
          "f.xml:1:7: error[E008]: attribute 'x' of <a>: 'ture' is not one of false, true (did you mean "
          "'true'?)\n");
    // A long value is cut, and never inside a character.
    std::string longest = "<a x='" + std::string(59, 'k');
    for (int i = 0; i < 20; ++i) longest += "ü";
    CHECK(contains(report((longest + "'/>").c_str(), number), "kkk…'"));
}

TEST_CASE("good values") {
    Loaded loaded("<a n=' 2 ' v='1 -2\n+3e1' l='1 2' t='true' w='b' name='x'/>");
    ElementReader reader = loaded.root();
    CHECK(reader.number("n") == 2.0);
    CHECK(reader.number_or("m", 7) == 7.0);
    const Vec3d v = reader.vec3_or("v", {0, 0, 0});
    CHECK(v.x == 1);
    CHECK(v.y == -2);
    CHECK(v.z == 30);
    CHECK(reader.numbers("l", 1, 3)->size() == 2);
    CHECK(reader.boolean("t") == true);
    constexpr std::string_view words[] = {"a", "b"};
    CHECK(reader.choice("w", words) == 1);
    CHECK_FALSE(reader.choice("none", words).has_value());
    CHECK(reader.text_or("none", "z") == "z");
    CHECK_FALSE(reader.text("none").has_value());
    CHECK(reader.required_text("name") == "x");
    reader.warn_unknown();
    CHECK(all_text(loaded.log).empty());
}

TEST_CASE("whatever was not read is named") {
    Loaded loaded("<a xmlns:k='u' size='1' raduis='2' zzz='3' size='4'>\n <b/><vsual/><other/> text</a>");
    ElementReader reader = loaded.root();
    reader.number("size");
    reader.number("radius");
    reader.warn_unknown();
    constexpr std::string_view known[] = {"b", "visual"};
    reader.warn_unknown_children(known);
    CHECK(all_text(loaded.log) ==
          "f.xml:1:33: warning[W010]: attribute 'raduis' of <a> is not known and was not read (did you mean "
          "'radius'?)\n"
          "f.xml:1:41: warning[W010]: attribute 'zzz' of <a> is not known and was not read\n"
          "f.xml:1:50: error[E003]: attribute 'size' of <a> is given twice (remove one)\n"
          "f.xml:2:6: warning[W011]: <vsual> inside <a> is not known and was not read (did you mean "
          "'visual'?)\n"
          "f.xml:2:14: warning[W011]: <other> inside <a> is not known and was not read\n"
          "f.xml:2:23: warning[W011]: text inside <a> was not read (values are written as attributes)\n");
}
