#pragma once

// The page that reports and replays are put into: made of viewer/ when the program is built, and part of it.

#include <string>
#include <string_view>

namespace lig::app {

// What stands in the page where the document goes.
inline constexpr std::string_view report_place = "<!--LIGAMENT-DOCUMENT-->";

// The environment variable LIGAMENT_PAGE names a file to take instead, for work on the page itself. Both
// throw Failure where there is none.
std::string report_page();
bool has_report_page();
void require_report_page();

}  // namespace lig::app
