#pragma once

// A recording, read back: all that its run was made of, and its samples one after the other.

#include "app/dynamics/model_file.h"
#include "app/recording/recorded_settings.h"
#include "app/run/simulation_run.h"
#include "io/recording.h"
#include "io/sample_block.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace lig::app {

class RecordedRun {
public:
    // Reads the file up to its samples; "-" is standard input. Throws Failure for what is no recording, or a
    // damaged one, as does `sample`.
    explicit RecordedRun(const std::string& path);

    const std::string& file() const { return file_; }  // what messages call it
    const LoadedModel& loaded() const { return *loaded_; }
    const Names& names() const { return *names_; }
    const RecordedSettings& recorded() const { return recorded_; }
    const RunInputs& inputs() const { return inputs_; }

    // The next sample, null after the last one. It is good until `drop`, which goes on to the next one.
    const TrajectorySample* sample();
    void drop();
    std::size_t dropped() const { return dropped_; }  // how many there were before

    // Whether the file holds no further sample than this one. `end` then tells how the run ended; nothing
    // where the file ends before that.
    bool is_over() const { return over_; }
    const std::optional<RecordedEnd>& end() const { return end_; }
    std::uint64_t bytes_read() const { return reader_->bytes_read(); }

private:
    [[noreturn]] void refuse(std::string_view what) const;
    std::optional<io::RecordingBlock> next_block();
    void read_model(std::span<const std::byte> bytes);
    void read_samples();
    void read_end(std::span<const std::byte> bytes);

    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    std::string file_;
    std::unique_ptr<std::FILE, Close> opened_;
    std::optional<io::RecordingReader> reader_;
    std::optional<LoadedModel> loaded_;
    std::optional<Names> names_;
    RecordedSettings recorded_;
    RunInputs inputs_;
    std::size_t columns_ = 0;

    io::SampleBlock block_;
    std::size_t in_block_ = 0,
                contact_ = 0;  // of what has not been taken: the first sample, the first contact
    TrajectorySample sample_;
    bool filled_ = false, over_ = false;
    std::size_t dropped_ = 0;
    std::optional<RecordedEnd> end_;
};

}  // namespace lig::app
