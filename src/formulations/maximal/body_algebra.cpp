#include "formulations/maximal/body_algebra.h"

#include "constraints/bushing_rows.h"
#include "dynamics/dynamics_parts.h"
#include "dynamics/joint_springs.h"
#include "linalg/small_dense.h"

#include <algorithm>
#include <numeric>

namespace lig::maximal {

namespace {

// Of what a row's bodies would yield alone: where joints and equalities leave less, the row moves nothing.
// And what rounding leaves of it, over the least share of a pivot.
constexpr double min_response = 1e-10, rounding = 1e-14;

// Freedoms that may carry an implicit force of their own, or do carry an inertia.
std::vector<char> soft_freedoms(const Model& model) {
    std::vector<char> soft(model.nv, 0);
    for (const Model::Joint& joint : model.joints)
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv && joint.type != JointType::stretch; ++k)
            soft[k] = model.tree.armature[k] > 0 || has_damper(joint) || has_spring(joint);
    for (const Model::Actuator& actuator : model.actuators)
        if (actuator.joint >= 0) {
            const Model::Joint& joint = model.joints[actuator.joint];
            std::fill_n(soft.begin() + joint.v_adr, joint.nv, 1);
        }
    return soft;
}

}  // namespace

BodyAlgebra::BodyAlgebra(std::shared_ptr<const Model> model, const Contacts& contacts,
                         const SimulationOptions& options)
    : StepAlgebra(*model),
      model_(model),
      equality_method_(options.multiplier.equalities),
      soft_(soft_freedoms(*model)),
      system_(std::make_unique<BodySystem>(model, equality_method_, soft_)),
      joints_(*model),
      solver_(*model, joints_, contacts, options),
      motion_(model->tree.links.size(), Motion<double>::zero()) {
    x_.assign(size(), 0.0);
    chosen_.resize(model->tree.links.size());
    std::iota(chosen_.begin(), chosen_.end(), 0);
    // At the reference configuration; it hardly changes, and not at all for hinges through a centre of mass.
    Workspace<double> ws(model);
    JointState<double> state(*model);
    forward_kinematics(state, ws);
    system_->poses.from_joints(ws, state, bodies_);
    system_->poses.look(bodies_, ws.bases, 0);
    system_->poses.find_freedoms();
    pair_inertia_.resize(model->nv);
    for (int k = 0; k < model->nv; ++k)
        pair_inertia_[k] = system_->poses.pair_inertia(joints_.link_of_dof[k], k) + model->tree.armature[k];
}

// Whether every freedom that terms are on has a soft row.
bool BodyAlgebra::fits(const JointTerms& added) const {
    for (int k = 0; k < model_->nv; ++k)
        if (!soft_[k] && added.added[added.added_at(k, k)] != 0 && system_->graph.stretch_entry(k) < 0)
            return false;
    return true;
}

// Springs towards a pose may be on any joint: from the first of them on, all freedoms have soft rows.
void BodyAlgebra::make_system(bool all_freedoms) {
    if (all_freedoms) std::fill(soft_.begin(), soft_.end(), 1);
    system_ = std::make_unique<BodySystem>(model_, equality_method_, soft_);
    system_->choose(chosen_);
    x_.assign(size(), 0.0);
}

void BodyAlgebra::choose(std::span<const int> links) {
    chosen_.assign(links.begin(), links.end());
    system_->choose(links);
}

void BodyAlgebra::set_terms() {
    for (const int i : chosen_) {
        const TreeLink<double>& link = model_->tree.links[i];
        double stiffness[max_joint_rows * small_stride] = {};
        int row = 0;
        const int end = link.v_adr + frame_freedoms(model_->tree, link);
        for (int a = link.v_adr; a < end; ++a) {
            if (!soft_[a]) continue;
            int column = 0;
            for (int b = link.v_adr; b < end; ++b) {
                if (!soft_[b]) continue;
                stiffness[row * small_stride + column++] =
                    terms.added[terms.added_at(a, b)] + (a == b ? model_->tree.armature[a] : 0.0);
            }
            ++row;
        }
        system_->matrix.set_soft(i, stiffness);
    }
}

int BodyAlgebra::prepare(const JointState<double>& state, const Workspace<double>& ws, Rows& rows,
                         int equalities_begin, int two_sided, StepReport& report) {
    if (!fits(terms)) make_system(true);
    set_terms();
    system_->poses.from_joints(ws, state, bodies_);
    system_->poses.look(bodies_, ws.bases, state.time);
    system_->matrix.find_inertias();
    system_->matrix.add_stretch_terms(terms);
    if (!terms.turning.empty())
        for (const int i : chosen_) system_->matrix.add_turning_block(i, terms.turning[i]);
    system_->matrix.find_rows(follows_turning);
    const BlockLdlt::Factored factored =
        damping > 0 ? system_->matrix.factor(damping) : system_->matrix.factor_leaving_out();
    if (factored.bad_node >= 0) return factored.bad_node;
    system_->poses.find_freedoms();
    redundant_ = factored.redundant_rows;
    rounded_share_ = rounding / factored.min_share;
    held_share_ = std::max(min_response, rounded_share_);
    rows_ = &rows;
    held_ = equality_method_ == EqualityMethod::direct ? Islands::Held{equalities_begin, two_sided}
                                                       : Islands::Held{};
    // Equalities that are anticipated are rows here, as contacts are; those that follow from others get no
    // impulses.
    for (std::size_t e = 0;
         e < system_->graph.equalities().size() && equality_method_ == EqualityMethod::anticipation; ++e)
        for (int b = equalities_begin; b < two_sided; ++b) {
            if (rows.blocks[b].kind != system_->graph.equalities()[e].kind ||
                rows.blocks[b].source != system_->graph.equalities()[e].source)
                continue;
            for (int r = 0; r < rows.blocks[b].count; ++r)
                if (!system_->matrix.is_kept(e, r)) {
                    Row& row = rows.rows[rows.blocks[b].begin + r];
                    row.lo = row.hi = row.lambda = 0;
                }
        }
    report.equality_rows = 0;
    for (int b = equalities_begin; b < two_sided; ++b) report.equality_rows += rows.blocks[b].count;
    report.redundant_rows = redundant_;
    write_entries(rows);
    yields_.assign(rows.blocks.size(), 0.0);
    // Joint space takes links that deform for rigid ones.
    const bool factored_joints = model_->deforming.empty() && joints_.factor(ws, terms, chosen_) < 0;
    solver_.prepare(
        rows, joints_, factored_joints, held_, two_sided,
        [this](int group, std::span<const int> blocks, int n, std::span<double> a, std::span<double> nothing,
               std::span<double> rounding) { write_matrix(group, blocks, n, a, nothing, rounding); });
    return -1;
}

double BodyAlgebra::stiffness(const Workspace<double>& ws, const Rows& rows) const {
    double largest = 0;
    for (int k = 0; k < model_->nv; ++k) {
        const double added = terms.added[terms.added_at(k, k)];
        if (added > 0) largest = std::max(largest, added / pair_inertia_[k]);
    }
    for (const RowBlock& block : rows.blocks)
        for (const Row& row : rows.rows_of(block)) {
            if (!(row.compliance > 0)) continue;
            const double response =
                response_alone(ws, rows, block, row, [this](int dof) { return pair_inertia_[dof]; });
            largest = std::max(largest, response / row.compliance);
        }
    return largest;
}

// What a row does to a link: its entries, from those of the row on.
double* BodyAlgebra::entries_of(int link, int first_entry) {
    std::size_t e = static_cast<std::size_t>(first_entry);
    while (e < entries_.size() && entries_[e].link != link) ++e;
    if (e == entries_.size()) {
        entries_.push_back({link, static_cast<int>(values_.size())});
        values_.resize(values_.size() + static_cast<std::size_t>(system_->graph.dim(link)), 0.0);
    }
    return values_.data() + entries_[e].begin;
}

void BodyAlgebra::add_force(int link, const Force<double>& about_origin, int first_entry) {
    system_->poses.add_wrench_to(link, about_origin, entries_of(link, first_entry));
}

// What the rows do to bodies: wrenches on links, and forces on freedoms, which act on the links on both
// sides.
void BodyAlgebra::write_entries(const Rows& rows) {
    entries_.clear();
    values_.clear();
    entry_begin_.clear();
    for (const RowBlock& block : rows.blocks)
        for (const Row& row : rows.rows_of(block)) {
            const int first = static_cast<int>(entries_.size());
            entry_begin_.push_back(first);
            if (block.link_a >= 0) add_force(block.link_a, row.on_a, first);
            if (block.link_b >= 0) add_force(block.link_b, row.on_b, first);
            for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e) {
                const RowEntry& entry = rows.entries[e];
                const int link = joints_.link_of_dof[entry.dof], parent = model_->tree.links[link].parent;
                if (const int own = system_->graph.stretch_entry(entry.dof); own >= 0) {
                    entries_of(link, first)[own] += entry.value;
                    continue;
                }
                const Force<double> own = system_->poses.freedom_force(link, entry.dof, entry.value);
                add_force(link, own, first);
                if (parent >= 0) add_force(parent, -system_->poses.seen_from(parent, link, own), first);
            }
        }
    entry_begin_.push_back(static_cast<int>(entries_.size()));
}

double BodyAlgebra::row_product(int row, std::span<const double> s) const {
    double sum = 0;
    for (int e = entry_begin_[row]; e < entry_begin_[row + 1]; ++e) {
        const double* x = s.data() + system_->graph.offset(entries_[e].link);
        const double* value = values_.data() + entries_[e].begin;
        for (int k = 0; k < system_->graph.dim(entries_[e].link); ++k) sum += value[k] * x[k];
    }
    return sum;
}

void BodyAlgebra::add_forces(int row, double impulse, std::span<double> f) const {
    for (int e = entry_begin_[row]; e < entry_begin_[row + 1]; ++e) {
        double* x = f.data() + system_->graph.offset(entries_[e].link);
        const double* value = values_.data() + entries_[e].begin;
        for (int k = 0; k < system_->graph.dim(entries_[e].link); ++k) x[k] += impulse * value[k];
    }
}

// A = J M̂⁻¹ Jᵀ of the rows of some blocks, by what they do to a group of trees, and of each what counts as
// nothing beside what its bodies yield alone, and what that is exact to.
void BodyAlgebra::write_matrix(int group, std::span<const int> blocks, int n, std::span<double> a,
                               std::span<double> nothing, std::span<double> rounded) {
    terms_of_rows_.clear();
    int i = 0;
    for (const int b : blocks)
        for (int row = rows_->blocks[b].begin; row < rows_->blocks[b].begin + rows_->blocks[b].count;
             ++row, ++i)
            for (int e = entry_begin_[row]; e < entry_begin_[row + 1]; ++e)
                if (solver_.group_of(entries_[e].link) == group)
                    terms_of_rows_.push_back({i, entries_[e].link, values_.data() + entries_[e].begin});
    response_.workless(system_->matrix.blocks(), terms_of_rows_, n, a, nothing);
    // A block that acts on several groups yields with the one that yields the most.
    std::size_t first = 0;
    for (const int b : blocks) {
        const double left = a[first * (static_cast<std::size_t>(n) + 1)];
        yields_[b] = std::max(yields_[b], left / nothing[first]);
        first += static_cast<std::size_t>(rows_->blocks[b].count);
    }
    for (std::size_t k = 0; k < nothing.size(); ++k) {
        rounded[k] = rounded_share_ * nothing[k];
        nothing[k] *= held_share_;
    }
}

// The block of a loop, pair or coupling that is a node.
const RowBlock* BodyAlgebra::block_of(std::size_t equality) const {
    const BodyGraph::Equality& wanted = system_->graph.equalities()[equality];
    for (int b = held_.begin; b < held_.end; ++b)
        if (rows_->blocks[b].kind == wanted.kind && rows_->blocks[b].source == wanted.source)
            return &rows_->blocks[b];
    return nullptr;
}

// J δu = −(J u + biases) for equalities.
void BodyAlgebra::write_equalities(std::span<const double> b, std::span<double> s) const {
    if (equality_method_ != EqualityMethod::direct) return;
    for (std::size_t e = 0; e < system_->graph.equalities().size(); ++e)
        if (const RowBlock* own = block_of(e))
            for (int r = 0; r < own->count; ++r) s[system_->matrix.entry_of(e, r)] = -b[own->begin + r];
}

void BodyAlgebra::free_change_of_bodies(std::span<const double> x, std::span<const Force<double>> on_links,
                                        std::span<const double> b, double removal, double ahead,
                                        std::span<double> s) {
    std::fill(s.begin(), s.end(), 0.0);
    system_->poses.add_joint_forces(x, s);
    system_->poses.add_link_forces(on_links, s);
    system_->matrix.write_joint_misses(removal, ahead, s);
    write_equalities(b, s);
    if (equality_method_ == EqualityMethod::anticipation)
        system_->matrix.solve_joints(s);
    else
        system_->matrix.solve(s);
}

void BodyAlgebra::free_change(std::span<const double> x, std::span<const double> b, std::span<double> s) {
    std::fill(s.begin(), s.end(), 0.0);
    system_->poses.add_joint_forces(x, s);
    write_equalities(b, s);  // joints fit already, and their rows say so
    if (equality_method_ == EqualityMethod::anticipation)
        system_->matrix.solve_joints(s);
    else
        system_->matrix.solve(s);
}

void BodyAlgebra::outward(std::span<const double> s, std::span<double> v) {
    system_->poses.joint_velocities(s, false, v);
    for (const int i : chosen_) motion_[i] = system_->poses.origin_motion(s, i);
}

void BodyAlgebra::apply(std::span<const double> lambda, std::span<double> s) const {
    std::fill(x_.begin(), x_.end(), 0.0);
    bool any = false;
    for (std::size_t b = 0; b < rows_->blocks.size(); ++b) {
        if (is_held(static_cast<int>(b))) continue;
        const RowBlock& block = rows_->blocks[b];
        for (int r = block.begin; r < block.begin + block.count; ++r)
            if (lambda[r] != 0) {
                add_forces(r, lambda[r], x_);
                any = true;
            }
    }
    if (!any) return;
    system_->matrix.blocks().solve(std::span(x_).first(system_->matrix.blocks().size()));
    for (std::size_t k = 0; k < x_.size(); ++k) s[k] += x_[k];
}

double BodyAlgebra::change_of(std::size_t block, std::span<const double> s) const {
    return row_product(rows_->blocks[block].begin, s);
}

// s of the impulses found; those of the equalities that are nodes come with it.
void BodyAlgebra::finish(const Request& request, std::span<const int> blocks, std::span<double> lambda,
                         std::span<double> s) {
    std::fill(x_.begin(), x_.end(), 0.0);
    for (const int b : blocks)
        for (int r = rows_->blocks[b].begin; r < rows_->blocks[b].begin + rows_->blocks[b].count; ++r)
            if (lambda[r] != 0) add_forces(r, lambda[r], x_);
    system_->matrix.blocks().solve(std::span(x_).first(system_->matrix.blocks().size()));
    for (std::size_t k = 0; k < x_.size(); ++k) s[k] = request.s_free[k] + x_[k];
}

double BodyAlgebra::solve_some(int island, std::span<const int> blocks, const Request& request,
                               std::span<double> lambda, std::span<double> s, StepReport& report) {
    b_.assign(request.b.begin(), request.b.end());
    inner_.assign(solver_.coordinates(), 0.0);
    inner_free_.assign(solver_.coordinates(), 0.0);
    kept_.assign(lambda.begin(), lambda.end());
    std::fill(lambda.begin(), lambda.end(), 0.0);
    own_blocks_.clear();
    for (const int b : blocks) {
        if (is_held(b)) continue;
        own_blocks_.push_back(b);
        for (int r = rows_->blocks[b].begin; r < rows_->blocks[b].begin + rows_->blocks[b].count; ++r) {
            b_[r] += row_product(r, request.s_free);
            lambda[r] = kept_[r];
        }
    }
    double missed = 0;
    if (!own_blocks_.empty()) {
        solver_.apply(lambda, inner_);
        const Request inner{b_, inner_free_, request.accuracy, request.effort, request.first_sweeps,
                            request.iterations};
        missed = solver_.solve_some(island, own_blocks_, inner, lambda, inner_, report);
    }
    finish(request, own_blocks_, lambda, s);
    for (std::size_t b = 0; b < rows_->blocks.size(); ++b) {
        if (std::find(own_blocks_.begin(), own_blocks_.end(), static_cast<int>(b)) != own_blocks_.end())
            continue;
        const RowBlock& block = rows_->blocks[b];
        std::copy_n(kept_.begin() + block.begin, block.count, lambda.begin() + block.begin);
    }
    return missed;
}

double BodyAlgebra::solve(const Request& request, std::span<double> lambda, std::span<double> s,
                          StepReport& report) {
    b_.assign(request.b.begin(), request.b.end());
    inner_.assign(solver_.coordinates(), 0.0);
    inner_free_.assign(solver_.coordinates(), 0.0);
    own_blocks_.clear();
    for (int b = 0; b < static_cast<int>(rows_->blocks.size()); ++b) {
        const RowBlock& block = rows_->blocks[b];
        if (is_held(b)) {
            std::fill_n(lambda.begin() + block.begin, block.count, 0.0);
            continue;
        }
        own_blocks_.push_back(b);
        for (int r = block.begin; r < block.begin + block.count; ++r) b_[r] += row_product(r, request.s_free);
    }
    solver_.apply(lambda, inner_);
    const double missed = solver_.solve(
        {b_, inner_free_, request.accuracy, request.effort, request.first_sweeps, request.iterations,
         request.changed},
        lambda, inner_, report);
    finish(request, own_blocks_, lambda, s);
    // Equalities that are nodes: their multipliers stand behind the velocities.
    if (equality_method_ == EqualityMethod::direct)
        for (std::size_t e = 0; e < system_->graph.equalities().size(); ++e)
            if (const RowBlock* own = block_of(e))
                for (int r = 0; r < own->count; ++r)
                    lambda[own->begin + r] = -s[system_->matrix.entry_of(e, r)];
    return missed;
}

}  // namespace lig::maximal
