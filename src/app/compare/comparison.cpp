#include "app/compare/comparison.h"

#include "app/choices.h"
#include "app/number_option.h"
#include "formulations/formulation_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lig::app {

namespace {

// Errors below this are those of the reference itself.
constexpr double reference_accuracy = 1e-10;
// … and above this share of how far things move, of another motion.
constexpr double large_error = 0.2;
// Samples of a run, unless --every asks for others: enough for plots and for films at 60 Hz.
constexpr double usual_samples = 2000;

// The reason alone: what opens messages of the command line says nothing here.
std::string reason_of(const Failure& failure) {
    std::string text = failure.what();
    for (const std::string_view head : {"ligament compare: ", "ligament: "})
        if (text.starts_with(head)) text.erase(0, head.size());
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

bool divides(double step, double length) {
    const double ratio = length / step;
    return std::abs(ratio - std::round(ratio)) <= 1e-9 * ratio;
}

// The shortest time that all steps divide, then so many of it that there are not too many samples.
double common_time(const std::vector<double>& steps, double duration) {
    const double longest = std::ranges::max(steps);
    for (int k = 1; k <= 1000; ++k) {
        const double every = k * longest;
        if (!std::ranges::all_of(steps, [&](double step) { return divides(step, every); })) continue;
        return every * std::max(1.0, std::ceil(duration / every / usual_samples - 1e-9));
    }
    throw Failure(Exit::usage,
                  fmt::format("ligament compare: steps of {:g} s do not meet at common times; give "
                              "steps that are fractions of each other, or --every",
                              fmt::join(steps, ", ")));
}

class Comparer {
public:
    Comparer(const CompareOptions& options, const DynamicsJob& job, const WatchRun& watch)
        : options_(options),
          job_(job),
          watch_(watch),
          cases_(options.cases()),
          repetitions_(options.repetitions()) {
        choose_times();
    }

    Comparison run() {
        choose_reference();
        const std::size_t all = cases_.size() + reference_case_.has_value();
        if (reference_case_) run_reference(all);
        if (reference_) {
            result_.reference = reference_->description();
            result_.error_unit = reference_->unit();
        }
        for (std::size_t k = 0; k < cases_.size() && !interruption_.happened(); ++k) {
            progress_.set_label(fmt::format("{} of {}: {}", k + 1 + reference_case_.has_value(), all,
                                            name_of_case(cases_[k])));
            if (is_reference(cases_[k])) {
                // It has been run already, and is in its place among the others.
                result_.runs.push_back(std::move(*reference_run_));
                reference_run_.reset();
                continue;
            }
            if (std::optional<ComparedRun> done = run_case(cases_[k], reference_.get(), nullptr))
                result_.runs.push_back(std::move(*done));
        }
        if (reference_run_) result_.runs.push_back(std::move(*reference_run_));
        find_orders();
        result_.duration = duration_;
        result_.every = every_;
        result_.interrupted = interruption_.happened();
        return std::move(result_);
    }

private:
    void choose_times() {
        const Model& model = job_.model();
        duration_ = number_option("compare", "--duration", "a time in seconds", options_.run.duration, 10, 0);
        steps_.clear();
        for (const CompareCase& one : cases_)
            steps_.push_back(number_option("compare", "--dt", "a time in seconds",
                                           one.dt.empty() ? std::nullopt : std::optional(one.dt),
                                           model.options.timestep, 0, true));
        every_ = options_.run.every ? number_option("compare", "--every", "a time in seconds",
                                                    options_.run.every, 0, 0, true)
                                    : common_time(steps_, duration_);
    }

    void choose_reference() {
        const std::string& wanted = options_.reference;
        if (wanted == "none") return;
        if (wanted == "finest") {
            reference_case_ = CompareCase{"reduced", "auto", fmt::format("{}", std::ranges::min(steps_) / 4)};
            finest_ = true;
            return;
        }
        if (std::optional<CompareCase> one = parse_case(wanted)) {
            if (!formulations::find_formulation(one->formulation))
                not_among("compare", "--reference", one->formulation,
                          {formulations::formulation_names.begin(), formulations::formulation_names.end()});
            reference_case_ = std::move(one);
            return;
        }
        reference_ = read_reference("compare", wanted, job_.loaded.model, job_.names, options_.run.job.model);
    }

    bool is_reference(const CompareCase& one) const {
        return reference_run_ && !finest_ && one.method() == reference_case_->method() &&
               one.dt == reference_case_->dt;
    }

    // A run to measure the others by. Where `reduced` cannot have the scene, the next formulation that can.
    void run_reference(std::size_t all) {
        std::vector<CompareCase> candidates{*reference_case_};
        if (finest_)
            for (const CompareCase& one : cases_)
                if (one.formulation != reference_case_->formulation)
                    candidates.push_back({one.formulation, one.integrator, reference_case_->dt});
        for (const CompareCase& candidate : candidates) {
            progress_.set_label(fmt::format("1 of {}: reference", all));
            const std::size_t refused = result_.not_run.size();
            auto recorded = std::make_unique<RecordedReference>(
                job_.model(),
                fmt::format("{}@{:.4g}{}", candidate.method(), parse_number(candidate.dt).value(),
                            finest_ ? ", tolerance 1e-12" : ""));
            std::optional<ComparedRun> done = run_case(candidate, nullptr, recorded.get());
            if (!done || done->status != "ok") {
                if (finest_) result_.not_run.resize(refused);
                if (interruption_.happened()) return;
                if (!finest_)
                    throw Failure(Exit::simulation,
                                  fmt::format("ligament compare: --reference {} cannot be run: {}",
                                              options_.reference,
                                              done ? done->message : result_.not_run.back().reason));
                continue;
            }
            done->is_reference = true;
            if (finest_) done->name = "reference";
            reference_ = std::move(recorded);
            reference_run_ = std::move(done);
            return;
        }
        result_.not_run.push_back({"reference",
                                   "no formulation came to the end with the shortest step; errors "
                                   "are not measured"});
    }

    static std::string name_of_case(const CompareCase& one) {
        return one.dt.empty() ? one.method() : fmt::format("{} {} s", one.method(), one.dt);
    }

    // Nothing where it cannot be run at all: that is noted then.
    std::optional<ComparedRun> run_case(const CompareCase& what, ReferenceMotion* reference,
                                        RecordedReference* recorded) {
        RunOptions options = options_.options_of(what);
        options.every = fmt::format("{}", every_);
        options.contents.replay = options.contents.momentum_ledger = true;
        options.contents.tracking = options.tracking.track.has_value();
        const formulations::FormulationInfo* const formulation =
            formulations::find_formulation(what.formulation);
        if (recorded && finest_ && !formulation->ignores("tolerance"))
            options.simulation.set("--tolerance", "1e-12");
        ComparedRun done{.what = what, .name = name_of_case(what)};
        done.key = recorded ? "reference" : done.name;
        for (int k = 0; k < (recorded ? 1 : repetitions_) && !interruption_.happened(); ++k) {
            std::unique_ptr<SimulationRun> run;
            std::optional<RunInputs> inputs;
            try {
                const RunSettings settings = interpret(options, job_.model());
                inputs = read_inputs(options, settings, job_);
                run = std::make_unique<SimulationRun>("compare", job_.loaded.model, job_.names, settings,
                                                      *inputs, options.contents);
            } catch (const Failure& failure) {
                if (failure.code() != Exit::unsupported) throw;
                result_.not_run.push_back({done.name, reason_of(failure)});
                return std::nullopt;
            }
            simulate(std::move(run), k == 0, reference, recorded, done);
        }
        if (!done.run) return std::nullopt;  // interrupted before it began
        return done;
    }

    void simulate(std::unique_ptr<SimulationRun> run, bool first,
                  ReferenceMotion* reference, RecordedReference* recorded, ComparedRun& done) {
        Deviation deviation;
        std::function<void(const TrajectorySample&)> other;
        SimulationRun& simulated = *run;
        if (first) {
            done.run = std::move(run);
            other = watch_ ? watch_(done) : nullptr;
        }
        const TrajectoryLayout& layout = simulated.layout();
        const auto see = [&](const TrajectorySample& sample) {
            if (recorded) recorded->add(layout, sample);
            if (reference)
                if (const std::optional<double> distance = reference->distance(layout, sample))
                    deviation.note(*distance);
            if (other) other(sample);
        };
        const std::optional<Failure> trouble =
            simulated.simulate({first ? see : std::function<void(const TrajectorySample&)>(),
                                [&](double at, double all) { progress_.at(at, all); }, interruption_});
        const RunSummary& summary = simulated.summary();
        done.wall_time = first ? summary.wall_time : std::min(done.wall_time, summary.wall_time);
        if (!first) return;
        done.status = summary.status;
        if (trouble) done.message = reason_of(*trouble);
        if (reference && deviation.samples > 0) done.deviation = deviation;
    }

    void find_orders() {
        std::vector<ComparedRun>& runs = result_.runs;
        for (std::size_t k = 0; k < runs.size(); ++k) {
            const ComparedRun& one = runs[k];
            const std::string method = one.what.method();
            if ((one.is_reference && finest_) || std::ranges::any_of(result_.orders, [&](const auto& order) {
                    return order.method == method;
                }))
                continue;
            Comparison::Order order{method, std::nullopt, {}};
            for (std::size_t j = k; j < runs.size(); ++j)
                if (runs[j].what.method() == method && !(runs[j].is_reference && finest_))
                    order.runs.push_back(j);
            std::ranges::sort(order.runs, [&](std::size_t a, std::size_t b) {
                return runs[a].dt() > runs[b].dt();
            });
            for (std::size_t j = 1; j < order.runs.size(); ++j) {
                ComparedRun& fine = runs[order.runs[j]];
                fine.order = order_between(runs[order.runs[j - 1]], fine);
                if (fine.order) order.order = fine.order;
            }
            result_.orders.push_back(std::move(order));
        }
    }

    // Sub-steps whose length follows from something else than the step have no order.
    static bool follow_the_step(const ComparedRun& coarse, const ComparedRun& fine) {
        const auto length = [](const ComparedRun& run) {
            const RunSummary& summary = run.run->summary();
            return summary.simulated_time / static_cast<double>(summary.totals(&StepReport::substeps));
        };
        const double ratio = length(coarse) / length(fine) / (coarse.dt() / fine.dt());
        return std::abs(ratio - 1) < 0.02;
    }

    // Errors that are as large as the motion itself do not shrink with the step, nor do those of the
    // reference.
    bool tells_order(double error) const {
        const double extent = reference_ ? reference_->extent() : 0;
        return error > reference_accuracy && !(extent > 0 && error > large_error * extent);
    }

    std::optional<double> order_between(const ComparedRun& coarse, const ComparedRun& fine) const {
        if (!coarse.deviation || !fine.deviation || coarse.status != "ok" || fine.status != "ok" ||
            !(coarse.dt() > fine.dt()) || !tells_order(coarse.deviation->rms) ||
            !tells_order(fine.deviation->rms) ||
            !follow_the_step(coarse, fine))
            return std::nullopt;
        return std::log(coarse.deviation->rms / fine.deviation->rms) / std::log(coarse.dt() / fine.dt());
    }

    const CompareOptions& options_;
    const DynamicsJob& job_;
    const WatchRun& watch_;
    const std::vector<CompareCase> cases_;
    const int repetitions_;
    const Interruption interruption_;
    Progress progress_{options_.run.job.model.quiet};

    std::vector<double> steps_;  // (cases)
    double duration_ = 0, every_ = 0;
    std::optional<CompareCase> reference_case_;  // it is a run
    bool finest_ = false;                        // … that nobody asked for by name
    std::unique_ptr<ReferenceMotion> reference_;
    std::optional<ComparedRun> reference_run_;
    Comparison result_;
};

}  // namespace

void Deviation::note(double distance) {
    ++samples;
    sum_ += distance * distance;
    rms = std::sqrt(sum_ / static_cast<double>(samples));
    largest = std::max(largest, distance);
    end = distance;
}

double ComparedRun::time_per_second() const {
    const double simulated = run->summary().simulated_time;
    return simulated > 0 ? wall_time / simulated : std::numeric_limits<double>::quiet_NaN();
}

Comparison compare(const CompareOptions& options, const DynamicsJob& job, const WatchRun& watch) {
    return Comparer(options, job, watch).run();
}

}  // namespace lig::app
