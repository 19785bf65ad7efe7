#include "formulations/reduced/newton_impulses.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace lig {

namespace {

// Compliance beside the response of a row, for one turn of the outer iteration.
double softness = getenv("SOFT") ? atof(getenv("SOFT")) : 1e-3;
constexpr int most_iterations = 100, most_turns = 50, most_searches = 12;

}  // namespace

NewtonImpulses::NewtonImpulses(const JointFactor& factor) {
    for (std::size_t i = 0; i < factor.links.size(); ++i) {
        const JointFactor::Link& link = factor.links[i];
        if (link.parent < 0) trees_.push_back({link.v_adr, link.v_adr});
        trees_.back().v_end = link.v_adr + link.nv;
        tree_of_dof_.resize(static_cast<std::size_t>(link.v_adr + link.nv), static_cast<int>(trees_.size()) - 1);
    }
    const std::size_t nv = factor.dofs.size();
    local_.resize(nv);
    for (std::vector<double>* x : {&gradient_, &direction_, &packed_}) x->assign(nv, 0.0);
}

// λ of a block's rows from their velocities; sets its part.
void NewtonImpulses::evaluate(Block& block, const Rows& rows, const double* u, double* lambda) const {
    const Row* row = rows.rows.data() + block.begin;
    const double* R = compliance_.data() + block.begin;
    const double* before = before_.data() + block.begin;
    if (!block.cone) {
        block.part = Part::open;
        for (int r = 0; r < block.count; ++r) {
            const double y = before[r] - u[r] / R[r];
            lambda[r] = std::clamp(y, row[r].lo, row[r].hi);
            if (lambda[r] != 0) block.part = Part::sticks;
        }
        return;
    }
    const int k = block.count - 1;
    const double normal = before[0] - (u[0] + block.shift) / R[0];
    double squares = 0, y[5];
    for (int i = 0; i < k; ++i) {
        const double mu = row[1 + i].friction;
        y[i] = mu > 0 ? before[1 + i] / mu - mu * u[1 + i] / (R[0] * block.rho) : 0.0;
        squares += y[i] * y[i];
    }
    const double T = std::sqrt(squares);
    if (normal <= -block.rho * T || (normal <= 0 && T == 0)) {
        block.part = Part::open;
        std::fill(lambda, lambda + block.count, 0.0);
        return;
    }
    double scale = 1;
    lambda[0] = normal;
    block.part = Part::sticks;
    if (T > normal) {
        block.part = Part::slides;
        lambda[0] = (normal + block.rho * T) / (1 + block.rho);
        scale = lambda[0] / T;
        block.normal = lambda[0];
        block.length = T;
        for (int i = 0; i < k; ++i) block.e[i] = y[i] / T;
    }
    for (int i = 0; i < k; ++i) lambda[1 + i] = row[1 + i].friction * scale * y[i];
}

// The speed at which a sliding contact would open.
double NewtonImpulses::opening_speed(const Block& block, const Rows& rows) const {
    if (!block.cone) return 0;
    double squares = 0;
    for (int i = 1; i < block.count; ++i) {
        const double x = rows.rows[block.begin + i].friction * u_[block.begin + i];
        squares += x * x;
    }
    return std::sqrt(squares);
}

// duᵀ G du
double NewtonImpulses::curvature(const Block& block, const Rows& rows, const double*, const double* lambda,
                                 const double* du) const {
    if (block.part == Part::open) return 0;
    const Row* row = rows.rows.data() + block.begin;
    const double* R = compliance_.data() + block.begin;
    double sum = 0;
    if (!block.cone) {
        for (int r = 0; r < block.count; ++r)
            if (lambda[r] > row[r].lo && lambda[r] < row[r].hi) sum += du[r] * du[r] / R[r];
        return sum;
    }
    if (block.part == Part::sticks) {
        sum = du[0] * du[0] / R[0];
        for (int i = 1; i < block.count; ++i) {
            const double x = row[i].friction * du[i];
            sum += x * x / (R[0] * block.rho);
        }
        return sum;
    }
    double along = 0, squares = 0;
    for (int i = 1; i < block.count; ++i) {
        const double x = row[i].friction * du[i];
        along += block.e[i - 1] * x;
        squares += x * x;
    }
    const double g = du[0] + along;
    return g * g / (R[0] * (1 + block.rho)) +
           block.normal / (block.length * R[0] * block.rho) * (squares - along * along);
}

// H += factor · y yᵀ with y = Zᵀ weights.
void NewtonImpulses::add_outer(const ResponseBlock& block, const RowResponse& response, const double* weights,
                               double factor) {
    const int* support = response.support.data() + block.support_begin;
    const double* z = response.z.data() + block.z_begin;
    line_.resize(std::max<std::size_t>(line_.size(), block.support_count));
    for (int j = 0; j < block.support_count; ++j) {
        double sum = 0;
        for (int r = 0; r < block.rows; ++r) sum += weights[r] * z[block.width * j + r];
        line_[j] = sum;
    }
    for (int j = 0; j < block.support_count; ++j) {
        double* row = H_.row_at(local_[support[j]]);
        const double scaled = factor * line_[j];
        for (int i = 0; i <= j; ++i) row[local_[support[i]]] += scaled * line_[i];
    }
}

void NewtonImpulses::add_hessian(const Block& block, const Rows& rows, const RowResponse& response,
                                 const double* lambda) {
    if (block.part == Part::open) return;
    const ResponseBlock& z = response.blocks[block.index];
    const Row* row = rows.rows.data() + block.begin;
    const double* R = compliance_.data() + block.begin;
    double weights[6] = {};
    const auto add_row = [&](int r, double weight, double factor) {
        weights[r] = weight;
        add_outer(z, response, weights, factor);
        weights[r] = 0;
    };
    if (!block.cone) {
        for (int r = 0; r < block.count; ++r)
            if (lambda[r] > row[r].lo && lambda[r] < row[r].hi) add_row(r, 1, 1 / R[r]);
        return;
    }
    if (block.part == Part::sticks) {
        add_row(0, 1, 1 / R[0]);
        for (int i = 1; i < block.count; ++i)
            if (row[i].friction > 0) add_row(i, row[i].friction, 1 / (R[0] * block.rho));
        return;
    }
    const double across = block.normal / (block.length * R[0] * block.rho);
    if (block.count == 3) {
        weights[1] = -row[1].friction * block.e[1];
        weights[2] = row[2].friction * block.e[0];
        add_outer(z, response, weights, across);
    } else {
        for (int i = 1; i < block.count; ++i)
            if (row[i].friction > 0) add_row(i, row[i].friction, across);
        for (int i = 1; i < block.count; ++i) weights[i] = row[i].friction * block.e[i - 1];
        add_outer(z, response, weights, -across);
    }
    weights[0] = 1;
    for (int i = 1; i < block.count; ++i) weights[i] = row[i].friction * block.e[i - 1];
    add_outer(z, response, weights, 1 / (R[0] * (1 + block.rho)));
}

NewtonResult NewtonImpulses::solve(const Rows& rows, const RowResponse& response, std::span<const int> which,
                                   std::span<const int> trees, std::span<const double> b,
                                   std::span<const double> s_free, double accuracy,
                                   std::span<double> lambda, std::span<double> s) {
    NewtonResult result;
    const std::size_t n_rows = rows.rows.size();
    for (std::vector<double>* x : {&u_, &du_, &before_, &compliance_}) x->resize(n_rows);

    // The last freedom comes first, so that supports rise.
    int n = 0;
    for (std::size_t t = trees.size(); t-- > 0;)
        for (int dof = trees_[trees[t]].v_end - 1; dof >= trees_[trees[t]].v_begin; --dof) local_[dof] = n++;
    const auto for_each_dof = [&](auto&& f) {
        for (const int t : trees)
            for (int dof = trees_[t].v_begin; dof < trees_[t].v_end; ++dof) f(dof);
    };

    blocks_.clear();
    for (const int index : which) {
        const RowBlock& block = rows.blocks[index];
        const ResponseBlock& z = response.blocks[index];
        Block own{};
        own.index = index;
        own.begin = block.begin;
        own.count = block.count;
        own.cone = block.kind == RowKind::contact && block.count > 1;
        double own_response[6] = {};
        for (int j = 0; j < z.support_count; ++j)
            for (int r = 0; r < block.count; ++r) {
                const double entry = response.z[z.z_begin + static_cast<std::size_t>(z.width * j + r)];
                own_response[r] += entry * entry;
            }
        for (int r = 0; r < block.count; ++r)
            compliance_[block.begin + r] =
                rows.rows[block.begin + r].compliance + softness * own_response[r] + 1e-300;
        if (own.cone) {
            double largest = 0;
            for (int r = 1; r < block.count; ++r)
                if (r <= 2 || largest == 0) largest = std::max(largest, rows.rows[block.begin + r].friction);
            own.rho = largest * largest;
        }
        blocks_.push_back(own);
    }

    const auto velocities = [&](std::span<const double> x, std::vector<double>& out, bool with_b) {
        for (const Block& block : blocks_) {
            const ResponseBlock& z = response.blocks[block.index];
            double sum[6] = {};
            for (int j = 0; j < z.support_count; ++j) {
                const double entry = x[response.support[z.support_begin + j]];
                for (int r = 0; r < block.count; ++r)
                    sum[r] += response.z[z.z_begin + static_cast<std::size_t>(z.width * j + r)] * entry;
            }
            for (int r = 0; r < block.count; ++r)
                out[block.begin + r] = sum[r] + (with_b ? b[block.begin + r] : 0.0);
        }
    };
    const auto apply = [&](const double* impulses, std::vector<double>& x) {
        for (const Block& block : blocks_) {
            const ResponseBlock& z = response.blocks[block.index];
            for (int j = 0; j < z.support_count; ++j) {
                double sum = 0;
                for (int r = 0; r < block.count; ++r)
                    sum += response.z[z.z_begin + static_cast<std::size_t>(z.width * j + r)] *
                           impulses[block.begin + r];
                x[response.support[z.support_begin + j]] += sum;
            }
        }
    };

    // From the guess.
    for_each_dof([&](int dof) { direction_[dof] = 0; });
    apply(lambda.data(), direction_);
    double size = 0;
    for_each_dof([&](int dof) {
        s[dof] = s_free[dof] + direction_[dof];
        size += s_free[dof] * s_free[dof];
    });
    velocities(s, u_, true);
    for (Block& block : blocks_) {
        for (int r = block.begin; r < block.begin + block.count; ++r) before_[r] = lambda[r];
        block.shift = opening_speed(block, rows);
    }

    for (; result.iterations < most_iterations; ++result.iterations) {
        double residual = 0, scale = 0;
        for (;;) {
            for (Block& block : blocks_) evaluate(block, rows, &u_[block.begin], &lambda[block.begin]);
            for_each_dof([&](int dof) { gradient_[dof] = 0; });
            apply(lambda.data(), gradient_);
            residual = 0;
            scale = size;
            for_each_dof([&](int dof) {
                scale = std::max(scale, gradient_[dof] * gradient_[dof]);
                gradient_[dof] = s[dof] - s_free[dof] - gradient_[dof];
                residual += gradient_[dof] * gradient_[dof];
            });
            if (residual > 1e-18 * scale) break;
            // This problem is solved; what is left is the compliance.
            double missed = 0;
            for (Block& block : blocks_) {
                for (int r = block.begin; r < block.begin + block.count; ++r) {
                    missed = std::max(missed, compliance_[r] * std::fabs(lambda[r] - before_[r]));
                    before_[r] = lambda[r];
                }
                if (!block.cone) continue;
                const double shift = opening_speed(block, rows);
                missed = std::max(missed, std::fabs(shift - block.shift));
                block.shift = shift;
            }
            if (getenv("DBG")) fprintf(stderr, "  outer missed %.3e\n", missed);
            ++result.outer;
            if (missed <= accuracy) {
                result.converged = true;
                break;
            }
            if (result.outer >= most_turns) break;
        }
        if (result.converged || result.outer >= most_turns) break;

        H_.begin(n);
        for (const Block& block : blocks_) {
            if (block.part == Part::open) continue;
            const ResponseBlock& z = response.blocks[block.index];
            if (z.support_count == 0) continue;
            const int* support = response.support.data() + z.support_begin;
            const int first = local_[support[0]];
            for (int j = 0; j < z.support_count; ++j) H_.lower(local_[support[j]], first);
        }
        H_.layout();
        for (int i = 0; i < n; ++i) H_.row_at(i)[i] = 1;
        for (const Block& block : blocks_) add_hessian(block, rows, response, &lambda[block.begin]);
        if (!H_.factor()) break;
        for_each_dof([&](int dof) { packed_[local_[dof]] = -gradient_[dof]; });
        H_.solve(packed_.data());
        for_each_dof([&](int dof) { direction_[dof] = packed_[local_[dof]]; });
        velocities(direction_, du_, false);

        // Search along the direction for the root of the slope, which rises.
        double start = 0, square = 0;
        for_each_dof([&](int dof) {
            start += direction_[dof] * (s[dof] - s_free[dof]);
            square += direction_[dof] * direction_[dof];
        });
        double alpha = 1, low = 0, high = 0, first_slope = 0;
        for (const Block& block : blocks_)
            for (int r = block.begin; r < block.begin + block.count; ++r) first_slope -= lambda[r] * du_[r];
        first_slope += start;
        for (int search = 0; search < most_searches; ++search) {
            double slope = start + alpha * square, bend = square;
            for (Block& block : blocks_) {
                double u[6], impulse[6];
                for (int r = 0; r < block.count; ++r)
                    u[r] = u_[block.begin + r] + alpha * du_[block.begin + r];
                evaluate(block, rows, u, impulse);
                for (int r = 0; r < block.count; ++r) slope -= impulse[r] * du_[block.begin + r];
                bend += curvature(block, rows, u, impulse, &du_[block.begin]);
            }
            if (std::fabs(slope) <= 0.01 * std::fabs(first_slope)) break;
            if (slope < 0)
                low = alpha;
            else
                high = alpha;
            double next = alpha - slope / bend;
            if (!(next > low) || (high > 0 && !(next < high))) next = high > 0 ? 0.5 * (low + high) : 2 * alpha;
            alpha = next;
        }
        if (getenv("DBG")) { int o=0,st=0,sl=0; for (auto& bl: blocks_) (bl.part==Part::open?o:bl.part==Part::sticks?st:sl)++; fprintf(stderr,"  it %d res %.3e scale %.3e shiftch %.3e alpha %.4g slope0 %.3e o %d st %d sl %d\n",result.iterations,residual,scale,0.0,alpha,first_slope,o,st,sl);}
        for_each_dof([&](int dof) { s[dof] += alpha * direction_[dof]; });
        velocities(s, u_, true);
    }
    if (getenv("DBG")) fprintf(stderr,"end %d %d rows %zu\n",result.iterations,result.converged,n_rows);
    // s is that of the impulses, exactly.
    for_each_dof([&](int dof) { direction_[dof] = 0; });
    apply(lambda.data(), direction_);
    for_each_dof([&](int dof) { s[dof] = s_free[dof] + direction_[dof]; });
    return result;
}

}  // namespace lig
