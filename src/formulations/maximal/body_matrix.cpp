#include "formulations/maximal/body_matrix.h"

#include "bodies/body_list.h"
#include "bodies/free_turning.h"
#include "core/rotation.h"
#include "linalg/small_dense.h"
#include "model/named.h"

#include <algorithm>
#include <cmath>

namespace lig::maximal {

BodyMatrix::BodyMatrix(const BodyGraph& graph, BodyPoses& poses)
    : graph_(graph),
      tree_(graph.tree()),
      poses_(poses),
      K_(graph.nodes(), graph.block_edges()),
      soft_acts_(graph.soft_freedoms().size(), 0),
      joint_state_(graph.model()),
      equality_blocks_(graph.equality_block_size()) {
    const std::size_t size = static_cast<std::size_t>(graph.size());
    for (std::vector<double>* v : {&errors_, &base_rates_, &products_, &right_}) v->assign(size, 0.0);
    velocity_rows_.assign(size, 0);
    takes_part_.assign(graph.equalities().size(), 1);
    chosen_nodes_.reserve(graph.nodes().size());
    if (graph.equality_method() == EqualityMethod::anticipation) {
        const std::size_t n = static_cast<std::size_t>(graph.equality_rows());
        A_.assign(n * n, 0.0);
        equality_side_.assign(n, 0.0);
        equality_forces_.assign(n, 0.0);
    }
    set_armature();
}

void BodyMatrix::choose(std::span<const int> links) {
    chosen_nodes_.assign(links.begin(), links.end());
    for (const int i : links)
        if (const int node = graph_.link(i).joint.node; node >= 0) chosen_nodes_.push_back(node);
    for (std::size_t e = 0; e < graph_.equalities().size(); ++e) {
        const Equality& equality = graph_.equalities()[e];
        const std::span<const Edge> edges = graph_.edges_of(equality);
        takes_part_[e] = !edges.empty() && std::binary_search(links.begin(), links.end(), edges[0].link);
        if (takes_part_[e] && equality.node >= 0) chosen_nodes_.push_back(equality.node);
    }
    K_.choose(chosen_nodes_);
}

void BodyMatrix::find_inertias() {
    for (const int i : poses_.chosen()) {
        const Link& node = graph_.link(i);
        poses_.write_mass(i, K_.diagonal(i));
        if (node.body_edge >= 0)
            std::fill_n(K_.edge(node.body_edge), K_.dim(i) * K_.dim(tree_.links[i].parent), 0.0);
    }
}

void BodyMatrix::set_soft(int link, const double* stiffness) {
    const Link& node = graph_.link(link);
    if (node.soft_count == 0) return;
    const int dim = node.rows + node.soft_count;
    double* D = K_.diagonal(node.joint.node);
    int acting[max_joint_rows], count = 0;
    for (int s = 0; s < node.soft_count; ++s) {
        soft_acts_[node.soft_begin + s] = stiffness[s * small_stride + s] > 0;
        if (soft_acts_[node.soft_begin + s]) acting[count++] = s;
    }
    double a[max_joint_rows * small_stride], inverse[max_joint_rows];
    for (int i = 0; i < count; ++i)
        for (int j = 0; j <= i; ++j)
            a[i * small_stride + j] = stiffness[acting[i] * small_stride + acting[j]];
    cholesky_n<double>(a, count);
    for (int i = 0; i < node.soft_count; ++i)
        for (int j = 0; j < node.soft_count; ++j) D[(node.rows + i) * dim + node.rows + j] = i == j ? -1 : 0;
    for (int j = 0; j < count; ++j) {
        std::fill_n(inverse, count, 0.0);
        inverse[j] = 1;
        cholesky_solve_n<double>(a, count, inverse);
        for (int i = 0; i < count; ++i)
            D[(node.rows + acting[i]) * dim + node.rows + acting[j]] = -inverse[i];
    }
}

void BodyMatrix::set_armature() {
    for (int i = 0; i < graph_.links(); ++i) {
        const Link& node = graph_.link(i);
        double stiffness[max_joint_rows * small_stride] = {};
        for (int s = 0; s < node.soft_count; ++s)
            stiffness[s * small_stride + s] = tree_.armature[graph_.soft_freedoms()[node.soft_begin + s]];
        set_soft(i, stiffness);
    }
}

double BodyMatrix::joint_error() const {
    double largest = 0;
    for (int i = 0; i < graph_.links(); ++i)
        for (int k = 0; k < graph_.link(i).rows; ++k)
            largest = std::max(largest, std::abs(errors_[graph_.link(i).joint.begin + k]));
    return largest;
}

double BodyMatrix::equality_error() const {
    double largest = 0;
    for (const Equality& equality : graph_.equalities())
        for (int k = 0; k < equality.count; ++k)
            largest = std::max(largest, std::abs(errors_[equality.begin + k]));
    return largest;
}

double BodyMatrix::equality_opening() const {
    double most = 0;
    for (const EqualityTerms& terms : terms_)
        if (!(std::abs(terms.error) <= most * terms.size)) most = std::abs(terms.error) / terms.size;
    return most;
}

std::string BodyMatrix::name_of_worst() const {
    double largest = -1;
    std::string name;
    for (int i = 0; i < graph_.links(); ++i)
        for (int k = 0; k < graph_.link(i).rows; ++k)
            if (const double e = std::abs(errors_[graph_.link(i).joint.begin + k]); e > largest) {
                largest = e;
                for (const Model::Joint& joint : graph_.model().joints)
                    if (graph_.model().bodies[joint.body].link == i) name = named(graph_.model(), joint);
            }
    for (const Equality& equality : graph_.equalities())
        for (int k = 0; k < equality.count; ++k)
            if (const double e = std::abs(errors_[equality.begin + k]); e > largest) {
                largest = e;
                name = Equalities::name_of(graph_.model(), equality.kind, equality.source);
            }
    return name;
}

void BodyMatrix::row_velocities(std::span<const double> u, std::span<double> out) const {
    graph_.for_each_constraint([&](const Constraint& constraint) {
        double* own = out.data() + constraint.begin;
        std::fill_n(own, constraint.count, 0.0);
        for (const Edge& edge : graph_.edges_of(constraint)) {
            const int dim = graph_.dim(edge.link);
            const double *J = block(edge), *x = u.data() + graph_.offset(edge.link);
            for (int r = 0; r < constraint.count; ++r)
                for (int c = 0; c < dim; ++c) own[r] += J[r * dim + c] * x[c];
        }
    });
}

namespace {

// In world axes.
Vec3d free_turning(const BodyGraph::Link& link, const PoseWork<double>& at) {
    const Mat3d axes = at.X_WL.R * rotation_matrix(link.rotation.axes);
    return axes * bodies::free_turning(link.rotation.moments, transpose_mul(axes, at.V_WL.ang));
}

// f += Jᵀ y of one block.
void add_transposed(const double* J, int rows, const double* y, int dim, double* f) {
    if (dim == 6) {  // what the compiler can put into registers
        double sum[6];
        for (int c = 0; c < 6; ++c) sum[c] = f[c];
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < 6; ++c) sum[c] += J[r * 6 + c] * y[r];
        for (int c = 0; c < 6; ++c) f[c] = sum[c];
        return;
    }
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < dim; ++c) f[c] += J[r * dim + c] * y[r];
}

}  // namespace

void BodyMatrix::write_joint_misses(double rate, double ahead, std::span<double> x) const {
    const Workspace<double>& ws = poses_.workspace();
    for (const int i : poses_.chosen()) {
        const Link& node = graph_.link(i);
        const int begin = node.joint.begin;
        double followed = 1;
        for (const Edge& edge : graph_.edges_of(node.joint))
            followed = std::min(followed, bodies::followed_share(2 * ahead, ws.poses[edge.link].V_WL.ang));
        const double time = followed * ahead;
        for (int r = 0; r < node.rows; ++r)
            x[begin + r] =
                -(base_rates_[begin + r] + rate * errors_[begin + r] + time * products_[begin + r]);
        for (const Edge& edge : graph_.edges_of(node.joint)) {
            double u[bodies::max_body_dim];
            const PoseWork<double>& at = ws.poses[edge.link];
            Motion<double> V = shift(at.V_WL, poses_.centre(edge.link) - at.X_WL.p);
            if (time != 0) V.ang += time * free_turning(graph_.link(edge.link), at);
            graph_.project(edge.link, {V.ang, V.lin}, u);
            const int dim = graph_.dim(edge.link);
            for (int r = 0; r < node.rows; ++r)
                for (int c = 0; c < dim; ++c) x[begin + r] -= block(edge)[r * dim + c] * u[c];
        }
    }
}

void BodyMatrix::add_row_forces(std::span<const double> y, std::span<double> f) const {
    graph_.for_each_constraint([&](const Constraint& constraint) {
        for (const Edge& edge : graph_.edges_of(constraint))
            add_transposed(block(edge), constraint.count, y.data() + constraint.begin,
                           graph_.dim(edge.link), f.data() + graph_.offset(edge.link));
    });
}

// Of the first rows of a constraint. Φ has orthonormal columns: what is read back has no part that the body's
// kind does not feel.
Force<double> BodyMatrix::force_of(const Constraint& constraint, int rows, int link,
                                   std::span<const double> y) const {
    double f[bodies::max_body_dim] = {};
    for (const Edge& edge : graph_.edges_of(constraint))
        if (edge.link == link)
            add_transposed(block(edge), rows, y.data() + constraint.begin, graph_.dim(link), f);
    Motion<double> out;
    graph_.visit(link, [&](auto kind) { out = kind.expand(f); });
    return {-out.ang, -out.lin};
}

Force<double> BodyMatrix::joint_force(int link, std::span<const double> y) const {
    return force_of(graph_.link(link).joint, graph_.link(link).rows, link, y);
}

Force<double> BodyMatrix::equality_force(const Equality& equality, int link,
                                         std::span<const double> y) const {
    return force_of(equality, equality.count, link, y);
}

}  // namespace lig::maximal
