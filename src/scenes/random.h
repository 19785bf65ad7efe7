#pragma once

// The random numbers of the benchmark scenes and of their states. Both sequences are part of the definitions,
// so that everyone who rebuilds a scene gets the same one.

#include <cstdint>

namespace lig::scenes {

// The upper 53 bits as a number from 0 to 1, 1 excluded.
inline double unit_interval(std::uint64_t bits) {
    return static_cast<double>(bits >> 11) / 9007199254740992.0;
}

// xorshift64, from 0 to 1. Seed 0 is that of the definitions.
class XorShift {
public:
    explicit XorShift(std::uint64_t seed = 0) {
        // Far from the seeds beside it; 0 would stay 0.
        s_ ^= seed * 0x9e3779b97f4a7c15u;
        if (s_ == 0) s_ = 1;
    }

    double u() {
        s_ ^= s_ << 13;
        s_ ^= s_ >> 7;
        s_ ^= s_ << 17;
        return unit_interval(s_);
    }

private:
    std::uint64_t s_ = 88172645463325252u;
};

// A linear congruence, from −1 to 1.
class Congruence {
public:
    explicit Congruence(std::uint64_t seed) : s_(seed) {}

    double u() {
        s_ = s_ * 6364136223846793005u + 1442695040888963407u;
        return 2 * unit_interval(s_) - 1;
    }

private:
    std::uint64_t s_;
};

}  // namespace lig::scenes
