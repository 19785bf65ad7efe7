#include "formulations/reduced/acceleration/propagated_matrix.h"

#include "linalg/vector_ops.h"

#include <ligament/model.h>

#include <algorithm>
#include <functional>

namespace lig {

namespace {

// As many common entries as cost what a product with Ω F costs, and what finding Ω of one link costs.
constexpr int long_way = 16;
constexpr double response_cost = 800;

}  // namespace

PropagatedMatrix::PropagatedMatrix(const Model& model) {
    const std::size_t links = model.tree.links.size();
    on_trunk_.assign(links, 0);
    stop_at_.assign(links, -1);
    order_begin_.assign(links + 1, 0);
}

// The way of a row that acts on one link, or on freedoms of it.
void PropagatedMatrix::add_plain_path(const JointFactor& factor, int link) {
    Path path{static_cast<int>(links_.size()), 0, static_cast<int>(links_.size()), Motion<double>::zero()};
    for (; link >= 0; link = factor.links[link].parent) {
        links_.push_back(link);
        next_.push_back(static_cast<int>(links_.size()));
    }
    path.end = static_cast<int>(links_.size());
    if (path.end > path.begin) next_.back() = -1;
    paths_.push_back(path);
}

// The ways of a row that acts in several places.
void PropagatedMatrix::add_joined_path(const JointFactor& factor, const Rows& rows, const RowBlock& block,
                                       const Row& row) {
    Path path{static_cast<int>(links_.size()), 0, 0, Motion<double>::zero()};
    // Of the links on which the row acts, or at which its ways join.
    int innermost = static_cast<int>(factor.links.size());
    const auto walk = [&](int link) {
        if (link < 0) return;
        innermost = std::min(innermost, link);
        for (; link >= 0 && stop_at_[link] < 0; link = factor.links[link].parent) {
            stop_at_[link] = 0;
            links_.push_back(link);
        }
        if (link >= 0) innermost = std::min(innermost, link);
    };
    walk(block.link_a);
    walk(block.link_b);
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
        walk(factor.link_of_dof[rows.entries[e].dof]);
    path.end = static_cast<int>(links_.size());
    std::sort(links_.begin() + path.begin, links_.end(), std::greater<>());
    for (int i = path.begin; i < path.end; ++i) stop_at_[links_[i]] = i;
    for (int i = path.begin; i < path.end; ++i) {
        const int parent = factor.links[links_[i]].parent;
        next_.push_back(parent >= 0 ? stop_at_[parent] : -1);
    }
    for (int i = path.begin; i < path.end; ++i) stop_at_[links_[i]] = -1;
    path.trunk = path.end;
    while (path.trunk > path.begin && links_[path.trunk - 1] <= innermost) {
        // The last stop has nowhere to go on to; the others go on to the one behind them.
        if (next_[path.trunk - 1] != (path.trunk == path.end ? -1 : path.trunk)) break;
        --path.trunk;
    }
    paths_.push_back(path);
}

// The stops of a row, with what acts there: forces on its links, and at its freedoms L⁻¹ times its entries.
void PropagatedMatrix::add_row(const JointFactor& factor, const Rows& rows, const RowBlock& block,
                               const Row& row) {
    const int places = (block.link_a >= 0) + (block.link_b >= 0) + row.entry_count;
    if (places > 1)
        add_joined_path(factor, rows, block, row);
    else if (row.entry_count > 0)
        add_plain_path(factor, factor.link_of_dof[rows.entries[row.entry_begin].dof]);
    else
        add_plain_path(factor, std::max(block.link_a, block.link_b));
    const Path& path = paths_.back();
    int freedoms = static_cast<int>(z_.size());
    for (int i = path.begin; i < path.end; ++i) {
        z_at_.push_back(freedoms);
        freedoms += factor.links[links_[i]].nv;
        ++order_begin_[links_[i] + 1];
    }
    z_.resize(freedoms, 0.0);
    forces_.resize(links_.size(), Force<double>::zero());

    const auto stop_at = [&](int link) {  // links fall
        return static_cast<int>(std::lower_bound(links_.begin() + path.begin, links_.begin() + path.end, link,
                                                 std::greater<>()) -
                                links_.begin());
    };
    if (block.link_a >= 0) forces_[stop_at(block.link_a)] += row.on_a;
    if (block.link_b >= 0) forces_[stop_at(block.link_b)] += row.on_b;
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e) {
        const int index = factor.link_of_dof[rows.entries[e].dof];
        const JointFactor::Link& link = factor.links[index];
        const double* const root = factor.root_inverse.data() + link.triangle;
        double* const z = z_.data() + z_at_[stop_at(index)];
        const int own = rows.entries[e].dof - link.v_adr;
        for (int k = own; k < link.nv; ++k) z[k] += root[k * (k + 1) / 2 + own] * rows.entries[e].value;
    }
}

// Inward (see JointFactor), link by link and not row by row: what a row does at one link waits for the link
// before it, but rows do not wait for each other.
void PropagatedMatrix::carry_inward(const JointFactor& factor) {
    const int links = static_cast<int>(factor.links.size()), stops = static_cast<int>(links_.size());
    for (int i = 0; i < links; ++i) order_begin_[i + 1] += order_begin_[i];
    order_.resize(stops);
    for (int i = stops - 1; i >= 0; --i) order_[--order_begin_[links_[i] + 1]] = i;
    // Now order_begin_[i + 1] is where the stops at link i begin; they end where those at i + 1 begin.
    for (int i = links - 1, end = stops; i >= 0; --i) {
        const int begin = order_begin_[i + 1];
        const JointFactor::Link& link = factor.links[i];
        const JointFactor::Dof* const dof = factor.dofs.data() + link.v_adr;
        for (int at = begin; at < end; ++at) {
            const int stop = order_[at];
            double* const z = z_.data() + z_at_[stop];
            Force<double> F = forces_[stop];
            for (int k = 0; k < link.nv; ++k) z[k] += dot(dof[k].S, F);
            if (next_[stop] < 0) continue;
            for (int k = 0; k < link.nv; ++k) F -= z[k] * dof[k].U;
            forces_[next_[stop]] += shift_back(F, link.r);
        }
        end = begin;
    }
    std::fill(order_begin_.begin(), order_begin_.end(), 0);
}

namespace {

// Ω F.
template <class Response>
Motion<double> respond(const Response& response, const Force<double>& F) {
    Motion<double> a = F.ang.x * response[0];
    a += F.ang.y * response[1];
    a += F.ang.z * response[2];
    a += F.lin.x * response[3];
    a += F.lin.y * response[4];
    a += F.lin.z * response[5];
    return a;
}

Force<double> unit_force(int k) {
    Force<double> F = Force<double>::zero();
    (k < 3 ? F.ang[k] : F.lin[k - 3]) = 1;
    return F;
}

}  // namespace

// The freedoms on a trunk.
int PropagatedMatrix::length_of(const JointFactor& factor, const Path& path) const {
    if (path.trunk == path.end) return 0;
    return z_at_[path.end - 1] + factor.links[links_[path.end - 1]].nv - z_at_[path.trunk];
}

// Ω of the links on trunks that are long, where there are rows enough for it to pay. Column k is the
// acceleration of the link by a unit force on it: inward to the parent, Ω of that, and outward again.
void PropagatedMatrix::find_responses(const JointFactor& factor) {
    double saved = 0;  // in products of entries, if each row had its whole trunk in common with all others
    int links = 0;
    for (const Path& path : paths_) {
        const int freedoms = length_of(factor, path);
        if (freedoms <= long_way) continue;
        saved += 0.5 * static_cast<double>(paths_.size() + 1) * (freedoms - long_way);
        for (int i = path.trunk; i < path.end && !on_trunk_[links_[i]]; ++i, ++links)
            on_trunk_[links_[i]] = 1;
    }
    with_responses_ = saved > response_cost * links;
    if (!with_responses_) {
        std::fill(on_trunk_.begin(), on_trunk_.end(), 0);
        return;
    }
    responses_.resize(factor.links.size());
    for (std::size_t i = 0; i < factor.links.size(); ++i) {
        if (!on_trunk_[i]) continue;
        on_trunk_[i] = 0;
        const JointFactor::Link& link = factor.links[i];
        const JointFactor::Dof* dof = factor.dofs.data() + link.v_adr;
        for (int column = 0; column < 6; ++column) {
            Force<double> F = unit_force(column);
            double t[6];
            for (int k = 0; k < link.nv; ++k) t[k] = dot(dof[k].S, F);
            for (int k = 0; k < link.nv; ++k) F -= t[k] * dof[k].U;
            Motion<double> a = link.parent >= 0
                                   ? shift(respond(responses_[link.parent], shift_back(F, link.r)), link.r)
                                   : Motion<double>::zero();
            for (int k = 0; k < link.nv; ++k) t[k] -= dot(dof[k].U, a);
            for (int k = 0; k < link.nv; ++k) a += t[k] * dof[k].S;
            responses_[i][column] = a;
        }
    }
    for (Path& path : paths_)
        if (length_of(factor, path) > long_way)
            path.answer = respond(responses_[links_[path.trunk + 1]], forces_[path.trunk + 1]);
}

double PropagatedMatrix::product(const JointFactor& factor, const Path& a, const Path& b) const {
    double sum = 0;
    int i = a.begin, j = b.begin;
    while (i < a.end && j < b.end && (i < a.trunk || j < b.trunk)) {
        const int x = links_[i], y = links_[j];
        if (x == y) sum += dot(z_.data() + z_at_[i], z_.data() + z_at_[j], factor.links[x].nv);
        i += x >= y;
        j += y >= x;
    }
    i = std::max(i, a.trunk);
    j = std::max(j, b.trunk);
    // What the trunks have in common, counted from the root: once apart they never meet again.
    int most = std::min(a.end - i, b.end - j), common = 0;
    if (most > 0 && links_[a.end - most] == links_[b.end - most]) common = most;
    while (common < most) {
        const int middle = (common + most + 1) / 2;
        if (links_[a.end - middle] == links_[b.end - middle])
            common = middle;
        else
            most = middle - 1;
    }
    if (common == 0) return sum;
    i = a.end - common;
    j = b.end - common;
    const double *const x = z_.data() + z_at_[i], *const y = z_.data() + z_at_[j];
    const int freedoms = z_at_[a.end - 1] + factor.links[links_[a.end - 1]].nv - z_at_[i];
    if (freedoms <= long_way || !with_responses_) return sum + dot(x, y, freedoms);
    sum += dot(x, y, factor.links[links_[i]].nv);
    // Where one way leads through the beginning of the other's trunk, that one's Ω F is there already.
    if (i == a.trunk) return sum + dot(a.answer, forces_[j + 1]);
    if (j == b.trunk) return sum + dot(b.answer, forces_[i + 1]);
    return sum + dot(respond(responses_[links_[i + 1]], forces_[i + 1]), forces_[j + 1]);
}

void PropagatedMatrix::build(const JointFactor& factor, const Rows& rows, std::span<double> K) {
    paths_.clear();
    links_.clear();
    next_.clear();
    z_at_.clear();
    forces_.clear();
    z_.clear();
    for (const RowBlock& block : rows.blocks)
        for (const Row& row : rows.rows_of(block)) add_row(factor, rows, block, row);
    carry_inward(factor);
    find_responses(factor);
    const std::size_t m = paths_.size();
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            K[i * m + j] = K[j * m + i] = product(factor, paths_[i], paths_[j]);
}

}  // namespace lig
