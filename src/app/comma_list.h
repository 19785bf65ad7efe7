#pragma once

// Options whose values are words separated by commas.

#include <algorithm>
#include <string>
#include <vector>

namespace lig::app {

inline std::vector<std::string> split_at_commas(const std::string& list) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        words.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}
// Of an option that may be given several times.
inline std::vector<std::string> split_at_commas(const std::vector<std::string>& lists) {
    std::vector<std::string> words;
    for (const std::string& list : lists)
        for (std::string& word : split_at_commas(list)) words.push_back(std::move(word));
    return words;
}

}  // namespace lig::app
