#include "app/dynamics/sensor_output.h"

#include "app/table.h"
#include "sensors/sensor_kind.h"
#include "sensors/sensor_list.h"

#include <fmt/format.h>

#include <unordered_set>

namespace lig::app {

namespace {

std::string_view type_name(const Model::Sensor& sensor) {
    return sensors::sensor_info(sensor.spec.type).name;
}

std::span<const double> readings_of(const Model::Sensor& sensor, const SensorWorkspace<double>& sensors) {
    return std::span<const double>(sensors.readings).subspan(sensor.adr, sensor.dim);
}

}  // namespace

std::vector<std::string> sensor_names(const Model& model) {
    std::unordered_set<std::string_view> taken;
    for (const Model::Sensor& sensor : model.sensors) taken.insert(sensor.spec.name);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model.sensors.size(); ++i) {
        std::string name = model.sensors[i].spec.name;
        if (name.empty()) {
            name = fmt::format("{}{}", type_name(model.sensors[i]), i);
            while (taken.contains(name)) name += '_';
        }
        names.push_back(std::move(name));
    }
    return names;
}

std::vector<std::string> sensor_number_names(const Model& model) {
    const std::vector<std::string> names = sensor_names(model);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < names.size(); ++i)
        for (int k = 0; k < model.sensors[i].dim; ++k)
            all.push_back(model.sensors[i].dim == 1 ? names[i] : fmt::format("{}.{}", names[i], k));
    return all;
}

Json sensors_json(const Model& model) {
    const std::vector<std::string> names = sensor_names(model);
    Json list = Json::array();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Model::Sensor& sensor = model.sensors[i];
        list.push_back(
            {{"name", names[i]},
             {"type", type_name(sensor)},
             {"adr", sensor.adr},
             {"dim", sensor.dim},
             {"cutoff", sensor.spec.cutoff},
             {"noise", sensor.spec.noise},
             {"evaluated", sensors::reading_of(sensor.spec.type) != sensors::Reading::unevaluated}});
    }
    return list;
}

std::vector<Force<double>> applied_forces(const Model& model, const StateInput& input) {
    std::vector<Force<double>> applied;
    if (input.xfrc_applied.empty()) return applied;
    applied.resize(model.bodies.size(), Force<double>::zero());
    for (const auto& [body, f] : input.xfrc_applied)
        applied[body] += Force<double>{{f[3], f[4], f[5]}, {f[0], f[1], f[2]}};
    return applied;
}

void add_sensor_results(const Model& model, const SensorWorkspace<double>& sensors, Json& out) {
    if (model.sensors.empty()) return;
    const std::vector<std::string> names = sensor_names(model);
    Json readings = Json::object();
    for (std::size_t i = 0; i < names.size(); ++i)
        add_member(readings, names[i],
                   sensors.status[i] == SensorStatus::read ? to_json(readings_of(model.sensors[i], sensors))
                                                           : Json(nullptr));
    out["sensors"] = std::move(readings);
}

void print_sensor_results(const Model& model, const SensorWorkspace<double>& sensors) {
    if (model.sensors.empty()) return;
    const std::vector<std::string> names = sensor_names(model);
    Table table({"sensor", "type", "reading"});
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::vector<std::string> numbers;
        for (const double x : readings_of(model.sensors[i], sensors)) numbers.push_back(number_text(x));
        table.add({names[i], std::string(type_name(model.sensors[i])),
                   sensors.status[i] == SensorStatus::read ? fmt::format("{}", fmt::join(numbers, "  "))
                                                           : "not evaluated"});
    }
    fmt::print("\n");
    table.print();
}

}  // namespace lig::app
