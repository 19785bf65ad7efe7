// Loops as nodes of the factorization cost their own fill, so that k of them on a chain of n links cost n +
// k. Anticipation (Baraff 1996, sec. 8) has a solve for each of their rows, n · k, or a half of one along the
// elimination tree, and a dense factor, k³. A general sparse solver knows nothing of blocks, bodies and
// constraints. All get the same rows and the same right-hand side; times are those of factor and solution.

#include "bench/local_loops.h"

#include "bench/baraff/structures.h"
#include "bench/general_sparse.h"
#include "scenes/box_links.h"
#include "scenes/random.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>

namespace lig::bench {

namespace {

constexpr int links_of_a_loop = 5;
constexpr Effort few_rounds{40, 0.5, 200e-6};

struct ChainWithLoops {
    std::shared_ptr<const Model> model;
    JointState<double> state;
};

// Closure c pins the tip of link b = a + 4 to where it is on link a = c n/k.
ChainWithLoops chain_with_loops(int links, int loops) {
    Scene scene = scenes::hinge_chain("local_loops", links, 0, 0);
    const std::shared_ptr<const Model> open = compile(scene);
    JointState<double> state(*open);
    Workspace<double> ws(open);
    scenes::Congruence random(777);
    for (double& q : state.q) q = 1.5 * random.u();
    for (double& v : state.v) v = random.u();
    forward_kinematics(state, ws);
    for (int c = 0; c < loops; ++c) {
        const int a = c * (links / loops), b = a + links_of_a_loop - 1;
        const Vec3d tip{scenes::box_link_length, 0, 0};
        scene.add_loop({.name = "loop" + std::to_string(c),
                        .type = JointType::ball,
                        .body_a = BodyId{a + 1},
                        .body_b = BodyId{b + 1},
                        .frame_a = {.pos = body_pose(ws, a + 1).inverse() * (body_pose(ws, b + 1) * tip)},
                        .frame_b = {.pos = tip}});
    }
    return {compile(scene), state};
}

// The chain with its loops as auxiliary rows; those come from the matrix that has them as nodes.
class OpenChain final : public Structure {
public:
    OpenChain(const ChainWithLoops& chain, const BodyProblem& closed, std::span<const double> side)
        : K_(BodyProblem(chain.model, chain.state, EqualityMethod::anticipation)
                 .dynamics.system.matrix.blocks()) {
        const maximal::BodySystem& system = closed.dynamics.system;
        const BlockLdlt& whole = system.matrix.blocks();
        // Bodies and joints are the same nodes of both.
        side_.assign(side.begin(), side.begin() + K_.size());
        for (const maximal::BodyGraph::Equality& loop : system.graph.equalities())
            for (int row = 0; row < loop.count; ++row) {
                for (int e = 0; e < whole.edges(); ++e)
                    if (const auto [a, b] = whole.edge_nodes(e); a == loop.node)
                        auxiliary_rows_.push_back({auxiliary(), b, whole.edge(e) + row * whole.dim(b)});
                auxiliary_side_.push_back(side[loop.begin + row]);
            }
    }
    const BlockLdlt& matrix() const override { return K_; }
    void write_rows() override {}
    void write_masses() override {}
    void factor() override { K_.factor(); }

private:
    BlockLdlt K_;
};

struct Way {
    std::string name;
    std::function<void()> run;                          // factor and solution
    std::function<std::span<const double>()> solution;  // bodies first
};

}  // namespace

LocalLoops measure_local_loops(int links, const std::vector<int>& counts, const Effort& effort) {
    const std::string title = fmt::format("k loops of {} links on a chain of {}", links_of_a_loop, links);
    LocalLoops out{
        {title + ": factor and solution", {"k"}, {}},
        {title + ": largest |J a + c|", {"k"}, {}},
        {"multiplier-loops", title, "k", {{"factor and solution", "s", {}}, {"direct alone", "s", {}}}}};
    for (const int k : counts) {
        const ChainWithLoops chain = chain_with_loops(links, k);
        BodyProblem closed(chain.model, chain.state, EqualityMethod::direct);
        const std::vector<double> side = closed.right_side();
        BlockLdlt direct = closed.dynamics.system.matrix.blocks();
        OpenChain open(chain, closed, side);
        open.factor();
        Anticipation anticipation(open);
        std::vector<double> x(side.size());
        const auto anticipate = [&](Anticipation::Coefficients by) {
            open.factor();
            anticipation.find_free();
            anticipation.find_coefficients(by);
            anticipation.find_forces(false);
            anticipation.finish();
        };
        const auto of_anticipation = [&] { return anticipation.solution(); };
        const auto of_x = [&] { return std::span<const double>(x); };
        std::vector<Way> ways = {
            {"direct",
             [&] {
                 x = side;
                 direct.factor();
                 direct.solve(x);
             },
             of_x},
            {"anticipation as in the paper", [&] { anticipate(Anticipation::Coefficients::by_solves); },
             of_anticipation},
            {"anticipation along the tree", [&] { anticipate(Anticipation::Coefficients::workless); },
             of_anticipation}};
        std::vector<std::unique_ptr<GeneralSparse>> general;
        for (const auto& [name, method] : {std::pair{"Eigen SparseLU", GeneralSparse::Method::lu},
                                           std::pair{"Eigen SimplicialLDLT", GeneralSparse::Method::ldlt}}) {
            general.push_back(make_general_sparse(direct, method));
            if (GeneralSparse* solver = general.back().get())
                ways.push_back({name,
                                [&, solver] {
                                    x = side;
                                    solver->factor();
                                    solver->solve(x);
                                },
                                of_x});
        }
        // The ways of anticipation take up to a hundred times as long, and have turns of their own.
        std::vector<std::function<void()>> fast, slow;
        const auto is_slow = [](const Way& way) { return way.name.starts_with("anticipation"); };
        for (const Way& way : ways) (is_slow(way) ? slow : fast).push_back(way.run);
        const std::vector<double> fast_times = compare_times(fast, effort);
        const std::vector<double> slow_times = compare_times(slow, few_rounds);
        std::vector<double> times;
        std::size_t f = 0, s = 0;
        for (const Way& way : ways) times.push_back(is_slow(way) ? slow_times[s++] : fast_times[f++]);
        std::vector<Results::Cell> row{static_cast<double>(k)}, missed{static_cast<double>(k)};
        for (std::size_t w = 0; w < ways.size(); ++w) {
            if (out.times.rows.empty()) {
                out.times.columns.push_back(ways[w].name + " [µs]");
                out.residuals.columns.push_back(ways[w].name + " [m/s², rad/s²]");
                out.plot.panels[0].curves.push_back({ways[w].name, {}});
            }
            row.emplace_back(1e6 * times[w]);
            out.plot.panels[0].curves[w].points.push_back({static_cast<double>(k), times[w]});
            ways[w].run();
            missed.emplace_back(closed.residual(ways[w].solution()));
        }
        out.times.rows.push_back(std::move(row));
        out.residuals.rows.push_back(std::move(missed));
    }
    out.plot.panels[1].curves = {out.plot.panels[0].curves.front()};
    return out;
}

}  // namespace lig::bench
