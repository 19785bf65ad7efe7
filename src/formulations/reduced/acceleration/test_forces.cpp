#include "formulations/reduced/acceleration/test_forces.h"

#include "core/lift.h"

#include <ligament/model.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lig {

namespace {

template <class T>
Motion<T> lifted(const Motion<double>& a) { return {lift<T>(a.ang), lift<T>(a.lin)}; }
template <class T>
Force<T> lifted(const Force<double>& f) { return {lift<T>(f.ang), lift<T>(f.lin)}; }

}  // namespace

template <class T>
void row_values(const ConstraintRows& rows, const Workspace<double>& at, std::span<const T> qacc,
                std::span<Motion<T>> a, std::span<T> values) {
    const std::vector<TreeLink<double>>& links = at.model().tree.links;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const TreeLink<double>& link = links[i];
        Motion<T> own = link.parent >= 0 ? shift(a[link.parent], lift<T>(at.links[i].r)) : Motion<T>::zero();
        for (int k = link.v_adr; k < link.v_adr + link.nv; ++k) own += qacc[k] * lifted<T>(at.S[k]);
        a[i] = own;
    }
    rows.for_each([&](const RowBlock& block, const Row& row, int r) {
        T sum = T(0);
        if (block.link_a >= 0) sum += dot(a[block.link_a], lifted<T>(row.on_a));
        if (block.link_b >= 0) sum += dot(a[block.link_b], lifted<T>(row.on_b));
        for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
            sum += lift<T>(rows.rows.entries[e].value) * qacc[rows.rows.entries[e].dof];
        values[r] = sum;
    });
}

double size_of_terms(const ConstraintRows& rows, const RowBlock& block, const Row& row,
                     std::span<const double> qacc, std::span<const Motion<double>> a) {
    const auto size = [](const Vec3d& x, const Vec3d& y) {
        return std::abs(x.x * y.x) + std::abs(x.y * y.y) + std::abs(x.z * y.z);
    };
    double sum = 0;
    for (const auto& [link, f] : {std::pair(block.link_a, row.on_a), std::pair(block.link_b, row.on_b)})
        if (link >= 0) sum += size(a[link].ang, f.ang) + size(a[link].lin, f.lin);
    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
        sum += std::abs(rows.rows.entries[e].value * qacc[rows.rows.entries[e].dof]);
    return sum;
}

template <class T>
TestForces<T>::TestForces(const std::shared_ptr<const Model>& model) : state_(*model), ws_(model) {
    tau_.resize(model->nv);
    pushed_.resize(model->nv);
    qacc_.resize(model->nv);
    f_ext_.resize(model->tree.links.size());
    acceleration_.resize(model->tree.links.size());
}

template <class T>
void TestForces<T>::set_state(const JointState<double>& state, std::span<const double> tau,
                              const Workspace<double>& at) {
    for (int lane = 0; lane < lane_width<T>; ++lane) set_lane(state_, lane, state);
    for (std::size_t k = 0; k < tau.size(); ++k) tau_[k] = lift<T>(tau[k]);
    for (std::size_t i = 0; i < f_ext_.size(); ++i) f_ext_[i] = lifted<T>(at.f_ext[i]);
}

template <class T>
std::span<const T> TestForces<T>::evaluate(const ConstraintRows& rows, const Workspace<double>& at, int first,
                                           double test_force) {
    values_.resize(rows.count());
    std::copy(f_ext_.begin(), f_ext_.end(), ws_.f_ext.begin());
    std::copy(tau_.begin(), tau_.end(), pushed_.begin());
    rows.for_each([&](const RowBlock& block, const Row& row, int r) {
        if (r < first || r >= first + lane_width<T>) return;
        T along = T(0);
        set_lane(along, r - first, test_force);
        rows.push(
            block, row, along,
            [&](int link, const Force<double>& f, const T& size) { ws_.f_ext[link] += size * lifted<T>(f); },
            [&](int dof, double value, const T& size) { pushed_[dof] += size * lift<T>(value); });
    });
    forward_dynamics<T>(state_, pushed_, ws_, qacc_, true);
    row_values<T>(rows, at, qacc_, acceleration_, values_);
    return values_;
}

template <class T>
void TestForces<T>::columns(const ConstraintRows& rows, const Workspace<double>& at, int first,
                            double test_force, std::span<const double> start, std::span<double> K) {
    const int m = rows.count();
    const std::span<const T> values = evaluate(rows, at, first, test_force);
    for (int j = 0; j < m; ++j)
        for (int i = first; i < std::min(first + lane_width<T>, m); ++i)
            K[static_cast<std::size_t>(j) * m + i] = (get_lane(values[j], i - first) - start[j]) / test_force;
}

#define LIG_INSTANTIATE(T)                                                                        \
    template void row_values(const ConstraintRows&, const Workspace<double>&, std::span<const T>, \
                             std::span<Motion<T>>, std::span<T>);                                 \
    template class TestForces<T>;
LIG_INSTANTIATE(double)
LIG_INSTANTIATE(Lanes4d)
LIG_INSTANTIATE(Lanes8d)
#undef LIG_INSTANTIATE

}  // namespace lig
