// A motion clip of a model in another format: BVH or a table.

#include "app/commands.h"
#include "app/dynamics/clip_options.h"
#include "app/file_failure.h"
#include "app/number_option.h"
#include "io/whole_file.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <system_error>

namespace lig::app {

namespace {

// The same motion in steps of `every`, from its first sample to its last.
ClipSamples resample(const Model& model, const ClipSamples& samples, double every) {
    const MotionClip clip(model, samples);
    const double intervals = std::floor((clip.end() - clip.begin()) / every + 1e-9);
    if (intervals > 1e7)
        throw Failure(Exit::usage, fmt::format("ligament clip: {:g} s in steps of {:g} s have no end",
                                               clip.end() - clip.begin(), every));
    ClipSamples out{samples.joints, {}, {}, {}};
    std::vector<double> q = model.q0, v(model.nv, 0.0);
    for (int k = 0; k <= static_cast<int>(intervals); ++k) {
        out.times.push_back(clip.begin() + k * every);
        clip.sample(out.times.back(), q, v, {});
        for (const int j : samples.joints) {
            const Model::Joint& joint = model.joints[j];
            out.q.insert(out.q.end(), q.begin() + joint.q_adr, q.begin() + joint.q_adr + joint.nq);
            out.v.insert(out.v.end(), v.begin() + joint.v_adr, v.begin() + joint.v_adr + joint.nv);
        }
    }
    return out;
}

}  // namespace

Exit run_clip(Arguments& arguments) {
    ModelOptions model_options;
    ClipFileOptions clip_options;
    std::string in, out;
    std::optional<std::string> every;
    model_options.declare(arguments);
    arguments.positional(in, "IN", "the clip to read, .csv or .bvh").file({".csv", ".bvh"});
    arguments.positional(out, "OUT", "the clip to write, .csv or .bvh; - writes .csv to standard output")
        .file({".csv", ".bvh"});
    clip_options.declare(arguments);
    arguments.option(every, "--every", "SECONDS", "time between samples (default: as they are)");
    if (!arguments.parse()) return Exit::ok;

    const ClipOptions options = clip_options.interpret("clip");
    const std::string ending = out == "-" ? ".csv" : std::filesystem::path(out).extension().string();
    if (ending != ".csv" && ending != ".bvh")
        throw Failure(Exit::usage,
                      fmt::format("ligament clip: '{}': the ending tells the format, and this build writes "
                                  ".csv, .bvh",
                                  out));
    for (const std::string& other : {in, model_options.path})
        if (is_same_file(other, out))
            throw Failure(Exit::usage,
                          fmt::format("ligament clip: '{}' is read; write to another file", out));
    const double step = number_option("clip", "--every", "a time in seconds", every, 0, 0, true);
    const std::shared_ptr<const Model> model = load_model(model_options).model;
    ClipSamples samples = read_clip(in, *model, options, model_options);
    try {
        if (step > 0) samples = resample(*model, samples, step);
        const std::string text =
            ending == ".bvh" ? clip_to_bvh(*model, samples, options) : clip_to_csv(*model, samples);
        if (out == "-") {
            fmt::print("{}", text);
        } else {
            io::WholeFile file(out);
            file.write(text);
            file.finish();
        }
    } catch (const std::invalid_argument& error) {
        throw Failure(Exit::input, fmt::format("{}: error: {}", in, error.what()));
    } catch (const std::system_error& error) {
        throw cannot_write(out, error.code());
    }
    fmt::print(out == "-" ? stderr : stdout, "{} samples of {} joints, {:g} s\n", samples.times.size(),
               samples.joints.size(), samples.times.back() - samples.times.front());
    return Exit::ok;
}

}  // namespace lig::app
