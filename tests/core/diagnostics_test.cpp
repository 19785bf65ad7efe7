#include "core/diagnostic_codes.h"
#include "core/printable.h"

#include <doctest/doctest.h>

#include <string>

using namespace lig;
using namespace std::string_literals;

TEST_CASE("text of a file is harmless in a message") {
    CHECK(printable("plain text, ü and 日本") == "plain text, ü and 日本");
    CHECK(printable("a\nb\tc\x1b[31m\x7f") == "a\\x0ab\\x09c\\x1b[31m\\x7f");
    CHECK(printable("a\0b"s) == "a\\x00b");
    CHECK(printable("\u009b31m") == "\\u009b31m");
    CHECK(printable("\u200f \u2028 \u202e \u2066") == "\\u200f \\u2028 \\u202e \\u2066");
    CHECK(printable("\u00a0\u2013\u2030\u2070") == "\u00a0\u2013\u2030\u2070");  // neighbours of those above
    CHECK(printable("\xC2") == "\\xc2");  // cut short
    CHECK(printable("\xE2\x80z") == "\\xe2\\x80z");
    CHECK(printable("\xFF\x80 😀") == "\\xff\\x80 😀");

    const Diagnostic d{&codes::E001, Severity::error, {}, "the name 'a\nb'", "or \r"};
    CHECK(d.to_string() == "error[E001]: the name 'a\\x0ab' (or \\x0d)");
}

TEST_CASE("long text is cut between characters") {
    CHECK(shortened("abc", 3) == "abc");
    CHECK(shortened("abcd", 3) == "abc…");
    CHECK(shortened("aüb", 2) == "a…");
    CHECK(shortened("aüb", 3) == "aü…");

    Diagnostics log;
    log.report(codes::E001, {}, std::string(1'000'000, 'x'), std::string(1'000'000, 'y'));
    CHECK(log.all()[0].to_string().size() < 3000);
}

TEST_CASE("of many diagnostics of one code the first are listed and all are counted") {
    Diagnostics log;
    for (int i = 0; i < 5000; ++i) {
        CHECK(log.lists(codes::W010) == (i < 100));
        log.report(codes::W010, {}, "number " + std::to_string(i));
    }
    CHECK(log.lists(codes::E001));
    log.report(codes::E001, {}, "another");
    CHECK(log.warning_count() == 5000);
    CHECK(log.error_count() == 1);
    REQUIRE(log.all().size() == 102);
    CHECK(log.all()[99].message == "number 99");
    CHECK(log.all()[100].code == &codes::W010);
    CHECK(log.all()[100].message == "there are more of this kind, from here on not listed");
    CHECK(log.all()[101].message == "another");
}
