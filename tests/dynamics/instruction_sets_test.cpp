// Every instruction set that the library was built with and this machine runs gives the same bits, for every
// scalar.

#include "dynamics/kernel_views.h"
#include "support/recursions.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace lig;
using namespace lig::test;

namespace {

// All kernels of one table, one after the other.
template <class T>
std::vector<T> kernel_results(const KernelTable& table, const Lanewise<T>& in, Workspace<T>& ws) {
    const Kernels<T>& kernels = kernels_in<T>(const_cast<KernelTable&>(table));
    const Tree<real_t<T>>& tree = ws.tree();
    const TreeView<real_t<T>> view = lig::view<T>(tree);
    ws.f_ext = in.f_ext;
    const WorkView<T> work = lig::view(ws, true);
    const std::size_t nv = tree.nv;
    std::vector<T> out, qacc(nv), tau(nv), M(nv * nv), q(tree.nq), v(nv);
    const auto keep = [&](const std::vector<T>& more) { out.insert(out.end(), more.begin(), more.end()); };
    const T* q0 = in.state.q.data();
    const T* v0 = in.state.v.data();
    kernels.aba(view, work, q0, v0, in.tau.data(), qacc.data());
    keep(qacc);
    kernels.rnea(view, work, q0, v0, qacc.data(), tau.data());
    keep(tau);
    kernels.kinematics(view, work, q0, v0);
    append_links(out, ws);
    kernels.crba(view, work, q0, M.data());
    keep(M);
    kernels.integrate(view, q0, v0, &in.h, q.data());
    keep(q);
    kernels.difference(view, q0, in.q1.data(), v.data());
    keep(v);
    return out;
}

}  // namespace

TEST_CASE_TEMPLATE("dynamics: all instruction sets give the same bits", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    Random random(31);
    for (const int bodies : {1, 10, 60}) {
        TreeShape shape;
        shape.bodies = bodies;
        shape.kinematic = 1;
        const auto model = compile(random_scene(random, shape));
        Workspace<T> ws(model);
        Lanewise<T> in(*model);
        for (int lane = 0; lane < lane_width<T>; ++lane) in.set(lane, random_inputs<R>(random, *model));
        forward_kinematics(in.state, ws);  // sets the bases, which the kernels read
        const std::vector<T> first = kernel_results(*instruction_sets()[0].kernels, in, ws);
        for (const InstructionSet& set : instruction_sets()) {
            CAPTURE(std::string(set.name));
            if (!set.runs_here) continue;
            const std::vector<T> other = kernel_results(*set.kernels, in, ws);
            REQUIRE(other.size() == first.size());
            std::size_t different = 0;
            for (std::size_t k = 0; k < first.size(); ++k)
                for (int lane = 0; lane < lane_width<T>; ++lane)
                    if (!same_bits(get_lane(first[k], lane), get_lane(other[k], lane))) ++different;
            CHECK(different == 0);
        }
    }
}

TEST_CASE("dynamics: the active instruction set is the best that runs, or the one asked for") {
    std::string best, skipped;
    REQUIRE(!instruction_sets().empty());
    CHECK(instruction_sets()[0].name == "baseline");
    CHECK(instruction_sets()[0].runs_here);
    for (const InstructionSet& set : instruction_sets()) {
        if (set.runs_here)
            best = set.name;
        else
            skipped += " " + std::string(set.name);
    }
    if (!skipped.empty()) MESSAGE("not compared, this machine does not run:" << skipped);
    const char* wanted = std::getenv("LIGAMENT_ISA");
    CHECK(instruction_set_name() == (wanted ? std::string(wanted) : best));
}
