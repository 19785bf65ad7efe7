#include "core/suggest.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace lig {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Edit distance with swaps of neighbours, ignoring case (optimal string alignment). Three rows suffice.
// Returns more than `limit` as soon as that is certain.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
    const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    if (gap > limit) return gap;
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        std::size_t least = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = std::min(row[j], before[j - 2] + 1);
            least = std::min(least, row[j]);
        }
        if (least > limit) return least;
        std::swap(before, above);
        std::swap(above, row);
    }
    return above[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view wanted, std::span<const std::string_view> choices) {
    // The distance takes the product of the lengths, and no typing slip is looked for in a page of text.
    if (wanted.size() > 200) return {};
    std::string_view best;
    std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
    for (const std::string_view choice : choices) {
        if (choice.empty()) continue;
        const std::size_t d = distance(wanted, choice, best_distance - 1);
        // Two words of one letter share nothing when they differ.
        if (d < best_distance && d < std::max(wanted.size(), choice.size())) {
            best = choice;
            best_distance = d;
            if (d == 0) break;
        }
    }
    return best;
}

}  // namespace lig
