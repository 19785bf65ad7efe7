#include "formulations/rows/tangent_friction.h"

#include <cmath>

namespace lig {

namespace {

// One round of the mixing of splitmix64: every bit of the result depends on every bit that came in.
std::uint64_t mix(std::uint64_t state, std::uint64_t more) {
    std::uint64_t x = state + more + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// A direction from 64 bits, by operations that round alike everywhere: two bits choose the quarter, the
// others the tangent of half the angle within it, from −45° to 45°.
TangentDirection direction_of(std::uint64_t bits) {
    constexpr double widest = 0.41421356237309503;  // tan(π/8)
    const double t = widest * (2 * (static_cast<double>(bits >> 11) / 9007199254740992.0) - 1);
    const double c = (1 - t * t) / (1 + t * t), s = 2 * t / (1 + t * t);
    switch (bits & 3) {
        case 0: return {c, s};
        case 1: return {-s, c};
        case 2: return {-c, -s};
        default: return {s, -c};
    }
}

}  // namespace

TangentDirection tangent_of_contact(TangentDirection slip, TangentDirection ahead, double still,
                                    TangentDirection friction, unsigned seed,
                                    const ContactIdentity& contact) {
    const auto length = [](TangentDirection x) { return std::hypot(x.along_first, x.along_second); };
    const auto unit = [&](TangentDirection x, double sign) {
        return TangentDirection{sign * x.along_first / length(x), sign * x.along_second / length(x)};
    };
    if (length(slip) > still) return unit(length(ahead) > still ? ahead : slip, -1);
    if (length(friction) > 0) return unit(friction, 1);
    std::uint64_t bits = mix(0, seed);
    bits = mix(bits, static_cast<std::uint32_t>(contact.geom_a));
    bits = mix(bits, static_cast<std::uint32_t>(contact.geom_b));
    bits = mix(bits, contact.part);
    return direction_of(mix(bits, contact.feature));
}

LcpResult solve_along_tangents(const LcpProblem& problem, std::span<const TangentDirection> directions,
                               const LcpOptions& options, LcpWorkspace& workspace, std::span<double> lambda) {
    LcpResult result;
    result.status = begin_lcp(problem, workspace, lambda);
    if (result.status != LcpStatus::solved) return result;
    LcpExpansion& expansion = workspace.parts().expansion;
    expansion.write(problem, directions.data(), lambda);
    const LemkeResult found = expansion.solve({.pivots = options.iterations, .stop = options.stop});
    expansion.read(problem, lambda);
    result.iterations = found.pivots;
    finish_lcp(problem, LcpFriction::diamond, options, workspace, lambda, result);
    if (result.status == LcpStatus::not_finite) return result;
    // Of the figures under the diamond's law only those of other rows than friction's mean anything here.
    result.figures.residual = result.figures.complementarity = found.error;
    result.status = found.error <= options.tolerance ? LcpStatus::solved
                    : stop_requested(options)        ? LcpStatus::interrupted
                                                     : LcpStatus::iteration_limit;
    return result;
}

}  // namespace lig
