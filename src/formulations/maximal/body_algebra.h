#pragma once

// BodyAlgebra: velocity steps on the velocities of bodies (Baraff 1996, sec. 8). Joints and equalities are
// nodes of the factorization; limits, contacts, dry friction, drives with bounds and what reaches over more
// bodies are auxiliary constraints, found first, in anticipation of what joints will do [B96 sec. 8.2, by its
// steps]:
//   1. factor the matrix of the primary constraints;
//   2. s_free: the change of velocities without auxiliary ones (one solve);
//   3. A = J M̂⁻¹ Jᵀ of the auxiliary rows. They are workless (K = Jᵀ), so half a solve each is enough
//      (linalg/block_response.h). Trees that no loop joins do not feel each other, so A is found and rooted
//      group by group; on islands without equalities A has a sparse root in joint coordinates (JointFactor),
//      in which a row is felt on the way to the root of its tree alone, and is not formed;
//   4. λ of these rows, by islands (row_solver.h);
//   5. s = s_free + M̂⁻¹ Jᵀ λ, and the multipliers of the primary constraints (one solve).
// Vectors s are changes of the bodies' velocities, in the order of the matrix; behind those of the bodies the
// negative multipliers that belong to them.
//
// With EqualityMethod::anticipation equalities are rows like the others.

#include "formulations/maximal/body_system.h"
#include "formulations/rows/row_solver.h"
#include "formulations/step_algebra.h"
#include "linalg/block_response.h"

#include <memory>
#include <vector>

namespace lig::maximal {

class BodyAlgebra final : public StepAlgebra {
public:
    // contacts: what the source of a contact's block is in.
    BodyAlgebra(std::shared_ptr<const Model> model, const Contacts& contacts,
                const SimulationOptions& options);

    // For an `ahead` of free_change_of_bodies.
    bool follows_turning = false;
    // From the next prepare on: a share of what a row's bodies yield to it alone, by which joints and
    // equalities give way. Rows that nearly follow from each other then ask for bounded impulses, and those
    // that ask for no motion only take energy. 0: rows that follow from others are left out.
    double damping = 0;
    // Links that take part from the next prepare on, as BodySystem::choose has it; all at first.
    void choose(std::span<const int> links);
    std::size_t size() const override { return static_cast<std::size_t>(system_->graph.size()); }
    int prepare(const JointState<double>& state, const Workspace<double>& ws, Rows& rows,
                int equalities_begin, int two_sided, StepReport& report) override;
    void free_change(std::span<const double> x, std::span<const double> b, std::span<double> s) override;
    // The same for bodies that do not fit their joints, with impulses on links about the origins of their
    // frames as well: joints are asked for velocities that fit them a time `ahead`
    // (s) later, as free bodies turn on, and remove their errors at a rate (1/s).
    void free_change_of_bodies(std::span<const double> x, std::span<const Force<double>> on_links,
                               std::span<const double> b, double removal, double ahead,
                               std::span<double> s);
    // The impulse of a joint on the body behind it, about its centre of mass.
    Force<double> joint_impulse(int link, std::span<const double> s) const {
        return system_->matrix.joint_force(link, s);
    }
    double yield_of(std::size_t block) const override {
        return yields_[block] > 0 ? yields_[block] : 1;
    }
    void outward(std::span<const double> s, std::span<double> v) override;
    const Motion<double>& link_motion(int link) const override { return motion_[link]; }

    double solve(const Request& request, std::span<double> lambda, std::span<double> s,
                 StepReport& report) override;
    double solve_some(int island, std::span<const int> blocks, const Request& request,
                      std::span<double> lambda, std::span<double> s, StepReport& report) override;
    void apply(std::span<const double> lambda, std::span<double> s) const override;
    double change_of(std::size_t block, std::span<const double> s) const override;
    int island_count() const override { return solver_.island_count(); }
    std::span<const int> island_blocks(int island) const override { return solver_.island_blocks(island); }
    bool has_large_island() const override { return solver_.has_large_island(); }

    // Of all freedoms, the largest that an implicit step has added for springs, dampers and drives, relative
    // to the inertia of the two bodies about it, and the same of soft rows; large where explicit steps of the
    // same length would not be stable. Needs no prepare; after forward_kinematics of ws.
    double stiffness(const Workspace<double>& ws, const Rows& rows) const;

private:
    // What a row does to a body, in the body's own freedoms.
    struct Entry {
        int link;
        int begin;  // in values_
    };
    void write_equalities(std::span<const double> b, std::span<double> s) const;
    void make_system(bool all_freedoms);
    bool fits(const JointTerms& terms) const;
    void set_terms();
    void write_entries(const Rows& rows);
    double* entries_of(int link, int first_entry);
    void add_force(int link, const Force<double>& about_origin, int first_entry);
    void write_matrix(int group, std::span<const int> blocks, int n, std::span<double> a,
                      std::span<double> nothing, std::span<double> rounded);
    double row_product(int row, std::span<const double> s) const;
    void add_forces(int row, double impulse, std::span<double> f) const;
    const RowBlock* block_of(std::size_t equality) const;
    bool is_held(int block) const { return block >= held_.begin && block < held_.end; }
    void finish(const Request& request, std::span<const int> blocks, std::span<double> lambda,
                std::span<double> s);

    std::shared_ptr<const Model> model_;
    const EqualityMethod equality_method_;
    std::vector<char> soft_;  // (nv)
    std::vector<int> chosen_;  // links
    std::unique_ptr<BodySystem> system_;
    BodyCoordinates bodies_;
    JointFactor joints_;      // the same inertia on joint coordinates, for what no loop joins
    RowSolver solver_;
    const Rows* rows_ = nullptr;
    Islands::Held held_;      // blocks of equalities that are nodes
    int redundant_ = 0;
    std::vector<double> yields_;  // (blocks) 0: on an island without equalities
    // Of what the bodies of a row yield alone: less is nothing, and that less of it is made of rounding.
    double held_share_ = 0, rounded_share_ = 0;
    std::vector<double> pair_inertia_;    // (nv)
    std::vector<Motion<double>> motion_;  // (links)
    std::vector<int> entry_begin_;        // (rows + 1)
    std::vector<Entry> entries_;
    std::vector<double> values_;
    std::vector<double> b_, inner_, inner_free_, kept_;
    std::vector<int> own_blocks_;
    mutable std::vector<double> x_;       // of the matrix
    BlockResponse response_;
    std::vector<BlockTerm> terms_of_rows_;
};

}  // namespace lig::maximal
