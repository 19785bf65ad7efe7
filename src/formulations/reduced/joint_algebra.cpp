#include "formulations/reduced/joint_algebra.h"

#include "constraints/equalities.h"

#include <algorithm>
#include <cmath>

namespace lig {

namespace {

// Squared sine of the angle between a row of a loop and the others below which it follows from them. Rows
// that follow from each other on the equalities are at an angle of about e where those are open by e. The
// axial row of a taut rope has sines down to 1e-6, and carries all of its load.
double equality_rank_tolerance(double open) {
    const double sine = 100 * open;
    return std::clamp(sine * sine, 1e-14, 1e-8);
}

}  // namespace

JointAlgebra::JointAlgebra(const Model& model, const Contacts& contacts, const SimulationOptions& options)
    : StepAlgebra(model),
      factor_(model),
      equalities_(model, Equalities::multiplier_count(model)),
      solver_(model, factor_, contacts, options) {}

// Rows of equalities that follow from others get no impulses. Where a file closes them to its digits only,
// rows that are almost dependent contradict each other, and to satisfy both would take any speed.
void JointAlgebra::leave_out_redundant_rows(Rows& rows, int equalities_begin, int two_sided,
                                            StepReport& report) {
    equalities_.set_rows(factor_, rows, equalities_begin, two_sided);
    equalities_.choose(equality_rank_tolerance(equalities_open));
    int row = 0;
    for (int b = equalities_begin; b < two_sided; ++b)
        for (Row& own : rows.rows_of(rows.blocks[b]))
            if (equalities_.is_redundant(row++)) own.lo = own.hi = own.lambda = 0;
    report.equality_rows = equalities_.rows();
    report.redundant_rows = equalities_.redundant_rows();
}

int JointAlgebra::prepare(const JointState<double>&, const Workspace<double>& ws, Rows& rows,
                          int equalities_begin, int two_sided, StepReport& report) {
    if (const int link = factor_.factor(ws, terms); link >= 0) return link;
    equality_rows_ = 0;
    if (two_sided > equalities_begin) {
        leave_out_redundant_rows(rows, equalities_begin, two_sided, report);
        first_equality_row_ = rows.blocks[equalities_begin].begin;
        equality_rows_ = equalities_.rows();
        target_.resize(equality_rows_);
        solver_.prepare(rows, factor_, {equalities_begin, two_sided}, two_sided, equalities_,
                        equality_rank_tolerance(equalities_open));
    } else {
        solver_.prepare(rows, factor_, two_sided);
    }
    return -1;
}

// Makes the rows of equalities hold exactly, by their own impulses. Returns how much s changes by it.
double JointAlgebra::hold_equalities(std::span<const double> b, std::span<double> lambda,
                                     std::span<double> s) {
    if (equality_rows_ == 0) return 0;
    held_.assign(s.begin(), s.end());
    for (int r = 0; r < equality_rows_; ++r) target_[r] = -b[first_equality_row_ + r];
    equalities_.solve(target_, s, lambda.subspan(first_equality_row_, equality_rows_));
    double change = 0;
    for (std::size_t k = 0; k < s.size(); ++k) change = std::max(change, std::abs(s[k] - held_[k]));
    return change;
}

// Rows of equalities are eliminated directly: those that are nearly dependent, of a taut rope or next to a
// toggle, are found slowly by iterations, and velocities that are off them by the accuracy may be off by any
// amount otherwise. The other rows are found among the changes that equalities allow.
double JointAlgebra::solve(const Request& request, std::span<double> lambda, std::span<double> s,
                           StepReport& report) {
    if (equality_rows_ == 0) return solver_.solve(request, lambda, s, report);
    const std::span<double> of_equalities = lambda.subspan(first_equality_row_, equality_rows_);
    free_.assign(request.s_free.begin(), request.s_free.end());
    std::fill(of_equalities.begin(), of_equalities.end(), 0.0);
    hold_equalities(request.b, lambda, free_);
    std::fill(of_equalities.begin(), of_equalities.end(), 0.0);
    b_.assign(request.b.begin(), request.b.end());
    solver_.add_held_rates(free_, b_);
    std::copy(free_.begin(), free_.end(), s.begin());
    solver_.apply_held(lambda, s);
    Request inner = request;
    inner.b = b_;
    inner.s_free = free_;
    const double missed = solver_.solve(inner, lambda, s, report);
    std::copy(request.s_free.begin(), request.s_free.end(), s.begin());
    solver_.apply(lambda, s);
    hold_equalities(request.b, lambda, s);
    return missed;
}

// Equalities go on as they do.
double JointAlgebra::solve_some(int island, std::span<const int> blocks, const Request& request,
                                std::span<double> lambda, std::span<double> s, StepReport& report) {
    if (equality_rows_ == 0) return solver_.solve_some(island, blocks, request, lambda, s, report);
    b_.assign(request.b.begin(), request.b.end());
    solver_.add_held_rates(request.s_free, b_);
    Request inner = request;
    inner.b = b_;
    return solver_.solve_some(island, blocks, inner, lambda, s, report);
}

void JointAlgebra::free_change(std::span<const double> x, std::span<const double>, std::span<double> s) {
    std::copy(x.begin(), x.end(), s.begin());
    factor_.inward(s);
}

}  // namespace lig
