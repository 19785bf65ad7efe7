#pragma once

// How the promises of a run were kept, for readers and for programs.

#include "app/json_output.h"
#include "formulations/promises.h"

#include <string>

namespace lig::app {

// Of the promise that was missed the most, or came nearest to it: name, value, promise, time, missed. Null
// where there was nothing to be held.
Json worst_json(const formulations::PromisesKept& kept);
// The same of all that were missed.
Json missed_json(const formulations::PromisesKept& kept);
// "contacts 0.012 m at 0.5 s, 0.005 promised; …"; empty: none was missed.
std::string missed_text(const formulations::PromisesKept& kept);

}  // namespace lig::app
