#include "formulations/impacts.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

constexpr double accuracy = 1e-10;      // m/s, rad/s
constexpr double negligible = 1e-6;     // of the first approach: what is left then does not bounce
constexpr double min_approach = 1e-9; // m/s, rad/s
constexpr int max_rounds = 50;         // per block
// Impacts that would leave slower than this do not bounce; m/s.
constexpr double min_bounce = 1e-6;

}  // namespace

bool Impacts::is_struck(const Job& job, int block) const {
    const RowKind kind = job.scene.rows.blocks[block].kind;
    return kind == RowKind::contact || is_limit(kind);
}

double Impacts::approach_of(const Job& job, int block) const {
    return job.scene.rate[job.scene.rows.blocks[block].begin] +
           job.scene.solver.change_of(static_cast<std::size_t>(block), job.s);
}

// What is added to a normal velocity that is to leave, by the block's restitution.
double Impacts::bounce_of(const Job& job, int block) const {
    const double bounce = job.scene.restitution[block] * approach_of(job, block);
    return bounce < -min_bounce ? bounce : 0;
}

// Everything that is left of the approaches at once.
double Impacts::together(const Job& job, bool bounces) {
    const Scene& scene = job.scene;
    b_.assign(scene.rate.begin(), scene.rate.end());
    lambda_.assign(b_.size(), 0.0);
    double missed = 0;
    for (int island = 0; island < scene.solver.island_count(); ++island) {
        partners_.clear();
        for (const int k : scene.solver.island_blocks(island)) {
            if (is_struck(job, k) || (k >= scene.held_begin && k < scene.held_end)) partners_.push_back(k);
            if (bounces && is_struck(job, k)) b_[scene.rows.blocks[k].begin] += bounce_of(job, k);
        }
        if (partners_.empty()) continue;
        s_free_.assign(job.s.begin(), job.s.end());
        const ImpulseSolver::Request request{b_, s_free_, accuracy, ImpulseSolver::Effort::most};
        missed = std::max(
            missed, scene.solver.solve_some(island, partners_, request, lambda_, job.s, job.report));
    }
    for (std::size_t r = 0; r < total_.size(); ++r) total_[r] += lambda_[r];
    return missed;
}

void Impacts::find_partners(const Job& job, std::span<const int> island, int block) {
    const Scene& scene = job.scene;
    const RowBlock& own = scene.rows.blocks[block];
    partners_.clear();
    for (const int k : island) {
        const RowBlock& other = scene.rows.blocks[k];
        const bool same = other.kind == own.kind &&
                          (own.kind == RowKind::contact
                               ? other.link_a == own.link_a && other.link_b == own.link_b
                               : other.source == own.source);
        if (same || (k >= scene.held_begin && k < scene.held_end)) partners_.push_back(k);
    }
}

double Impacts::one_by_one(const Job& job) {
    const Scene& scene = job.scene;
    b_.assign(scene.rate.begin(), scene.rate.end());
    for (int island = 0; island < scene.solver.island_count(); ++island) {
        const std::span<const int> blocks = scene.solver.island_blocks(island);
        double first = 0;
        const int most = max_rounds * static_cast<int>(blocks.size());
        for (int round = 0; round < most; ++round) {
            int fastest = -1;
            double approach = -min_approach;
            for (const int k : blocks) {
                if (!is_struck(job, k)) continue;
                if (const double own = approach_of(job, k); own < approach) {
                    fastest = k;
                    approach = own;
                }
            }
            first = std::min(first, approach);
            if (fastest < 0 || approach > negligible * first) break;
            find_partners(job, blocks, fastest);
            for (const int k : partners_) {
                const RowBlock& partner = scene.rows.blocks[k];
                for (int r = partner.begin; r < partner.begin + partner.count; ++r) {
                    b_[r] = scene.rate[r];
                    lambda_[r] = 0;
                }
                if (is_struck(job, k)) b_[partner.begin] += bounce_of(job, k);
            }
            s_free_.assign(job.s.begin(), job.s.end());
            scene.solver.solve_some(island, partners_, {b_, s_free_, accuracy, ImpulseSolver::Effort::most},
                                    lambda_, job.s, job.report);
            for (const int k : partners_) {
                const RowBlock& partner = scene.rows.blocks[k];
                for (int r = partner.begin; r < partner.begin + partner.count; ++r) total_[r] += lambda_[r];
            }
        }
    }
    return together(job, false);
}

double Impacts::resolve(const Scene& scene, std::span<double> s, StepReport& report) {
    const Job job{scene, s, report};
    lambda_.assign(scene.rate.size(), 0.0);
    total_.assign(scene.rate.size(), 0.0);
    bool bounces = false;
    for (int k = 0; k < static_cast<int>(scene.rows.blocks.size()); ++k)
        bounces = bounces || (is_struck(job, k) && bounce_of(job, k) < 0);
    const bool in_turn = options_.impact == ImpactLaw::sequential ||
                         (options_.impact == ImpactLaw::automatic && bounces);
    return in_turn ? one_by_one(job) : together(job, true);
}

}  // namespace lig
