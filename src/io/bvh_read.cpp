// The text of a BVH file. Words are separated by blanks, line breaks or colons; keywords in any case. Names
// are what is left of their line, so they may hold blanks and colons. Nesting is a list of open braces, not
// recursion, and nothing is sized by what the file claims.

#include "core/diagnostic_codes.h"
#include "core/printable.h"
#include "io/bvh.h"
#include "io/xml.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lig::io {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

struct Word {
    std::string_view text;  // empty: the end of the file
    int line, column;
};

class BvhWords {
public:
    explicit BvhWords(std::string_view text) : text_(text) {}

    Word next() {
        skip();
        const std::size_t begin = at_;
        if (at_ < text_.size() && is_brace(text_[at_]))
            ++at_;
        else
            while (at_ < text_.size() && !is_blank(text_[at_]) && !is_brace(text_[at_])) ++at_;
        return {text_.substr(begin, at_ - begin), line_, static_cast<int>(begin - line_begin_) + 1};
    }
    Word peek() {
        const BvhWords before = *this;
        const Word word = next();
        *this = before;
        return word;
    }
    // The rest of the line up to a brace.
    Word name() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r' && !is_brace(text_[at_])) ++at_;
        std::size_t end = at_;
        while (end > begin && (text_[end - 1] == ' ' || text_[end - 1] == '\t')) --end;
        return {text_.substr(begin, end - begin), line_, static_cast<int>(begin - line_begin_) + 1};
    }

private:
    static bool is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f' || c == ':';
    }
    static bool is_brace(char c) { return c == '{' || c == '}'; }
    void skip() {
        for (; at_ < text_.size() && is_blank(text_[at_]); ++at_)
            if (text_[at_] == '\n') {
                ++line_;
                line_begin_ = at_ + 1;
            }
    }

    std::string_view text_;
    std::size_t at_ = 0, line_begin_ = 0;
    int line_ = 1;
};

constexpr struct {
    std::string_view name;
    BvhChannel channel;
} channel_names[] = {
    {"Xposition", {false, 0}},
    {"Yposition", {false, 1}},
    {"Zposition", {false, 2}},
    {"Xrotation", {true, 0}},
    {"Yrotation", {true, 1}},
    {"Zrotation", {true, 2}},
};

class BvhReader {
public:
    BvhReader(std::string_view text, const std::filesystem::path& file, Diagnostics& log)
        : words_(text), file_(std::make_shared<const std::string>(file.string())), log_(log) {}

    std::optional<Bvh> run() {
        if (!read_hierarchy() || !read_motion()) return std::nullopt;
        return std::move(bvh_);
    }

private:
    bool fail(const Word& at, std::string what, std::string hint) {
        log_.report(codes::E150, place(at), std::move(what), std::move(hint));
        return false;
    }
    SourceLocation place(const Word& at) const { return {file_, at.line, at.column}; }
    static std::string quoted(const Word& word) {
        return word.text.empty() ? "the end of the file" : "'" + shortened(word.text, 40) + "'";
    }

    bool expect(std::string_view wanted, std::string_view where) {
        const Word word = words_.next();
        if (same_word(word.text, wanted)) return true;
        return fail(word, std::string(where) + " needs '" + std::string(wanted) + "', not " + quoted(word),
                    word.text.empty() ? "is the file whole?" : "");
    }

    std::optional<double> number(std::string_view what) {
        const Word word = words_.next();
        const std::optional<double> value = parse_number(word.text);
        if (!value)
            fail(word, std::string(what) + " needs a number, not " + quoted(word),
                 word.text.find(',') != word.text.npos ? "write decimal points, not commas" : "");
        return value;
    }

    std::optional<int> count(std::string_view what) {
        const Word word = words_.next();
        int value = 0;
        const auto [end, error] =
            std::from_chars(word.text.data(), word.text.data() + word.text.size(), value);
        if (error == std::errc{} && end == word.text.data() + word.text.size() && value >= 0) return value;
        fail(word, std::string(what) + " needs a whole number, not " + quoted(word), "");
        return std::nullopt;
    }

    bool read_hierarchy() {
        if (!expect("HIERARCHY", "the file")) return false;
        for (Word word = words_.peek(); !same_word(word.text, "MOTION"); word = words_.peek()) {
            if (!same_word(word.text, "ROOT"))
                return fail(word, "a skeleton begins with 'ROOT', or 'MOTION' follows, not " + quoted(word),
                            "");
            if (!read_skeleton()) return false;
        }
        if (bvh_.joints.empty()) return fail(words_.peek(), "there is no skeleton", "add a ROOT");
        return true;
    }

    // From ROOT to the brace that closes it.
    bool read_skeleton() {
        words_.next();
        open_.clear();
        if (!begin_joint(-1)) return false;
        while (!open_.empty()) {
            const Word word = words_.next();
            const int own = open_.back();
            if (word.text == "}") {
                open_.pop_back();
            } else if (same_word(word.text, "JOINT") && own >= 0) {
                if (!begin_joint(own)) return false;
            } else if (same_word(word.text, "End") && own >= 0) {
                if (!expect("Site", "'End'") || !expect("{", "'End Site'")) return false;
                open_.push_back(-1);
            } else if (same_word(word.text, "OFFSET")) {
                Vec3d offset;
                for (int k = 0; k < 3; ++k) {
                    const std::optional<double> value = number("OFFSET");
                    if (!value) return false;
                    offset[k] = *value;
                }
                if (own >= 0) bvh_.joints[own].offset = offset;
            } else if (same_word(word.text, "CHANNELS") && own >= 0) {
                if (!read_channels(own, word)) return false;
            } else {
                return fail(word,
                            quoted(word) + " is nothing that " +
                                (own >= 0 ? "joint '" + bvh_.joints[own].name + "'" : "an end") + " can have",
                            own >= 0 ? "OFFSET, CHANNELS, JOINT, End Site and braces are known"
                                     : "an end has OFFSET alone");
            }
        }
        return true;
    }

    bool begin_joint(int parent) {
        const Word name = words_.name();
        if (name.text.empty()) return fail(name, "a joint has no name", "");
        BvhJoint joint;
        joint.name = std::string(name.text);
        joint.parent = parent;
        joint.where = place(name);
        bvh_.joints.push_back(std::move(joint));
        open_.push_back(static_cast<int>(bvh_.joints.size()) - 1);
        return expect("{", "joint '" + bvh_.joints.back().name + "'");
    }

    bool read_channels(int own, const Word& at) {
        BvhJoint& joint = bvh_.joints[own];
        if (!joint.channels.empty()) return fail(at, "joint '" + joint.name + "' has CHANNELS twice", "");
        const std::optional<int> channels = count("CHANNELS");
        if (!channels) return false;
        joint.first_channel = bvh_.channels;
        for (int k = 0; k < *channels; ++k) {
            const Word word = words_.next();
            const auto found =
                std::find_if(std::begin(channel_names), std::end(channel_names),
                             [&](const auto& entry) { return same_word(entry.name, word.text); });
            if (found == std::end(channel_names))
                return fail(word,
                            "channel " + std::to_string(k + 1) + " of joint '" + joint.name +
                                "' is no channel: " + quoted(word),
                            "there are Xposition, Yposition, Zposition, Xrotation, Yrotation, Zrotation");
            joint.channels.push_back(found->channel);
            ++bvh_.channels;
        }
        return true;
    }

    bool read_motion() {
        words_.next();
        if (!expect("Frames", "MOTION")) return false;
        const Word frames_at = words_.peek();
        const std::optional<int> frames = count("Frames");
        if (!frames || !expect("Frame", "MOTION") || !expect("Time", "'Frame'")) return false;
        const Word time_at = words_.peek();
        const std::optional<double> time = number("Frame Time");
        if (!time) return false;
        if (!(*time > 0)) return fail(time_at, "the frame time is not positive", "it is in seconds");
        bvh_.frame_time = *time;
        if (bvh_.channels == 0) return fail(frames_at, "no joint has channels: there is no motion", "");
        return read_frames(*frames, frames_at);
    }

    bool read_frames(int frames, const Word& frames_at) {
        const std::size_t wanted = static_cast<std::size_t>(frames) * bvh_.channels;
        std::size_t read = 0;
        Word word = words_.next();
        for (; !word.text.empty() && read < wanted; word = words_.next(), ++read) {
            const std::optional<double> value = parse_number(word.text);
            if (!value)
                return fail(word,
                            "frame " + std::to_string(read / bvh_.channels + 1) +
                                " has something that is no number: " + quoted(word),
                            word.text.find(',') != word.text.npos ? "write decimal points, not commas" : "");
            bvh_.values.push_back(*value);
        }
        const std::size_t whole = read / bvh_.channels;
        if (whole == 0)
            return fail(frames_at, "there is no whole frame of " + std::to_string(bvh_.channels) + " numbers",
                        "is the file whole?");
        if (read < wanted)
            log_.report(
                codes::W152, place(frames_at),
                "the file has " + std::to_string(whole) + " whole frames, not " + std::to_string(frames),
                "is the file whole? What there is was read");
        else if (!word.text.empty())
            log_.report(codes::W152, place(word),
                        "there are more numbers than " + std::to_string(frames) + " frames of " +
                            std::to_string(bvh_.channels),
                        "they were not read");
        bvh_.values.resize(whole * bvh_.channels);
        return true;
    }

    BvhWords words_;
    std::shared_ptr<const std::string> file_;
    Diagnostics& log_;
    Bvh bvh_;
    std::vector<int> open_;  // joints whose braces are open; -1: an end
};

}  // namespace

std::optional<Bvh> read_bvh(std::string_view text, const std::filesystem::path& file, Diagnostics& log) {
    return BvhReader(text, file, log).run();
}

}  // namespace lig::io
