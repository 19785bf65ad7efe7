// Piles of characters, under `impulse` unless it is said otherwise: how far joints come apart, limits are
// passed, and bodies sink into the ground and into each other, measured from their poses after each frame of
// 1/60 s.
//
//   bench_piles [--count 20] [--seeds 0-3] [--seconds 5] [--substeps 0] [--iterations 0]
//               [--formulation impulse] [--stepping automatic]
//
// A pile is chaotic, and the worst value of one run is luck. So several are run, which differ by their seeds;
// of each the worst, the value that one sample in a thousand exceeds, and the root of the mean square are
// found, and the table has their means over the runs, with the largest of all. Samples are joints or capsules
// times frames. The last lines are what is left of the motion and the time of a step.

#include "scenes/generator_list.h"
#include "support/character_errors.h"

#include <ligament/collision.h>
#include <ligament/simulation.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

struct Settings {
    int count = 20, first = 0, last = 3;
    double seconds = 5;
    SimulationOptions options;
};

bool read_settings(int argc, char** argv, Settings& settings) {
    settings.options.formulation = "impulse";
    for (int k = 1; k + 1 < argc; k += 2) {
        const std::string name = argv[k], value = argv[k + 1];
        if (name == "--count")
            settings.count = std::stoi(value);
        else if (name == "--seeds") {
            const std::size_t dash = value.find('-');
            settings.first = std::stoi(value);
            settings.last = dash == std::string::npos ? settings.first : std::stoi(value.substr(dash + 1));
        } else if (name == "--seconds")
            settings.seconds = std::stod(value);
        else if (name == "--substeps")
            settings.options.impulse.substeps = std::stoi(value);
        else if (name == "--formulation")
            settings.options.formulation = value;
        else if (name == "--stepping") {
            const auto word = std::ranges::find(stepping_words, value);
            if (word == std::end(stepping_words)) return false;
            settings.options.stepping = static_cast<Stepping>(word - std::begin(stepping_words));
        } else if (name == "--iterations")
            settings.options.iterations = std::stoi(value);
        else
            return false;
    }
    return argc % 2 == 1;
}

enum Kind {
    joints,
    limits,
    ground,
    bodies,
    kinds
};
struct KindName {
    const char* name;
    double scale;
};
constexpr std::array<KindName, kinds> names{{{"joints apart [mm]", 1e3},
                                             {"limits passed [deg]", 57.29577951308232},
                                             {"into the ground [mm]", 1e3},
                                             {"into each other [mm]", 1e3}}};

struct Spread {
    double worst = 0, thousandth = 0, rms = 0;
};

Spread spread_of(std::vector<double>& samples) {
    if (samples.empty()) return {};
    Spread out;
    double squares = 0;
    for (const double x : samples) {
        out.worst = std::max(out.worst, x);
        squares += x * x;
    }
    const auto size = static_cast<double>(samples.size());
    out.rms = std::sqrt(squares / size);
    const auto nth = samples.begin() + static_cast<std::ptrdiff_t>(0.999 * (size - 1));
    std::nth_element(samples.begin(), nth, samples.end());
    out.thousandth = *nth;
    return out;
}

// How deep each body is in another, at most; joined ones do not count.
void add_overlaps(const Contacts& contacts, const Model& model, std::vector<double>& samples) {
    const std::size_t begin = samples.size();
    samples.resize(begin + model.bodies.size(), 0.0);
    for (const Contact& contact : contacts.contacts) {
        const Manifold& manifold = contacts.manifolds[contact.manifold];
        const int a = model.geoms[manifold.geom_a].body, b = model.geoms[manifold.geom_b].body;
        if (model.bodies[a].link < 0 || model.bodies[b].link < 0) continue;
        for (const int body : {a, b})
            samples[begin + body] = std::max(samples[begin + body], -contact.distance);
    }
}

struct Run {
    std::array<Spread, kinds> spreads;
    double kinetic = 0;   // J, at the end
    double seconds = 0;   // of the processor, of a step
    double substeps = 0;  // of a step
    int not_ok = 0;       // steps
};

Run run_pile(const Settings& settings, int seed) {
    const scenes::Setting scene[] = {{"count", static_cast<double>(settings.count)},
                                     {"seed", static_cast<double>(seed)}};
    const auto model = compile(scenes::generate(scenes::pile, scene));
    Simulation sim(model, settings.options);
    CollisionWorkspace collision(model);
    std::array<std::vector<double>, kinds> samples;
    std::vector<Transformd> poses(model->bodies.size());
    Run run;
    const int frames = static_cast<int>(std::lround(60 * settings.seconds));
    for (int k = 0; k < frames; ++k) {
        const std::clock_t begin = std::clock();
        const StepReport report = sim.step(1.0 / 60);
        run.seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / frames;
        run.substeps += static_cast<double>(report.substeps) / frames;
        run.not_ok += report.status != StepStatus::ok;
        sim.body_poses(poses);
        for_each_joint_error(*model, poses, [&](const JointError& error) {
            samples[joints].push_back(error.apart);
            samples[limits].push_back(error.violation);
        });
        for_each_ground_depth(*model, poses,
                              [&](double depth) { samples[ground].push_back(std::max(depth, 0.0)); });
        find_contacts(poses, {}, collision);
        add_overlaps(collision.contacts, *model, samples[bodies]);
    }
    for (int kind = 0; kind < kinds; ++kind) run.spreads[kind] = spread_of(samples[kind]);
    run.kinetic = sim.energy().kinetic;
    return run;
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    if (!read_settings(argc, argv, settings)) {
        std::fprintf(stderr,
                     "usage: bench_piles [--count 20] [--seeds 0-3] [--seconds 5] [--substeps 0] "
                     "[--iterations 0] [--formulation impulse] [--stepping automatic]\n");
        return 2;
    }
    std::array<Spread, kinds> mean{};
    std::array<double, kinds> largest{};
    double kinetic = 0, seconds = 0, substeps = 0;
    int not_ok = 0;
    const double runs = settings.last - settings.first + 1;
    for (int seed = settings.first; seed <= settings.last; ++seed) {
        const Run run = run_pile(settings, seed);
        for (int kind = 0; kind < kinds; ++kind) {
            const Spread& own = run.spreads[kind];
            mean[kind].worst += own.worst / runs;
            mean[kind].thousandth += own.thousandth / runs;
            mean[kind].rms += own.rms / runs;
            largest[kind] = std::max(largest[kind], own.worst);
        }
        kinetic += run.kinetic / runs;
        seconds += run.seconds / runs;
        substeps += run.substeps / runs;
        not_ok += run.not_ok;
    }
    std::printf("%.0f piles of %d, %.3g s\n", runs, settings.count, settings.seconds);
    std::printf("%-22s %9s %9s %9s %9s\n", "", "worst", "1 in 1000", "rms", "of all");
    for (int kind = 0; kind < kinds; ++kind) {
        const double scale = names[kind].scale;
        std::printf("%-22s %9.3f %9.3f %9.4f %9.3f\n", names[kind].name, scale * mean[kind].worst,
                    scale * mean[kind].thousandth, scale * mean[kind].rms, scale * largest[kind]);
    }
    std::printf("%-22s %9.3g\n%-22s %9.3f\n%-22s %9.2f\n%-22s %9d\n", "kinetic energy [J]", kinetic,
                "a step [ms]", 1e3 * seconds, "sub-steps", substeps, "steps not ok", not_ok);
    return 0;
}
