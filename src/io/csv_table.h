#pragma once

// A table of numbers over time as comma-separated text: lines, numbers by column, and what is wrong with
// them.

#include "core/diagnostic_codes.h"
#include "core/printable.h"
#include "io/csv_lines.h"
#include "io/xml.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace lig::io {

class CsvTable {
public:
    // The codes are for numbers that are missing or none, and for times that do not rise.
    CsvTable(std::string_view text, const std::filesystem::path& file, const DiagnosticCode& malformed,
             const DiagnosticCode& not_rising, Diagnostics& log)
        : lines_(text),
          file_(std::make_shared<const std::string>(file.string())),
          malformed_(malformed),
          not_rising_(not_rising),
          log_(log) {}

    // The header. False, and it is told, when the file is empty.
    bool begin() {
        if (next()) return true;
        log_.report(codes::E002, {file_}, "the file is empty");
        return false;
    }
    bool next() { return lines_.next(fields_); }
    const std::vector<CsvField>& fields() const { return fields_; }  // of the present line

    // Something is wrong in the present line; false, so that it can be returned.
    bool report(const DiagnosticCode& code, int column, std::string what, std::string hint = {}) {
        log_.report(code, {file_, lines_.line(), column}, std::move(what), std::move(hint));
        return false;
    }

    bool number(int column, double& out) {
        if (column >= static_cast<int>(fields_.size()))
            return report(
                malformed_, fields_.back().column,
                fmt::format("the row has {} fields; column {} is needed", fields_.size(), column + 1),
                "is the file whole?");
        const std::optional<double> value = parse_number(fields_[column].text);
        if (!value)
            return report(malformed_, fields_[column].column,
                          fmt::format("column {} needs a number, not '{}'", column + 1,
                                      shortened(fields_[column].text, 40)));
        out = *value;
        return true;
    }
    // Appends the time of the present line, if it is one that comes after the others.
    bool time(int column, std::vector<double>& times) {
        double time = 0;
        if (!number(column, time)) return false;
        if (!times.empty() && !(time > times.back()))
            return report(not_rising_, fields_[column].column,
                          fmt::format("the time {} does not come after {}", time, times.back()));
        times.push_back(time);
        return true;
    }

private:
    CsvLines lines_;
    std::shared_ptr<const std::string> file_;
    const DiagnosticCode& malformed_;
    const DiagnosticCode& not_rising_;
    Diagnostics& log_;
    std::vector<CsvField> fields_;
};

}  // namespace lig::io
