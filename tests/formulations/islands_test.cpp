// Islands against a search over the graph of trees and blocks, by brute force.

#include "formulations/rows/islands.h"
#include "support/random_scene.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace lig;
using namespace lig::test;

namespace {

int tree_of(const JointFactor& factor, int link) {
    while (factor.links[link].parent >= 0) link = factor.links[link].parent;
    return link;  // the root stands for its tree
}

// Rows between random links, worlds and freedoms. Two of three blocks stay within one tree.
Rows random_rows(Random& random, const JointFactor& factor, int nv, int blocks) {
    Rows rows;
    const int links = static_cast<int>(factor.links.size());
    for (int b = 0; b < blocks; ++b) {
        const int kind = random_index(random, 6);
        const int a = random_index(random, links);
        const int other = random_index(random, 8) == 0 ? random_index(random, links) : a;
        rows.begin_block(RowKind::contact, b, kind == 5 || kind == 4 ? -1 : a,
                         kind < 3 ? other : -1 - kind % 2);
        rows.add_row();
        if (kind == 4 && nv > 0) rows.add_entry(random_index(random, nv), 1);
        if (random_index(random, 12) == 0 && nv > 0) {
            rows.add_row();
            rows.add_entry(random_index(random, nv), 1);
        }
    }
    return rows;
}

}  // namespace

TEST_CASE("islands are what rows connect") {
    Random random(51);
    for (int trial = 0; trial < 40; ++trial) {
        CAPTURE(trial);
        const auto model =
            compile(random_scene(random, {.bodies = 3 + trial, .chain = 0.2, .kinematic = 5 + trial}));
        const JointFactor factor(*model);
        Islands islands(factor);
        const int links = static_cast<int>(factor.links.size());

        // The trees, and that their freedoms stand together.
        std::vector<int> roots;
        for (int i = 0; i < links; ++i)
            if (factor.links[i].parent < 0) roots.push_back(i);
        REQUIRE(islands.all_trees().size() == roots.size());
        for (std::size_t t = 0; t < roots.size(); ++t)
            for (int i = 0; i < links; ++i) {
                if (factor.links[i].nv == 0) continue;
                const bool inside =
                    factor.links[i].v_adr >= islands.all_trees()[t].v_begin &&
                    factor.links[i].v_adr + factor.links[i].nv <= islands.all_trees()[t].v_end;
                CHECK(inside == (tree_of(factor, i) == roots[t]));
            }

        for (int turn = 0; turn < 5; ++turn) {  // the same object again and again
            const Rows rows = random_rows(random, factor, model->nv, random_index(random, 30));
            islands.find(rows, factor);
            // Labels spread along blocks until nothing changes: the lowest root that each tree is connected
            // to.
            std::vector<int> label(links, -1), labels_of_block(rows.blocks.size(), -1);
            std::vector<std::vector<int>> touched(rows.blocks.size());
            for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
                const RowBlock& block = rows.blocks[b];
                for (const int link : {block.link_a, block.link_b})
                    if (link >= 0) touched[b].push_back(tree_of(factor, link));
                for (const Row& row : rows.rows_of(block))
                    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
                        touched[b].push_back(tree_of(factor, factor.link_of_dof[rows.entries[e].dof]));
                for (const int root : touched[b]) label[root] = root;
            }
            for (bool changed = true; changed;) {
                changed = false;
                for (const std::vector<int>& together : touched) {
                    int lowest = links;
                    for (const int root : together) lowest = std::min(lowest, label[root]);
                    for (const int root : together) {
                        changed = changed || label[root] != lowest;
                        label[root] = lowest;
                    }
                }
            }
            std::vector<int> lowest_roots;
            for (const int root : roots)
                if (label[root] == root) lowest_roots.push_back(root);
            REQUIRE(islands.count() == static_cast<int>(lowest_roots.size()));
            for (int k = 0; k < islands.count(); ++k) {
                std::vector<int> trees, blocks;
                int freedoms = 0;
                for (std::size_t t = 0; t < roots.size(); ++t)
                    if (label[roots[t]] == lowest_roots[k]) trees.push_back(static_cast<int>(t));
                for (std::size_t b = 0; b < touched.size(); ++b)
                    if (!touched[b].empty() && label[touched[b][0]] == lowest_roots[k])
                        blocks.push_back(static_cast<int>(b));
                for (int i = 0; i < links; ++i)
                    if (label[tree_of(factor, i)] == lowest_roots[k]) freedoms += factor.links[i].nv;
                CHECK(std::vector<int>(islands.trees(k).begin(), islands.trees(k).end()) == trees);
                CHECK(std::vector<int>(islands.blocks(k).begin(), islands.blocks(k).end()) == blocks);
                CHECK(islands.freedoms(k) == freedoms);
            }
        }
    }
}

TEST_CASE("groups are the trees that held blocks connect, and no others") {
    Random random(53);
    for (int trial = 0; trial < 40; ++trial) {
        CAPTURE(trial);
        const auto model =
            compile(random_scene(random, {.bodies = 3 + trial, .chain = 0.2, .kinematic = 5 + trial}));
        const JointFactor factor(*model);
        Islands islands(factor);
        const int links = static_cast<int>(factor.links.size());
        const Rows rows = random_rows(random, factor, model->nv, 12);
        const Islands::Held held{3, 8};
        islands.find(rows, factor, held);
        // Labels of roots, spread along the held blocks until nothing changes.
        std::vector<int> label(links);
        for (int i = 0; i < links; ++i) label[i] = tree_of(factor, i);
        for (bool changed = true; changed;) {
            changed = false;
            for (int b = held.begin; b < held.end; ++b) {
                std::vector<int> acted_on;
                for (const int link : {rows.blocks[b].link_a, rows.blocks[b].link_b})
                    if (link >= 0) acted_on.push_back(link);
                for (const Row& row : rows.rows_of(rows.blocks[b]))
                    for (int e = row.entry_begin; e < row.entry_begin + row.entry_count; ++e)
                        acted_on.push_back(factor.link_of_dof[rows.entries[e].dof]);
                for (const int link : acted_on)
                    for (const int other : acted_on) {
                        const int from = label[link], to = label[other];
                        if (from <= to) continue;
                        changed = true;
                        std::replace(label.begin(), label.end(), from, to);
                    }
            }
        }
        for (int i = 0; i < links; ++i)
            for (int j = 0; j < links; ++j)
                CHECK((islands.group_of(i) == islands.group_of(j)) == (label[i] == label[j]));
        // Held blocks are in no island.
        for (int k = 0; k < islands.count(); ++k)
            for (const int b : islands.blocks(k)) CHECK((b < held.begin || b >= held.end));
    }
}

TEST_CASE("without rows there are no islands") {
    Random random(52);
    const auto model = compile(random_scene(random, {.bodies = 4}));
    const JointFactor factor(*model);
    Islands islands(factor);
    Rows rows;
    islands.find(rows, factor);
    CHECK(islands.count() == 0);
    rows.begin_block(RowKind::contact, 0);  // between the world and itself
    rows.add_row();
    islands.find(rows, factor);
    CHECK(islands.count() == 0);
}
