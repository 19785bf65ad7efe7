#include "bench/baraff/structures.h"

#include "linalg/lcp_list.h"
#include "scenes/box_links.h"
#include "scenes/random.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lig::bench {

namespace {

constexpr double gravity = 9.81;

int parent_of(int body) { return body == 0 ? -1 : (body - 1) / 2; }

// ---- 2D ------------------------------------------------------------------------------------------------

struct Point {
    double x, y;
};

class PlanarStructure final : public Structure {
public:
    PlanarStructure(int bodies, int loops) : bodies_(bodies) {
        scenes::Congruence random(777);
        std::vector<BlockLdlt::Node> nodes(bodies, BlockLdlt::Node{3, false});
        std::vector<BlockLdlt::Edge> edges;
        for (int i = 0; i < bodies; ++i) {
            Body& body = bodies_[i];
            body.angle = 3 * random.u();
            body.w = random.u();
            pins_.push_back({parent_of(i), i, {half, i % 2 ? width : -width}, {-half, 0}});
            const int node = static_cast<int>(nodes.size());
            nodes.push_back({2, true});
            edges.push_back({node, i});
            if (i > 0) edges.push_back({node, parent_of(i)});
        }
        place();
        // Leaves with each other, each with one far away, at a point between them.
        const int first = bodies / 2, leaves = bodies - first;
        for (int k = 0; k < loops; ++k) {
            const int a = first + k, b = first + leaves / 2 + k;
            const Point middle{(bodies_[a].x.x + bodies_[b].x.x) / 2, (bodies_[a].x.y + bodies_[b].x.y) / 2};
            pins_.push_back({a, b, bodies_[a].local(middle), bodies_[b].local(middle)});
        }
        K_ = BlockLdlt(nodes, edges);
        side_.assign(static_cast<std::size_t>(K_.size()), 0.0);
        for (int i = 0; i < bodies; ++i) side_[K_.offset(i) + 2] = -mass * gravity;
        auxiliary_side_.assign(static_cast<std::size_t>(2 * loops), 0.0);
        auxiliary_blocks_.resize(static_cast<std::size_t>(2 * loops));
        for (int k = 0; k < loops; ++k) {
            const Pin& pin = pins_[static_cast<std::size_t>(bodies + k)];
            for (int row = 2 * k; row < 2 * k + 2; ++row) {
                auxiliary_rows_.push_back({row, pin.a, auxiliary_blocks_[row].data()});
                auxiliary_rows_.push_back({row, pin.b, auxiliary_blocks_[row].data() + 3});
            }
        }
        write_rows();
        write_masses();
    }

    const BlockLdlt& matrix() const override { return K_; }

    void write_rows() override {
        place_axes();
        const int count = static_cast<int>(bodies_.size());
        for (int c = 0, edge = 0; c < count; ++c) {
            const Pin& pin = pins_[c];
            const Point at_b = bodies_[pin.b].turned(pin.on_b);
            write(at_b, 1, K_.edge(edge++));
            const double w = bodies_[pin.b].w;
            Point left{w * w * at_b.x, w * w * at_b.y};
            if (pin.a >= 0) {
                const Point at_a = bodies_[pin.a].turned(pin.on_a);
                write(at_a, -1, K_.edge(edge++));
                const double v = bodies_[pin.a].w;
                left = {left.x - v * v * at_a.x, left.y - v * v * at_a.y};
            }
            double* k = side_.data() + K_.offset(count + c);
            k[0] = left.x;
            k[1] = left.y;
        }
        for (std::size_t c = static_cast<std::size_t>(count); c < pins_.size(); ++c) {
            const Pin& pin = pins_[c];
            const Point at_a = bodies_[pin.a].turned(pin.on_a), at_b = bodies_[pin.b].turned(pin.on_b);
            const std::size_t row = 2 * (c - static_cast<std::size_t>(count));
            double block[6];
            write(at_a, -1, block);
            for (int r = 0; r < 2; ++r) std::copy_n(block + 3 * r, 3, auxiliary_blocks_[row + r].data());
            write(at_b, 1, block);
            for (int r = 0; r < 2; ++r) std::copy_n(block + 3 * r, 3, auxiliary_blocks_[row + r].data() + 3);
            const double v = bodies_[pin.a].w, w = bodies_[pin.b].w;
            auxiliary_side_[row] = w * w * at_b.x - v * v * at_a.x;
            auxiliary_side_[row + 1] = w * w * at_b.y - v * v * at_a.y;
        }
    }

    void write_masses() override {
        for (int i = 0; i < static_cast<int>(bodies_.size()); ++i) {
            double* D = K_.diagonal(i);
            std::fill_n(D, 9, 0.0);
            D[0] = mass * (half * half + width * width) / 3;
            D[4] = D[8] = mass;
        }
    }

    void factor() override { K_.factor(); }

private:
    static constexpr double half = 0.05, width = 0.025, mass = 1;

    struct Body {
        double angle, w;
        Point x;                 // centre of mass
        double cosine, sine;
        Point turned(const Point& p) const { return {cosine * p.x - sine * p.y, sine * p.x + cosine * p.y}; }
        Point local(const Point& at) const {
            const double dx = at.x - x.x, dy = at.y - x.y;
            return {cosine * dx + sine * dy, -sine * dx + cosine * dy};
        }
    };
    struct Pin {
        int a, b;  // a: −1 for the world
        Point on_a, on_b;
    };

    void place_axes() {
        for (Body& body : bodies_) {
            body.cosine = std::cos(body.angle);
            body.sine = std::sin(body.angle);
        }
    }
    // Bodies onto their pins, from the root on.
    void place() {
        place_axes();
        for (const Pin& pin : pins_) {
            Point at{0, 0};
            if (pin.a >= 0) {
                const Point from = bodies_[pin.a].turned(pin.on_a);
                at = {bodies_[pin.a].x.x + from.x, bodies_[pin.a].x.y + from.y};
            }
            const Point to = bodies_[pin.b].turned(pin.on_b);
            bodies_[pin.b].x = {at.x - to.x, at.y - to.y};
        }
    }
    // (ω, ẋ, ẏ) to the velocity of a point.
    static void write(const Point& r, double sign, double* out) {
        out[0] = -sign * r.y;
        out[1] = sign;
        out[2] = 0;
        out[3] = sign * r.x;
        out[4] = 0;
        out[5] = sign;
    }

    std::vector<Body> bodies_;
    std::vector<Pin> pins_;  // primary ones first
    BlockLdlt K_;
    std::vector<std::array<double, 6>> auxiliary_blocks_;  // by rows: of the first body, of the second
};

// ---- 3D ------------------------------------------------------------------------------------------------

std::shared_ptr<const Model> ball_tree(int bodies) {
    Scene scene = scenes::box_link_scene("tree" + std::to_string(bodies));
    std::vector<BodyId> ids;
    for (int i = 0; i < bodies; ++i) {
        const int parent = parent_of(i);
        const double side = i % 2 ? 0.05 : -0.05;
        ids.push_back(i == 0
                          ? scenes::add_box_link(scene, world, i, {0, 0, 0})
                          : scenes::add_box_link(scene, ids[parent], i, {scenes::box_link_length, side, 0}));
        scene.add_joint(ids.back(), {.name = "joint" + std::to_string(i), .type = JointType::ball});
    }
    return compile(scene);
}

JointState<double> moving_state(const std::shared_ptr<const Model>& model) {
    scenes::Congruence random(777);
    JointState<double> state(*model);
    Workspace<double> ws(model);
    for (double& v : state.v) v = random.u();
    integrate<double>(ws, state.q, state.v, 1.0, state.q);
    for (double& v : state.v) v = random.u();
    return state;
}

class SpatialStructure final : public Structure {
public:
    SpatialStructure(int bodies, int contacts)
        : model_(ball_tree(bodies)), problem_(model_, moving_state(model_), EqualityMethod::direct) {
        auxiliary_side_.assign(static_cast<std::size_t>(contacts), 0.0);
        auxiliary_blocks_.resize(static_cast<std::size_t>(contacts));
        // Links need not be in the order in which the scene has the bodies.
        for (int i = static_cast<int>(model_->tree.links.size()); static_cast<int>(links_.size()) < contacts;)
            if (is_leaf(--i)) links_.push_back(i);
        for (int k = 0; k < contacts; ++k)
            auxiliary_rows_.push_back({k, links_[k], auxiliary_blocks_[k].data()});
        write_rows();
        write_masses();
        side_ = problem_.right_side();
    }

    const BlockLdlt& matrix() const override { return problem_.dynamics.system.matrix.blocks(); }
    void write_rows() override {
        problem_.dynamics.system.matrix.find_rows(true);
        const Workspace<double>& ws = problem_.dynamics.system.poses.workspace();
        for (std::size_t k = 0; k < links_.size(); ++k) {
            const Transformd& X = ws.poses[links_[k]].X_WL;
            // From the middle of the rod to its tip; contacts face up.
            const Vec3d r = X.R * Vec3d{scenes::box_link_length / 2, 0, 0}, up{0, 0, 1};
            const Vec3d moment = cross(r, up);
            auxiliary_blocks_[k] = {moment.x, moment.y, moment.z, up.x, up.y, up.z};
            const Vec3d& w = ws.poses[links_[k]].V_WL.ang;
            auxiliary_side_[k] = -dot(cross(w, cross(w, r)), up);
        }
    }
    void write_masses() override { problem_.dynamics.system.matrix.find_inertias(); }
    void factor() override { problem_.dynamics.system.matrix.factor(); }

private:
    bool is_leaf(int link) const {
        return std::ranges::none_of(model_->tree.links,
                                    [&](const TreeLink<double>& other) { return other.parent == link; });
    }

    std::shared_ptr<const Model> model_;
    BodyProblem problem_;
    std::vector<int> links_;  // that have a contact
    std::vector<std::array<double, 6>> auxiliary_blocks_;
};

}  // namespace

std::unique_ptr<Structure> planar_structure(int bodies, int loops) {
    return std::make_unique<PlanarStructure>(bodies, loops);
}

std::unique_ptr<Structure> spatial_structure(int bodies, int contacts) {
    return std::make_unique<SpatialStructure>(bodies, contacts);
}

BlockLdlt whole_matrix(const Structure& structure) {
    const BlockLdlt& K = structure.matrix();
    std::vector<BlockLdlt::Node> nodes;
    std::vector<BlockLdlt::Edge> edges;
    for (int n = 0; n < K.nodes(); ++n) nodes.push_back(K.node(n));
    for (int k = 0; k < structure.auxiliary(); ++k) nodes.push_back({1, true});
    for (int e = 0; e < K.edges(); ++e) edges.push_back(K.edge_nodes(e));
    for (const BlockTerm& term : structure.auxiliary_rows())
        edges.push_back({K.nodes() + term.column, term.node});
    BlockLdlt whole(nodes, edges);
    for (int n = 0; n < K.nodes(); ++n) std::copy_n(K.diagonal(n), K.dim(n) * K.dim(n), whole.diagonal(n));
    for (int e = 0; e < K.edges(); ++e)
        std::copy_n(K.edge(e), K.dim(edges[e].a) * K.dim(edges[e].b), whole.edge(e));
    int edge = K.edges();
    for (const BlockTerm& term : structure.auxiliary_rows())
        std::copy_n(term.values, K.dim(term.node), whole.edge(edge++));
    return whole;
}

std::vector<double> whole_side(const Structure& structure) {
    std::vector<double> side(structure.side().begin(), structure.side().end());
    side.insert(side.end(), structure.auxiliary_side().begin(), structure.auxiliary_side().end());
    return side;
}

Anticipation::Anticipation(const Structure& structure) : structure_(structure), lcp_(structure.auxiliary()) {
    const std::size_t k = static_cast<std::size_t>(structure.auxiliary());
    A_.resize(k * k);
    free_.resize(k);
    forces_.resize(k);
    low_.assign(k, 0.0);
    high_.assign(k, HUGE_VAL);
    x_.resize(structure.side().size());
}

void Anticipation::find_coefficients(Coefficients by) {
    const BlockLdlt& K = structure_.matrix();
    const std::span<const BlockTerm> rows = structure_.auxiliary_rows();
    const int k = structure_.auxiliary();
    switch (by) {
        case Coefficients::by_solves: response_.by_solves(K, rows, rows, k, A_); break;
        case Coefficients::general: response_.general(K, rows, rows, k, A_); break;
        case Coefficients::workless: response_.workless(K, rows, k, A_); break;
    }
}

void Anticipation::find_free() {
    const BlockLdlt& K = structure_.matrix();
    std::copy(structure_.side().begin(), structure_.side().end(), x_.begin());
    K.solve(x_);
    for (std::size_t k = 0; k < free_.size(); ++k) free_[k] = -structure_.auxiliary_side()[k];
    for (const BlockTerm& term : structure_.auxiliary_rows())
        for (int c = 0; c < K.dim(term.node); ++c)
            free_[term.column] += term.values[c] * x_[K.offset(term.node) + c];
}

void Anticipation::find_forces(bool inequalities) {
    const int k = structure_.auxiliary();
    if (inequalities) {
        std::fill(forces_.begin(), forces_.end(), 0.0);
        solve_dantzig(
            {.n = k, .a = A_.data(), .stride = k, .b = free_.data(), .lo = low_.data(), .hi = high_.data()},
            {}, lcp_, forces_);
        return;
    }
    cholesky_.factor(A_, k, 1e-12);
    cholesky_.solve(A_, free_, forces_);
    for (double& force : forces_) force = -force;
}

void Anticipation::finish() {
    const BlockLdlt& K = structure_.matrix();
    std::copy(structure_.side().begin(), structure_.side().end(), x_.begin());
    for (const BlockTerm& term : structure_.auxiliary_rows())
        for (int c = 0; c < K.dim(term.node); ++c)
            x_[K.offset(term.node) + c] += term.values[c] * forces_[term.column];
    K.solve(x_);
}

}  // namespace lig::bench
