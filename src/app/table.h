#pragma once

// Tables of text with aligned columns.

#include <cstdio>
#include <string>
#include <vector>

namespace lig::app {

class Table {
public:
    // The columns in `right` are aligned to the right, as numbers are.
    explicit Table(std::vector<std::string> header, const std::vector<int>& right = {});

    // Cells left out at the end are empty.
    void add(std::vector<std::string> cells);
    std::size_t size() const { return rows_.size(); }

    void print(std::FILE* to = stdout) const;

private:
    std::vector<std::string> header_;
    std::vector<bool> right_;
    std::vector<std::vector<std::string>> rows_;
};

// A number for reading: six significant digits.
std::string number_text(double x);

}  // namespace lig::app
