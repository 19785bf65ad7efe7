// The chain of boxes on hinges with k loops: closure c pins the tip of link b = (c + 1) N / k − 1 to a point
// of link a = c N / k − 1 − (c > 0 ? N / 2k : 0), or of the world where a < 0, with whole divisions. The
// keyframe `start` has random angles; the point of link a is chosen so that all loops are closed there. Its
// velocities are random ones, less the part that would open a loop.
//
// That part is the projection onto the rows of J, where J v is the velocity of the tip relative to link a:
// column j is n_j × (tip − p_j) for the hinges j in (a, b] and zero for the others. An orthonormal basis of
// the rows by Gram–Schmidt takes O(k N), since a row need only be compared with those of its own closure and
// of the one before: the rows of closure c + 1 begin behind link b of closure c − 1, where all basis vectors
// up to those of c − 1 end. A row without a part of its own is redundant and left out.

#include "scenes/box_links.h"
#include "scenes/generator_list.h"
#include "scenes/random.h"

#include <ligament/dynamics.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace lig::scenes {

namespace {

struct Closure {
    int a, b;
};

Closure closure_of(int c, int count, int loops) {
    const auto part = [&](int i) { return static_cast<int>(static_cast<std::int64_t>(i) * count / loops); };
    return {part(c) - 1 - (c > 0 ? count / (2 * loops) : 0), part(c + 1) - 1};
}

using Row = std::vector<double>;

// Of two rows, the second of which may end earlier: it is zero from there on.
double dot(const Row& x, const Row& y) {
    double sum = 0;
    for (std::size_t j = 0; j < y.size(); ++j) sum += x[j] * y[j];
    return sum;
}

// x without its part along the unit vector.
void take_out(Row& x, const Row& unit) {
    const double part = dot(x, unit);
    for (std::size_t j = 0; j < unit.size(); ++j) x[j] -= part * unit[j];
}

class Projection {
public:
    explicit Projection(Row& v) : v_(v) {}

    // The rows of the next closure. They become basis vectors.
    void add(std::array<Row, 3>& rows) {
        std::vector<Row> basis;
        for (Row& row : rows) {
            const double before = dot(row, row);
            // Once more, since what rounding leaves of the first time may not be small against the rest.
            for (int time = 0; time < 2; ++time)
                for (const auto* earlier : {&last_, &basis})
                    for (const Row& unit : *earlier) take_out(row, unit);
            const double after = dot(row, row);
            constexpr double redundant = 1e-20;  // of the square
            if (!(after > redundant * before)) continue;
            const double length = std::sqrt(after);
            for (double& entry : row) entry /= length;
            basis.push_back(std::move(row));
        }
        for (int time = 0; time < 2; ++time)
            for (const Row& unit : basis) take_out(v_, unit);
        last_ = std::move(basis);
    }

private:
    Row& v_;
    std::vector<Row> last_;
};

constexpr Parameter parameters[] = {{"count", "links", 100, 1, 20000, true},
                                    {"loops", "closures, not more than there are links", 10, 1, 2000, true}};

Scene make(std::span<const double> values) {
    const int count = static_cast<int>(values[0]), loops = static_cast<int>(values[1]);
    if (loops > count) throw std::invalid_argument("'loops' cannot have more closures than links");
    Scene scene = hinge_chain("loops" + std::to_string(count) + '_' + std::to_string(loops), count, 0, 0);

    const std::shared_ptr<const Model> model = compile(scene);
    Workspace<double> ws(model);
    JointState<double> state(*model);
    Congruence random(777);
    for (double& q : state.q) q = 1.5 * random.u();
    for (double& v : state.v) v = random.u();
    forward_kinematics(state, ws);

    Projection projection(state.v);
    for (int c = 0; c < loops; ++c) {
        const auto [a, b] = closure_of(c, count, loops);
        const Vec3d tip_b{box_link_length, 0, 0};
        const Vec3d tip = body_pose(ws, b + 1) * tip_b;
        const BodyId body_a{a < 0 ? 0 : a + 1}, body_b{b + 1};
        scene.add_loop({.name = "loop" + std::to_string(c),
                        .type = JointType::ball,
                        .body_a = body_a,
                        .body_b = body_b,
                        .frame_a = {.pos = body_pose(ws, body_a.index).inverse() * tip},
                        .frame_b = {.pos = tip_b}});
        std::array<Row, 3> rows;
        rows.fill(Row(static_cast<std::size_t>(b) + 1));
        for (int j = a + 1; j <= b; ++j) {
            const Transformd link = body_pose(ws, j + 1);
            const Vec3d column = cross(link.R * scene.joints()[j].spec.axis, tip - link.p);
            for (int k = 0; k < 3; ++k) rows[k][j] = column[k];
        }
        projection.add(rows);
    }
    scene.add_keyframe({.name = "start", .qpos = state.q, .qvel = state.v});
    return scene;
}

}  // namespace

const Generator loops{"loops", "the chain of hinges with point loops, and a state in which they are closed",
                      parameters, make};

}  // namespace lig::scenes
