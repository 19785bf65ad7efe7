#include "formulations/reduced/acceleration/propagated_matrix.h"

#include "linalg/vector_ops.h"

#include <ligament/model.h>

#include <algorithm>

namespace lig {

namespace {

// As many common entries as cost what a product with Ω costs.
constexpr int long_way = 42;

}  // namespace

PropagatedMatrix::PropagatedMatrix(const Model& model) {
    const std::size_t links = model.tree.links.size();
    on_path_.assign(links, 0);
    on_trunk_.assign(links, 0);
    carried_.assign(links, Force<double>::zero());
    entries_.assign(model.nv, 0.0);
}

void PropagatedMatrix::find_path(const JointFactor& factor, const Rows& rows, const RowBlock& block,
                                 const Row& row) {
    Path path{static_cast<int>(stops_.size()), 0, 0};
    int sources = 0;
    // Of the links on which the row acts, or at which its ways join.
    int innermost = static_cast<int>(factor.links.size());
    const auto walk = [&](int link) {
        if (link < 0) return;
        innermost = std::min(innermost, link);
        if (on_path_[link]) return;
        ++sources;
        for (; link >= 0 && !on_path_[link]; link = factor.links[link].parent) {
            on_path_[link] = 1;
            stops_.push_back({link, 0, Force<double>::zero()});
        }
        if (link >= 0) innermost = std::min(innermost, link);
    };
    walk(block.link_a);
    walk(block.link_b);
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
        walk(factor.link_of_dof[rows.entries[e].dof]);
    path.end = static_cast<int>(stops_.size());
    const auto begin = stops_.begin() + path.begin;
    if (sources > 1)
        std::sort(begin, stops_.end(), [](const Stop& a, const Stop& b) { return a.link > b.link; });
    for (auto stop = begin; stop != stops_.end(); ++stop) on_path_[stop->link] = 0;
    path.trunk = path.end;
    while (path.trunk > path.begin && stops_[path.trunk - 1].link <= innermost) {
        const int link = stops_[path.trunk - 1].link, parent = factor.links[link].parent;
        if (path.trunk == path.end ? parent >= 0 : parent != stops_[path.trunk].link) break;
        --path.trunk;
    }
    paths_.push_back(path);
}

// Inward along the path; see JointFactor.
void PropagatedMatrix::carry(const JointFactor& factor, const Rows& rows, const Row& row, Path path) {
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
        entries_[rows.entries[e].dof] += rows.entries[e].value;
    for (int i = path.begin; i < path.end; ++i) {
        Stop& stop = stops_[i];
        const JointFactor::Link& link = factor.links[stop.link];
        const JointFactor::Dof* dof = factor.dofs.data() + link.v_adr;
        stop.z = static_cast<int>(z_.size());
        stop.force = carried_[stop.link];
        carried_[stop.link] = Force<double>::zero();
        Force<double> F = stop.force;
        for (int k = 0; k < link.nv; ++k) z_.push_back(dot(dof[k].S, F));
        double* const z = z_.data() + stop.z;
        if (row.entry_count > 0) {
            const double* root = factor.root_inverse.data() + link.triangle;
            for (int k = 0; k < link.nv; ++k)
                for (int l = 0; l <= k; ++l) z[k] += root[k * (k + 1) / 2 + l] * entries_[link.v_adr + l];
        }
        if (link.parent < 0) continue;
        for (int k = 0; k < link.nv; ++k) F -= z[k] * dof[k].U;
        carried_[link.parent] += shift_back(F, link.r);
    }
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
        entries_[rows.entries[e].dof] = 0;
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

// Ω of the links on trunks that are long. Column k is the acceleration of the link by a unit force on
// it: inward to the parent, Ω of that, and outward again.
void PropagatedMatrix::find_responses(const JointFactor& factor) {
    bool some = false;
    for (const Path& path : paths_) {
        if (path.trunk == path.end) continue;
        const int freedoms = stops_[path.end - 1].z + factor.links[stops_[path.end - 1].link].nv -
                             stops_[path.trunk].z;
        if (freedoms <= long_way) continue;
        some = true;
        for (int i = path.trunk; i < path.end && !on_trunk_[stops_[i].link]; ++i)
            on_trunk_[stops_[i].link] = 1;
    }
    if (!some) return;
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
}

double PropagatedMatrix::product(const JointFactor& factor, const Path& a, const Path& b) const {
    double sum = 0;
    int i = a.begin, j = b.begin;
    while (i < a.end && j < b.end && (i < a.trunk || j < b.trunk)) {
        const Stop &x = stops_[i], &y = stops_[j];
        if (x.link == y.link)
            for (int k = 0; k < factor.links[x.link].nv; ++k) sum += z_[x.z + k] * z_[y.z + k];
        i += x.link >= y.link;
        j += y.link >= x.link;
    }
    i = std::max(i, a.trunk);
    j = std::max(j, b.trunk);
    // What the trunks have in common, counted from the root: once apart they never meet again.
    int common = 0, most = std::min(a.end - i, b.end - j);
    while (common < most) {
        const int middle = (common + most + 1) / 2;
        if (stops_[a.end - middle].link == stops_[b.end - middle].link)
            common = middle;
        else
            most = middle - 1;
    }
    if (common == 0) return sum;
    const Stop &x = stops_[a.end - common], &y = stops_[b.end - common];
    const Stop& last = stops_[a.end - 1];
    const int freedoms = last.z + factor.links[last.link].nv - x.z;
    if (freedoms <= long_way) return sum + dot(z_.data() + x.z, z_.data() + y.z, freedoms);
    sum += dot(z_.data() + x.z, z_.data() + y.z, factor.links[x.link].nv);
    const Stop &next_x = stops_[a.end - common + 1], &next_y = stops_[b.end - common + 1];
    return sum + dot(respond(responses_[next_x.link], next_x.force), next_y.force);
}

void PropagatedMatrix::build(const JointFactor& factor, const Rows& rows, std::span<double> K) {
    paths_.clear();
    stops_.clear();
    z_.clear();
    for (const RowBlock& block : rows.blocks)
        for (const Row& row : rows.rows_of(block)) {
            find_path(factor, rows, block, row);
            if (block.link_a >= 0) carried_[block.link_a] += row.on_a;
            if (block.link_b >= 0) carried_[block.link_b] += row.on_b;
            carry(factor, rows, row, paths_.back());
        }
    find_responses(factor);
    const std::size_t m = paths_.size();
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j <= i; ++j)
            K[i * m + j] = K[j * m + i] = product(factor, paths_[i], paths_[j]);
}

}  // namespace lig
