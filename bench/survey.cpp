// Random passive scenes (`ligament generate random --seed N`), run and judged: which runs are true, which
// fail and say so, which say ok and are not.
//
//   bench_survey [--seeds 0-1999] [--formulations reduced,multiplier] [--steps 60,240,1000] [--duration 1.5]
//                [--guard 0.01] [--stepping automatic|velocity] [--touching automatic|hard|penalty]
//                [--run-seconds 120] [--runs runs.csv]
//
// One line per run goes to the CSV file; the tables are counts per formulation and step, the worst seeds, and
// whether errors fall with the step. docs/validation.md tells how they are judged.

#include "support/passive_run.h"
#include "support/random_model.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <stdexcept>

using namespace lig;
using namespace lig::test;

namespace {

struct Settings {
    int first = 0, last = 1999;
    std::vector<std::string> formulations{"reduced", "multiplier"};
    std::vector<int> rates{60, 240, 1000};
    double duration = 1.5;
    SimulationOptions options;
    Allowed allowed;
    std::string runs;
};

struct Record {
    int seed;
    std::string parts;  // of the scene: "rope heap"
    std::string formulation;
    int rate;
    PassiveRun run;
};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

bool read_settings(int argc, char** argv, Settings& settings) {
    for (int k = 1; k + 1 < argc; k += 2) {
        const std::string name = argv[k], value = argv[k + 1];
        if (name == "--seeds") {
            const std::vector<std::string> ends = split(value, '-');
            settings.first = std::atoi(ends.front().c_str());
            settings.last = std::atoi(ends.back().c_str());
        } else if (name == "--formulations")
            settings.formulations = split(value, ',');
        else if (name == "--steps") {
            settings.rates.clear();
            for (const std::string& rate : split(value, ','))
                settings.rates.push_back(std::atoi(rate.c_str()));
        } else if (name == "--duration")
            settings.duration = std::atof(value.c_str());
        else if (name == "--guard")
            settings.options.energy_guard = std::atof(value.c_str());
        else if (name == "--stepping")
            settings.options.stepping = value == "velocity" ? Stepping::velocity : Stepping::automatic;
        else if (name == "--touching")
            settings.options.touching = value == "penalty" ? Touching::penalty
                                        : value == "hard"  ? Touching::hard
                                                           : Touching::automatic;
        else if (name == "--run-seconds")
            settings.allowed.run_seconds = std::atof(value.c_str());
        else if (name == "--runs")
            settings.runs = value;
        else
            return false;
    }
    return argc % 2 == 1;
}

// By the names of bodies: rope0_link3.
std::string parts_of(const Model& model) {
    std::string parts, last;
    for (const Model::Body& body : model.bodies) {
        const std::string part = body.name.substr(0, body.name.find('_'));
        if (part == last || part == model.bodies[0].name) continue;
        last = part;
        parts += (parts.empty() ? "" : " ") + part.substr(0, part.find_first_of("0123456789"));
    }
    return parts;
}

using Chosen = std::vector<const Record*>;

Chosen choose(const std::vector<Record>& all, const std::string& formulation, int rate) {
    Chosen chosen;
    for (const Record& record : all)
        if (record.formulation == formulation && record.rate == rate) chosen.push_back(&record);
    return chosen;
}

// The value that a share of the runs stays below.
double quantile(const Chosen& chosen, double share, double (*of)(const PassiveRun&)) {
    std::vector<double> values;
    for (const Record* record : chosen) values.push_back(of(record->run));
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void print_counts(const std::vector<Record>& all, const Settings& settings) {
    std::printf("%-11s %6s %5s |", "", "step", "runs");
    for (int k = 0; k < verdicts; ++k) std::printf(" %6s", name_of(static_cast<Verdict>(k)));
    std::printf(" | %8s %9s | %s\n", "guarded", "seconds", "failed as");
    for (const std::string& formulation : settings.formulations)
        for (const int rate : settings.rates) {
            const Chosen chosen = choose(all, formulation, rate);
            int counts[verdicts] = {}, guarded = 0;
            double seconds = 0;
            std::map<std::string, int> statuses;
            for (const Record* record : chosen) {
                ++counts[static_cast<int>(record->run.verdict)];
                guarded += record->run.guarded > 0;
                seconds += record->run.seconds;
                if (record->run.verdict == Verdict::failed)
                    ++statuses[std::string(name_of(record->run.status))];
            }
            std::printf("%-11s 1/%-4d %5zu |", formulation.c_str(), rate, chosen.size());
            for (const int count : counts) std::printf(" %6d", count);
            std::printf(" | %8d %9.1f |", guarded, seconds);
            for (const auto& [status, count] : statuses) std::printf(" %s %d", status.c_str(), count);
            std::printf("\n");
        }
}

// Of scenes of one part, by which it is.
void print_parts(const std::vector<Record>& all) {
    std::map<std::string, std::array<int, verdicts>> counts;
    for (const Record& record : all)
        if (record.parts.find(' ') == std::string::npos)
            ++counts[record.parts][static_cast<int>(record.run.verdict)];
    std::printf("\n%-18s", "scenes of one part");
    for (int k = 0; k < verdicts; ++k) std::printf(" %6s", name_of(static_cast<Verdict>(k)));
    std::printf("\n");
    for (const auto& [part, row] : counts) {
        std::printf("%-18s", part.c_str());
        for (const int count : row) std::printf(" %6d", count);
        std::printf("\n");
    }
}

struct Measure {
    const char* name;
    double (*of)(const PassiveRun&);
};
constexpr Measure measures[] = {
    {"energy above the start, of what is allowed", [](const PassiveRun& run) { return run.excess; }},
    {"energy above its lowest, of the largest kinetic",
     [](const PassiveRun& run) { return run.kinetic > 0 ? run.later_rise / run.kinetic : 0; }},
    {"joints apart [m, rad]", [](const PassiveRun& run) { return run.joint_error; }},
    {"loops, of the size of the scene",
     [](const PassiveRun& run) { return run.size > 0 ? run.equality_error / run.size : 0; }},
    {"depth [m]", [](const PassiveRun& run) { return run.depth; }},
    {"limits passed [rad, m]", [](const PassiveRun& run) { return run.limit; }},
};

// Of runs that reached their end.
void print_errors(const std::vector<Record>& all, const Settings& settings) {
    for (const Measure& measure : measures) {
        std::printf("\n%s\n", measure.name);
        for (const std::string& formulation : settings.formulations)
            for (const int rate : settings.rates) {
                Chosen chosen = choose(all, formulation, rate);
                std::erase_if(chosen, [](const Record* r) { return r->run.verdict > Verdict::off; });
                std::printf("%-11s 1/%-4d  half below %-9.2g 90 %% %-9.2g 99 %% %-9.2g most %-9.2g",
                            formulation.c_str(), rate, quantile(chosen, 0.5, measure.of),
                            quantile(chosen, 0.9, measure.of), quantile(chosen, 0.99, measure.of),
                            quantile(chosen, 1, measure.of));
                std::sort(chosen.begin(), chosen.end(), [&](const Record* a, const Record* b) {
                    return measure.of(a->run) > measure.of(b->run);
                });
                std::printf(" seeds");
                for (std::size_t k = 0; k < std::min<std::size_t>(5, chosen.size()); ++k)
                    std::printf(" %d", chosen[k]->seed);
                std::printf("\n");
            }
    }
}

void print_failures(const std::vector<Record>& all, const Settings& settings) {
    for (const std::string& formulation : settings.formulations)
        for (const int rate : settings.rates) {
            int printed = 0;
            for (const Record* record : choose(all, formulation, rate)) {
                if (record->run.verdict < Verdict::failed) continue;
                if (printed++ == 0) std::printf("\nnot ok: %s 1/%d\n", formulation.c_str(), rate);
                if (printed > 12) continue;
                std::printf("  seed %d at %.3f s: %s: %s\n", record->seed, record->run.time,
                            record->run.verdict == Verdict::failed
                                ? std::string(name_of(record->run.status)).c_str()
                                : name_of(record->run.verdict),
                            record->run.where.c_str());
            }
            if (printed > 12) std::printf("  … and %d more\n", printed - 12);
        }
}

void print_run(std::FILE* file, const Record& record) {
    const PassiveRun& run = record.run;
    std::fprintf(file, "%d,%s,%s,%d,%s,%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d,%.3f\n",
                 record.seed, record.parts.c_str(), record.formulation.c_str(), record.rate,
                 name_of(run.verdict), std::string(name_of(run.status)).c_str(), run.time, run.rise,
                 run.excess, run.later_rise, run.kinetic, run.joint_error, run.equality_error, run.depth,
                 run.limit, run.guarded, run.seconds);
    std::fflush(file);
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    if (!read_settings(argc, argv, settings)) {
        std::fprintf(stderr,
                     "usage: %s [--seeds 0-1999] [--formulations reduced,multiplier] "
                     "[--steps 60,240,1000] [--duration 1.5] [--guard 0.01] "
                     "[--stepping automatic|velocity] [--touching automatic|hard|penalty] "
                     "[--run-seconds 120] [--runs runs.csv]\n",
                     argv[0]);
        return 1;
    }
    std::FILE* file = settings.runs.empty() ? nullptr : std::fopen(settings.runs.c_str(), "w");
    if (file)
        std::fprintf(file,
                     "seed,parts,formulation,rate,verdict,status,time,rise,excess,later_rise,kinetic,joint,"
                     "loop,depth,limit,guarded,seconds\n");
    std::vector<Record> all;
    for (int seed = settings.first; seed <= settings.last; ++seed) {
        const std::shared_ptr<const Model> model = random_model(seed);
        for (const std::string& formulation : settings.formulations)
            for (const int rate : settings.rates) {
                SimulationOptions options = settings.options;
                options.formulation = formulation;
                try {
                    all.push_back(
                        {seed, parts_of(*model), formulation, rate,
                         run_passive(model, options, 1.0 / rate, settings.duration, settings.allowed)});
                } catch (const std::invalid_argument& refusal) {
                    std::printf("refused: seed %d: %s\n", seed, refusal.what());
                    continue;
                }
                if (file) print_run(file, all.back());
            }
    }
    if (file) std::fclose(file);
    print_counts(all, settings);
    print_parts(all);
    print_errors(all, settings);
    print_failures(all, settings);
    return 0;
}
