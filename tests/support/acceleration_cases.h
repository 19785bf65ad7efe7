#pragma once

// Random states under random acceleration constraints of all kinds, with J and k by other ways than the
// library's.

#include "support/random_loops.h"

#include <ligament/acceleration_constraints.h>

namespace lig::test {

inline constexpr ResponseMethod all_methods[] = {ResponseMethod::evaluations, ResponseMethod::lanes,
                                                 ResponseMethod::deltas, ResponseMethod::propagation};

inline AccelerationConstraint random_constraint(Random& random, const Model& model) {
    const int bodies = static_cast<int>(model.bodies.size());
    const double wanted = random.uniform(-3, 3);
    switch (random_index(random, model.loops.empty() ? 4 : 5)) {
        case 0: return JointAcceleration{random_index(random, model.nv), wanted};
        case 1:
            return PointAcceleration{random_index(random, bodies), random_vec(random, 0.5),
                                     random.uniform(0.5, 2) * random_direction(random), wanted};
        case 2:
            return RelativeAcceleration{random_index(random, bodies), random_vec(random, 0.5),
                                        random_index(random, bodies), random_vec(random, 0.5),
                                        random_direction(random), wanted};
        case 3: {
            LinearAcceleration linear{{}, random.uniform(-2, 2), wanted};
            for (int k = 1 + random_index(random, 4); k > 0; --k)
                linear.terms.emplace_back(random_index(random, model.nv), random.uniform(-2, 2));
            return linear;
        }
        default: {
            LoopAcceleration loop{random_index(random, static_cast<int>(model.loops.size())), {}};
            for (double& x : loop.wanted) x = random.uniform(-3, 3);
            return loop;
        }
    }
}

inline Vec3d point_velocity(const Workspace<double>& ws, int body, const Vec3d& point) {
    const Motion<double> V = body_velocity(ws, body);
    return V.lin + cross(V.ang, body_pose(ws, body).R * point);
}

// J of all rows (rows × nv): points by frame_jacobian, joints by their places, loops by their rows. And
// dh/dt at v̇ = 0 by differences of J v on the motion with constant v, to about 1e-9.
struct DenseConstraints {
    std::vector<double> J, k, wanted;
    int rows = 0;

    DenseConstraints(std::shared_ptr<const Model> model, const JointState<double>& state,
                     const std::vector<AccelerationConstraint>& constraints)
        : model_(model), ws_(model), loops_(model) {
        const auto rate = [&](double t) {
            forward_kinematics(later(ws_, state, t), ws_);
            std::vector<double> out;
            for (const AccelerationConstraint& c : constraints) {
                if (const auto* point = std::get_if<PointAcceleration>(&c))
                    out.push_back(dot(point->direction, point_velocity(ws_, point->body, point->point)));
                else if (const auto* pair = std::get_if<RelativeAcceleration>(&c))
                    out.push_back(dot(pair->direction, point_velocity(ws_, pair->body_b, pair->point_b) -
                                                           point_velocity(ws_, pair->body_a, pair->point_a)));
                else if (const auto* loop = std::get_if<LoopAcceleration>(&c))
                    for (int r = 0; r < model->loops[loop->loop].rows; ++r) out.push_back(0);
                else
                    out.push_back(0);
            }
            return out;
        };
        const double h = 1e-3;
        const std::vector<double> a = rate(h), b = rate(-h), c = rate(2 * h), d = rate(-2 * h);
        for (std::size_t r = 0; r < a.size(); ++r)
            k.push_back((8 * (a[r] - b[r]) - (c[r] - d[r])) / (12 * h));
        rows = static_cast<int>(a.size());
        J.assign(static_cast<std::size_t>(rows) * model->nv, 0.0);
        loops_.assemble(state);
        forward_kinematics(state, ws_);
        int row = 0;
        for (const AccelerationConstraint& c : constraints) {
            double* const out = J.data() + static_cast<std::size_t>(row) * model->nv;
            if (const auto* joint = std::get_if<JointAcceleration>(&c)) {
                out[joint->dof] = 1;
                wanted.push_back(joint->wanted);
            } else if (const auto* point = std::get_if<PointAcceleration>(&c)) {
                add_point(out, point->body, point->point, point->direction);
                wanted.push_back(point->wanted);
            } else if (const auto* pair = std::get_if<RelativeAcceleration>(&c)) {
                add_point(out, pair->body_b, pair->point_b, pair->direction);
                add_point(out, pair->body_a, pair->point_a, -pair->direction);
                wanted.push_back(pair->wanted);
            } else if (const auto* loop = std::get_if<LoopAcceleration>(&c)) {
                const RowBlock& block = loops_.rows.blocks[loop->loop];
                const std::vector<double> all = loops_.jacobian();
                std::copy(all.begin() + static_cast<std::ptrdiff_t>(block.begin) * model->nv,
                          all.begin() + static_cast<std::ptrdiff_t>(block.begin + block.count) * model->nv,
                          out);
                for (int r = 0; r < block.count; ++r) {
                    k[row + r] = loops_.terms[block.begin + r].product;
                    wanted.push_back(loops_.terms[block.begin + r].scale * loop->wanted[r]);
                }
                row += block.count - 1;
            } else {
                const LinearAcceleration& linear = std::get<LinearAcceleration>(c);
                for (const auto& [dof, coefficient] : linear.terms) out[dof] += coefficient;
                k[row] = linear.constant;
                wanted.push_back(linear.wanted);
            }
            ++row;
        }
    }

    // J M⁻¹ Jᵀ by dense algebra in long double.
    std::vector<double> response(const JointState<double>& state) {
        const int nv = model_->nv;
        std::vector<double> M(static_cast<std::size_t>(nv) * nv);
        mass_matrix<double>(state, ws_, M);
        const LongCholesky dense(M, nv);
        std::vector<double> K(static_cast<std::size_t>(rows) * rows);
        for (int i = 0; i < rows; ++i) {
            const std::vector<double> x = dense.solve({J.begin() + i * nv, J.begin() + (i + 1) * nv});
            for (int j = 0; j < rows; ++j)
                K[j * rows + i] = dot_of({J.begin() + j * nv, J.begin() + (j + 1) * nv}, x);
        }
        return K;
    }

private:
    void add_point(double* out, int body, const Vec3d& point, const Vec3d& direction) {
        const int nv = model_->nv;
        std::vector<double> frame(6 * static_cast<std::size_t>(nv));
        frame_jacobian<double>(ws_, body, point, Axes::world, frame);
        for (int c = 0; c < 3; ++c)
            for (int v = 0; v < nv; ++v) out[v] += direction[c] * frame[(3 + c) * nv + v];
    }

    std::shared_ptr<const Model> model_;
    Workspace<double> ws_;
    EqualityRows loops_;
};

// The largest difference of two matrices of products, relative to the lengths of the rows in the measure
// of M⁻¹.
inline double largest_relative_difference(std::span<const double> a, std::span<const double> b, int m) {
    double most = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j) {
            const double size = std::sqrt(b[i * m + i] * b[j * m + j]);
            const double d = std::abs(a[i * m + j] - b[i * m + j]);
            if (!(d <= most * size)) most = size > 0 ? d / size : (d > 0 ? INFINITY : most);
        }
    return most;
}

}  // namespace lig::test
