#include "app/run/tracking_options.h"

#include "app/choices.h"
#include "app/comma_list.h"
#include "app/number_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace lig::app {

namespace {

constexpr std::string_view keyframes = "keyframes";

constexpr Named<TrackingMethod> methods[] = {{"acceleration", TrackingMethod::acceleration},
                                             {"pd", TrackingMethod::pd}};
constexpr Named<bool> kinds_of_gains[] = {{"corrected", false}, {"paper", true}};

[[noreturn]] void refuse(std::string_view command, const std::string& what) {
    throw Failure(Exit::usage, fmt::format("ligament {}: {}", command, what));
}

// "keyframes", or "keyframes:stand@0,wave@0.5".
ClipSamples samples_of_keyframes(std::string_view command, const std::string& words, const Model& model) {
    std::vector<int> which;
    std::vector<double> times;
    const std::string parts = words.size() > keyframes.size() ? words.substr(keyframes.size() + 1) : "";
    for (const std::string& part : parts.empty() ? std::vector<std::string>{} : split_at_commas(parts)) {
        const std::size_t at = part.rfind('@');
        const std::optional<double> time =
            at == part.npos ? std::nullopt : parse_number(std::string_view(part).substr(at + 1));
        if (!time)
            refuse(command, fmt::format("--track keyframes:… is made of NAME@SECONDS, not '{}'", part));
        const std::string name = part.substr(0, at);
        which.push_back(model.find_keyframe(name));
        if (which.back() < 0) {
            std::vector<std::string_view> names;
            for (const Model::Keyframe& key : model.keyframes) names.push_back(key.name);
            refuse(command,
                   fmt::format("--track: the model has no keyframe '{}'{}", name, did_you_mean(name, names)));
        }
        times.push_back(*time);
    }
    ClipSamples samples = keyframe_samples(model, which, times);
    // Files seldom give their keyframes times: then they are a second apart.
    const bool rise = std::adjacent_find(samples.times.begin(), samples.times.end(),
                                         std::greater_equal<>()) == samples.times.end();
    for (std::size_t k = 0; k < samples.times.size() && times.empty() && !rise; ++k)
        samples.times[k] = static_cast<double>(k);
    return samples;
}

TrackingOptions::Interval interval_of(std::string_view command, const std::string& words) {
    const std::size_t middle = words.find(':');
    const std::optional<double> from = parse_number(std::string_view(words).substr(0, middle));
    const std::optional<double> to =
        middle == words.npos ? std::nullopt : parse_number(std::string_view(words).substr(middle + 1));
    if (!from || !to || !(*from < *to))
        refuse(command, fmt::format("--limp is FROM:TO in seconds, not '{}'", words));
    return {*from, *to};
}

}  // namespace

void TrackingArguments::declare(Arguments& arguments) {
    arguments.section(Section::control);
    arguments
        .option(track, "--track", "CLIP",
                "a clip that the joints follow: a .csv or .bvh file, keyframes, or "
                "keyframes:NAME@SECONDS,…")
        .file({".csv", ".bvh"});
    arguments.flag(loop, "--loop", "begin the clip again where it ends");
    arguments.option(settling_time, "--settling-time", "SECONDS",
                     "until a tenth of an error is left (default: 0.2)");
    arguments
        .option(gains, "--gains", "NAME",
                "from the settling time: corrected, or paper (1/t², 2/t: 74 % are left)")
        .choice(names_of(kinds_of_gains));
    arguments.option(method, "--tracking", "NAME", "{} (default: acceleration)").choice(names_of(methods));
    arguments.option(torque_limit, "--torque-limit", "NUMBER", "of each freedom, N·m or N (default: none)");
    arguments.option(limp, "--limp", "FROM:TO", "seconds between which joints are let go (repeatable)");
    files.declare(arguments);
}

std::optional<TrackedClip> read_tracked_clip(std::string_view command, const TrackingArguments& arguments,
                                             const ModelOptions& model_options, const Model& model,
                                             Stepping stepping) {
    if (!arguments.track) {
        if (arguments.settling_time || arguments.torque_limit || !arguments.limp.empty() || arguments.loop ||
            arguments.method != TrackingArguments().method || arguments.gains != TrackingArguments().gains)
            refuse(command, "options of tracking need a clip: --track CLIP");
        return std::nullopt;
    }
    if (stepping == Stepping::smooth) refuse(command, "--track and --stepping smooth exclude each other");
    TrackingOptions options;
    options.method = choose(methods, command, "--tracking", arguments.method).value;
    const bool paper = choose(kinds_of_gains, command, "--gains", arguments.gains).value;
    const double settling = number_option(command, "--settling-time", "a time in seconds",
                                          arguments.settling_time, 0.2, 0, true);
    options.gains = paper ? paper_gains(settling) : settling_gains(settling);
    options.torque_limit = number_option(command, "--torque-limit", "a number from 0 on",
                                         arguments.torque_limit, std::numeric_limits<double>::infinity(), 0);
    for (const std::string& words : arguments.limp) options.limp.push_back(interval_of(command, words));
    const std::string& track = *arguments.track;
    const bool from_keyframes = track == keyframes || track.starts_with("keyframes:");
    try {
        return TrackedClip{
            from_keyframes ? samples_of_keyframes(command, track, model)
                           : read_clip(track, model, arguments.files.interpret(command), model_options),
            arguments.loop ? ClipEnds::loop : ClipEnds::hold, std::move(options), track};
    } catch (const std::invalid_argument& error) {
        throw Failure(Exit::input, fmt::format("{}: error: {}", track, error.what()));
    }
}

void TrackingFigures::note(const Simulation& simulation) {
    if (!simulation.follows_now()) return;
    simulation.tracking_errors(errors_);
    simulation.tracking_forces(forces_);
    ++totals_.samples;
    for (const double e : errors_) {
        totals_.freedoms += e != 0;
        totals_.sum += e * e;
        totals_.largest_error = std::max(totals_.largest_error, std::abs(e));
    }
    for (const double f : forces_) totals_.largest_force = std::max(totals_.largest_force, std::abs(f));
}

double TrackingFigures::error_now(const Simulation& simulation) {
    double largest = 0;
    simulation.tracking_errors(errors_);
    for (const double e : errors_) largest = std::max(largest, std::abs(e));
    return largest;
}

double TrackingFigures::rms_error() const {
    return totals_.freedoms > 0 ? std::sqrt(totals_.sum / static_cast<double>(totals_.freedoms)) : 0;
}

Json TrackingFigures::json() const {
    return {{"samples", totals_.samples},
            {"max_error", totals_.largest_error},
            {"rms_error", rms_error()},
            {"max_torque", totals_.largest_force}};
}

}  // namespace lig::app
