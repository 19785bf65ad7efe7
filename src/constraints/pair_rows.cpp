#include "constraints/pair_rows.h"

#include "constraints/base_motion.h"
#include "constraints/carrier.h"
#include "constraints/equalities.h"
#include "constraints/stretch_entries.h"
#include "core/length.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace lig {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

bool is_moved(const Model& model, const Model::PairConstraint& pair) {
    const int a = model.bodies[pair.body_a].link, b = model.bodies[pair.body_b].link;
    return pair.active && a != b && (a >= 0 || b >= 0);
}

// How large the parts are that it holds together.
double pair_size(const Model& model, const Model::PairConstraint& pair) {
    const Model::Body &a = model.bodies[pair.body_a], &b = model.bodies[pair.body_b];
    const double extent = length(a.X_LB * pair.X_AF.p) + length(b.X_LB * pair.X_BM.p) +
                          gyration(model, a.link) + gyration(model, b.link);
    return extent > 0 ? extent : 1;
}

bool is_finite(const Vec3d& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
template <class Spatial>
bool is_finite(const Spatial& s) {
    return is_finite(s.ang) && is_finite(s.lin);
}

// What a program's own constraint states in a sound state has to be numbers.
void require_finite(const Model& model, int index, const PairState& state, const PairRow* stated) {
    const Model::PairConstraint& pair = model.pair_constraints[index];
    for (int k = 0; k < pair.rows; ++k) {
        const PairRow& row = stated[k];
        if (std::isfinite(row.error) && std::isfinite(row.rate) && std::isfinite(row.product) &&
            is_finite(row.on_a) && is_finite(row.on_b))
            continue;
        if (!is_finite(state.X_WA.p) || !is_finite(state.X_WB.p) || !is_finite(state.V_WA) ||
            !is_finite(state.V_WB))
            return;  // the state is what is wrong
        throw std::domain_error(Equalities::name_of(model, RowKind::pair, index) +
                                " states what is not finite, in row " + std::to_string(k));
    }
}

}  // namespace

bool pair_acts(const Model& model, int index) {
    const Model::PairConstraint& pair = model.pair_constraints[index];
    return pair.is_equality() && is_moved(model, pair);
}

bool bounded_pair_acts(const Model& model, int index) {
    const Model::PairConstraint& pair = model.pair_constraints[index];
    return !pair.is_equality() && is_moved(model, pair);
}

void evaluate_pair(const Model& model, int index, const PairState& state, PairRow* out) {
    const Model::PairConstraint& pair = model.pair_constraints[index];
    pair.constraint->evaluate(state, out);
    require_finite(model, index, state, out);
    double size = 0;
    for (int k = 0; k < pair.rows; ++k) {
        if (out[k].size > 0) continue;
        if (size == 0) size = pair_size(model, pair);
        out[k].size = size;
    }
}

void add_pair(const Workspace<double>& ws, int index, double time, bool with_products, Rows& rows,
              std::vector<EqualityTerms>& terms) {
    const Model& model = ws.model();
    const Model::PairConstraint& pair = model.pair_constraints[index];
    const Model::Body &body_a = model.bodies[pair.body_a], &body_b = model.bodies[pair.body_b];
    Carrier A(ws, body_a.link), B(ws, body_b.link);
    Transformd X_LA = body_a.X_LB * pair.X_AF, X_LB = body_b.X_LB * pair.X_BM;
    const Vec3d rest_a = X_LA.p, rest_b = X_LB.p;
    X_LA.p = A.attach(ws, rest_a);
    X_LB.p = B.attach(ws, rest_b);
    PairState state;
    state.X_WA = A.X * X_LA;
    state.X_WB = B.X * X_LB;
    const Vec3d &p_A = state.X_WA.p, &p_B = state.X_WB.p;
    state.V_WA = {A.V.ang, A.velocity_at(p_A)};
    state.V_WB = {B.V.ang, B.velocity_at(p_B)};
    state.time = time;
    PairRow stated[PairConstraint::max_rows];
    evaluate_pair(model, index, state, stated);

    const Motion<double> base_a = velocity_by_base(ws, A.link), base_b = velocity_by_base(ws, B.link);
    Motion<double> of_a = Motion<double>::zero(), of_b = Motion<double>::zero();
    if (with_products) {
        of_a = acceleration_at(ws, A, p_A);
        of_b = acceleration_at(ws, B, p_B);
    }
    const double far = length(A.X.p) + length(B.X.p);
    rows.begin_block(RowKind::pair, index, A.link, B.link, p_A, p_B);
    for (int k = 0; k < pair.rows; ++k) {
        const PairRow& from = stated[k];
        const Force<double> on_a = about(A.X.p, p_A, from.on_a), on_b = about(B.X.p, p_B, from.on_b);
        Row& row = rows.add_row();
        if (A.link >= 0) row.on_a = on_a;
        if (B.link >= 0) row.on_b = on_b;
        row.lo = -HUGE_VAL;
        add_stretch_entries(ws, A.link, from.on_a.lin, rest_a, rows);
        add_stretch_entries(ws, B.link, from.on_b.lin, rest_b, rows);
        const bool turns = dot(from.on_a.lin, from.on_a.lin) == 0 && dot(from.on_b.lin, from.on_b.lin) == 0;
        const double scale = std::abs(from.scale);
        terms.push_back(
            {.error = from.error,
             .base_rate = from.rate + dot(on_a, base_a) + dot(on_b, base_b),
             .product = with_products ? from.product + dot(from.on_a, of_a) + dot(from.on_b, of_b) : 0,
             .scale = from.scale,
             .size = scale * from.size,
             .rounding = scale * epsilon * (turns ? 1 : far + from.size),
             .part = k,
             .holonomic = from.holonomic});
    }
}

}  // namespace lig
