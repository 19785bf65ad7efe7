#pragma once

// Random problems for solvers of impulses: a mechanism that moves, rows of every sort on it, the factor and
// the response as a step would have them, and the same problem as dense matrices.

#include "formulations/rows/islands.h"
#include "formulations/rows/newton_impulses.h"
#include "formulations/rows/row_response.h"
#include "formulations/rows/sweeps.h"
#include "support/dense_rows.h"
#include "support/lcp_problems.h"
#include "support/random_scene.h"

#include <doctest/doctest.h>

#include <memory>
#include <numeric>
#include <vector>

namespace lig::test {

struct ImpulseKind {
    int bodies = 6;
    double chain = 0.3;
    bool free_bodies = false;  // each by itself in place of trees of all joints
    int contacts = 8;  // groups of points with a common normal
    int points = 1;  // in each: 4 depend on each other
    int condim = 3;  // 0: at random
    double largest_mu = 1;
    double gaps = 0.5;  // probability that a contact is still open
    int bounded = 0;  // rows with finite bounds on freedoms, dry friction
    int one_sided = 0;  // limits
    int equalities = 0;  // loops of three rows
    int soft = 0;  // rows with compliance and bounds
    double decades = 0;  // masses from 10^-decades to 10^decades
};

class ImpulseProblem {
public:
    ImpulseProblem(Random& random, const ImpulseKind& kind)
        : model_(compile(make_scene(random, kind))), ws_(model_), factor_(*model_), islands_(factor_) {
        forward_kinematics(random_state(random, *model_), ws_);
        REQUIRE(factor_.factor(ws_) == -1);
        for (int k = 0; k < kind.contacts; ++k) add_contacts(random, kind);
        for (int k = 0; k < kind.equalities; ++k) add_loop(random);
        for (int k = 0; k < kind.bounded; ++k) {
            Row& row = add_entry_row(random, RowKind::friction_loss);
            row.hi = random.uniform(0, 0.3);
            row.lo = -row.hi;
        }
        for (int k = 0; k < kind.one_sided; ++k)
            add_entry_row(random, RowKind::limit).bias = std::max(0.0, random.uniform(-0.5, 0.5));
        for (int k = 0; k < kind.soft; ++k) {
            Row& row = add_entry_row(random, RowKind::drive);
            row.bias = random.uniform(-1, 1);
            row.compliance = std::pow(10, random.uniform(-3, 1));
            row.hi = random.uniform(0, 1) < 0.5 ? unbounded : 0.2;
            row.lo = -row.hi;
        }
        // Whatever the mechanism does before: velocities of order 1 and what they are in these coordinates.
        s_free = random_numbers(random, model_->nv, 1);
        finish();
    }

    // After rows have been changed.
    void finish() {
        response.clear();
        b.clear();
        lambda.assign(rows.rows.size(), 0.0);
        for (const RowBlock& block : rows.blocks) response.add(rows, block, factor_);
        for (const Row& row : rows.rows) b.push_back(row.bias);
        islands_.find(rows, factor_);
        s = s_free;
        all_.resize(rows.blocks.size());
        std::iota(all_.begin(), all_.end(), 0);
        all_trees_.resize(islands_.all_trees().size());
        std::iota(all_trees_.begin(), all_trees_.end(), 0);
    }

    int nv() const { return model_->nv; }
    const JointFactor& factor() const { return factor_; }

    NewtonResult solve_by_newton(double accuracy) {
        NewtonImpulses newton(islands_.all_trees(), nv());
        return newton.solve({rows, response, all_, all_trees_, b, s_free}, accuracy, lambda, s);
    }
    SweepResult solve_by_sweeps(double accuracy, int limit) {
        Sweeps sweeps;
        sweeps.begin(rows, response);
        sweeps.prepare(all_);
        s = s_free;
        response.apply(rows, lambda, s);
        return sweeps.run(all_, b, accuracy, limit, lambda, s);
    }

    // A = Z Zᵀ + compliance, b + Z s_free.
    OwnedLcp dense() const {
        const int n = static_cast<int>(rows.rows.size());
        OwnedLcp lcp(n);
        std::vector<std::vector<double>> z;
        for (std::size_t k = 0; k < rows.blocks.size(); ++k)
            for (int r = 0; r < rows.blocks[k].count; ++r) z.push_back(spread(k, r));
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) lcp.at(i, j) = dot_of(z[i], z[j]);
            lcp.at(i, i) += rows.rows[i].compliance;
            lcp.b[i] = b[i] + dot_of(z[i], s_free);
            lcp.lo[i] = rows.rows[i].lo;
            lcp.hi[i] = rows.rows[i].hi;
            lcp.mu[i] = rows.rows[i].friction;
        }
        for (const RowBlock& block : rows.blocks)
            for (int r = 1; block.kind == RowKind::contact && r < block.count; ++r)
                lcp.partner[block.begin + r] = block.begin;
        return lcp;
    }
    // By which velocity rows are missed, under Coulomb's law.
    double missed() const { return violation(dense(), LcpFriction::cone, lambda, false); }

    // s_free + Zᵀ λ
    std::vector<double> velocities_of(const std::vector<double>& impulses) const {
        std::vector<double> out = s_free;
        int row = 0;
        for (std::size_t k = 0; k < rows.blocks.size(); ++k)
            for (int r = 0; r < rows.blocks[k].count; ++r, ++row) {
                const std::vector<double> z = spread(k, r);
                for (int d = 0; d < nv(); ++d) out[d] += impulses[row] * z[d];
            }
        return out;
    }
    // What s and λ have to do with each other.
    double inconsistency() const { return largest_difference(s, velocities_of(lambda)); }
    // Kinetic energy gained: s is the velocity in coordinates of unit inertia.
    double work() const { return 0.5 * (dot_of(s, s) - dot_of(s_free, s_free)); }

    // Of the first link: its centre of mass from the link's origin, and what an impulse there does.
    double mass() const { return model_->tree.links[0].inertia.mass; }
    Vec3d center_of_mass() const { return lig::center_of_mass(ws_) - ws_.poses[0].X_WL.p; }
    std::vector<double> response_to(const Vec3d& impulse) {
        std::vector<Force<double>> on_links(factor_.links.size(), Force<double>::zero());
        on_links[0] = {cross(center_of_mass(), impulse), impulse};
        std::vector<double> out(nv(), 0.0);
        factor_.inward(out, on_links);
        return out;
    }
    Vec3d velocity_of_center() {
        std::vector<double> v(nv());
        factor_.outward(s, v);
        return shift(factor_.link_motion(0), center_of_mass()).lin;
    }

    Rows rows;
    RowResponse response;
    std::vector<double> s_free, s, b, lambda;

private:
    static Scene make_scene(Random& random, const ImpulseKind& kind) {
        Scene scene;
        if (kind.free_bodies)
            for (int k = 0; k < kind.bodies; ++k) {
                const BodyId body = scene.add_body(world, {.name = "b" + std::to_string(k),
                                                           .pose = {.pos = random_vec(random, 1)},
                                                           .inertial = random_inertial(random)});
                scene.add_joint(body, {.type = JointType::free});
            }
        else
            scene = random_scene(random, {.bodies = kind.bodies, .chain = kind.chain});
        for (int k = 1; k < static_cast<int>(scene.bodies().size()); ++k) {
            const double factor = std::pow(10, random.uniform(-kind.decades, kind.decades));
            InertialSpec& inertial = *scene.body({k}).inertial;
            inertial.mass *= factor;
            inertial.inertia = factor * inertial.inertia;
        }
        return scene;
    }
    std::vector<double> spread(std::size_t block, int row) const {
        const ResponseBlock& own = response.blocks[block];
        std::vector<double> out(nv(), 0.0);
        for (int j = 0; j < own.support_count; ++j)
            out[response.support[own.support_begin + j]] =
                response.z[own.z_begin + static_cast<std::size_t>(own.width * j + row)];
        return out;
    }
    void add_contacts(Random& random, const ImpulseKind& kind) {
        const int links = static_cast<int>(factor_.links.size());
        const int a = random_index(random, links);
        int other = random_index(random, links + links / 2 + 1);  // a third of them on the world
        if (other >= links || other == a) other = -1;
        const Vec3d center = ws_.poses[a].X_WL.p + random_vec(random, 0.3);
        const Mat3d R = rotation_matrix(random_rotation(random));
        const int condims[] = {1, 3, 4, 6};
        const int condim = kind.condim > 0 ? kind.condim : condims[random_index(random, 4)];
        const double mu = random.uniform(0, kind.largest_mu);
        const double friction[] = {mu, mu, 0.1 * mu, 0.05 * mu, 0.05 * mu};
        const double gap = random.uniform(0, 1) < kind.gaps ? random.uniform(0, 0.5) : 0;
        for (int k = 0; k < kind.points; ++k) {
            const Vec3d p = center + (k & 1 ? 0.2 : -0.2) * R.y + (k & 2 ? 0.3 : -0.3) * R.z;
            const Vec3d arm_a = p - ws_.poses[a].X_WL.p;
            const Vec3d arm_b = other >= 0 ? p - ws_.poses[other].X_WL.p : p;
            rows.begin_block(RowKind::contact, 0, a, other);
            const Vec3d axes[] = {R.x, R.y, R.z, R.x, R.y, R.z};
            for (int r = 0; r < condim; ++r) {
                Row& row = rows.add_row();
                const Vec3d& n = axes[r];
                row.on_a = r < 3 ? Force<double>{-cross(arm_a, n), -n} : Force<double>{-n, Vec3d::zero()};
                row.on_b = r < 3 ? Force<double>{cross(arm_b, n), n} : Force<double>{n, Vec3d::zero()};
                if (r == 0) row.bias = gap;
                if (r > 0) row.friction = friction[r - 1];
            }
        }
    }
    void add_loop(Random& random) {
        const int links = static_cast<int>(factor_.links.size());
        rows.begin_block(RowKind::loop, 0, random_index(random, links), random_index(random, links));
        for (int r = 0; r < 3; ++r) {
            Row& row = rows.add_row();
            row.on_a = {random_vec(random, 0.3), random_vec(random, 1)};
            row.on_b = {random_vec(random, 0.3), random_vec(random, 1)};
            row.lo = -unbounded;
        }
    }
    Row& add_entry_row(Random& random, RowKind row_kind) {
        rows.begin_block(row_kind, 0);
        rows.add_row();
        rows.add_entry(random_index(random, nv()), random.uniform(0, 1) < 0.5 ? 1 : -1);
        return rows.rows.back();
    }

    std::shared_ptr<const Model> model_;
    Workspace<double> ws_;
    JointFactor factor_;
    Islands islands_;
    std::vector<int> all_, all_trees_;
};

}  // namespace lig::test
