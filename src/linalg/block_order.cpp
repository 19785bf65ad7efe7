// The elimination is played through on the graph itself: the neighbours of an eliminated node become a
// clique. That is as many steps as the factorization has block operations, so nothing is gained by
// representing cliques implicitly, and degrees are exact.

#include "linalg/block_order.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace lig {
namespace {

// Which constraints may be eliminated. Bodies and hard constraints that have been eliminated fall into pieces
// connected by the blocks of J between them. A piece is
//   open      while one of its constraints has a body that is left,
//   grounded  if it has a constraint on one body only, or one that is said to be, or a body that is weak.
// One that is neither can move as a whole, so that a constraint may lean on any of its bodies. If it is a
// tree, this holds whatever the blocks are: rooted at that body, every constraint has a body below it that is
// its own, and J is triangular. If it has cycles, it holds for constraints between bodies that do not care
// about the motion they have in common, as joints do. In a piece that is not open all rows have all their
// bodies; what they lack in rank K lacks too.
class Pieces {
public:
    Pieces(std::span<const BlockLdlt::Node> nodes, const std::vector<int>& begin, const std::vector<int>& to)
        : nodes_(nodes), begin_(begin), to_(to) {
        up_.assign(nodes.size(), -1);
        open_.assign(nodes.size(), 0);
        grounded_.assign(nodes.size(), 0);
    }

    bool eliminated(int node) const { return up_[node] >= 0; }
    // A hard constraint on one body, or one that holds what its bodies have in common.
    bool grounds(int node) const { return hard(node) && (degree(node) < 2 || nodes_[node].grounded); }

    // `at_risk`: all its bodies are gone, but in pieces that are open.
    enum class Eligible {
        no,
        yes,
        at_risk
    };
    Eligible eligible(int node) {
        if (!hard(node)) return Eligible::yes;
        bool all_gone = true, closed = true;
        for (int k = begin_[node]; k < begin_[std::size_t(node) + 1]; ++k) {
            const int body = to_[k];
            if (!eliminated(body)) {
                all_gone = false;
                continue;
            }
            const std::size_t piece = std::size_t(find(body));
            if (open_[piece] == 0 && !grounded_[piece]) return Eligible::yes;
            closed = closed && open_[piece] == 0;
        }
        if (!all_gone) return Eligible::no;
        return closed ? Eligible::yes : Eligible::at_risk;
    }

    void eliminate(int node) {
        up_[node] = node;
        if (nodes_[node].constraint && !hard(node)) return;
        const bool constraint = hard(node);
        int open = 0;
        bool grounded = false;
        const int piece = node;
        for (int k = begin_[node]; k < begin_[std::size_t(node) + 1]; ++k) {
            const int other = to_[k];
            if (!constraint && !hard(other)) continue;
            if (!eliminated(other)) {
                if (constraint) ++open;
                continue;
            }
            if (!constraint) --open;
            const int root = find(other);
            if (root == piece) continue;
            open += open_[root];
            grounded = grounded || grounded_[root];
            up_[root] = piece;
        }
        open_[piece] = open;
        grounded_[piece] = grounded || grounds(node) || (!nodes_[node].constraint && nodes_[node].weak);
    }

private:
    bool hard(int node) const {
        return nodes_[node].constraint && !nodes_[node].soft;
    }
    int degree(int node) const { return begin_[std::size_t(node) + 1] - begin_[node]; }
    int find(int node) {
        while (up_[node] != node) {
            int& up = up_[node];
            up = up_[up];
            node = up;
        }
        return node;
    }

    std::span<const BlockLdlt::Node> nodes_;
    const std::vector<int>&begin_, &to_;
    std::vector<int> up_;  // of eliminated nodes: towards the one that stands for the piece; −1: left
    std::vector<int> open_;
    std::vector<char> grounded_;
};

// A constraint at risk counts as if its degree were larger by this: of a wheel with a thousand spokes the
// joints of the rim would otherwise wait for the hub, and make a clique of a thousand nodes with it. Where
// the geometry does make such a pivot singular, it is damped like those of redundant rows.
constexpr std::int64_t risk_factor = 8;
constexpr std::int64_t not_eligible = -1;

// The graph of what is left. Neighbours: a slice of one array at first, then a list of those that came by
// fill. Those that have been eliminated stay in the slice until it is walked.
class Graph {
public:
    Graph(std::span<const BlockLdlt::Node> nodes, const std::vector<int>& begin, const std::vector<int>& to)
        : nodes_(nodes), begin_(begin), end_(begin.begin() + 1, begin.end()), to_(to) {
        fill_head_.assign(nodes.size(), -1);
        seen_.assign(nodes.size(), -1);
        degree_.assign(nodes.size(), 0);
        count_.assign(nodes.size(), 0);
        for (std::size_t v = 0; v < nodes.size(); ++v)
            for (int k = begin_[v]; k < end_[v]; ++k) {
                degree_[v] += nodes[to_[k]].dim;
                ++count_[v];
            }
    }

    // 0 where elimination is seen to make no fill: for two neighbours if they are joined, as those of a body
    // whose joint is stiff. By degree alone such a body of large blocks would come after others that do.
    template <class Eliminated>
    std::int64_t key(int node, const Eliminated& eliminated) {
        if (count_[node] > 2) return degree_[node];
        if (count_[node] < 2) return 0;
        neighbours(node, eliminated, own_);
        const int fewer = count_[own_[0]] < count_[own_[1]] ? 0 : 1;
        const int other = own_[1 - fewer];
        neighbours(own_[fewer], eliminated, own_);
        return std::find(own_.begin(), own_.end(), other) != own_.end() ? 0 : degree_[node];
    }
    std::int64_t degree(int node) const { return degree_[node]; }
    int count(int node) const { return count_[node]; }

    template <class Eliminated>
    void neighbours(int node, const Eliminated& eliminated, std::vector<int>& out) {
        out.clear();
        const std::size_t v = std::size_t(node);
        int end = begin_[v];
        for (int k = begin_[v]; k < end_[v]; ++k) {
            const int u = to_[k];
            if (eliminated(u)) continue;
            to_[end++] = u;
            out.push_back(u);
        }
        end_[v] = end;
        int* link = &fill_head_[v];
        while (*link >= 0) {
            Fill& f = fill_[*link];
            if (eliminated(f.to)) {
                *link = f.next;
            } else {
                out.push_back(f.to);
                link = &f.next;
            }
        }
    }

    // Takes a node with these neighbours out of the graph. Returns the edges that are new.
    template <class Eliminated>
    int eliminate(int node, std::vector<int>& clique, const Eliminated& eliminated) {
        for (const int u : clique) {
            degree_[u] -= nodes_[node].dim;
            --count_[u];
        }
        if (clique.size() < 2) return 0;
        // Of two neighbours the one with fewer of its own is asked whether they are joined: a hub that is
        // part of many cliques is never walked.
        std::sort(clique.begin(), clique.end(), [&](int a, int b) {
            return count(a) != count(b) ? count(a) < count(b) : a < b;
        });
        int fill = 0;
        for (std::size_t i = 0; i + 1 < clique.size(); ++i) {
            const int u = clique[i];
            neighbours(u, eliminated, own_);
            for (const int w : own_) seen_[w] = u;
            for (std::size_t j = i + 1; j < clique.size(); ++j) {
                const int w = clique[j];
                if (seen_[w] == u) continue;
                join(u, w);
                join(w, u);
                ++fill;
            }
            // Marks are by node, and a node may ask again.
            for (const int w : own_) seen_[w] = -1;
        }
        return fill;
    }

private:
    struct Fill {
        int to, next;
    };

    void join(int u, int w) {
        fill_.push_back({w, fill_head_[u]});
        fill_head_[u] = static_cast<int>(fill_.size()) - 1;
        degree_[u] += nodes_[w].dim;
        ++count_[u];
    }

    std::span<const BlockLdlt::Node> nodes_;
    std::vector<int> begin_, end_, to_;
    std::vector<Fill> fill_;
    std::vector<int> fill_head_;
    std::vector<std::int64_t> degree_;
    std::vector<int> count_, seen_, own_;
};

// The nodes that are part of a cycle, those through the world included (to which a hard constraint on one
// body leads): the ends of edges that are not bridges. One walk through the graph, depth first: an edge to a
// node below is a bridge if nothing at or below that node leads back above it.
std::vector<char> nodes_in_cycles(std::span<const BlockLdlt::Node> nodes,
                                  std::span<const BlockLdlt::Edge> edges, const Pieces& pieces) {
    const int world = static_cast<int>(nodes.size());
    std::vector<BlockLdlt::Edge> all(edges.begin(), edges.end());
    for (int v = 0; v < world; ++v)
        if (pieces.grounds(v)) all.push_back({v, world});
    std::vector<int> begin(nodes.size() + 2, 0), edge(2 * all.size());
    for (const BlockLdlt::Edge& e : all) {
        ++begin[e.a + 1];
        ++begin[e.b + 1];
    }
    for (std::size_t v = 0; v <= nodes.size(); ++v) begin[v + 1] += begin[v];
    std::vector<int> next(begin.begin(), begin.end() - 1);
    for (int e = 0; e < static_cast<int>(all.size()); ++e) {
        edge[next[all[e].a]++] = e;
        edge[next[all[e].b]++] = e;
    }

    std::vector<char> in_cycle(nodes.size() + 1, 0);
    std::vector<int> time(nodes.size() + 1, -1), back(nodes.size() + 1), from(nodes.size() + 1, -1), path;
    next.assign(begin.begin(), begin.end() - 1);
    int now = 0;
    for (int root = world; root >= 0; --root) {
        if (time[root] >= 0) continue;
        time[root] = back[root] = now++;
        path.push_back(root);
        while (!path.empty()) {
            const int v = path.back();
            if (next[v] < begin[v + 1]) {
                const int e = edge[next[v]++];
                if (e == from[v]) continue;
                const int w = all[e].a == v ? all[e].b : all[e].a;
                if (time[w] < 0) {
                    time[w] = back[w] = now++;
                    from[w] = e;
                    path.push_back(w);
                } else {
                    back[v] = std::min(back[v], time[w]);
                    in_cycle[v] = in_cycle[w] = 1;
                }
                continue;
            }
            path.pop_back();
            if (path.empty()) break;
            const int up = path.back();
            back[up] = std::min(back[up], back[v]);
            if (back[v] <= time[up]) in_cycle[v] = in_cycle[up] = 1;
        }
    }
    return in_cycle;
}

// Children before parents, subtrees one after another; children in the order they had.
std::vector<int> postorder(const std::vector<int>& parent) {
    const int n = static_cast<int>(parent.size());
    std::vector<int> first(parent.size(), -1), next(parent.size(), -1), roots, out;
    for (int k = n - 1; k >= 0; --k) {
        const int p = parent[k];
        if (p < 0) continue;
        next[k] = first[p];
        first[p] = k;
    }
    out.reserve(parent.size());
    std::vector<int> stack;
    for (int root = 0; root < n; ++root) {
        if (parent[root] >= 0) continue;
        int at = root;
        while (true) {
            while (first[at] >= 0) {
                stack.push_back(at);
                const int child = first[at];
                first[at] = next[child];
                at = child;
            }
            out.push_back(at);
            if (stack.empty()) break;
            at = stack.back();
            stack.pop_back();
        }
    }
    return out;
}

// Writes the pattern with nodes renumbered so that subtrees of the elimination tree follow one another.
// order: nodes as they were eliminated; place: when a node was; rows of column k: nodes from row_begin[k] on.
void put_in_postorder(const std::vector<int>& order, std::vector<int>& place,
                      const std::vector<int>& row_begin, const std::vector<int>& rows,
                      BlockPattern& pattern) {
    std::vector<int> parent(order.size(), -1);
    for (std::size_t k = 0; k < order.size(); ++k)
        for (int r = row_begin[k]; r < row_begin[k + 1]; ++r) {
            const int p = place[rows[r]];
            if (parent[k] < 0 || p < parent[k]) parent[k] = p;
        }
    const std::vector<int> post = postorder(parent);
    pattern.order.reserve(order.size());
    for (std::size_t k = 0; k < post.size(); ++k) {
        const int v = order[post[k]];
        pattern.order.push_back(v);
        place[v] = static_cast<int>(k);
    }
    pattern.row_begin.reserve(row_begin.size());
    pattern.row_begin.push_back(0);
    pattern.rows.reserve(rows.size());
    for (const int k : post) {
        const std::size_t first = pattern.rows.size();
        for (int r = row_begin[k]; r < row_begin[std::size_t(k) + 1]; ++r)
            pattern.rows.push_back(place[rows[r]]);
        std::sort(pattern.rows.begin() + std::ptrdiff_t(first), pattern.rows.end());
        pattern.row_begin.push_back(static_cast<int>(pattern.rows.size()));
    }
}

}  // namespace

BlockPattern eligible_minimum_degree(std::span<const BlockLdlt::Node> nodes,
                                     std::span<const BlockLdlt::Edge> edges) {
    const int n = static_cast<int>(nodes.size());
    std::vector<int> begin(nodes.size() + 1, 0), to(2 * edges.size());
    for (const BlockLdlt::Edge& e : edges) {
        ++begin[std::size_t(e.a) + 1];
        ++begin[std::size_t(e.b) + 1];
    }
    for (std::size_t v = 0; v < nodes.size(); ++v) begin[v + 1] += begin[v];
    std::vector<int> at(begin.begin(), begin.end() - 1);
    for (const BlockLdlt::Edge& e : edges) {
        to[at[e.a]++] = e.b;
        to[at[e.b]++] = e.a;
    }

    Pieces pieces(nodes, begin, to);
    Graph graph(nodes, begin, to);
    const auto eliminated = [&](int v) { return pieces.eliminated(v); };

    // Entries are not taken back: one whose degree has changed since, or whose node is not eligible any more,
    // is passed over. Whatever changes either eliminates a node next to it, and then it is entered again. But
    // neighbours may have been joined by a node that was next to them alone: then it is entered here.
    using Entry = std::pair<std::int64_t, int>;
    std::vector<Entry> entries;
    const std::greater<Entry> later;
    std::vector<char> in_cycle = nodes_in_cycles(nodes, edges, pieces);
    const auto key = [&](int v) -> std::int64_t {
        if (!in_cycle[v] && graph.count(v) > 1) return not_eligible;
        const Pieces::Eligible eligible = pieces.eligible(v);
        if (eligible == Pieces::Eligible::no) return not_eligible;
        return eligible == Pieces::Eligible::yes ? graph.key(v, eliminated)
                                                 : risk_factor * (graph.degree(v) + 1);
    };
    const auto enter = [&](int v) {
        const std::int64_t k = key(v);
        if (k == not_eligible) return;
        entries.emplace_back(k, v);
        std::push_heap(entries.begin(), entries.end(), later);
    };
    for (int v = 0; v < n; ++v) enter(v);

    std::vector<int> order, place(nodes.size(), -1), clique, row_begin{0}, rows;
    order.reserve(nodes.size());
    rows.reserve(edges.size());
    BlockPattern pattern;
    while (static_cast<int>(order.size()) < n) {
        if (entries.empty()) {
            // What is not in a cycle has been kept for last, and leans on something that is grounded.
            std::fill(in_cycle.begin(), in_cycle.end(), 1);
            for (int v = 0; v < n; ++v)
                if (!eliminated(v)) enter(v);
        }
        std::pop_heap(entries.begin(), entries.end(), later);
        const auto [entered, v] = entries.back();
        entries.pop_back();
        if (eliminated(v)) continue;
        if (const std::int64_t now = key(v); now != entered) {
            if (now == 0) enter(v);
            continue;
        }
        graph.neighbours(v, eliminated, clique);
        pieces.eliminate(v);
        place[v] = static_cast<int>(order.size());
        order.push_back(v);
        pattern.fill += graph.eliminate(v, clique, eliminated);
        rows.insert(rows.end(), clique.begin(), clique.end());
        row_begin.push_back(static_cast<int>(rows.size()));
        for (const int u : clique) enter(u);
    }

    put_in_postorder(order, place, row_begin, rows, pattern);
    return pattern;
}

}  // namespace lig
