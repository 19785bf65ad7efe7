#include "app/recording/recorded_run.h"

#include "app/failure.h"
#include "app/recording/recorded_inputs.h"
#include "core/printable.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace lig::app {

namespace {

using io::BlockKind;

std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr std::string_view nothing_in_it = "the recording ends before its first sample";
constexpr std::string_view blocks_missing = "the recording is damaged: blocks are missing";

Json parse(std::span<const std::byte> bytes) { return Json::parse(as_text(bytes)); }

}  // namespace

RecordedRun::RecordedRun(const std::string& path) : file_(path == "-" ? "<stdin>" : path) {
    std::FILE* from = stdin;
    const auto cannot_read = [&] {
        return Failure(Exit::io, fmt::format("{}: error: cannot be read: {}", file_, std::strerror(errno)));
    };
    if (path != "-") {
        opened_.reset(std::fopen(path.c_str(), "rb"));
        from = opened_.get();
        if (!from) throw cannot_read();
    }
    const auto read = [from, cannot_read](std::span<std::byte> bytes) {
        const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), from);
        if (count == 0 && std::ferror(from)) throw cannot_read();
        return count;
    };
    try {
        reader_.emplace(read);
    } catch (const io::RecordingError& error) { refuse(error.what()); }
    bool has_settings = false, has_state = false, has_layout = false;
    while (!has_layout) {
        const std::optional<io::RecordingBlock> block = next_block();
        if (!block) refuse(nothing_in_it);
        try {
            switch (block->kind) {
                case BlockKind::settings:
                    recorded_ = RecordedSettings::from_json(parse(block->bytes));
                    has_settings = true;
                    break;
                case BlockKind::model:
                    if (!has_settings) refuse(blocks_missing);
                    read_model(block->bytes);
                    break;
                case BlockKind::state:
                    if (!loaded_) refuse(blocks_missing);
                    inputs_.start = start_of(block->bytes, *loaded_->model);
                    has_state = true;
                    break;
                case BlockKind::clip: inputs_.clip = clip_of(block->bytes); break;
                case BlockKind::paths: inputs_.paths = paths_of(block->bytes, inputs_.paths_source); break;
                case BlockKind::layout: {
                    if (!has_state) refuse(blocks_missing);
                    const TrajectoryLayout layout(*loaded_->model, *names_, recorded_.contents);
                    if (!is_layout(layout, parse(block->bytes)))
                        refuse(
                            fmt::format("its samples hold other things than those of this program ({}); it "
                                        "was written by {}",
                                        program_version(), recorded_.program));
                    columns_ = layout.row_size;
                    has_layout = true;
                    break;
                }
                case BlockKind::samples:
                case BlockKind::end: refuse(blocks_missing);
            }
        } catch (const std::invalid_argument& error) {
            refuse(fmt::format("the recording cannot be used: {}", error.what()));
        } catch (const Json::exception& error) {
            refuse(fmt::format("the recording cannot be used: {}", error.what()));
        }
    }
    if (!sample()) refuse(nothing_in_it);
}

void RecordedRun::refuse(std::string_view what) const {
    // Parts of what is wrong with the file may be in it.
    throw Failure(Exit::input, fmt::format("{}: error: {}", file_, printable(what)));
}

std::optional<io::RecordingBlock> RecordedRun::next_block() {
    try {
        return reader_->next();
    } catch (const io::RecordingError& error) { refuse(error.what()); }
}

void RecordedRun::read_model(std::span<const std::byte> bytes) {
    Diagnostics log;
    try {
        // Relative to a file nothing is found: what was not there when it was recorded is not there now.
        Scene scene = parse_scene(as_text(bytes), std::filesystem::path(file_) / "model.xml", {}, log);
        std::shared_ptr<const Model> model = compile(scene, log);
        loaded_.emplace(LoadedModel{std::move(scene), std::move(model), {}});
    } catch (const InputError& error) {
        refuse(fmt::format("the model in it cannot be read: {}", error.diagnostics().front().to_string()));
    }
    if (loaded_->model->fingerprint != recorded_.fingerprint)
        refuse(fmt::format(
            "the model in it is another one to this program ({}) than to that which wrote it ({})",
            program_version(), recorded_.program));
    names_.emplace(*loaded_->model);
}

const TrajectorySample* RecordedRun::sample() {
    if (filled_) return &sample_;
    if (in_block_ == block_.samples()) read_samples();
    if (in_block_ == block_.samples()) return nullptr;
    const auto row = block_.numbers.begin() + static_cast<std::ptrdiff_t>(in_block_ * columns_);
    sample_.row.assign(row, row + static_cast<std::ptrdiff_t>(columns_));
    sample_.contacts.clear();
    for (std::uint32_t k = 0; k < block_.contacts[in_block_]; ++k, ++contact_) {
        const double* x = &block_.contact_values[contact_ * io::SampleBlock::contact_numbers];
        const auto vector = [x](int at) { return Vec3d{x[at], x[at + 1], x[at + 2]}; };
        sample_.contacts.push_back({block_.geoms[2 * contact_], block_.geoms[2 * contact_ + 1], x[0],
                                    vector(1), vector(4), vector(7), vector(10)});
    }
    filled_ = true;
    // Whether it is the last one is known only by what follows.
    if (++in_block_ == block_.samples()) read_samples();
    return &sample_;
}

void RecordedRun::drop() {
    filled_ = false;
    ++dropped_;
}

// The next block of samples, or the end.
void RecordedRun::read_samples() {
    while (in_block_ == block_.samples() && !over_) {
        const std::optional<io::RecordingBlock> block = next_block();
        over_ = !block || block->kind == BlockKind::end;
        if (!block) return;
        if (over_) {
            read_end(block->bytes);
            return;
        }
        if (block->kind != BlockKind::samples) refuse("the recording is damaged: blocks are out of order");
        try {
            block_ = io::SampleBlock::from_bytes(block->bytes);
        } catch (const io::RecordingError& error) { refuse(error.what()); }
        if (block_.columns != columns_) refuse("the recording is damaged: samples do not fit");
        for (const std::int32_t geom : block_.geoms)
            if (geom < 0 || static_cast<std::size_t>(geom) >= names_->geoms.size())
                refuse("the recording is damaged: a contact is of no geom");
        in_block_ = contact_ = 0;
    }
}

void RecordedRun::read_end(std::span<const std::byte> bytes) {
    try {
        end_ = RecordedEnd::from_json(parse(bytes), *loaded_->model);
    } catch (const Json::exception& error) {
        refuse(fmt::format("the recording cannot be used: {}", error.what()));
    } catch (const std::invalid_argument& error) {
        refuse(fmt::format("the recording cannot be used: {}", error.what()));
    }
    if (end_->samples != dropped_ + filled_) refuse("the recording is damaged: samples are missing");
    next_block();  // there is none, or it says so
}

}  // namespace lig::app
