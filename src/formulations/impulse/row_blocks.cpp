#include "formulations/impulse/row_blocks.h"

#include "constraints/base_motion.h"
#include "formulations/impulse/tuning.h"
#include "joints/joint_list.h"
#include "linalg/small_dense.h"

#include <ligament/pair_constraint.h>

#include <algorithm>
#include <cmath>

namespace lig::impulse {

namespace {

constexpr int max_rows = small_stride;  // of a block that is held
static_assert(PairConstraint::max_rows <= max_rows && joints::max_rows <= max_rows);

}  // namespace

void RowBlocks::clear() {
    parts_.clear();
    rows_.clear();
    blocks_.clear();
    factors_.clear();
}

void RowBlocks::add_part(int first, int body, const Vec3d& lin, const Vec3d& ang) {
    for (std::size_t p = static_cast<std::size_t>(first); p < parts_.size(); ++p)
        if (parts_[p].body == body) {
            parts_[p].lin += lin;
            parts_[p].ang += ang;
            return;
        }
    parts_.push_back({body, lin, ang});
}

void RowBlocks::read(const Rows& rows, const Workspace<double>& ws, const Freedoms& freedoms,
                     const MovingBodies& bodies, double h) {
    clear();
    for (const RowBlock& from : rows.blocks) {
        Block& block = blocks_.emplace_back(Block{.kind = from.kind,
                                                  .begin = static_cast<int>(rows_.size()),
                                                  .count = from.count,
                                                  .factor = static_cast<int>(factors_.size()),
                                                  .asleep = false});
        for (const Row& row : rows.rows_of(from)) {
            BodyRow own{.begin = static_cast<int>(parts_.size()),
                        .count = 0,
                        .bias = row.kept_bias,
                        .error = h * (row.bias - row.kept_bias),
                        .base_rate = row.base_rate,
                        .lo = row.lo,
                        .hi = row.hi,
                        .compliance = row.compliance,
                        .inverse = 0,
                        .lambda = row.lambda,
                        .correction = 0};
            const auto add_wrench = [&](int link, const Force<double>& about_origin) {
                if (link < 0) return;
                const int body = bodies.index(link);
                const Vec3d arm = ws.poses[link].X_WL.p - bodies.places[body].x;
                add_part(own.begin, body, about_origin.lin, about_origin.ang + cross(arm, about_origin.lin));
                const double by_base = dot(about_origin, velocity_by_base(ws, link));
                own.bias -= by_base;
                own.base_rate -= by_base;
            };
            add_wrench(from.link_a, row.on_a);
            add_wrench(from.link_b, row.on_b);
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e) {
                const double by = rows.entries[e].value;
                const Freedom& freedom = freedoms[rows.entries[e].dof];
                add_part(own.begin, freedom.b, by * freedom.lin, by * freedom.ang_b);
                if (freedom.a > 0) add_part(own.begin, freedom.a, -by * freedom.lin, by * freedom.ang_a);
            }
            own.count = static_cast<int>(parts_.size()) - own.begin;
            for (int p = own.begin; p < own.begin + own.count; ++p)
                block.asleep = block.asleep || bodies.is_asleep(parts_[p].body);
            rows_.push_back(own);
        }
        if (is_equality(block.kind))
            factors_.resize(factors_.size() + static_cast<std::size_t>(block.count) * small_stride);
        find_responses(block, bodies);
    }
}

void RowBlocks::renew_responses(const MovingBodies& bodies) {
    for (const Block& block : blocks_)
        if (!block.asleep) find_responses(block, bodies);
}

double RowBlocks::response(const BodyRow& to, const BodyRow& of, const MovingBodies& bodies) const {
    double sum = 0;
    for (int p = to.begin; p < to.begin + to.count; ++p)
        for (int q = of.begin; q < of.begin + of.count; ++q) {
            const Part &a = parts_[p], &b = parts_[q];
            if (a.body != b.body) continue;
            const Inertia& inertia = bodies.inertias[a.body];
            sum += inertia.inv_mass.x * a.lin.x * b.lin.x + inertia.inv_mass.y * a.lin.y * b.lin.y +
                   inertia.inv_mass.z * a.lin.z * b.lin.z + dot(a.ang, inertia.inv_inertia * b.ang);
        }
    return bodies.deform() ? sum + shape_response(to, of, bodies) : sum;
}

// What it is more for bodies that deform.
double RowBlocks::shape_response(const BodyRow& to, const BodyRow& of, const MovingBodies& bodies) const {
    double sum = 0;
    for (int p = to.begin; p < to.begin + to.count; ++p)
        for (int q = of.begin; q < of.begin + of.count; ++q)
            sum += bodies.shape_response({parts_[p].body, parts_[p].lin, parts_[p].ang},
                                         {parts_[q].body, parts_[q].lin, parts_[q].ang});
    return sum;
}

double RowBlocks::free_response(const BodyRow& row, const MovingBodies& bodies) const {
    double sum = 0;
    for (int p = row.begin; p < row.begin + row.count; ++p) {
        const Part& part = parts_[p];
        const Inertia& inertia = bodies.inertias[part.body];
        const Vec3d& masses = inertia.inv_mass;
        const Sym3d& moments = inertia.inv_inertia;
        sum += (masses.x + masses.y + masses.z) * dot(part.lin, part.lin) +
               (moments.xx + moments.yy + moments.zz) * dot(part.ang, part.ang);
    }
    if (!bodies.deform()) return sum;
    for (int p = row.begin; p < row.begin + row.count; ++p) {
        const Part& part = parts_[p];
        sum += bodies.shape_response({part.body, part.lin, part.ang}, {part.body, part.lin, part.ang});
    }
    return sum;
}

void RowBlocks::find_responses(const Block& block, const MovingBodies& bodies) {
    for (int r = block.begin; r < block.begin + block.count; ++r) {
        BodyRow& row = rows_[r];
        const double answer = response(row, row, bodies) + row.compliance;
        row.inverse = answer > row_tuning.nothing * free_response(row, bodies) ? 1 / answer : 0;
    }
    if (!is_equality(block.kind)) return;
    double* a = factors_.data() + block.factor;
    for (int k = 0; k < block.count; ++k) {
        const BodyRow& row = rows_[block.begin + k];
        for (int j = 0; j < k; ++j)
            a[k * small_stride + j] = response(row, rows_[block.begin + j], bodies);
        a[k * small_stride + k] = row.inverse > 0 ? (1 + row_tuning.trace) / row.inverse : 1;
    }
    cholesky_n<double>(a, block.count);
}

double RowBlocks::velocity(const BodyRow& row, const BodyView& bodies) const {
    double sum = 0;
    for (int p = row.begin; p < row.begin + row.count; ++p) {
        const Part& part = parts_[p];
        sum += dot(part.lin, bodies.u[part.body].v) + dot(part.ang, bodies.u[part.body].w);
    }
    return sum;
}

double RowBlocks::rate_by_bases(int r, const BodyView& bodies, int bases) const {
    const BodyRow& row = rows_[r];
    double sum = row.base_rate;
    for (int p = row.begin; p < row.begin + row.count; ++p) {
        const Part& part = parts_[p];
        if (part.body < bases)
            sum += dot(part.lin, bodies.u[part.body].v) + dot(part.ang, bodies.u[part.body].w);
    }
    return sum;
}

void RowBlocks::push(const BodyRow& row, double impulse, const BodyView& bodies) const {
    for (int p = row.begin; p < row.begin + row.count; ++p)
        bodies.push_alone(parts_[p].body, impulse * parts_[p].lin, impulse * parts_[p].ang);
    for (int p = row.begin; bodies.shapes && p < row.begin + row.count; ++p)
        bodies.push_shape(parts_[p].body, impulse * parts_[p].lin, impulse * parts_[p].ang);
}

void RowBlocks::warm_start(const BodyView& bodies) const {
    for (const Block& block : blocks_) {
        if (block.asleep) continue;
        for (int r = block.begin; r < block.begin + block.count; ++r)
            if (rows_[r].lambda != 0) push(rows_[r], rows_[r].lambda, bodies);
    }
}

double RowBlocks::sweep_block(const Block& block, const Give& give, const BodyView& bodies) {
    double x[max_rows], largest = 0;
    for (int k = 0; k < block.count; ++k) {
        const BodyRow& row = rows_[block.begin + k];
        x[k] = velocity(row, bodies) + row.bias + give.bias_rate * row.error;
        if (row.inverse == 0) x[k] = 0;
        largest = std::max(largest, std::fabs(x[k]));
    }
    cholesky_solve_n<double>(factors_.data() + block.factor, block.count, x);
    for (int k = 0; k < block.count; ++k) {
        BodyRow& row = rows_[block.begin + k];
        const double change = -give.mass_scale * x[k] - give.impulse_scale * row.lambda;
        row.lambda += change;
        push(row, change, bodies);
    }
    return largest;
}

// One row by itself. Catto's slides: step 2, λ = −m_C (J v + b), and the clamping procedure, by which the sum
// is clamped and its change applied; without `accumulated` the corrective impulse, which is wrong.
double RowBlocks::sweep_row(BodyRow& row, bool limit, const Give& give, double slop, bool accumulated,
                            const BodyView& bodies) {
    const double error = limit ? std::min(row.error + slop, 0.0) : row.error;
    const double miss =
        velocity(row, bodies) + row.bias + give.bias_rate * error + row.compliance * row.lambda;
    double change = -row.inverse * miss;
    if (limit && row.error < 0) change = give.mass_scale * change - give.impulse_scale * row.lambda;
    const double next = accumulated ? std::clamp(row.lambda + change, row.lo, row.hi)
                                    : row.lambda + std::clamp(change, row.lo, row.hi);
    change = next - row.lambda;
    row.lambda = next;
    push(row, change, bodies);
    return row.inverse > 0 ? std::fabs(change) / row.inverse : 0.0;
}

double RowBlocks::sweep_forces(bool back, const Give& give, bool accumulated, const BodyView& bodies) {
    double largest = 0;
    for_each_in(0, static_cast<int>(blocks_.size()), back, [&](int b) {
        const Block& block = blocks_[b];
        if (block.asleep || is_equality(block.kind) || is_limit(block.kind)) return;
        for_each_in(block.begin, block.count, back, [&](int r) {
            largest = std::max(largest, sweep_row(rows_[r], false, give, 0, accumulated, bodies));
        });
    });
    return largest;
}

double RowBlocks::sweep_held(bool back, const Give& give, double slop, bool accumulated,
                             const BodyView& bodies) {
    double largest = 0;
    for_each_in(0, static_cast<int>(blocks_.size()), back, [&](int b) {
        const Block& block = blocks_[b];
        if (block.asleep) return;
        if (is_equality(block.kind)) {
            largest = std::max(largest, sweep_block(block, give, bodies));
        } else if (is_limit(block.kind)) {
            for_each_in(block.begin, block.count, back, [&](int r) {
                largest = std::max(largest, sweep_row(rows_[r], true, give, slop, accumulated, bodies));
            });
        }
    });
    return largest;
}

double RowBlocks::missed(const BodyView& bodies) const {
    double largest = 0;
    for (const Block& block : blocks_) {
        if (block.asleep) continue;
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            const BodyRow& row = rows_[r];
            if (row.inverse == 0) continue;
            const double miss = velocity(row, bodies) + row.bias + row.compliance * row.lambda;
            // At a bound a row may be missed on its side.
            const bool lower = row.lambda <= row.lo && miss > 0, upper = row.lambda >= row.hi && miss < 0;
            if (!lower && !upper) largest = std::max(largest, std::fabs(miss));
        }
    }
    return largest;
}

bool RowBlocks::acts_on(int block, const ChosenBodies& chosen) const {
    const Block& own = blocks_[block];
    for (int r = own.begin; r < own.begin + own.count; ++r)
        for (int p = rows_[r].begin; p < rows_[r].begin + rows_[r].count; ++p)
            if (chosen.has(parts_[p].body)) return true;
    return false;
}

void RowBlocks::take_impulses(std::span<const int> blocks, std::span<const double> lambda) {
    std::size_t next = 0;
    for (const int b : blocks) {
        const Block& block = blocks_[b];
        for (int r = block.begin; r < block.begin + block.count; ++r, ++next)
            if (!block.asleep) rows_[r].lambda = lambda[next];
    }
}

void RowBlocks::correct(double rate, double slop, const BodyView& corrections) {
    for (const Block& block : blocks_) {
        if (block.asleep) continue;
        if (is_equality(block.kind)) {
            double x[max_rows];
            for (int k = 0; k < block.count; ++k) {
                const BodyRow& row = rows_[block.begin + k];
                x[k] = row.inverse > 0 ? velocity(row, corrections) + rate * row.error : 0;
            }
            cholesky_solve_n<double>(factors_.data() + block.factor, block.count, x);
            for (int k = 0; k < block.count; ++k) push(rows_[block.begin + k], -x[k], corrections);
            continue;
        }
        const bool limit = is_limit(block.kind);
        if (!limit && block.kind != RowKind::tracking) continue;
        for (int r = block.begin; r < block.begin + block.count; ++r) {
            BodyRow& row = rows_[r];
            const double miss = velocity(row, corrections) + rate * (limit ? row.error + slop : row.error);
            const double lo = limit ? 0.0 : row.lo - row.lambda, hi = limit ? HUGE_VAL : row.hi - row.lambda;
            const double next = std::clamp(row.correction - row.inverse * miss, lo, hi);
            push(row, next - row.correction, corrections);
            row.correction = next;
        }
    }
}

void RowBlocks::write(Rows& rows) const {
    for (std::size_t r = 0; r < rows_.size(); ++r) rows.rows[r].lambda = rows_[r].lambda;
}

double RowBlocks::largest_held_error() const {
    double largest = 0;
    for (const Block& block : blocks_)
        if (is_equality(block.kind))
            for (int r = block.begin; r < block.begin + block.count; ++r)
                largest = std::max(largest, std::fabs(rows_[r].error));
    return largest;
}

int RowBlocks::held_rows() const {
    int count = 0;
    for (const Block& block : blocks_) count += is_equality(block.kind) ? block.count : 0;
    return count;
}

double RowBlocks::stiffness() const {
    double largest = 0;
    for (const Block& block : blocks_) {
        if (block.asleep) continue;
        for (int r = block.begin; r < block.begin + block.count; ++r)
            if (const BodyRow& row = rows_[r]; row.compliance > 0)
                largest = std::max(largest, 1 / (row.inverse * row.compliance) - 1);
    }
    return largest;
}

}  // namespace lig::impulse
