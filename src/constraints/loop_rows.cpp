#include "constraints/loop_rows.h"

#include "constraints/base_motion.h"
#include "constraints/relative_motion.h"
#include "constraints/stretch_entries.h"
#include "core/length.h"
#include "joints/joint_list.h"

#include <ligament/dynamics.h>

#include <cmath>
#include <limits>

namespace lig {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

bool loop_acts(const Model& model, int loop) {
    const Model::Loop& l = model.loops[loop];
    const int a = model.bodies[l.body_a].link, b = model.bodies[l.body_b].link;
    return l.active && a != b && (a >= 0 || b >= 0);
}

void add_loop(const Workspace<double>& ws, int index, bool with_products, Rows& rows,
              std::vector<EqualityTerms>& terms) {
    const Model& model = ws.model();
    const Model::Loop& loop = model.loops[index];
    const Model::Body& body_a = model.bodies[loop.body_a];
    const Model::Body& body_b = model.bodies[loop.body_b];
    Carrier A(ws, body_a.link), B(ws, body_b.link);
    Transformd X_LF = body_a.X_LB * loop.X_AF, X_LM = body_b.X_LB * loop.X_BM;
    const Vec3d rest_F = X_LF.p, rest_M = X_LM.p;
    X_LF.p = A.attach(ws, rest_F);
    X_LM.p = B.attach(ws, rest_M);
    const Transformd X_WF = A.X * X_LF, X_WM = B.X * X_LM;
    // Positions relative to each other, so that far from the world's origin no more is lost than the links'
    // poses have lost already.
    const Vec3d d = (B.X.p - A.X.p) + (B.X.R * X_LM.p - A.X.R * X_LF.p);
    const Transformd X_FM{transpose(X_WF.R) * X_WM.R, transpose_mul(X_WF.R, d)};
    const Vec3d p_M = X_WM.p;
    const Motion<double> V_FM = relative_velocity(A, B, X_WF.R, p_M);
    const Motion<double> A_FM = with_products ? relative_acceleration(ws, A, B, X_WF.R, p_M)
                                              : Motion<double>::zero();
    const Motion<double> base_a = velocity_by_base(ws, A.link), base_b = velocity_by_base(ws, B.link);

    double C[joints::max_rows], rate[joints::max_rows] = {};
    Force<double> G[joints::max_rows];
    const double near[joints::max_nq] = {};
    const joints::Parameters<double> parameters = joints::parameters_of(loop);
    joints::visit_joint(loop.type, [&](auto kind) {
        using J = decltype(kind);
        J::residual(parameters, X_FM, near, C);
        J::jacobian(parameters, X_FM, G);
        if (with_products) J::jacobian_rate(parameters, X_FM, V_FM, rate);
    });

    const double extent = length(X_LF.p) + length(X_LM.p) + gyration(model, A.link) + gyration(model, B.link);
    const double size = extent > 0 ? extent : 1;
    const double rounding = epsilon * (length(A.X.p) + length(B.X.p) + size);
    rows.begin_block(RowKind::loop, index, A.link, B.link, p_M, p_M);
    for (int k = 0; k < loop.rows; ++k) {
        const bool turns = G[k].lin.x == 0 && G[k].lin.y == 0 && G[k].lin.z == 0;
        const double scale = turns ? loop.torque_scale : 1;
        if (scale == 0) continue;
        const Force<double> at_M = scale * rotate(X_WF.R, G[k]);
        const Force<double> on_a = -about(A.X.p, p_M, at_M), on_b = about(B.X.p, p_M, at_M);
        Row& row = rows.add_row();
        if (A.link >= 0) row.on_a = on_a;
        if (B.link >= 0) row.on_b = on_b;
        row.lo = -HUGE_VAL;
        add_stretch_entries(ws, A.link, -at_M.lin, rest_F, rows);
        add_stretch_entries(ws, B.link, at_M.lin, rest_M, rows);
        terms.push_back({.error = scale * C[k],
                         .base_rate = dot(on_a, base_a) + dot(on_b, base_b),
                         .product = scale * (dot(A_FM, G[k]) + rate[k]),
                         .scale = scale,
                         .size = std::abs(scale) * (turns ? 1 : size),
                         .rounding = std::abs(scale) * (turns ? epsilon : rounding),
                         .part = k});
    }
}

}  // namespace lig
