// What Baraff 1996 says about the cost of Lagrange multipliers (sec. 8.2 and 9), measured on structures of
// the same sizes (bench/baraff/structures.h), beside the methods that the paper compares with.
//
// An evaluation is the whole way from poses and velocities to accelerations and multipliers: J and what is
// left of the second derivatives, masses, factor, solution; with auxiliary constraints their coefficients and
// forces, and the second solution. Methods are compared by factor and solution alone, of the same matrix.
//
// The paper's times are those of a workstation of its day, a 250 MHz R4400; ratios are what can be compared.
// Its O(n³) method is a pivoting one for equalities and inequalities; here the dense Cholesky factor of J M⁻¹
// Jᵀ stands for it, which does less.

#include "bench/baraff/conjugate_gradients.h"
#include "bench/baraff/delassus_cholesky.h"
#include "bench/baraff/dense_ldlt.h"
#include "bench/baraff/sparse_tree.h"
#include "bench/baraff/structures.h"
#include "bench/measure.h"
#include "bench/setting.h"

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>

namespace lig::bench {

extern const Benchmark papers_baraff;

namespace {

using Coefficients = Anticipation::Coefficients;

double micro(double seconds) { return 1e6 * seconds; }

// ---- parts of an evaluation ----------------------------------------------------------------------------

struct Parts {
    double rows, masses, factor, solve;           // seconds
    double by_solves = 0, general = 0, workless = 0;  // coefficients of auxiliary rows, three ways
    double free = 0, forces = 0, finish = 0;

    double primary() const { return rows + masses + factor + solve; }
    // Anticipation begins and ends with a solution.
    double whole(double coefficients) const {
        return rows + masses + factor + free + coefficients + forces + finish;
    }
};

Parts measure_parts(Structure& structure, bool contacts, const Effort& effort) {
    std::vector<double> x(structure.side().begin(), structure.side().end());
    std::vector<std::function<void()>> candidates = {[&] { structure.write_rows(); },
                                                     [&] { structure.write_masses(); },
                                                     [&] { structure.factor(); }, [&] {
                                                         std::ranges::copy(structure.side(), x.begin());
                                                         structure.matrix().solve(x); }};
    structure.factor();
    Anticipation anticipation(structure);
    if (structure.auxiliary() > 0) {
        for (const Coefficients by : {Coefficients::by_solves, Coefficients::general, Coefficients::workless})
            candidates.push_back([&, by] { anticipation.find_coefficients(by); });
        candidates.push_back([&] { anticipation.find_free(); });
        candidates.push_back([&, contacts] { anticipation.find_forces(contacts); });
        candidates.push_back([&] { anticipation.finish(); });
    }
    const std::vector<double> t = compare_times(candidates, effort);
    if (structure.auxiliary() == 0) return {t[0], t[1], t[2], t[3]};
    return {t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9]};
}

// ---- methods -------------------------------------------------------------------------------------------

constexpr double loose = 1e-3, tight = 1e-10;  // of conjugate gradients

struct Method {
    std::string name;
    double seconds;     // factor and solution
    double difference;  // of the accelerations from those of BlockLdlt, relative to the largest
};

// Factor and solution of all rows by one matrix, auxiliary ones as equalities among them.
std::vector<Method> measure_methods(const Structure& structure, const Effort& effort) {
    BlockLdlt K = whole_matrix(structure);
    const std::vector<double> side = whole_side(structure);
    SparseTree tree(K);
    DenseLdlt dense(K);
    DelassusCholesky cholesky(K, DelassusCholesky::Storage::dense),
        banded(K, DelassusCholesky::Storage::banded);
    ConjugateGradients gradients(K);
    std::vector<double> x(side.size());
    const int most = 20 * static_cast<int>(side.size());
    std::vector<std::pair<std::string, std::function<void()>>> list = {
        {"BlockLdlt",
         [&] {
             K.factor();
             K.solve(x);
         }},
        {"sec. 7.2: dense blocks",
         [&] {
             dense.factor();
             dense.solve(x);
         }},
        {"J M⁻¹ Jᵀ, dense Cholesky",
         [&] {
             cholesky.factor();
             cholesky.solve(x);
         }},
        {"J M⁻¹ Jᵀ, envelope Cholesky",
         [&] {
             banded.factor();
             banded.solve(x);
         }},
        {fmt::format("conjugate gradients to {:g}", loose), [&] { gradients.solve(x, loose, most); }},
        {fmt::format("conjugate gradients to {:g}", tight), [&] { gradients.solve(x, tight, most); }}};
    if (tree.possible())
        list.insert(list.begin() + 1, {"appendix A", [&] {
                                           tree.factor();
                                           tree.solve(x);
                                       }});
    std::vector<std::function<void()>> candidates;
    for (const auto& entry : list)
        candidates.push_back([&x, &side, run = entry.second] {
            std::copy(side.begin(), side.end(), x.begin());
            run();
        });
    const std::vector<double> times = compare_times(candidates, effort);
    std::vector<double> first;
    std::vector<Method> methods;
    for (std::size_t m = 0; m < list.size(); ++m) {
        candidates[m]();
        if (first.empty()) first = x;
        double apart = 0, largest = 0;
        for (int n = 0; n < K.nodes(); ++n)
            for (int k = K.offset(n); !K.node(n).constraint && k < K.offset(n) + K.dim(n); ++k) {
                apart = std::max(apart, std::abs(x[k] - first[k]));
                largest = std::max(largest, std::abs(first[k]));
            }
        methods.push_back({list[m].first, times[m], apart / largest});
    }
    return methods;
}

double time_of(const std::vector<Method>& methods, std::string_view beginning) {
    for (const Method& method : methods)
        if (method.name.starts_with(beginning)) return method.seconds;
    return NAN;
}

// ---- tables --------------------------------------------------------------------------------------------

struct Case {
    std::string name;
    std::unique_ptr<Structure> structure;
    bool contacts;
    Parts parts;
    std::vector<Method> methods;
};

Results::Table parts_table(const std::vector<Case>& cases) {
    Results::Table table{"evaluations",
                         {"structure", "primary", "auxiliary", "J [µs]", "masses [µs]", "factor [µs]",
                          "solve [µs]", "factor : solve", "coefficients by solves [µs]",
                          "coefficients, general [µs]", "coefficients, workless [µs]",
                          "auxiliary forces [µs]", "evaluation [µs]"},
                         {}};
    for (const Case& c : cases) {
        const Parts& p = c.parts;
        int primary = 0;
        const BlockLdlt& K = c.structure->matrix();
        for (int n = 0; n < K.nodes(); ++n)
            if (K.node(n).constraint) primary += K.dim(n);
        table.rows.push_back({c.name, static_cast<double>(primary),
                              static_cast<double>(c.structure->auxiliary()), micro(p.rows), micro(p.masses),
                              micro(p.factor), micro(p.solve), p.factor / p.solve, micro(p.by_solves),
                              micro(p.general), micro(p.workless), micro(p.forces),
                              micro(c.structure->auxiliary() > 0 ? p.whole(p.workless) : p.primary())});
    }
    return table;
}

Results::Table methods_table(const std::vector<Case>& cases) {
    Results::Table table{"factor and solution by other methods",
                         {"structure", "method", "time [µs]", "times BlockLdlt", "accelerations apart"},
                         {}};
    for (const Case& c : cases)
        for (const Method& method : c.methods)
            table.rows.push_back({c.name, method.name, micro(method.seconds),
                                  method.seconds / c.methods.front().seconds, method.difference});
    return table;
}

Results::Table claims_table(const std::vector<Case>& cases) {
    const Case &flat = cases[0], &looped = cases[1], &touching = cases[2], &large = cases[3];
    Results::Table table{"the paper and here", {"Baraff 1996", "where", "says", "here", "on"}, {}};
    const auto add = [&](const char* claim, const char* where, const char* says, std::string here,
                         const Case& on) {
        table.rows.push_back({claim, where, says, std::move(here), on.name});
    };
    const auto time = [](double seconds) { return fmt::format("{:.1f} µs", micro(seconds)); };
    const auto share = [](double part, double whole) { return fmt::format("{:.0f} %", 100 * part / whole); };
    const auto ratio = [](double a, double b) { return fmt::format("{:.2f}", a / b); };
    add("108 multipliers", "9", "7.75 ms", time(flat.parts.primary()), flat);
    add("of that in J", "9", "35 %", share(flat.parts.rows, flat.parts.primary()), flat);
    add("12 of them auxiliary: more by", "9", "17 ms, 220 %",
        fmt::format(
            "{}, {}", time(looped.parts.whole(looped.parts.by_solves) - flat.parts.primary()),
            share(looped.parts.whole(looped.parts.by_solves) - flat.parts.primary(), flat.parts.primary())),
        looped);
    add("beyond the paper: coefficients along the elimination tree, workless: more by", "–", "–",
        time(looped.parts.whole(looped.parts.workless) - flat.parts.primary()), looped);
    const double direct = looped.parts.rows + looped.parts.masses + time_of(looped.methods, "BlockLdlt");
    add("beyond the paper: loops as nodes of the factorization: more by", "–", "–",
        fmt::format("{:.1f} µs", micro(direct - flat.parts.primary())), looped);
    add("\"computing the 12 auxiliary constraint multipliers was too small to notice\"", "9", "0 %",
        share(looped.parts.forces, looped.parts.whole(looped.parts.by_solves)), looped);
    add("\"one third of the back-solves\" saved where auxiliary forces do no work", "10", "33 %",
        share(looped.parts.general - looped.parts.workless, looped.parts.general), looped);
    add("96 multipliers and 3 contacts", "9", "18 ms", time(touching.parts.whole(touching.parts.by_solves)),
        touching);
    add("of that in J", "9", "24 %",
        share(touching.parts.rows, touching.parts.whole(touching.parts.by_solves)), touching);
    add("381 multipliers", "9", "44.6 ms", time(large.parts.primary()), large);
    add("of that in J", "9", "9 %", share(large.parts.rows, large.parts.primary()), large);
    for (const Case* c : {&flat, &touching, &large})
        add("\"sparsefactor is approximately four times as expensive as sparsesolve\"", "8.2", "4",
            ratio(c->parts.factor, c->parts.solve), *c);
    const auto against = [&](const Case& c, std::string_view method) {
        return ratio(time_of(c.methods, method), c.methods.front().seconds);
    };
    add("the O(n³) method takes longer, 99 multipliers: times", "9", "2",
        against(touching, "J M⁻¹ Jᵀ, dense"), touching);
    add("381 multipliers: times", "9", "40", against(large, "J M⁻¹ Jᵀ, dense"), large);
    add("conjugate gradients take longer, 108 primary multipliers: times", "9", "3",
        against(flat, "conjugate gradients to 0.001"), flat);
    const double by_paper = looped.parts.factor + looped.parts.free + looped.parts.by_solves +
                            looped.parts.forces + looped.parts.finish;
    add("12 of them auxiliary: times", "9", "1",
        ratio(time_of(looped.methods, "conjugate gradients to 0.001"), by_paper), looped);
    add("the same, loops as nodes of the factorization: times", "–", "–",
        against(looped, "conjugate gradients to 0.001"), looped);
    return table;
}

Results run(Extent extent) {
    const Effort& effort = effort_of(extent);
    std::vector<Case> cases;
    const auto add = [&](const char* name, std::unique_ptr<Structure> structure, bool contacts) {
        const Parts parts = measure_parts(*structure, contacts, effort);
        std::vector<Method> methods = measure_methods(*structure, effort);
        cases.push_back({name, std::move(structure), contacts, parts, std::move(methods)});
    };
    add("2D, 54 pins", planar_structure(54, 0), false);
    add("2D, 48 pins and 6 in loops", planar_structure(48, 6), false);
    add("3D, 32 ball joints and 3 contacts", spatial_structure(32, 3), true);
    add("3D, 127 ball joints", spatial_structure(127, 0), false);
    return {{setting_table(effort), claims_table(cases), parts_table(cases), methods_table(cases)}};
}

}  // namespace

const Benchmark papers_baraff{"papers baraff", "Lagrange multipliers: structures of the paper, other methods",
                              run};

}  // namespace lig::bench
