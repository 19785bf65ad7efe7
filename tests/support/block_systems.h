#pragma once

// Systems for BlockLdlt: graphs with random blocks, and linkages of rigid bodies; and their solutions by
// dense methods in long double.

#include "linalg/block_ldlt.h"
#include "support/random_values.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace lig::test {

using BlockNode = BlockLdlt::Node;
using BlockEdge = BlockLdlt::Edge;

struct BlockGraph {
    std::vector<BlockNode> nodes;
    std::vector<BlockEdge> edges;

    int body(int dim = 6) { return add({dim, false}); }
    // On one body, two or more.
    int constraint(int rows, std::initializer_list<int> bodies, bool soft = false) {
        const int c = add({rows, true, soft});
        for (const int b : bodies) edges.push_back({c, b});
        return c;
    }
    int add(BlockNode node) {
        nodes.push_back(node);
        return int(nodes.size()) - 1;
    }
};

// Definite blocks with eigenvalues between 0.5 and 0.5 + dim², entries of J in (−1, 1), edges between bodies
// so small that M stays definite.
inline void fill_random(BlockLdlt& K, Random& random) {
    for (int n = 0; n < K.nodes(); ++n) {
        const int d = K.dim(n);
        if (K.node(n).constraint && !K.node(n).soft) continue;
        std::vector<double> r(std::size_t(d * d));
        for (double& x : r) x = random.uniform(-1, 1);
        for (int i = 0; i < d; ++i)
            for (int j = 0; j < d; ++j) {
                double sum = i == j ? 0.5 : 0;
                for (int k = 0; k < d; ++k) sum += r[i * d + k] * r[j * d + k];
                K.diagonal(n)[i * d + j] = K.node(n).constraint ? -sum : sum;
            }
    }
    for (int e = 0; e < K.edges(); ++e) {
        const auto [a, b] = K.edge_nodes(e);
        const bool of_J = K.node(a).constraint || K.node(b).constraint;
        for (int k = 0; k < K.dim(a) * K.dim(b); ++k)
            K.edge(e)[k] = random.uniform(-1, 1) * (of_J ? 1 : 0.01);
    }
}

inline std::vector<double> random_vector(Random& random, int n) {
    std::vector<double> x(std::size_t(n), 0.0);
    for (double& v : x) v = random.uniform(-1, 1);
    return x;
}

// Rigid bodies and joints between them, velocities (angular, linear) in world axes at the centres of mass.
class Linkage {
public:
    int body(const Vec3d& pos, double mass = 1, double size = 0.3) {
        bodies_.push_back({pos, mass, size});
        return graph.body();
    }
    // rows: 3 a ball joint (1, 2: along the first axes only), 5 a hinge, 6 a weld. a, b: −1 is the world.
    void joint(int a, int b, const Vec3d& at, int rows, const Vec3d& axis = {0, 0, 1}) {
        joints_.push_back({a, b, at, axis, rows});
    }
    int bodies() const { return int(bodies_.size()); }

    BlockLdlt build() {
        for (Joint& joint : joints_) {
            const int c = graph.add({joint.rows, true});
            joint.first_edge = int(graph.edges.size());
            if (joint.a >= 0) graph.edges.push_back({c, joint.a});
            if (joint.b >= 0) graph.edges.push_back({c, joint.b});
        }
        BlockLdlt K(graph.nodes, graph.edges);
        for (int n = 0; n < bodies(); ++n) {
            const Body& body = bodies_[n];
            const double inertia = body.mass * body.size * body.size;
            const double diagonal[6] = {0.10 * inertia, 0.12 * inertia, 0.05 * inertia,
                                        body.mass, body.mass, body.mass};
            for (int i = 0; i < 6; ++i) K.diagonal(n)[7 * i] = diagonal[i];
        }
        for (const Joint& joint : joints_) {
            int e = joint.first_edge;
            if (joint.a >= 0) fill(K.edge(e++), joint, bodies_[joint.a].pos, -1);
            if (joint.b >= 0) fill(K.edge(e), joint, bodies_[joint.b].pos, 1);
        }
        return K;
    }
    // Gravity, and constraints that ask for no acceleration.
    std::vector<double> weight(const BlockLdlt& K, const Vec3d& gravity) const {
        std::vector<double> f(std::size_t(K.size()), 0.0);
        for (int n = 0; n < bodies(); ++n)
            for (int i = 0; i < 3; ++i)
                f[K.offset(n) + 3 + i] = bodies_[n].mass * (&gravity.x)[i];
        return f;
    }

    BlockGraph graph;

private:
    struct Body {
        Vec3d pos;
        double mass, size;
    };
    struct Joint {
        int a, b;
        Vec3d at, axis;
        int rows, first_edge = 0;
    };
    static void fill(double* J, const Joint& joint, const Vec3d& center, double sign) {
        // The velocity of the point: v + ω × r.
        const Vec3d r = joint.at - center;
        const Vec3d turn[3] = {{0, r.z, -r.y}, {-r.z, 0, r.x}, {r.y, -r.x, 0}};
        for (int i = 0; i < std::min(3, joint.rows); ++i) {
            double* const row = J + 6 * i;
            row[0] = sign * turn[i].x;
            row[1] = sign * turn[i].y;
            row[2] = sign * turn[i].z;
            row[3 + i] = sign;
        }
        const Vec3d other = std::abs(joint.axis.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
        const Vec3d u = cross(joint.axis, other), w = cross(joint.axis, u);
        const bool hinge = joint.rows == 5;
        const Vec3d about[3] = {hinge ? u : Vec3d{1, 0, 0}, hinge ? w : Vec3d{0, 1, 0}, {0, 0, 1}};
        for (int i = 3; i < joint.rows; ++i) {
            J[6 * i] = sign * about[i - 3].x;
            J[6 * i + 1] = sign * about[i - 3].y;
            J[6 * i + 2] = sign * about[i - 3].z;
        }
    }

    std::vector<Body> bodies_;
    std::vector<Joint> joints_;
};

// n × n bodies half a metre apart in the plane z = 0, or as far from it as `height` says, joined by balls
// midway; the first row belongs to the world.
template <class Height>
inline void add_net(Linkage& linkage, int n, const Height& height) {
    const auto pos = [&](int i, int j) { return Vec3d{0.5 * i, 0.5 * j, height(i, j)}; };
    std::vector<int> body(std::size_t(n * n), -1);
    for (int i = 1; i < n; ++i)
        for (int j = 0; j < n; ++j) body[i * n + j] = linkage.body(pos(i, j));
    const auto join = [&](int i, int j, int k, int l) {
        const int a = body[i * n + j], b = body[k * n + l];
        if (a >= 0 || b >= 0) linkage.joint(a, b, 0.5 * (pos(i, j) + pos(k, l)), 3);
    };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (i + 1 < n) join(i, j, i + 1, j);
            if (j + 1 < n) join(i, j, i, j + 1);
        }
}

// Links of one metre from the world on, each turned by up to `bend` against the one before; pinned: the end
// is joined to the world too.
inline void add_chain(Linkage& linkage, Random& random, int n, int rows, double bend, bool pinned) {
    Vec3d at{0, 0, 0};
    double angle = 0, lift = 0;
    for (int i = 0; i < n; ++i) {
        angle += random.uniform(-bend, bend);
        lift += random.uniform(-bend, bend);
        const Vec3d along{std::cos(angle) * std::cos(lift), std::sin(angle) * std::cos(lift), std::sin(lift)};
        const int b = linkage.body(at + 0.5 * along);
        linkage.joint(b - 1, b, at, rows, {0.2, 0.3, 1});
        at = at + along;
    }
    if (pinned) linkage.joint(linkage.bodies() - 1, -1, at, rows, {0.2, 0.3, 1});
}

using DenseMatrix = std::vector<std::vector<long double>>;

inline DenseMatrix dense(const BlockLdlt& K) {
    DenseMatrix A(std::size_t(K.size()), std::vector<long double>(std::size_t(K.size()), 0.0L));
    for (int n = 0; n < K.nodes(); ++n)
        for (int i = 0; i < K.dim(n); ++i)
            for (int j = 0; j < K.dim(n); ++j)
                A[K.offset(n) + i][K.offset(n) + j] = K.diagonal(n)[i * K.dim(n) + j];
    for (int e = 0; e < K.edges(); ++e) {
        const auto [a, b] = K.edge_nodes(e);
        for (int i = 0; i < K.dim(a); ++i)
            for (int j = 0; j < K.dim(b); ++j) {
                const std::size_t r = std::size_t(K.offset(a) + i), c = std::size_t(K.offset(b) + j);
                A[r][c] = A[c][r] = K.edge(e)[i * K.dim(b) + j];
            }
    }
    return A;
}

// Elimination with row pivoting.
inline std::vector<long double> solve_dense(DenseMatrix A, const std::vector<double>& b) {
    const std::size_t n = A.size();
    std::vector<long double> x(b.begin(), b.end());
    for (std::size_t p = 0; p < n; ++p) {
        std::size_t best = p;
        for (std::size_t i = p; i < n; ++i)
            if (std::fabs(A[i][p]) > std::fabs(A[best][p])) best = i;
        std::swap(A[p], A[best]);
        std::swap(x[p], x[best]);
        for (std::size_t i = p + 1; i < n; ++i) {
            if (A[i][p] == 0) continue;
            const long double l = A[i][p] / A[p][p];
            for (std::size_t j = p; j < n; ++j) A[i][j] -= l * A[p][j];
            x[i] -= l * x[p];
        }
    }
    for (std::size_t p = n; p-- > 0;) {
        for (std::size_t j = p + 1; j < n; ++j) x[p] -= A[p][j] * x[j];
        x[p] /= A[p][p];
    }
    return x;
}

// The accelerations, by entries of vectors, that miss the constraints least, in squares of rows times weight,
// and of those the ones that need the least forces, in the sense of M⁻¹ (Gauss): with M = L Lᵀ and B = √W J
// L⁻ᵀ, by the singular values of B (one-sided Jacobi), of which those below 1e-9 of the largest are zero.
// Hard constraints only. `rank` gets how many are left.
inline std::vector<long double> least_squares_accelerations(const BlockLdlt& K,
                                                            const std::vector<double>& rhs,
                                                            const std::vector<double>& weight,
                                                            int* rank = nullptr) {
    std::vector<std::size_t> bodies, rows;
    for (int n = 0; n < K.nodes(); ++n)
        for (int i = K.offset(n); i < K.offset(n) + K.dim(n); ++i)
            (K.node(n).constraint ? rows : bodies).push_back(std::size_t(i));
    const DenseMatrix A = dense(K);
    const std::size_t n = bodies.size(), m = rows.size();
    DenseMatrix L(n, std::vector<long double>(n, 0.0L));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            long double sum = A[bodies[i]][bodies[j]];
            for (std::size_t k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? std::sqrt(sum) : sum / L[j][j];
        }
    const auto down = [&](std::vector<long double> x) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < i; ++k) x[i] -= L[i][k] * x[k];
            x[i] /= L[i][i];
        }
        return x;
    };
    // Columns of B are made orthogonal: those of Bᵀ are rows of B, so Bᵀ's columns number m.
    DenseMatrix B(m), V(m, std::vector<long double>(m, 0.0L));
    std::vector<long double> f;
    for (const std::size_t i : bodies) f.push_back(rhs[i]);
    const std::vector<long double> free = down(f);
    std::vector<long double> missed(m);
    for (std::size_t r = 0; r < m; ++r) {
        std::vector<long double> row;
        for (const std::size_t i : bodies) row.push_back(A[rows[r]][i]);
        B[r] = down(row);
        const long double scale = std::sqrt(static_cast<long double>(weight[rows[r]]));
        missed[r] = rhs[rows[r]];
        for (std::size_t k = 0; k < n; ++k) missed[r] -= B[r][k] * free[k];
        missed[r] *= scale;
        for (long double& x : B[r]) x *= scale;
        V[r][r] = 1;
    }
    const auto inner = [](const std::vector<long double>& x, const std::vector<long double>& y) {
        long double sum = 0;
        for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
        return sum;
    };
    for (int sweep = 0; sweep < 40; ++sweep) {
        bool changed = false;
        for (std::size_t p = 0; p < m; ++p)
            for (std::size_t q = p + 1; q < m; ++q) {
                const long double a = inner(B[p], B[p]), b = inner(B[q], B[q]), c = inner(B[p], B[q]);
                if (std::fabs(c) <= 1e-18L * std::sqrt(a * b) || c == 0) continue;
                changed = true;
                const long double zeta = (b - a) / (2 * c);
                const long double t = (zeta < 0 ? -1 : 1) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
                const long double cosine = 1 / std::sqrt(1 + t * t), sine = t * cosine;
                const auto turn = [&](std::vector<long double>& x, std::vector<long double>& y) {
                    for (std::size_t k = 0; k < x.size(); ++k) {
                        const long double old = x[k];
                        x[k] = cosine * old - sine * y[k];
                        y[k] = sine * old + cosine * y[k];
                    }
                };
                turn(B[p], B[q]);
                turn(V[p], V[q]);
            }
        if (!changed) break;
    }
    long double largest = 0;
    for (const auto& row : B) largest = std::max(largest, inner(row, row));
    std::vector<long double> y = free;
    int kept = 0;
    for (std::size_t p = 0; p < m; ++p) {
        const long double square = inner(B[p], B[p]);
        if (square <= 1e-18L * largest) continue;
        ++kept;
        const long double along = inner(V[p], missed) / square;
        for (std::size_t k = 0; k < n; ++k) y[k] += along * B[p][k];
    }
    if (rank) *rank = kept;
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) y[i] -= L[k][i] * y[k];
        y[i] /= L[i][i];
    }
    std::vector<long double> x(std::size_t(K.size()), 0.0L);
    for (std::size_t i = 0; i < n; ++i) x[bodies[i]] = y[i];
    return x;
}

// The largest difference in entries of bodies (or of all), relative to the largest entry there.
template <class X, class Y>
double difference(const BlockLdlt& K, const X& x, const Y& y, bool bodies_only = false) {
    long double worst = 0, size = 0;
    for (int n = 0; n < K.nodes(); ++n) {
        if (bodies_only && K.node(n).constraint) continue;
        for (std::size_t i = std::size_t(K.offset(n)); i < std::size_t(K.offset(n) + K.dim(n)); ++i) {
            const long double own = x[i], other = y[i];
            if (!(std::fabs(own) <= 1e300L)) return 1e300;
            worst = std::max(worst, std::fabs(own - other));
            size = std::max(size, std::fabs(other));
        }
    }
    return static_cast<double>(size > 0 ? worst / size : worst);
}

}  // namespace lig::test
