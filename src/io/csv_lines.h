#pragma once

// Comma-separated text, line by line (RFC 4180).

#include <string>
#include <string_view>
#include <vector>

namespace lig::io {

struct CsvField {
    std::string text;
    int column;  // from 1
};

// Lines of fields, as RFC 4180 has them; a quoted field may hold line breaks.
class CsvLines {
public:
    explicit CsvLines(std::string_view text) : text_(text) {}

    // False at the end. Empty lines are skipped.
    bool next(std::vector<CsvField>& fields) {
        fields.clear();
        while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) end_line();
        if (at_ == text_.size()) return false;
        first_ = line_;
        const std::size_t begin = at_;
        for (;;) {
            CsvField& field = fields.emplace_back(CsvField{{}, static_cast<int>(at_ - begin) + 1});
            read_field(field.text);
            if (at_ < text_.size() && text_[at_] == ',') {
                ++at_;
                continue;
            }
            if (at_ < text_.size()) end_line();
            return true;
        }
    }
    int line() const { return first_; }  // of the fields that were read last

private:
    void end_line() {
        line_ += text_[at_] == '\n';
        ++at_;
    }
    void read_field(std::string& out) {
        if (at_ < text_.size() && text_[at_] == '"') {
            for (++at_; at_ < text_.size(); ++at_) {
                if (text_[at_] == '"' && (++at_ == text_.size() || text_[at_] != '"')) break;
                line_ += text_[at_] == '\n';
                out.push_back(text_[at_]);
            }
        }
        while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r')
            out.push_back(text_[at_++]);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1, first_ = 1;
};

}  // namespace lig::io
