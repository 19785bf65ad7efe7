#include "core/suggest.h"

#include <doctest/doctest.h>

#include <string>

using lig::nearest;

TEST_CASE("the nearest name") {
    constexpr std::string_view words[] = {"run", "info", "radius", "length",
                                          "revolute", "prismatic", "base_link"};
    CHECK(nearest("raduis", words) == "radius");      // swapped
    CHECK(nearest("lenght", words) == "length");
    CHECK(nearest("revolut", words) == "revolute");   // missing
    CHECK(nearest("prissmatic", words) == "prismatic");  // added
    CHECK(nearest("infa", words) == "info");          // replaced
    CHECK(nearest("Base_Link", words) == "base_link");
    CHECK(nearest("RUN", words) == "run");
    CHECK(nearest("ran", words) == "run");
    CHECK(nearest("xyz", words).empty());
    CHECK(nearest("continuous", words).empty());
    CHECK(nearest("", words).empty());
    CHECK(nearest("run", {}).empty());
}

TEST_CASE("words that share nothing are not near, however short") {
    constexpr std::string_view words[] = {"a", "bc"};
    CHECK(nearest("x", words).empty());
    CHECK(nearest("b", words) == "bc");
}

TEST_CASE("the best of several wins, the first of equals") {
    constexpr std::string_view words[] = {"link_10", "link_1", "link_2"};
    CHECK(nearest("link_3", words) == "link_1");
    CHECK(nearest("link_11", words) == "link_10");
}

TEST_CASE("no search for what nobody types") {
    const std::string page(1'000'000, 'x');
    const std::string_view pages[] = {page};
    CHECK(nearest(page, pages).empty());
}
