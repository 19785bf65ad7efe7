#include "app/dynamics/transmission_output.h"

#include "app/failure.h"
#include "app/file_failure.h"
#include "app/table.h"
#include "io/csv_text.h"
#include "io/svg_plot.h"
#include "io/whole_file.h"

#include <ligament/smooth_motion.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>

namespace lig::app {

namespace {

int joint_of(const Model& model, int velocity) {
    for (std::size_t j = 0; j < model.joints.size(); ++j)
        if (velocity < model.joints[j].v_adr + model.joints[j].nv) return static_cast<int>(j);
    return -1;
}

double coordinate(const Model& model, const TransmissionPoint& point, int velocity) {
    return point.q[model.joints[joint_of(model, velocity)].q_adr];
}

JointState<double> closed_start(const Model& model, std::shared_ptr<const Model> shared,
                                const std::string& key) {
    JointState<double> state(model);
    if (!key.empty()) {
        const int index = model.find_keyframe(key);
        if (index < 0)
            throw Failure(Exit::usage, fmt::format("ligament info: the model has no keyframe '{}'", key));
        state = keyframe_state(model, index);
    }
    const ClosingReport closing = SmoothDynamics(std::move(shared)).close_equalities(state);
    if (!closing.closed)
        throw Failure(Exit::simulation, fmt::format("ligament info: {}; 'ligament assemble' closes it, "
                                                    "and --key takes another start",
                                                    closing.where));
    return state;
}

// JSON and tables have no place for poles.
double finite(double x) { return std::isfinite(x) ? x : std::numeric_limits<double>::quiet_NaN(); }

struct Extent {
    double least = HUGE_VAL, largest = -HUGE_VAL;
    void add(double x) {
        least = std::min(least, x);
        largest = std::max(largest, x);
    }
    std::string text() const { return fmt::format("{} … {}", number_text(least), number_text(largest)); }
};

std::string what_stands(const Model& model, const Names& names, const TransmissionCurve& curve,
                        const TransmissionSingularity& at) {
    if (at.velocity < 0) return fmt::format("'{}'", names.actuators[curve.actuator]);
    return fmt::format("joint '{}'", names.joints[joint_of(model, at.velocity)]);
}

// Coordinates there: of the joint that stands, or of some that the actuator moves.
std::string where_text(const Model& model, const Names& names, const TransmissionCurve& curve,
                       const TransmissionSingularity& at) {
    constexpr std::size_t most = 3;
    std::vector<int> shown = curve.moved;
    if (at.velocity >= 0) shown = {at.velocity};
    std::string text;
    for (std::size_t k = 0; k < std::min(shown.size(), most); ++k)
        text += fmt::format("{}{} = {}", k > 0 ? ", " : "", names.joints[joint_of(model, shown[k])],
                            number_text(coordinate(model, at.at, shown[k])));
    return shown.size() > most ? text + ", …" : text;
}

// Singular points of the actuator and of what it moves.
template <class Function>
void for_each_singularity(const TransmissionCurve& curve, const Function& f) {
    for (const TransmissionSingularity& at : curve.singular)
        if (at.velocity < 0 || std::ranges::find(curve.moved, at.velocity) != curve.moved.end()) f(at);
}

void write_csv(io::WholeFile& file, const Model& model, const Names& names,
               const std::vector<TransmissionCurve>& curves) {
    std::string text = "actuator,length,joint,coordinate,ratio,arm\n";
    for (const TransmissionCurve& curve : curves)
        for (const int velocity : curve.moved)
            for (const TransmissionPoint& point : curve.points) {
                io::append_csv_text(text, names.actuators[curve.actuator]);
                text += fmt::format(",{},", point.length);
                io::append_csv_text(text, names.joints[joint_of(model, velocity)]);
                text += fmt::format(",{},{},{}\n", coordinate(model, point, velocity),
                                    finite(point.ratio(velocity)), finite(point.arm(velocity)));
            }
    file.write(text);
}

// Lines go from left to right: one for each stretch on which the actuator moves one way.
void add_lines(const TransmissionCurve& curve, const std::string& name, const auto& value,
               io::PlotPanel& panel) {
    constexpr double tallest = 1e3;  // near poles nothing else would be seen
    std::size_t begin = 0;
    const auto& points = curve.points;
    for (std::size_t k = 1; k <= points.size(); ++k) {
        if (k < points.size() && points[k].length_rate * points[begin].length_rate > 0) continue;
        io::PlotSeries line{name, {}};
        for (std::size_t p = begin; p < k; ++p) {
            const double y = value(points[p]);
            line.points.push_back(
                {points[p].length, std::abs(y) < tallest ? y : std::numeric_limits<double>::quiet_NaN()});
        }
        std::ranges::sort(line.points, {}, &io::PlotPoint::x);
        panel.series.push_back(std::move(line));
        begin = k;
    }
}

std::string svg_of(const Model& model, const Names& names, const std::vector<TransmissionCurve>& curves) {
    io::Plot plot{model.name, "length of the actuator", {}};
    for (const TransmissionCurve& curve : curves) {
        const std::string& actuator = names.actuators[curve.actuator];
        io::PlotPanel where{actuator + ": joints (rad or m)", "", {}},
            arms{actuator + ": torque per force", "", {}};
        for (const int velocity : curve.moved) {
            const std::string& joint = names.joints[joint_of(model, velocity)];
            add_lines(
                curve, joint, [&](const TransmissionPoint& p) { return coordinate(model, p, velocity); },
                where);
            add_lines(curve, joint, [&](const TransmissionPoint& p) { return p.arm(velocity); }, arms);
        }
        plot.panels.push_back(std::move(where));
        plot.panels.push_back(std::move(arms));
    }
    return io::svg_plot(plot);
}

}  // namespace

std::vector<TransmissionCurve> find_transmissions(const LoadedModel& loaded, const Names& names,
                                                  const std::string& key) {
    const Model& model = *loaded.model;
    if (!model.deforming.empty())
        throw Failure(Exit::unsupported,
                      "ligament info: --transmissions does not handle bodies that deform");
    std::vector<TransmissionCurve> curves;
    const JointState<double> start = closed_start(model, loaded.model, key);
    for (int a = 0; a < model.nu; ++a) {
        if (!model.actuators[a].enabled) continue;
        try {
            TransmissionCurve curve = trace_transmission(loaded.model, start, a);
            if (!curve.moved.empty()) curves.push_back(std::move(curve));
        } catch (const std::invalid_argument& error) {
            fmt::print(stderr, "ligament info: warning: actuator '{}' has no curve: {}\n", names.actuators[a],
                       error.what());
        }
    }
    return curves;
}

Json transmissions_json(const Model& model, const Names& names,
                        const std::vector<TransmissionCurve>& curves) {
    Json out = Json::array();
    for (const TransmissionCurve& curve : curves) {
        Json one{{"actuator", names.actuators[curve.actuator]},
                 {"varies", velocity_names(model, names)[curve.freedom]},
                 {"closed", curve.closed},
                 {"ends", curve.ends}};
        std::vector<double> lengths;
        for (const TransmissionPoint& point : curve.points) lengths.push_back(point.length);
        one["length"] = to_json(lengths);
        one["joints"] = Json::object();
        for (const int velocity : curve.moved) {
            std::vector<double> where, ratio, arm;
            for (const TransmissionPoint& point : curve.points) {
                where.push_back(coordinate(model, point, velocity));
                ratio.push_back(point.ratio(velocity));
                arm.push_back(point.arm(velocity));
            }
            one["joints"][names.joints[joint_of(model, velocity)]] = {
                {"coordinate", to_json(where)}, {"ratio", to_json(ratio)}, {"arm", to_json(arm)}};
        }
        one["singular"] = Json::array();
        for_each_singularity(curve, [&](const TransmissionSingularity& at) {
            one["singular"].push_back(
                {{"stands",
                  at.velocity < 0 ? Json(nullptr) : Json(names.joints[joint_of(model, at.velocity)])},
                 {"length", at.at.length},
                 {"qpos", at.at.q}});
        });
        out.push_back(std::move(one));
    }
    return out;
}

void print_transmissions(const Model& model, const Names& names,
                         const std::vector<TransmissionCurve>& curves) {
    if (curves.empty()) fmt::print("no actuator moves joints through a linkage\n");
    bool first = true;
    for (const TransmissionCurve& curve : curves) {
        if (!first) fmt::print("\n");
        first = false;
        Extent lengths;
        for (const TransmissionPoint& point : curve.points) lengths.add(point.length);
        for (const TransmissionSingularity& at : curve.singular) lengths.add(at.at.length);
        fmt::print("{}, length {}, {}\n\n", names.actuators[curve.actuator], lengths.text(),
                   curve.closed ? "all the way round"
                                : fmt::format("from {} to {}", curve.ends[0], curve.ends[1]));
        Table table({"moves", "coordinate", "speed per speed", "torque per force"});
        for (const int velocity : curve.moved) {
            Extent where, ratio, arm;
            for (const TransmissionPoint& point : curve.points) {
                where.add(coordinate(model, point, velocity));
                ratio.add(point.ratio(velocity));
                arm.add(point.arm(velocity));
            }
            // Largest and least coordinates are where they stand.
            for (const TransmissionSingularity& at : curve.singular)
                where.add(coordinate(model, at.at, velocity));
            // Between its ends a quantity with a pole has no bounds.
            const auto has_pole = [&](int stands) {
                return std::ranges::any_of(curve.singular, [&](const TransmissionSingularity& at) {
                    return at.velocity == stands;
                });
            };
            table.add({names.joints[joint_of(model, velocity)], where.text(),
                       has_pole(-1) ? "unbounded" : ratio.text(),
                       has_pole(velocity) ? "unbounded" : arm.text()});
        }
        table.print();
        for_each_singularity(curve, [&](const TransmissionSingularity& at) {
            fmt::print("{} stands still at length {} ({}): {}\n", what_stands(model, names, curve, at),
                       number_text(at.at.length), where_text(model, names, curve, at),
                       at.velocity < 0 ? "it has no effect there" : "the actuator's speed does not move it");
        });
    }
}

void write_transmissions(const std::string& path, const Model& model, const Names& names,
                         const std::vector<TransmissionCurve>& curves) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending != ".csv" && ending != ".svg")
        throw Failure(Exit::usage,
                      fmt::format("ligament info: --curves: '{}' ends neither in .csv nor in .svg", path));
    writing(path, [&] {
        io::WholeFile file(path);
        if (ending == ".csv")
            write_csv(file, model, names, curves);
        else
            file.write(svg_of(model, names, curves));
        file.finish();
    });
}

}  // namespace lig::app
