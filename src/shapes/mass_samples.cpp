#include "shapes/mass_samples.h"

#include <cmath>
#include <numbers>

namespace lig {

namespace {

constexpr int points = 12, angles = 16;

struct Gauss {
    double x[points], weight[points];  // on −1 … 1; the weights add up to 1
};

// Roots of the Legendre polynomial by Newton's method from Chebyshev's.
Gauss make_gauss() {
    Gauss out;
    for (int k = 0; k < points; ++k) {
        double x = -std::cos(std::numbers::pi * (k + 0.75) / (points + 0.5)), slope = 0;
        for (int round = 0; round < 20; ++round) {
            double before = 1, value = x;
            for (int n = 2; n <= points; ++n) {
                const double next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
                before = value;
                value = next;
            }
            slope = points * (x * value - before) / (x * x - 1);
            x -= value / slope;
        }
        out.x[k] = x;
        out.weight[k] = 1 / ((1 - x * x) * slope * slope);
    }
    return out;
}

class Sampler {
public:
    std::vector<MassSample> out;

    void box(const Vec3d& half) {
        for (int i = 0; i < points; ++i)
            for (int j = 0; j < points; ++j)
                for (int k = 0; k < points; ++k)
                    add(rule_.weight[i] * rule_.weight[j] * rule_.weight[k],
                        {half.x * rule_.x[i], half.y * rule_.x[j], half.z * rule_.x[k]});
    }
    // By the square of the radius, which areas grow with.
    void cylinder(double radius, double half, double mass) {
        for (int i = 0; i < points; ++i)
            for (int k = 0; k < points; ++k)
                ring(mass * rule_.weight[i] * rule_.weight[k], radius * std::sqrt(share(i)),
                     half * rule_.x[k]);
    }
    // The part of a ball with cosines of the angle to z from `low` to 1, its centre at `z`, turned over or
    // not.
    void ball(double radius, double low, double z, double side, double mass) {
        for (int i = 0; i < points; ++i)
            for (int k = 0; k < points; ++k) {
                const double r = share(i), cosine = low + (1 - low) * share(k);
                ring(mass * 3 * r * r * rule_.weight[i] * rule_.weight[k],
                     radius * r * std::sqrt(1 - cosine * cosine), z + side * radius * r * cosine);
            }
    }

private:
    double share(int k) const { return 0.5 * (1 + rule_.x[k]); }
    void add(double mass, const Vec3d& at) { out.push_back({mass, at}); }
    void ring(double mass, double radius, double z) {
        for (int k = 0; k < angles; ++k) {
            const double angle = 2 * std::numbers::pi * k / angles;
            add(mass / angles, {radius * std::cos(angle), radius * std::sin(angle), z});
        }
    }

    Gauss rule_ = make_gauss();
};

}  // namespace

std::vector<MassSample> mass_samples(ShapeType type, const Vec3d& size) {
    Sampler sampler;
    switch (type) {
        case ShapeType::box: sampler.box(size); break;
        case ShapeType::cylinder: sampler.cylinder(size.x, size.y, 1); break;
        case ShapeType::sphere: sampler.ball(size.x, -1, 0, 1, 1); break;
        case ShapeType::ellipsoid:
            sampler.ball(1, -1, 0, 1, 1);
            for (MassSample& sample : sampler.out)
                sample.at = {size.x * sample.at.x, size.y * sample.at.y, size.z * sample.at.z};
            break;
        case ShapeType::capsule: {
            const double middle = 2 * size.y, ends = 4.0 / 3 * size.x, all = middle + ends;
            sampler.cylinder(size.x, size.y, middle / all);
            for (const double side : {-1.0, 1.0})
                sampler.ball(size.x, 0, side * size.y, side, 0.5 * ends / all);
            break;
        }
        default: break;
    }
    return std::move(sampler.out);
}

}  // namespace lig
