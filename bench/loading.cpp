// Time from the text of a model to the compiled model. `per_1000_bodies` divides it by the bodies; where
// loading is linear, it is the same for every length. `read` stops at the scene.

#include <ligament/load.h>
#include <ligament/model.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

namespace lig::bench {
namespace {

std::string number(int i) { return std::to_string(i); }

std::string body_start(int i) {
    return "<body name=\"link" + number(i) + "\" pos=\"0 0.1 0.3\"><joint name=\"hinge" + number(i) +
           "\" axis=\"0 1 0\" range=\"-90 90\" damping=\"0.1\" armature=\"0.01\"/><geom name=\"rod" +
           number(i) +
           "\" type=\"capsule\" fromto=\"0 0 0 0 0.1 0.3\" size=\"0.05\" rgba=\"0.5 0.6 0.7 1\"/>";
}

// Each body inside the one before it.
std::string chain(int count) {
    std::string text = "<mujoco><worldbody>";
    for (int i = 0; i < count; ++i) text += body_start(i);
    for (int i = 0; i < count; ++i) text += "</body>";
    return text + "</worldbody></mujoco>";
}

// All bodies beside each other.
std::string row(int count) {
    std::string text = "<mujoco><worldbody>";
    for (int i = 0; i < count; ++i) text += body_start(i) + "</body>";
    return text + "</worldbody></mujoco>";
}

// A chain with what refers to its parts by name.
std::string equipped_chain(int count) {
    std::string text = chain(count);
    text.erase(text.size() - std::string_view("</mujoco>").size());
    std::string motors, sensors, exclusions;
    for (int i = 0; i < count; ++i) {
        motors += "<motor name=\"motor" + number(i) + "\" joint=\"hinge" + number(i) + "\" gear=\"2\"/>";
        sensors += "<jointpos name=\"angle" + number(i) + "\" joint=\"hinge" + number(i) + "\"/>";
        if (i > 1)
            exclusions +=
                "<exclude body1=\"link" + number(i - 2) + "\" body2=\"link" + number(i) + "\"/>";
    }
    return text + "<actuator>" + motors + "</actuator><sensor>" + sensors + "</sensor><contact>" +
           exclusions + "</contact></mujoco>";
}

std::string urdf_chain(int count) {
    std::string text = "<robot name=\"chain\"><link name=\"link0\"/>";
    for (int i = 1; i <= count; ++i)
        text += "<link name=\"link" + number(i) +
                "\"><inertial><origin xyz=\"0 0 0.1\"/><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" "
                "izz=\"0.1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"joint" +
                number(i) + "\" type=\"continuous\"><parent link=\"link" + number(i - 1) +
                "\"/><child link=\"link" + number(i) +
                "\"/><origin xyz=\"0 0 0.3\"/><axis xyz=\"0 1 0\"/></joint>";
    return text + "</robot>";
}

void load(benchmark::State& state, const std::string& text, bool compiles) {
    std::size_t bodies = 0;
    for (auto _ : state) {
        Diagnostics log;
        const Scene scene = parse_scene(text, "model", {}, log);
        bodies = scene.bodies().size() - 1;
        if (compiles) benchmark::DoNotOptimize(compile(scene, log));
    }
    using benchmark::Counter;
    state.counters["per_1000_bodies"] =
        Counter(double(bodies) / 1000, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void add_all() {
    struct Kind {
        const char* name;
        std::string (*text)(int count);
    };
    for (const Kind& kind : {Kind{"mjcf_chain", chain}, Kind{"mjcf_row", row},
                             Kind{"mjcf_equipped_chain", equipped_chain}, Kind{"urdf_chain", urdf_chain}})
        for (const int count : {100, 1000, 10000})
            for (const bool compiles : {false, true})
                benchmark::RegisterBenchmark(
                    (std::string(compiles ? "load/" : "read/") + kind.name + "/" + number(count)).c_str(),
                    [text = kind.text(count), compiles](benchmark::State& s) { load(s, text, compiles); })
                    ->Unit(benchmark::kMillisecond)
                    ->MinTime(0.02)
                    ->Repetitions(5)
                    ->ReportAggregatesOnly()
                    ->ComputeStatistics("best", [](const std::vector<double>& v) {
                        return *std::min_element(v.begin(), v.end());
                    });
}

}  // namespace
}  // namespace lig::bench

int main(int argc, char** argv) {
    lig::bench::add_all();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
