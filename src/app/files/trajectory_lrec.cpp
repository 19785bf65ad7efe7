// A trajectory as a recording: everything that `replay` needs to make it again, and the samples to compare
// with. It grows as the run goes on, and can be read at any time.

#include "app/files/trajectory_files.h"
#include "app/recording/recorded_inputs.h"
#include "app/recording/recorded_settings.h"
#include "io/recording.h"
#include "io/sample_block.h"

#include <ligament/load.h>
#include <ligament/save.h>

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>

namespace lig::app {

namespace {

using io::BlockKind;

std::span<const std::byte> as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string text_of(const Json& document) {
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The model as text that needs no other file. What would come back as another model is refused: a recording
// that cannot be made again is none.
std::string model_text(const std::string& path, const TrajectoryContext& context) {
    const auto refuse = [&](const std::string& why) {
        throw Failure(Exit::unsupported,
                      fmt::format("{}: error: the model cannot be recorded: {}", path, why));
    };
    try {
        std::string text = write_self_contained_mjcf(context.scene);
        Diagnostics log;
        // Where it is said to be there are no files.
        const Scene scene = parse_scene(text, std::filesystem::path(path) / "model.xml", {}, log);
        const std::shared_ptr<const Model> again = compile(scene, log);
        const Names names(*again);
        if (again->fingerprint != context.model.fingerprint ||
            layout_json({*again, names, context.layout.contents}) != layout_json(context.layout))
            refuse("written out and read again it is not the same");
        return text;
    } catch (const InputError& error) {
        refuse(fmt::format("written out it cannot be read: {}", error.what()));
    } catch (const std::invalid_argument& error) { refuse(error.what()); }
    return {};
}

class TrajectoryLrec final : public TrajectoryFile {
public:
    TrajectoryLrec(const std::string& path, const TrajectoryContext& context) : path_(path), file_(path) {
        const auto add = [&](BlockKind kind, std::span<const std::byte> bytes) { file_.add(kind, bytes); };
        add(BlockKind::settings, as_bytes(text_of(RecordedSettings{program_version(), context.command_line,
                                                                   context.model.fingerprint,
                                                                   context.settings, context.layout.contents}
                                                      .json())));
        add(BlockKind::model, as_bytes(model_text(path, context)));
        add(BlockKind::state, bytes_of(context.inputs.start, context.model));
        if (context.inputs.clip) add(BlockKind::clip, bytes_of(*context.inputs.clip));
        if (context.inputs.paths)
            add(BlockKind::paths, bytes_of(*context.inputs.paths, context.inputs.paths_source));
        add(BlockKind::layout, as_bytes(text_of(layout_json(context.layout))));
        block_.columns = context.layout.row_size;
    }

    void add(const TrajectorySample& sample) override {
        block_.numbers.insert(block_.numbers.end(), sample.row.begin(), sample.row.end());
        block_.contacts.push_back(static_cast<std::uint32_t>(sample.contacts.size()));
        for (const ContactForce& contact : sample.contacts) {
            block_.geoms.insert(block_.geoms.end(), {contact.geom_a, contact.geom_b});
            block_.contact_values.push_back(contact.distance);
            for (const Vec3d& v : {contact.point, contact.normal, contact.force, contact.moment})
                block_.contact_values.insert(block_.contact_values.end(), {v.x, v.y, v.z});
        }
        // The first sample is the sign that the run has begun: from then on the file replaces an older one.
        if (samples_++ == 0) {
            write_block();
            file_.publish();
        } else if (8 * (block_.numbers.size() + block_.contact_values.size()) >= largest ||
                   Clock::now() - written_ >= longest) {
            write_block();
        }
    }

    void finish(const RunEnd& end) override {
        if (block_.samples() > 0) write_block();
        file_.add(BlockKind::end, as_bytes(text_of(RecordedEnd{end.summary, end.message, samples_}.json())));
        file_.finish();
    }

    std::vector<std::string> paths() const override { return {path_}; }

private:
    using Clock = std::chrono::steady_clock;
    // What a run that is killed may lose. Longer blocks would hardly compress better.
    static constexpr std::size_t largest = std::size_t(256) << 10;
    static constexpr Clock::duration longest = std::chrono::milliseconds(400);

    void write_block() {
        file_.add(BlockKind::samples, block_.to_bytes());
        const std::size_t columns = block_.columns;
        block_ = {.columns = columns};
        written_ = Clock::now();
    }

    std::string path_;
    io::RecordingWriter file_;
    io::SampleBlock block_;
    std::size_t samples_ = 0;
    Clock::time_point written_;
};

}  // namespace

std::unique_ptr<TrajectoryFile> make_trajectory_lrec(const std::string& path,
                                                     const TrajectoryContext& context) {
    return std::make_unique<TrajectoryLrec>(path, context);
}

}  // namespace lig::app
