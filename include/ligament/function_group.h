#pragma once

// Constraints between any number of bodies that are given by a function (function_constraint.h, which
// includes this). The function is called once when the constraint is made, and leaves a program (symbol.h)
// for it and its derivatives. States in which it compares otherwise are differentiated in reverse mode
// (traced.h), whose cost does not grow with the number of bodies; functions that are too long for that in
// forward mode, to the same digits.

#include <ligament/function_constraint.h>
#include <ligament/group_constraint.h>
#include <ligament/symbol.h>
#include <ligament/traced.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lig {

namespace functions {

template <int n>
class GroupBase : public GroupConstraint {
    static_assert(n >= 1 && n <= max_group_bodies);

public:
    std::string_view kind() const override { return options_.kind; }
    int bodies() const override { return n; }
    std::string fault() const override { return fault_of(options_); }

protected:
    explicit GroupBase(FunctionOptions options) : options_(std::move(options)) {}
    void begin(bool holonomic, GroupRow& out) const {
        out.error = out.rate = out.product = 0;
        out.holonomic = holonomic;
        std::fill_n(out.on.begin(), n, Force<double>::zero());
        out.scale = options_.scale;
        out.size = options_.size;
    }
    template <class Derivatives>
    void begin(bool holonomic, const Derivatives& d, GroupRow& out) const {
        begin(holonomic, out);
        for (int k = 0; k < n; ++k)
            out.on[k] = {{d[6 * k], d[6 * k + 1], d[6 * k + 2]}, {d[6 * k + 3], d[6 * k + 4], d[6 * k + 5]}};
    }

    // Runs the function once, at poses and velocities of no meaning.
    template <class Function>
    static FunctionProgram program_of(const Function& call) {
        SymbolTape tape(n);
        try {
            std::array<Transform<Symbol>, n> X;
            std::array<Motion<Symbol>, n> V;
            for (int k = 0; k < n; ++k) {
                const Transformd own = some_pose(k);
                const Motion<double> moving = some_velocity(k);
                for (int c = 0; c < 3; ++c) {
                    for (int r = 0; r < 3; ++r) X[k].R(r, c) = tape.pose(k, 3 * c + r, own.R(r, c));
                    X[k].p[c] = tape.pose(k, 9 + c, own.p[c]);
                    V[k].ang[c] = tape.velocity(k, c, moving.ang[c]);
                    V[k].lin[c] = tape.velocity(k, 3 + c, moving.lin[c]);
                }
            }
            const auto results = call(X, V, tape.time(0.2));
            std::array<Symbol, Count<std::remove_const_t<decltype(results)>>::rows> rows;
            for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = row_of(results, static_cast<int>(r));
            return {tape, rows};
        } catch (...) {
            return {};  // it is too long, or cannot be called there
        }
    }
    static Transformd some_pose(int k) {
        return {{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}, {0.7 + k, -0.4 * k, 1.1 + 0.3 * k}};
    }
    static Motion<double> some_velocity(int k) {
        return {{0.3 - 0.2 * k, 0.8 - 0.2 * k, 1.3 - 0.2 * k},
                {-0.6 + 0.1 * k, 0.1 + 0.1 * k, 0.8 + 0.1 * k}};
    }

    FunctionOptions options_;
};

}  // namespace functions

template <int n, class Function>
class HolonomicGroup final : public functions::GroupBase<n> {
    template <class T>
    using Poses = std::array<Transform<T>, n>;
    // Of the trace: the columns of all R, then all p, the time.
    static constexpr int places = 9 * n, time_input = 12 * n, inputs = time_input + 1;

public:
    using Result = std::invoke_result_t<const Function&, const Poses<Traced>&, const Traced&>;
    static constexpr int row_count = functions::Count<Result>::rows;
    static_assert(row_count >= 1 && row_count <= GroupConstraint::max_rows);

    explicit HolonomicGroup(Function function, FunctionOptions options = {})
        : functions::GroupBase<n>(std::move(options)),
          function_(std::move(function)),
          program_(this->program_of(
              [&](const auto& X, const auto&, const auto& time) { return function_(X, time); })) {}

    int rows() const override { return row_count; }

    void evaluate(const GroupState& state, GroupRow* out) const override {
        for (int r = 0; r < row_count; ++r) this->begin(true, out[r]);
        if (program_.evaluate_holonomic(state, out)) return;
        if (!trace(state, out)) differentiate(state, out);
    }

private:
    // False: there is no room for it.
    bool trace(const GroupState& state, GroupRow* out) const {
        Trace all(inputs);
        Poses<Traced> X;
        for (int k = 0; k < n; ++k)
            for (int c = 0; c < 3; ++c) {
                for (int row = 0; row < 3; ++row)
                    X[k].R(row, c) = all.input(9 * k + 3 * c + row, state.X[k].R(row, c));
                X[k].p[c] = all.input(places + 3 * k + c, state.X[k].p[c]);
            }
        const auto traced = function_(X, all.input(time_input, state.time));
        if (all.overflowed()) return false;
        double* const rates = all.rates();
        for (int k = 0; k < n; ++k)
            for (int c = 0; c < 3; ++c) {
                const Vec3d turning = cross(state.V[k].ang, column(state.X[k].R, c));
                for (int row = 0; row < 3; ++row) rates[9 * k + 3 * c + row] = turning[row];
                rates[places + 3 * k + c] = state.V[k].lin[c];
            }
        rates[time_input] = 1;
        all.follow();
        for (int r = 0; r < row_count; ++r) {
            const Traced& C = functions::row_of(traced, r);
            const double* const by = all.gradient(C);
            GroupRow& row = out[r];
            this->begin(true, row);
            row.error = C.value;
            row.rate = by[time_input];
            row.product = all.curvature(C);
            for (int k = 0; k < n; ++k) {
                const Vec3d& w = state.V[k].ang;
                for (int c = 0; c < 3; ++c) {
                    // A column of R turned about e changes by e × it; it is on its way by w × (w × it).
                    const double* const own = by + 9 * k + 3 * c;
                    const Vec3d pull{own[0], own[1], own[2]};
                    if (pull.x == 0 && pull.y == 0 && pull.z == 0) continue;
                    row.on[k].ang += cross(column(state.X[k].R, c), pull);
                    const double* const rate = rates + 9 * k + 3 * c;
                    row.product += dot(pull, cross(w, Vec3d{rate[0], rate[1], rate[2]}));
                }
                const double* const own = by + places + 3 * k;
                row.on[k].lin = {own[0], own[1], own[2]};
            }
        }
        return true;
    }
    void differentiate(const GroupState& state, GroupRow* out) const {
        using Partial = Dual<double, 6 * n + 1>;  // turns and shifts of each frame, and the time
        Poses<Partial> X;
        for (int k = 0; k < n; ++k) X[k] = functions::seeded<Partial>(state.X[k], 6 * k);
        Partial time = state.time;
        time.d[6 * n] = 1;
        const auto partial = function_(X, time);
        for (int r = 0; r < row_count; ++r) {
            const Partial& C = functions::row_of(partial, r);
            this->begin(true, C.d, out[r]);
            out[r].error = C.value;
            out[r].rate = C.d[6 * n];
        }
        Poses<functions::Curve> moving;
        for (int k = 0; k < n; ++k)
            moving[k] = functions::on_its_way(state.X[k], state.V[k], Motion<double>::zero());
        const auto curve = function_(moving, functions::on_curve(state.time, 1, 0));
        for (int r = 0; r < row_count; ++r) out[r].product = functions::row_of(curve, r).d[0].d[0];
    }
    static Vec3d column(const Mat3d& R, int c) { return {R(0, c), R(1, c), R(2, c)}; }

    Function function_;
    FunctionProgram program_;
};

template <int n, class Function>
class NonholonomicGroup final : public functions::GroupBase<n> {
    template <class T>
    using Poses = std::array<Transform<T>, n>;
    template <class T>
    using Velocities = std::array<Motion<T>, n>;

public:
    using Result = std::invoke_result_t<const Function&, const Poses<Traced>&, const Velocities<Traced>&,
                                        const Traced&>;
    static constexpr int row_count = functions::Count<Result>::rows;
    static_assert(row_count >= 1 && row_count <= GroupConstraint::max_rows);

    explicit NonholonomicGroup(Function function, FunctionOptions options = {})
        : functions::GroupBase<n>(std::move(options)),
          function_(std::move(function)),
          program_(this->program_of(function_)) {}

    int rows() const override { return row_count; }

    std::string fault() const override {
        using functions::Path;
        if (std::string why = functions::GroupBase<n>::fault(); !why.empty()) return why;
        // Poses and velocities of no meaning.
        Poses<Path> X;
        for (int k = 0; k < n; ++k)
            X[k] = functions::on_path({Mat3d{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}},
                                       {0.7 + k, -0.4 * k, 1.1 + 0.3 * k}},
                                      Motion<double>::zero());
        const bool linear = functions::is_linear<row_count>([&](double times) {
            Velocities<Path> V;
            for (int k = 0; k < n; ++k)
                for (int c = 0; c < 3; ++c) {
                    V[k].ang[c] = Path(times * (0.3 + 0.5 * c - 0.2 * k));
                    V[k].lin[c] = Path(times * (-0.6 + 0.7 * c + 0.1 * k));
                }
            return function_(X, V, Path(0.2));
        });
        return linear ? "" : functions::not_linear;
    }

    void evaluate(const GroupState& state, GroupRow* out) const override {
        for (int r = 0; r < row_count; ++r) this->begin(false, out[r]);
        if (program_.evaluate_nonholonomic(state, out)) return;
        if (!trace(state, out)) differentiate(state, out);
    }

private:
    // Of the trace: all velocities, the columns of all R, all p, the time.
    static constexpr int turns = 6 * n, places = 15 * n, time_input = 18 * n, inputs = time_input + 1;

    // False: there is no room for it.
    bool trace(const GroupState& state, GroupRow* out) const {
        Trace all(inputs);
        Poses<Traced> X;
        Velocities<Traced> V;
        for (int k = 0; k < n; ++k)
            for (int c = 0; c < 3; ++c) {
                for (int row = 0; row < 3; ++row)
                    X[k].R(row, c) = all.input(turns + 9 * k + 3 * c + row, state.X[k].R(row, c));
                X[k].p[c] = all.input(places + 3 * k + c, state.X[k].p[c]);
                V[k].ang[c] = all.input(6 * k + c, state.V[k].ang[c]);
                V[k].lin[c] = all.input(6 * k + 3 + c, state.V[k].lin[c]);
            }
        const auto traced = function_(X, V, all.input(time_input, state.time));
        if (all.overflowed()) return false;
        for (int r = 0; r < row_count; ++r) {
            const Traced& f = functions::row_of(traced, r);
            const double* const by = all.gradient(f);
            GroupRow& row = out[r];
            this->begin(false, by, row);
            // What is left of f where nothing moves, and what changes it while the velocities stay.
            row.rate = f.value;
            row.product = by[time_input];
            for (int k = 0; k < n; ++k) {
                row.rate -= dot(row.on[k], state.V[k]);
                for (int c = 0; c < 3; ++c) {
                    const Mat3d& R = state.X[k].R;
                    const Vec3d turning = cross(state.V[k].ang, Vec3d{R(0, c), R(1, c), R(2, c)});
                    const double* const own = by + turns + 9 * k + 3 * c;
                    row.product += own[0] * turning.x + own[1] * turning.y + own[2] * turning.z +
                                   by[places + 3 * k + c] * state.V[k].lin[c];
                }
            }
        }
        return true;
    }
    template <class T>
    static Poses<T> fixed(const GroupState& state) {
        Poses<T> X;
        for (int k = 0; k < n; ++k)
            for (int c = 0; c < 3; ++c) {
                for (int r = 0; r < 3; ++r) X[k].R(r, c) = T(state.X[k].R(r, c));
                X[k].p[c] = T(state.X[k].p[c]);
            }
        return X;
    }
    void differentiate(const GroupState& state, GroupRow* out) const {
        using Partial = Dual<double, 6 * n>;  // by the velocities of each frame
        Velocities<Partial> at_rest;
        for (int k = 0; k < n; ++k)
            for (int c = 0; c < 3; ++c) {
                at_rest[k].ang[c] = at_rest[k].lin[c] = Partial(0.0);
                at_rest[k].ang[c].d[6 * k + c] = at_rest[k].lin[c].d[6 * k + 3 + c] = 1;
            }
        const auto partial = function_(fixed<Partial>(state), at_rest, Partial(state.time));
        for (int r = 0; r < row_count; ++r) {
            const Partial& f = functions::row_of(partial, r);
            this->begin(false, f.d, out[r]);
            out[r].rate = f.value;
        }
        using functions::Path;
        Poses<Path> X;
        Velocities<Path> V;
        for (int k = 0; k < n; ++k) {
            X[k] = functions::on_path(state.X[k], state.V[k]);
            for (int c = 0; c < 3; ++c) {
                V[k].ang[c] = Path(state.V[k].ang[c]);
                V[k].lin[c] = Path(state.V[k].lin[c]);
            }
        }
        const auto path = function_(X, V, functions::on_path(state.time, 1));
        for (int r = 0; r < row_count; ++r) out[r].product = functions::row_of(path, r).d[0];
    }

    Function function_;
    FunctionProgram program_;
};

template <int n, class Function>
std::shared_ptr<const GroupConstraint> holonomic_group(Function function, FunctionOptions options = {}) {
    return std::make_shared<HolonomicGroup<n, Function>>(std::move(function), std::move(options));
}
template <int n, class Function>
std::shared_ptr<const GroupConstraint> nonholonomic_group(Function function, FunctionOptions options = {}) {
    return std::make_shared<NonholonomicGroup<n, Function>>(std::move(function), std::move(options));
}

}  // namespace lig
