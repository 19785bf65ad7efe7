// The scene is in the order of its model, so indices are those of both.
//
// Velocities that keep loops closed are random ones less their projection onto the rows of J, which an
// orthonormal basis by Gram–Schmidt gives. Rows without a part of their own are redundant and left out.

#include "scenes/random_start.h"

#include "core/length.h"

#include <ligament/collision.h>
#include <ligament/dynamics.h>

#include <cmath>
#include <set>
#include <vector>

namespace lig::scenes {

namespace {

using Row = std::vector<double>;

double dot_of(const Row& x, const Row& y) {
    double sum = 0;
    for (std::size_t j = 0; j < y.size(); ++j) sum += x[j] * y[j];
    return sum;
}

class Basis {
public:
    // x without its part in the basis. Twice, since what rounding leaves of the first time may not be small
    // against the rest.
    void take_out(Row& x) const {
        for (int time = 0; time < 2; ++time)
            for (const Row& unit : rows_) {
                const double part = dot_of(x, unit);
                for (std::size_t j = 0; j < x.size(); ++j) x[j] -= part * unit[j];
            }
    }
    void add(Row row) {
        const double before = dot_of(row, row);
        take_out(row);
        const double after = dot_of(row, row);
        constexpr double redundant = 1e-20;  // of the square
        if (!(after > redundant * before)) return;
        const double scale = 1 / std::sqrt(after);
        for (double& entry : row) entry *= scale;
        rows_.push_back(std::move(row));
    }

private:
    std::vector<Row> rows_;
};

// The rows of everything that must stay as it is. After forward_kinematics.
class LoopRows {
public:
    LoopRows(const Model& model, const Workspace<double>& ws)
        : ws_(ws), nv_(static_cast<std::size_t>(model.nv)) {
        for (const Model::Loop& loop : model.loops) add(loop);
        for (const Model::PairConstraint& pair : model.pair_constraints) add(pair);
        for (const Model::Coupling& coupling : model.couplings) {
            Row row(nv_);
            row[model.joints[coupling.follower].v_adr] = 1;
            row[model.joints[coupling.leader].v_adr] = -coupling.coefficients[1];
            basis.add(std::move(row));
        }
    }

    Basis basis;

private:
    // The velocity of the frame on B relative to that on A, 6 × nv.
    std::vector<double> relative(int a, const Vec3d& on_a, int b, const Vec3d& on_b) const {
        std::vector<double> J_a(6 * nv_), J_b(6 * nv_);
        frame_jacobian<double>(ws_, a, on_a, Axes::world, J_a);
        frame_jacobian<double>(ws_, b, on_b, Axes::world, J_b);
        for (std::size_t k = 0; k < J_b.size(); ++k) J_b[k] -= J_a[k];
        return J_b;
    }
    // The component of three of its rows along a direction.
    Row along(const std::vector<double>& J, int first, const Vec3d& direction) const {
        Row row(nv_);
        for (int k = 0; k < 3; ++k)
            for (std::size_t j = 0; j < nv_; ++j) row[j] += direction[k] * J[(first + k) * nv_ + j];
        return row;
    }
    void add(const Model::Loop& loop) {
        const std::vector<double> J = relative(loop.body_a, loop.X_AF.p, loop.body_b, loop.X_BM.p);
        const Mat3d R = body_pose(ws_, loop.body_a).R * loop.X_AF.R;
        for (const Vec3d& axis : {R.x, R.y, R.z}) basis.add(along(J, 3, axis));
        if (loop.type == JointType::hinge)
            for (const Vec3d& axis : {R.x, R.y}) basis.add(along(J, 0, axis));
    }
    void add(const Model::PairConstraint& pair) {  // a rod
        const Vec3d a = body_pose(ws_, pair.body_a) * pair.X_AF.p;
        const Vec3d b = body_pose(ws_, pair.body_b) * pair.X_BM.p;
        basis.add(along(relative(pair.body_a, pair.X_AF.p, pair.body_b, pair.X_BM.p), 3,
                        (1 / length(b - a)) * (b - a)));
    }
    const Workspace<double>& ws_;
    std::size_t nv_;
};

void exclude_overlaps(Scene& scene, const std::shared_ptr<const Model>& model,
                      const Workspace<double>& ws) {
    constexpr double touching = 1e-9;
    std::vector<Transformd> X_WB;
    for (int body = 0; body < static_cast<int>(model->bodies.size()); ++body)
        X_WB.push_back(body_pose(ws, body));
    CollisionWorkspace collision(model);
    find_contacts(X_WB, {}, collision);
    std::set<std::pair<int, int>> done;
    for (const Contact& contact : collision.contacts.contacts) {
        if (contact.distance > -touching) continue;
        const Manifold& manifold = collision.contacts.manifolds[contact.manifold];
        const int a = model->geoms[manifold.geom_a].body, b = model->geoms[manifold.geom_b].body;
        if (!done.emplace(a, b).second) continue;
        scene.exclude_collision({a}, {b});
    }
}

}  // namespace

void add_start(Scene& scene, Draw& draw) {
    const std::shared_ptr<const Model> model = compile(scene);
    Workspace<double> ws(model);
    JointState<double> state(*model);
    forward_kinematics(state, ws);
    exclude_overlaps(scene, model, ws);
    const bool moves = draw.chance(0.5), falls = dot(scene.options.gravity, scene.options.gravity) > 0;
    if (moves || !falls) {
        const double speed = draw.between(0.5, 5);
        for (double& v : state.v) v = draw.between(-speed, speed);
        LoopRows(*model, ws).basis.take_out(state.v);
    }
    scene.add_keyframe({.name = "start", .qvel = state.v});
}

}  // namespace lig::scenes
