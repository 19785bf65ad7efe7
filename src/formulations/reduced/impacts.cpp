#include "formulations/reduced/impacts.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr double accuracy = 1e-10;      // m/s, rad/s
constexpr double negligible = 1e-6;     // of the first approach: what is left then does not bounce
constexpr double least_approach = 1e-9; // m/s, rad/s
constexpr int most_rounds = 50;         // per block
// Impacts that would leave slower than this do not bounce; m/s.
constexpr double least_bounce = 1e-6;

}  // namespace

double Impacts::approach_of(const Job& job, int block) const {
    return job.rate[job.rows.blocks[block].begin] + job.solver.change_of(static_cast<std::size_t>(block), s_);
}

// What is added to a normal velocity that is to leave, by the block's restitution.
double Impacts::bounce_of(const Job& job, int block) const {
    const double bounce = job.restitution[block] * approach_of(job, block);
    return bounce < -least_bounce ? bounce : 0;
}

// Everything that is left of the approaches at once, from the impulses so far (s_).
double Impacts::together(const Job& job, bool bounces) {
    b_.assign(job.rate.begin(), job.rate.end());
    if (bounces)
        for (int k = job.one_sided; k < static_cast<int>(job.rows.blocks.size()); ++k)
            b_[job.rows.blocks[k].begin] += bounce_of(job, k);
    s_free_ = s_;
    lambda_.assign(b_.size(), 0.0);
    const double missed = job.solver.solve({b_, s_free_, accuracy, RowSolver::Effort::most}, lambda_, s_,
                                           job.report);
    for (std::size_t r = 0; r < total_.size(); ++r) total_[r] += lambda_[r];
    return missed;
}

void Impacts::find_partners(const Job& job, std::span<const int> island, int block) {
    const RowBlock& own = job.rows.blocks[block];
    partners_.clear();
    for (const int k : island) {
        const RowBlock& other = job.rows.blocks[k];
        const bool same = other.kind == own.kind &&
                          (own.kind == RowKind::contact
                               ? other.link_a == own.link_a && other.link_b == own.link_b
                               : other.source == own.source);
        if (k < job.one_sided || same) partners_.push_back(k);
    }
}

double Impacts::one_by_one(const Job& job) {
    const Islands& islands = job.solver.islands();
    b_.assign(job.rate.begin(), job.rate.end());
    s_free_ = s_;
    for (int island = 0; island < islands.count(); ++island) {
        const std::span<const int> blocks = islands.blocks(island);
        double first = 0;
        const int most = most_rounds * static_cast<int>(blocks.size());
        for (int round = 0; round < most; ++round) {
            int fastest = -1;
            double approach = -least_approach;
            for (const int k : blocks) {
                if (k < job.one_sided) continue;
                if (const double own = approach_of(job, k); own < approach) {
                    fastest = k;
                    approach = own;
                }
            }
            first = std::min(first, approach);
            if (fastest < 0 || approach > negligible * first) break;
            find_partners(job, blocks, fastest);
            for (const int k : partners_) {
                const RowBlock& partner = job.rows.blocks[k];
                for (int r = partner.begin; r < partner.begin + partner.count; ++r) {
                    b_[r] = job.rate[r];
                    lambda_[r] = 0;
                }
                if (k >= job.one_sided) b_[partner.begin] += bounce_of(job, k);
            }
            s_free_ = s_;
            job.solver.solve_some(island, partners_, {b_, s_free_, accuracy, RowSolver::Effort::most}, lambda_,
                                  s_, job.report);
            for (const int k : partners_) {
                const RowBlock& partner = job.rows.blocks[k];
                for (int r = partner.begin; r < partner.begin + partner.count; ++r) total_[r] += lambda_[r];
            }
        }
    }
    return together(job, false);
}

double Impacts::resolve(const Rows& rows, int one_sided, std::span<const double> rate,
                        std::span<const double> restitution, RowSolver& solver, JointFactor& factor,
                        std::span<double> v, StepReport& report) {
    const Job job{rows, one_sided, rate, restitution, solver, report};
    std::fill(s_.begin(), s_.end(), 0.0);
    lambda_.assign(rate.size(), 0.0);
    total_.assign(rate.size(), 0.0);
    bool bounces = false;
    for (std::size_t k = static_cast<std::size_t>(one_sided); k < rows.blocks.size(); ++k)
        bounces = bounces || bounce_of(job, static_cast<int>(k)) < 0;
    const bool in_turn = options_.impact == ImpactLaw::sequential ||
                         (options_.impact == ImpactLaw::automatic && bounces);
    const double missed = in_turn ? one_by_one(job) : together(job, true);
    change_.resize(v.size());
    factor.outward(s_, change_);
    for (std::size_t k = 0; k < v.size(); ++k) v[k] += change_[k];
    return missed;
}

}  // namespace lig
