#include "app/dynamics/state_file.h"

#include "app/dynamics/model_file.h"
#include "app/failure.h"
#include "app/json_output.h"
#include "core/printable.h"
#include "joints/joint_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace lig::app {

namespace {

const std::vector<std::string_view> state_fields{"qpos", "qvel", "qacc", "act",
                                                 "ctrl", "qfrc_applied", "xfrc_applied", "time"};

class StateReader {
public:
    StateReader(std::string file, const Model& model, const Names& names, const StateFileOptions& options)
        : file_(std::move(file)), model_(model), names_(names), options_(options) {}

    std::vector<StateInput> read(const std::string& text) {
        const Json document = parse(text);
        std::vector<StateInput> states;
        if (!document.is_object()) {
            error(
                fmt::format("holds {}; it should hold one state, {{\"qpos\": […], \"qvel\": […]}}, or "
                            "{{\"states\": […]}}",
                            kind_of(document)));
        } else if (!document.contains("states")) {
            states.push_back(read_state(document));
        } else if (!document["states"].is_array()) {
            error(
                fmt::format("'states' is {}; it should be an array of states", kind_of(document["states"])));
        } else {
            for (const auto& [key, value] : document.items())
                if (key != "states") warn_unknown(key, {"states"});
            for (const Json& entry : document["states"]) {
                if (entry.is_object())
                    states.push_back(read_state(entry));
                else
                    error(fmt::format("state {}: is {}; it should be an object with qpos and qvel", index_,
                                      kind_of(entry)));
                ++index_;
            }
        }
        finish();
        return states;
    }

private:
    static std::string_view kind_of(const Json& value) {
        switch (value.type()) {
            case Json::value_t::null: return "null";
            case Json::value_t::object: return "an object";
            case Json::value_t::array: return "an array";
            case Json::value_t::string: return "a string";
            case Json::value_t::boolean: return "true or false";
            default: return "a number";
        }
    }

    Json parse(const std::string& text) {
        try {
            return Json::parse(text);
        } catch (const Json::parse_error& problem) {
            // `byte` counts what has been read, the offending character included.
            const std::string_view before =
                std::string_view(text).substr(0, problem.byte == 0 ? 0 : problem.byte - 1);
            const auto line = 1 + std::count(before.begin(), before.end(), '\n');
            const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
            fail(fmt::format("{}:{}:{}: error: the JSON is not well formed: {}", file_, line,
                             before.size() - line_start + 1, explanation(problem.what())));
        } catch (const Json::out_of_range& problem) {
            fail(fmt::format("{}: error: {}", file_, explanation(problem.what())));
        }
    }

    // The parser's message without its prefix "[json.exception…] parse error at line 1, column 2: ".
    static std::string explanation(std::string_view what) {
        for (const std::string_view prefix_end : {"] ", "syntax error "}) {
            const std::size_t at = what.find(prefix_end);
            if (at != what.npos) what.remove_prefix(at + prefix_end.size());
        }
        return std::string(what);
    }

    StateInput read_state(const Json& object) {
        StateInput input = input_at(model_, JointState<double>(model_));
        for (const auto& [key, value] : object.items())
            if (std::find(state_fields.begin(), state_fields.end(), key) == state_fields.end())
                warn_unknown(key, state_fields);
        const bool has_qpos = read_numbers(object, "qpos", model_.nq, "nq", true, input.state.q);
        read_numbers(object, "qvel", model_.nv, "nv", true, input.state.v);
        read_numbers(object, "qacc", model_.nv, "nv", options_.needs_qacc, input.qacc);
        read_numbers(object, "qfrc_applied", model_.nv, "nv", false, input.qfrc_applied);
        if (has_qpos) read_quaternions(input.state.q);
        if (options_.actuation) {
            read_numbers(object, "act", model_.na, "na", false, input.state.act);
            read_numbers(object, "ctrl", model_.nu, "nu", false, input.ctrl);
        }
        if (object.contains("xfrc_applied")) read_wrenches(object["xfrc_applied"], input);
        return input;
    }

    bool read_numbers(const Json& object, const char* field, std::size_t count, std::string_view count_name,
                      bool required, std::vector<double>& target) {
        if (!object.contains(field)) {
            if (required)
                error(fmt::format("state {}: {} is missing; {} numbers ({}) are needed", index_, field, count,
                                  count_name));
            return false;
        }
        std::vector<double> numbers;
        if (!convert(object[field], field, numbers)) return false;
        if (numbers.size() != count) {
            error(fmt::format("state {}: {} has {} numbers; the model needs {} ({})", index_, field,
                              numbers.size(), count, count_name));
            return false;
        }
        target = std::move(numbers);
        return true;
    }

    bool convert(const Json& value, std::string_view field, std::vector<double>& numbers) {
        if (!value.is_array()) {
            error(fmt::format("state {}: {} is {}; it should be an array of numbers", index_, field,
                              kind_of(value)));
            return false;
        }
        for (const Json& entry : value) {
            const double x = entry.is_number() ? entry.get<double>() : std::nan("");
            if (!std::isfinite(x)) {
                error(fmt::format("state {}: {}[{}] is {}; it should be a finite number", index_, field,
                                  numbers.size(), kind_of(entry)));
                return false;
            }
            numbers.push_back(x);
        }
        return true;
    }

    // Any length but zero gives a direction. What is not of unit length is scaled, first by its largest entry
    // so that no square overflows.
    void read_quaternions(std::vector<double>& q) {
        for (std::size_t j = 0; j < model_.joints.size(); ++j) {
            const Model::Joint& joint = model_.joints[j];
            const joints::Coordinate* kinds = joints::joint_info(joint.type).coordinate_kinds;
            const auto first = std::find(kinds, kinds + joint.nq, joints::Coordinate::quaternion);
            if (first == kinds + joint.nq) continue;
            double* quat = q.data() + joint.q_adr + (first - kinds);
            double largest = 0;
            for (int k = 0; k < 4; ++k) largest = std::max(largest, std::abs(quat[k]));
            if (largest == 0) {
                error(fmt::format(
                    "state {}: qpos[{}…{}], the quaternion of joint '{}', is zero; it needs a direction",
                    index_, quat - q.data(), quat - q.data() + 3, names_.joints[j]));
                continue;
            }
            const double unit = std::hypot(std::hypot(quat[0] / largest, quat[1] / largest),
                                           std::hypot(quat[2] / largest, quat[3] / largest)) *
                                largest;
            if (std::abs(unit - 1) < 1e-9) continue;
            for (int k = 0; k < 4; ++k) quat[k] /= unit;
        }
    }

    void read_wrenches(const Json& map, StateInput& input) {
        if (!map.is_object()) {
            error(fmt::format(
                "state {}: xfrc_applied is {}; it should be an object {{\"body\": [fx, fy, fz, tx, ty, tz]}}",
                index_, kind_of(map)));
            return;
        }
        for (const auto& [name, value] : map.items()) {
            const int body = names_.find_body(name);
            if (body < 0) {
                const std::vector<std::string_view> choices(names_.bodies.begin(), names_.bodies.end());
                error(fmt::format("state {}: xfrc_applied: the model has no body '{}'{}", index_, name,
                                  did_you_mean(name, choices)));
                continue;
            }
            std::vector<double> numbers;
            const std::string field = fmt::format("xfrc_applied['{}']", name);
            if (!convert(value, field, numbers)) continue;
            if (numbers.size() != 6) {
                error(fmt::format("state {}: {} has {} numbers; it needs 6: force and moment in world axes",
                                  index_, field, numbers.size()));
                continue;
            }
            auto& wrench = input.xfrc_applied.emplace_back(body, std::array<double, 6>{}).second;
            std::copy(numbers.begin(), numbers.end(), wrench.begin());
        }
    }

    // Once per field, not once per state.
    void warn_unknown(const std::string& field, const std::vector<std::string_view>& known) {
        if (!warned_.insert(field).second) return;
        const std::string text =
            fmt::format("the field '{}' is not known and was not read{}", field, did_you_mean(field, known));
        if (options_.strict)
            error(text);
        else if (!options_.quiet)
            fmt::print(stderr, "{}: warning: {}\n", file_, shown(text));
    }

    void error(const std::string& text) {
        constexpr int most = 20;
        if (errors_++ < most)
            fmt::print(stderr, "{}: error: {}\n", file_, shown(text));
        else if (errors_ == most + 1)
            fmt::print(stderr, "{}: error: there are more errors like these\n", file_);
    }

    void finish() const {
        if (errors_ > 0) throw Failure(Exit::input, "");
    }

    [[noreturn]] static void fail(const std::string& text) { throw Failure(Exit::input, shown(text)); }

    // Keys of the file, which stand in the messages, may hold anything.
    static std::string shown(std::string_view text) { return printable(shortened(text, 1000)); }

    std::string file_;
    const Model& model_;
    const Names& names_;
    const StateFileOptions& options_;
    std::set<std::string> warned_;
    std::size_t index_ = 0;
    int errors_ = 0;
};

}  // namespace

StateInput input_at(const Model& model, JointState<double> state) {
    return {std::move(state),
            std::vector<double>(model.nv, 0.0),
            std::vector<double>(model.nv, 0.0),
            std::vector<double>(model.nu, 0.0),
            {}};
}

std::vector<StateInput> read_states(const std::string& path, const Model& model, const Names& names,
                                    const StateFileOptions& options) {
    return StateReader(path == "-" ? "<stdin>" : path, model, names, options).read(read_text(path));
}

}  // namespace lig::app
