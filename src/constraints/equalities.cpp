#include "constraints/equalities.h"

#include "constraints/closing.h"
#include "constraints/coupling_rows.h"
#include "constraints/group_rows.h"
#include "constraints/loop_rows.h"
#include "constraints/pair_rows.h"
#include "constraints/subtree_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lig {

namespace {

// What there is to know of a kind of equality; `source` is an index in the model's list of it.
struct EqualityKind {
    RowKind kind;
    int (*count)(const Model& model);
    int (*rows)(const Model& model, int source);
    bool (*acts)(const Model& model, int source);
    int (*warm)(const WarmStarts& warm, int source);
    void (*add)(const EqualityState& at, int source, Rows& rows, std::vector<EqualityTerms>& terms);
    SourceLocation (*where)(const Model& model, int source);
    std::string (*name)(const Model& model, int source);
};

std::string named(const std::string& kind, const std::string& name, int source) {
    return kind + (name.empty() ? " " + std::to_string(source) : " '" + name + "'");
}
std::string between(const Model& model, int body_a, int body_b) {
    return " between '" + model.bodies[body_a].name + "' and '" + model.bodies[body_b].name + "'";
}

constexpr EqualityKind loops{
    RowKind::loop,
    [](const Model& model) { return static_cast<int>(model.loops.size()); },
    [](const Model& model, int k) { return model.loops[k].rows; },
    loop_acts,
    [](const WarmStarts& warm, int k) { return warm.loop(k); },
    [](const EqualityState& at, int k, Rows& rows, std::vector<EqualityTerms>& terms) {
        const std::size_t first = terms.size();
        add_loop(at.ws, k, at.with_products, rows, terms);
        take_off_start(at.ws.model().loops[k], at.time, std::span(terms).subspan(first));
    },
    [](const Model& model, int k) { return model.loops[k].where; },
    [](const Model& model, int k) {
        const Model::Loop& loop = model.loops[k];
        return named("loop", loop.name, k) + between(model, loop.body_a, loop.body_b);
    }};

constexpr EqualityKind pairs{
    RowKind::pair,
    [](const Model& model) { return static_cast<int>(model.pair_constraints.size()); },
    [](const Model& model, int k) { return model.pair_constraints[k].rows; },
    pair_acts,
    [](const WarmStarts& warm, int k) { return warm.pair(k); },
    [](const EqualityState& at, int k, Rows& rows, std::vector<EqualityTerms>& terms) {
        add_pair(at.ws, k, at.time, at.with_products, rows, terms);
    },
    [](const Model& model, int k) { return model.pair_constraints[k].where; },
    [](const Model& model, int k) {
        const Model::PairConstraint& pair = model.pair_constraints[k];
        return named(std::string(pair.constraint->kind()), pair.name, k) +
               between(model, pair.body_a, pair.body_b);
    }};

constexpr EqualityKind couplings{
    RowKind::coupling,
    [](const Model& model) { return static_cast<int>(model.couplings.size()); },
    [](const Model&, int) { return 1; },
    [](const Model& model, int k) { return model.couplings[k].active; },
    [](const WarmStarts& warm, int k) { return warm.coupling(k); },
    [](const EqualityState& at, int k, Rows& rows, std::vector<EqualityTerms>& terms) {
        add_coupling(at.state, at.ws.model(), k, rows, terms);
    },
    [](const Model& model, int k) { return model.couplings[k].where; },
    [](const Model& model, int k) {
        const Model::Coupling& coupling = model.couplings[k];
        return named("coupling", coupling.name, k) + " of joint '" + model.joints[coupling.follower].name +
               "'";
    }};

constexpr EqualityKind tendon_couplings{
    RowKind::tendon_coupling,
    [](const Model& model) { return static_cast<int>(model.tendon_couplings.size()); },
    [](const Model&, int) { return 1; },
    [](const Model& model, int k) { return model.tendon_couplings[k].active; },
    [](const WarmStarts& warm, int k) { return warm.tendon_coupling(k); },
    [](const EqualityState& at, int k, Rows& rows, std::vector<EqualityTerms>& terms) {
        add_tendon_coupling(at.state, at.ws, at.drives, k, at.with_products, rows, terms);
    },
    [](const Model& model, int k) { return model.tendon_couplings[k].where; },
    [](const Model& model, int k) {
        const Model::TendonCoupling& coupling = model.tendon_couplings[k];
        return named("coupling", coupling.name, k) + " of tendon '" + model.tendons[coupling.follower].name +
               "'";
    }};

constexpr EqualityKind subtrees{
    RowKind::subtree,
    [](const Model& model) { return static_cast<int>(model.subtree_constraints.size()); },
    [](const Model& model, int k) { return model.subtree_constraints[k].rows; },
    [](const Model& model, int k) { return model.subtree_constraints[k].active; },
    [](const WarmStarts& warm, int k) { return warm.subtree(k); },
    [](const EqualityState& at, int k, Rows& rows, std::vector<EqualityTerms>& terms) {
        add_subtree(at.ws, k, at.drives == nullptr, at.with_products, rows, terms);
    },
    [](const Model& model, int k) { return model.subtree_constraints[k].where; },
    [](const Model& model, int k) {
        const Model::SubtreeConstraint& constraint = model.subtree_constraints[k];
        return named(std::string(subtree_quantity_words[static_cast<int>(constraint.quantity)]),
                     constraint.name, k) +
               " of '" + model.bodies[constraint.body].name + "'";
    }};

constexpr EqualityKind groups{
    RowKind::group,
    [](const Model& model) { return static_cast<int>(model.group_constraints.size()); },
    [](const Model& model, int k) { return model.group_constraints[k].rows; },
    group_acts,
    [](const WarmStarts& warm, int k) { return warm.group(k); },
    [](const EqualityState& at, int k, Rows& rows, std::vector<EqualityTerms>& terms) {
        add_group(at.ws, k, {at.time, at.drives == nullptr, at.with_products}, rows, terms);
    },
    [](const Model& model, int k) { return model.group_constraints[k].where; },
    [](const Model& model, int k) {
        const Model::GroupConstraint& group = model.group_constraints[k];
        std::string text = named(std::string(group.constraint->kind()), group.name, k) + " of";
        for (const Model::GroupConstraint::Member& member : group.members)
            text += " '" + model.bodies[member.body].name + "'";
        return text;
    }};

// In the order of rows, and in that of multipliers.
constexpr const EqualityKind* equality_kinds[] = {&loops, &pairs, &couplings, &tendon_couplings,
                                                  &subtrees, &groups};
static_assert(std::size(equality_kinds) == static_cast<std::size_t>(RowKind::group) + 1);
constexpr const EqualityKind* multiplier_order[] = {&loops, &couplings, &tendon_couplings,
                                                    &pairs, &subtrees, &groups};

int multipliers_of(const EqualityKind& kind, const Model& model) {
    int sum = 0;
    for (int k = 0; k < kind.count(model); ++k) sum += kind.rows(model, k);
    return sum;
}

int first_multiplier(const EqualityKind& kind, const Model& model) {
    int begin = 0;
    for (const EqualityKind* before : multiplier_order) {
        if (before == &kind) break;
        begin += multipliers_of(*before, model);
    }
    return begin;
}

const EqualityKind* find_kind(RowKind kind) {
    return *std::find_if(std::begin(equality_kinds), std::end(equality_kinds),
                         [&](const EqualityKind* own) { return own->kind == kind; });
}

}  // namespace

bool equalities_are_enabled(const Model& model) {
    return model.options.enabled.constraint && model.options.enabled.equality;
}

Equalities::Equalities(const Model& model) {
    if (!equalities_are_enabled(model)) return;
    const WarmStarts warm(model);
    for (const EqualityKind* kind : equality_kinds) {
        int multiplier = first_multiplier(*kind, model);
        for (int k = 0; k < kind->count(model); ++k) {
            const int rows = kind->rows(model, k);
            if (kind->acts(model, k))
                acting_.push_back({kind->kind, k, rows, multiplier, kind->warm(warm, k)});
            multiplier += rows;
        }
    }
}

int Equalities::multiplier_count(const Model& model) {
    int sum = 0;
    for (const EqualityKind* kind : equality_kinds) sum += multipliers_of(*kind, model);
    return sum;
}

void Equalities::add(const Equality& equality, const EqualityState& at, Rows& rows,
                     std::vector<EqualityTerms>& terms) {
    find_kind(equality.kind)->add(at, equality.source, rows, terms);
}

void Equalities::add_rows(const EqualityState& at, const RowContext& context, const WarmStarts& warm,
                          Rows& rows, std::vector<EqualityTerms>& terms) const {
    terms.clear();
    const std::size_t begin = rows.rows.size();
    for (const Equality& equality : acting_) {
        const std::size_t first = rows.rows.size();
        add(equality, at, rows, terms);
        for (std::size_t r = first; r < rows.rows.size(); ++r)
            set_equality(rows.rows[r], terms[r - begin], context, warm, equality.warm);
    }
}

std::string Equalities::name_of(const Model& model, RowKind kind, int source) {
    return find_kind(kind)->name(model, source);
}

SourceLocation Equalities::where_of(const Model& model, RowKind kind, int source) {
    return find_kind(kind)->where(model, source);
}

void set_equality(Row& row, const EqualityTerms& terms, const RowContext& context, const WarmStarts& warm,
                  int warm_begin) {
    const double wanted = context.correction * terms.error / context.h;
    const double fastest = context.fastest_correction * std::abs(terms.scale);
    row.base_rate = terms.base_rate;
    row.kept_bias = terms.base_rate + context.product_share * context.h * terms.product;
    row.bias = row.kept_bias + std::clamp(wanted, -fastest, fastest);
    row.lo = -HUGE_VAL;
    row.hi = HUGE_VAL;
    row.warm = warm_begin + terms.part;
    row.lambda = warm.lambda[row.warm];
}

}  // namespace lig
