#include "formulations/impulse/joint_blocks.h"

#include "formulations/impulse/pack_filling.h"
#include "formulations/maximal/link_joint.h"
#include "linalg/small_dense.h"

#include <algorithm>
#include <cmath>

namespace lig::impulse {

namespace {

// A body about its centre of mass, which nothing accelerates.
struct BodyMotion {
    Vec3d x, v;
    const Spin& spin;
    Vec3d velocity_at(const Vec3d& p) const { return v + cross(spin.w, p - x); }
    Vec3d acceleration_at(const Vec3d& p) const { return spin.bend(p - x); }
};

BodyMotion motion_of(const MovingBodies& bodies, const Bend& bend, int body) {
    return {bodies.places[body].x, bend.u[body].v, bend.spins[body]};
}

// V_FM and A_FM of maximal/link_joint.h.
Motion<double> relative_velocity(const BodyMotion& a, const BodyMotion& b, const Mat3d& R_WF,
                                 const Vec3d& p) {
    return rotate(transpose(R_WF), Motion<double>{b.spin.w - a.spin.w, b.velocity_at(p) - a.velocity_at(p)});
}
Motion<double> relative_acceleration(const BodyMotion& a, const BodyMotion& b, const Mat3d& R_WF,
                                     const Vec3d& p) {
    const Vec3d u = b.velocity_at(p) - a.velocity_at(p);
    return rotate(transpose(R_WF), Motion<double>{b.spin.change - a.spin.change - cross(a.spin.w, b.spin.w),
                                                  b.acceleration_at(p) - a.acceleration_at(p) -
                                                      2 * cross(a.spin.w, u)});
}

LIG_INLINE Vec3d scaled(const Vec3d& by, const Vec3d& v) { return {by.x * v.x, by.y * v.y, by.z * v.z}; }

}  // namespace

void JointBlocks::follow_sleep(const MovingBodies& bodies) {
    find_awake_runs(static_cast<int>(points_.size()), point_runs_,
                    [&](int k) { return pack_sleeps(points_[k].bodies, bodies); });
    find_awake_runs(static_cast<int>(hinges_.size()), hinge_runs_,
                    [&](int k) { return pack_sleeps(hinges_[k].point.bodies, bodies); });
    for_each_list([&](auto& list) {
        for (auto& joint : list) joint.asleep = bodies.is_asleep(joint.b);
    });
    std::size_t k = 0;
    for_each_impulse([&](double& x, int b) {
        const bool asleep = bodies.is_asleep(b);
        if (asleep && !is_kept_[k]) {
            kept_[k] = x;
            x = 0;
        } else if (!asleep && is_kept_[k]) {
            x = kept_[k];
        }
        is_kept_[k++] = asleep;
    });
}

template <int N>
void JointBlocks::prepare_rows(const MovingBodies& bodies, const Bend& bend, double* q, RowJoint<N>& joint) {
    const Tree<double>& tree = bodies.model().tree;
    const TreeLink<double>& link = tree.links[joint.link];
    const Transformd X_WP = bodies.link_pose(link.parent), X_WL = bodies.link_pose(joint.link);
    const Transformd X_WF = X_WP * tree.joints[link.joint_begin].X_PF;
    maximal::JointRows rows;
    Motion<double> velocity = Motion<double>::zero(), acceleration = velocity;
    double time = 0;
    if (bend.half != 0) {
        const BodyMotion a = motion_of(bodies, bend, joint.a), b = motion_of(bodies, bend, joint.b);
        velocity = relative_velocity(a, b, X_WF.R, X_WL.p);
        acceleration = relative_acceleration(a, b, X_WF.R, X_WL.p);
        time = bend.half * std::min(a.spin.followed, b.spin.followed);
    }
    maximal::find_rows(tree, joint.link, X_WF.inverse() * X_WL, velocity, q, rows);
    const Inertia &a = bodies.inertias[joint.a], &b = bodies.inertias[joint.b];
    const Vec3d arm_a = X_WL.p - bodies.places[joint.a].x, arm_b = X_WL.p - bodies.places[joint.b].x;
    Vec3d by_lin[N], by_a[N], by_b[N];
    for (int k = 0; k < N; ++k) {
        const Vec3d ang = X_WF.R * rows.G[k].ang, lin = X_WF.R * rows.G[k].lin;
        joint.lin[k] = lin;
        joint.ang_b[k] = ang + cross(arm_b, lin);
        joint.ang_a[k] = -ang - cross(arm_a, lin);
        joint.error[k] = rows.C[k];
        joint.bend[k] = time == 0 ? 0 : time * (dot(acceleration, rows.G[k]) + rows.rate[k]);
        by_lin[k] = scaled(a.inv_mass + b.inv_mass, lin);
        by_a[k] = a.inv_inertia * joint.ang_a[k];
        by_b[k] = b.inv_inertia * joint.ang_b[k];
        for (int j = 0; j <= k; ++j)
            joint.factor[k * N + j] = dot(joint.lin[j], by_lin[k]) + dot(joint.ang_a[j], by_a[k]) +
                                      dot(joint.ang_b[j], by_b[k]);
    }
    cholesky<N>(joint.factor);
}

double JointBlocks::prepare(MovingBodies& bodies, bool warm, const Bend& bend, double* q) {
    const ImpulseKernels& kernels = impulse_kernels();
    const Place* places = bodies.places.data();
    const Inertia* inertias = bodies.inertias.data();
    Velocity* u = bodies.velocities.data();
    double largest = 0;
    for (const PackRun& run : point_runs_)
        largest = std::max(
            largest, kernels.prepare_points(&points_[run.begin], run.count, places, inertias, warm, bend, u));
    for (const PackRun& run : hinge_runs_)
        largest = std::max(
            largest, kernels.prepare_hinges(&hinges_[run.begin], run.count, places, inertias, warm, bend, u));
    for_each_list([&]<int N>(std::vector<RowJoint<N>>& list) {
        for (RowJoint<N>& joint : list) {
            if (joint.asleep) continue;
            prepare_rows(bodies, bend, q, joint);
            for (const double error : joint.error) largest = std::max(largest, std::fabs(error));
            if (!warm) continue;
            Vec3d lin = Vec3d::zero(), ang_a = lin, ang_b = lin;
            for (int k = 0; k < N; ++k) {
                lin += joint.impulse[k] * joint.lin[k];
                ang_a += joint.impulse[k] * joint.ang_a[k];
                ang_b += joint.impulse[k] * joint.ang_b[k];
            }
            bodies.moving().push(joint.b, lin, ang_b);
            bodies.moving().push(joint.a, -lin, ang_a);
        }
    });
    return largest;
}

namespace {

// Removes what a block misses: `change` gives the impulses for that.
template <int N, class Change>
LIG_INLINE double push(const RowJoint<N>& joint, double bias, double bend, const BodyView& bodies,
                       Change&& change) {
    const Velocity &a = bodies.u[joint.a], &b = bodies.u[joint.b];
    const Vec3d between = b.v - a.v;
    double x[N], largest = 0;
    for (int k = 0; k < N; ++k) {
        x[k] = dot(joint.lin[k], between) + dot(joint.ang_a[k], a.w) + dot(joint.ang_b[k], b.w) +
               bias * joint.error[k] + bend * joint.bend[k];
        largest = std::max(largest, std::fabs(x[k]));
    }
    cholesky_solve<N>(joint.factor, x);
    Vec3d lin = Vec3d::zero(), ang_a = lin, ang_b = lin;
    for (int k = 0; k < N; ++k) {
        const double impulse = change(k, -x[k]);
        lin += impulse * joint.lin[k];
        ang_a += impulse * joint.ang_a[k];
        ang_b += impulse * joint.ang_b[k];
    }
    bodies.push(joint.b, lin, ang_b);
    bodies.push(joint.a, -lin, ang_a);
    return largest;
}

// Calls f(begin, count) for the awake packs within a range.
template <class F>
LIG_INLINE void for_each_run(std::span<const PackRun> runs, const PackRun& within, F&& f) {
    for (const PackRun& run : runs) {
        const int begin = std::max(run.begin, within.begin);
        const int end = std::min(run.begin + run.count, within.begin + within.count);
        if (begin < end) f(begin, end - begin);
    }
}

}  // namespace

Swept JointBlocks::sweep(const Colour& colour, Scope scope, const Give& give, const Correction& correction,
                         const BodyView& bodies) {
    const ImpulseKernels& kernels = impulse_kernels();
    Swept met;
    const auto sweep_points = [&](int begin, int count) {
        met.join(kernels.sweep_points(&points_[begin], count, scope, give, correction, bodies.u));
    };
    const auto sweep_hinges = [&](int begin, int count) {
        met.join(kernels.sweep_hinges(&hinges_[begin], count, scope, give, correction, bodies.u));
    };
    const auto part_of = [](const std::vector<int>& list, const PackRun& part) {
        return std::span(list).subspan(part.begin, part.count);
    };
    if (scope == chosen) {
        for_each_row(part_of(chosen_points_, colour.chosen_points), sweep_points);
        for_each_row(part_of(chosen_hinges_, colour.chosen_hinges), sweep_hinges);
    } else {
        for_each_run(point_runs_, colour.points, sweep_points);
        for_each_run(hinge_runs_, colour.hinges, sweep_hinges);
    }
    std::size_t n = 0;
    for_each_list([&]<int N>(std::vector<RowJoint<N>>& list) {
        const PackRun& range = colour.joints[n++];
        for (int k = range.begin; k < range.begin + range.count; ++k) {
            RowJoint<N>& joint = list[k];
            if (joint.asleep || (scope == chosen && !joint.chosen)) continue;
            joint.missed = push(joint, give.bias_rate, 1, bodies, [&](int r, double rigid) {
                const double change = give.mass_scale * rigid - give.impulse_scale * joint.impulse[r];
                joint.impulse[r] += change;
                met.impulse = std::max(met.impulse, std::fabs(change));
                return change;
            });
            met.velocity = std::max(met.velocity, joint.missed);
            if (correction.u) {
                const double left = push(joint, correction.rate, 0, {correction.u, bodies.inertias},
                                         [](int, double rigid) { return rigid; });
                joint.missed = std::max(joint.missed, left);
            }
            met.missed = std::max(met.missed, joint.missed);
        }
    });
    return met;
}

Swept JointBlocks::sweep(Part part, const Give& give, const Correction& correction, const BodyView& bodies) {
    Swept met;
    const auto sweep_colour = [&](int wanted) {
        for (const Colour& colour : colours_)
            if (colour.colour == wanted) met.join(sweep(colour, all, give, correction, bodies));
    };
    switch (part) {
        case middle_back:
            for (int colour = count_of_colours_; colour-- > 2;) sweep_colour(colour);
            break;
        case first: sweep_colour(0); break;
        case middle:
            for (int colour = 2; colour < count_of_colours_; ++colour) sweep_colour(colour);
            break;
        case last: sweep_colour(1); break;
    }
    return met;
}

Swept JointBlocks::sweep(Scope scope, const Give& give, const Correction& correction,
                         const BodyView& bodies) {
    Swept met;
    for (const int colour : order_) met.join(sweep(colours_[colour], scope, give, correction, bodies));
    return met;
}

double JointBlocks::missed(const BodyView& bodies) {
    double largest = 0;
    for (const Colour& colour : colours_)
        largest = std::max(largest, sweep(colour, all, Give::nothing(), {}, bodies).velocity);
    return largest;
}

// The impulses that make up a wrench on b.
template <int N>
static void take_wrench(RowJoint<N>& joint, const Force<double>& wrench) {
    double gram[N * N];
    for (int k = 0; k < N; ++k) {
        joint.impulse[k] = dot(joint.lin[k], wrench.lin) + dot(joint.ang_b[k], wrench.ang);
        for (int j = 0; j <= k; ++j)
            gram[k * N + j] = dot(joint.lin[j], joint.lin[k]) + dot(joint.ang_b[j], joint.ang_b[k]);
    }
    cholesky<N>(gram);
    cholesky_solve<N>(gram, joint.impulse);
}

void JointBlocks::take_impulses(std::span<const Force<double>> on_links,
                                const ChosenBodies& chosen) {
    for (const PackRun& run : point_runs_)
        for (int k = run.begin; k < run.begin + run.count; ++k)
            for (int lane = 0; lane < lanes; ++lane)
                if (const int link = points_[k].link[lane];
                    link >= 0 && chosen.has(points_[k].bodies.b[lane]))
                    set_lane3(points_[k].impulse, lane, on_links[link].lin);
    for (const PackRun& run : hinge_runs_)
        for (int k = run.begin; k < run.begin + run.count; ++k)
            for (int lane = 0; lane < lanes; ++lane) {
                HingePack& pack = hinges_[k];
                const int link = pack.point.link[lane];
                if (link < 0 || !chosen.has(pack.point.bodies.b[lane])) continue;
                const Force<double>& wrench = on_links[link];
                set_lane3(pack.point.impulse, lane, wrench.lin);
                const Vec3d moment = wrench.ang - cross(lane3(pack.point.arm_b, lane), wrench.lin);
                const Vec3d x = lane3(pack.axis[0], lane), y = lane3(pack.axis[1], lane);
                const double xx = dot(x, x), xy = dot(x, y), yy = dot(y, y), det = xx * yy - xy * xy;
                const double along_x = dot(moment, x), along_y = dot(moment, y);
                pack.impulse[0].set(lane, det > 0 ? (yy * along_x - xy * along_y) / det : 0);
                pack.impulse[1].set(lane, det > 0 ? (xx * along_y - xy * along_x) / det : 0);
            }
    for_each_list([&]<int N>(std::vector<RowJoint<N>>& list) {
        for (RowJoint<N>& joint : list)
            if (!joint.asleep && chosen.has(joint.b)) take_wrench(joint, on_links[joint.link]);
    });
}

void JointBlocks::find_forces(double h, std::span<Vec3d> out) const {
    std::fill(out.begin(), out.end(), Vec3d::zero());
    const auto take = [&](const PointPack& pack) {
        for (int lane = 0; lane < lanes; ++lane)
            if (pack.link[lane] >= 0) out[pack.link[lane]] = (1 / h) * lane3(pack.impulse, lane);
    };
    for (const PointPack& pack : points_) take(pack);
    for (const HingePack& pack : hinges_) take(pack.point);
    for_each_list([&]<int N>(const std::vector<RowJoint<N>>& list) {
        for (const RowJoint<N>& joint : list)
            for (int k = 0; k < N; ++k) out[joint.link] += (joint.impulse[k] / h) * joint.lin[k];
    });
}

template <class F>
void JointBlocks::for_each_impulse(F&& f) {
    const auto visit = [&](Four& x, int lane, int b) {
        double value = x[lane];
        f(value, b);
        x.set(lane, value);
    };
    const auto visit_point = [&](PointPack& pack, int lane) {
        for (int k = 0; k < 3; ++k) visit(pack.impulse[k], lane, pack.bodies.b[lane]);
    };
    for (PointPack& pack : points_)
        for (int lane = 0; lane < lanes; ++lane)
            if (pack.empty[lane] == 0) visit_point(pack, lane);
    for (HingePack& pack : hinges_)
        for (int lane = 0; lane < lanes; ++lane)
            if (pack.point.empty[lane] == 0) {
                visit_point(pack.point, lane);
                for (Four& impulse : pack.impulse) visit(impulse, lane, pack.point.bodies.b[lane]);
            }
    for_each_list([&](auto& list) {
        for (auto& joint : list)
            for (double& x : joint.impulse) f(x, joint.b);
    });
}

void JointBlocks::scale(double by) {
    for_each_impulse([by](double& x, int) { x *= by; });
    for (double& x : kept_) x *= by;
}

void JointBlocks::save_or_restore(NumberStream& numbers) {
    std::size_t k = 0;
    for_each_impulse([&](double& x, int) {
        numbers.number(is_kept_[k] ? kept_[k] : x);
        ++k;
    });
}

}  // namespace lig::impulse
