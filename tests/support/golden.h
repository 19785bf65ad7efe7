#pragma once

// Golden hashes: the bits of trajectories, kept in a file. They say that a change of the code did not change
// what is computed; whether that is right is for the other tests to say.
//
// A hash that differs means that some state differs by a bit or more. Where the code was only rearranged that
// is a fault. Where results were meant to change, look at which entries differ, then renew the file by
//
//   LIGAMENT_RENEW_GOLDEN=1 ctest --test-dir build/ci -R formulations/golden
//
// (both parts; `-R 'formulations/golden$'` the short one alone) and commit it together with the change,
// saying why.
//
// Bits do not depend on the instruction set or the number of threads, and should not on the order in which a
// compiler evaluates arguments and operands: where they do, the code leaves it open and is to be mended. They
// do depend on the sines and roots of the C library: the file has a hash of those, and where they are others
// the states are compared among thread counts only.

#include "formulations/formulation_list.h"
#include "support/random_model.h"

#include <ligament/load.h>
#include <ligament/simulation.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace lig::test {

// FNV-1a over the bits of numbers.
class BitHash {
public:
    void add(std::uint64_t bits) {
        for (int byte = 0; byte < 8; ++byte) {
            value_ ^= bits >> (8 * byte) & 0xff;
            value_ *= 0x100000001b3u;
        }
    }
    void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
    void add(const std::vector<double>& numbers) {
        for (const double x : numbers) add(x);
    }
    std::string text() const {
        std::ostringstream out;
        out << std::hex;
        out.width(16);
        out.fill('0');
        out << value_;
        return out.str();
    }

private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

// What the C library makes of some numbers.
inline std::string hash_of_library() {
    BitHash hash;
    for (int k = 1; k < 2000; ++k) {
        const volatile double number = 0.00137 * k * k;  // not for the compiler to compute
        const double x = number, y = 1 / (1 + x);
        for (const double value : {std::sin(x), std::cos(x), std::tan(x), std::atan2(x, y), std::asin(y),
                                   std::acos(y), std::exp(-x), std::log(x), std::pow(x, y), std::cbrt(x),
                                   std::hypot(x, y), std::sqrt(x)})
            hash.add(value);
    }
    return hash.text();
}

// How a scene is moved on: the formulation, and what of its steps and integrators.
struct GoldenMethod {
    std::string name;
    SimulationOptions options;

    bool is_default() const { return name == options.formulation; }
};

// Every formulation, with every stepping and integrator if `all`; also those that it refuses.
inline std::vector<GoldenMethod> golden_methods(bool all) {
    std::vector<GoldenMethod> methods;
    for (const formulations::FormulationInfo& formulation : formulations::formulation_list) {
        const std::string name(formulation.name);
        const auto add = [&](const char* how, Stepping stepping, SmoothIntegrator integrator) {
            SimulationOptions options;
            options.formulation = name;
            options.stepping = stepping;
            options.integrator = integrator;
            methods.push_back({name + how, options});
        };
        add("", Stepping::automatic, SmoothIntegrator::automatic);
        if (!all) continue;
        add(":velocity", Stepping::velocity, SmoothIntegrator::automatic);
        add(":event", Stepping::event, SmoothIntegrator::automatic);
        add(":smooth", Stepping::smooth, SmoothIntegrator::automatic);
        add(":euler", Stepping::automatic, SmoothIntegrator::euler);
        add(":rk4", Stepping::automatic, SmoothIntegrator::rk4);
        add(":rk45", Stepping::automatic, SmoothIntegrator::rk45);
        add(":rattle", Stepping::automatic, SmoothIntegrator::rattle);
        add(":backward_euler", Stepping::automatic, SmoothIntegrator::backward_euler);
        add(":bdf2", Stepping::automatic, SmoothIntegrator::bdf2);
    }
    return methods;
}

struct GoldenScene {
    std::string name;
    std::shared_ptr<const Model> model;
    int keyframe = -1;  // -1: the reference configuration
    double step = 1.0 / 60;
};

inline std::vector<GoldenScene> gallery_scenes() {
    const std::filesystem::path root = LIG_SOURCE_DIR;
    std::vector<GoldenScene> scenes;
    const auto gallery = nlohmann::json::parse(std::ifstream(root / "scenes/gallery.json"));
    for (const auto& entry : gallery.at("scenes")) {
        Diagnostics log;
        GoldenScene scene{entry["name"], compile(load_scene(root / std::string(entry["file"]), {}, log))};
        if (entry["key"].is_string()) scene.keyframe = scene.model->find_keyframe(std::string(entry["key"]));
        scene.step = scene.model->options.timestep;
        scenes.push_back(std::move(scene));
    }
    return scenes;
}

inline GoldenScene random_golden_scene(int seed) {
    return {"random" + std::to_string(seed), random_model(seed), 0};
}

inline constexpr const char* refused = "refused";

// Of all states and statuses of a run; `refused` where the formulation does not have the scene or the method.
inline std::string hash_of_run(const GoldenScene& scene, const GoldenMethod& method, int threads, int steps) {
    SimulationOptions options = method.options;
    options.threads = threads;
    std::optional<Simulation> sim;
    try {
        sim.emplace(scene.model, options);
    } catch (const std::invalid_argument&) {
        return refused;
    }
    if (scene.keyframe >= 0) sim->reset(scene.keyframe);
    BitHash hash;
    for (int k = 0; k < steps; ++k) {
        const StepReport report = sim->step(scene.step);
        hash.add(static_cast<std::uint64_t>(report.status));
        hash.add(sim->state().time);
        hash.add(sim->state().q);
        hash.add(sim->state().v);
        hash.add(sim->state().act);
        if (!was_taken(report)) break;
    }
    return hash.text();
}

// The hashes of one test file, in tests/data/golden.
class GoldenFile {
public:
    explicit GoldenFile(const std::string& name)
        : path_(std::filesystem::path(LIG_SOURCE_DIR) / "tests/data/golden" / (name + ".txt")),
          renews_(std::getenv("LIGAMENT_RENEW_GOLDEN") != nullptr) {
        std::ifstream in(path_);
        for (std::string key, hash; in >> key >> hash;) expected_[key] = hash;
        found_[library_key] = hash_of_library();
        comparable_ = expected_[library_key] == found_[library_key];
        if (!renews_ && !comparable_)
            MESSAGE("another C library than that of the golden hashes: only thread counts are compared");
    }

    void check(const GoldenScene& scene, const GoldenMethod& method, int steps) {
        const std::string key = scene.name + "/" + method.name;
        CAPTURE(key);
        const std::string hash = hash_of_run(scene, method, 1, steps);
        CHECK(hash_of_run(scene, method, 2, steps) == hash);
        if (hash == refused) return;
        found_[key] = hash;
        if (!renews_ && comparable_) CHECK(expected_[key] == hash);
    }

    // Writes the file where it is to be renewed; else sees to it that nothing of it was left out or refused.
    void finish() const {
        if (!renews_) {
            for (const auto& [key, hash] : expected_) CHECK_MESSAGE(found_.contains(key), key);
            return;
        }
        std::ofstream out(path_);
        for (const auto& [key, hash] : found_) out << key << ' ' << hash << '\n';
        REQUIRE(out.good());
        MESSAGE("wrote ", path_.string());
    }

private:
    static constexpr const char* library_key = "C-library";

    std::filesystem::path path_;
    bool renews_, comparable_ = false;
    std::map<std::string, std::string> expected_, found_;
};

}  // namespace lig::test
