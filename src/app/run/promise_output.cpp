#include "app/run/promise_output.h"

#include <fmt/format.h>

namespace lig::app {

namespace {

using formulations::promise_kinds;
using formulations::PromiseKept;
using formulations::PromisesKept;

Json promise_json(std::size_t k, const PromiseKept& kept) {
    return {{"name", promise_kinds[k].name},
            {"value", kept.value},
            {"promise", kept.most},
            {"time", kept.time},
            {"missed", kept.is_missed()}};
}

}  // namespace

Json worst_json(const PromisesKept& kept) {
    const formulations::PromiseKind* const worst = worst_of(kept);
    if (!worst) return nullptr;
    const auto k = static_cast<std::size_t>(worst - promise_kinds);
    return promise_json(k, kept[k]);
}

Json missed_json(const PromisesKept& kept) {
    Json list = Json::array();
    for (std::size_t k = 0; k < kept.size(); ++k)
        if (kept[k].is_missed()) list.push_back(promise_json(k, kept[k]));
    return list;
}

std::string missed_text(const PromisesKept& kept) {
    std::string text;
    for (std::size_t k = 0; k < kept.size(); ++k)
        if (kept[k].is_missed())
            text += fmt::format("{}{} {:.3g} {} at {:g} s, {:g} promised", text.empty() ? "" : "; ",
                                promise_kinds[k].name, kept[k].value, promise_kinds[k].unit, kept[k].time,
                                kept[k].most);
    return text;
}

}  // namespace lig::app
