#pragma once

// Packs whose lanes all sleep are left out: kernels go over the runs of the others. Of a pack that some lanes
// of are awake, the impulses of those that sleep are kept aside and are zero in it; their bodies are at rest
// and nothing pushes them, so that nothing comes of them.

#include "formulations/impulse/impulse_kernels.h"

#include <cstddef>
#include <span>
#include <vector>

namespace lig::impulse {

struct PackRun {
    int begin, count;
};

// Whether the block in a lane sleeps. Its bodies are of one island, or bases.
template <class Bodies>
bool lane_sleeps(const Bodies& pack, int lane, const MovingBodies& bodies) {
    return bodies.is_asleep(pack.a[lane]) || bodies.is_asleep(pack.b[lane]);
}

template <class Bodies>
bool pack_sleeps(const Bodies& pack, const MovingBodies& bodies) {
    for (int lane = 0; lane < lanes; ++lane)
        if (pack.b[lane] != bodies.idle() && !lane_sleeps(pack, lane, bodies)) return false;
    return true;
}

// Calls f(begin, count) for each row of numbers in the list that follow each other.
template <class F>
LIG_INLINE void for_each_row(std::span<const int> list, F&& f) {
    for (std::size_t k = 0; k < list.size();) {
        const std::size_t begin = k++;
        while (k < list.size() && list[k] == list[k - 1] + 1) ++k;
        f(list[begin], static_cast<int>(k - begin));
    }
}

// sleeps(k): of pack k of so many. Needs room for half of them.
template <class Sleeps>
void find_awake_runs(int packs, std::vector<PackRun>& out, Sleeps&& sleeps) {
    out.clear();
    for (int k = 0; k < packs; ++k) {
        if (sleeps(k)) continue;
        if (!out.empty() && out.back().begin + out.back().count == k)
            ++out.back().count;
        else
            out.push_back({k, 1});
    }
}

}  // namespace lig::impulse
