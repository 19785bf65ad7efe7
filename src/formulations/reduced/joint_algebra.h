#pragma once

// JointAlgebra: velocity steps on joint coordinates. s are the coordinates of JointFactor, rows are solved by
// RowSolver, and rows of equalities that follow from others are found by EqualitySystem.

#include "dynamics/equality_system.h"
#include "dynamics/joint_factor.h"
#include "formulations/rows/row_solver.h"
#include "formulations/step_algebra.h"

namespace lig {

class JointAlgebra final : public StepAlgebra {
public:
    // contacts: what the source of a contact's block is in.
    JointAlgebra(const Model& model, const Contacts& contacts, const SimulationOptions& options);

    std::size_t size() const override { return factor_.dofs.size(); }
    int prepare(const JointState<double>& state, const Workspace<double>& ws, Rows& rows,
                int equalities_begin, int two_sided, StepReport& report) override;
    void free_change(std::span<const double> x, std::span<const double> b, std::span<double> s) override;
    double yield_of(std::size_t block) const override { return solver_.yield_of(block); }
    double hold_equalities(std::span<const double> b, std::span<double> lambda, std::span<double> s) override;
    void outward(std::span<const double> s, std::span<double> v) override { factor_.outward(s, v); }
    const Motion<double>& link_motion(int link) const override { return factor_.link_motion(link); }

    double solve(const Request& request, std::span<double> lambda, std::span<double> s,
                 StepReport& report) override;
    double solve_some(int island, std::span<const int> blocks, const Request& request,
                      std::span<double> lambda, std::span<double> s, StepReport& report) override;
    void apply(std::span<const double> lambda, std::span<double> s) const override {
        solver_.apply(lambda, s);
    }
    double change_of(std::size_t block, std::span<const double> s) const override {
        return solver_.change_of(block, s);
    }
    int island_count() const override { return solver_.island_count(); }
    std::span<const int> island_blocks(int island) const override { return solver_.island_blocks(island); }
    bool has_large_island() const override { return solver_.has_large_island(); }

private:
    void leave_out_redundant_rows(Rows& rows, int equalities_begin, int two_sided, StepReport& report);

    JointFactor factor_;
    EqualitySystem equalities_;
    RowSolver solver_;
    int first_equality_row_ = 0, equality_rows_ = 0;
    std::vector<double> target_, held_, free_, b_;  // (loop rows), (nv), (nv), (rows)
};

}  // namespace lig
