#include "geometry/orientation.h"

#include <array>
#include <cmath>
#include <limits>

namespace lig::geometry {

namespace {

// An unevaluated sum of doubles that do not overlap, the smallest first. It holds sums and products without
// rounding [Shewchuk 1997]; 192 terms are what the determinant below needs at most.
class Expansion {
public:
    explicit Expansion(double value = 0) {
        if (value != 0) append(value);
    }
    static Expansion difference(double a, double b) {
        const double sum = a - b, b_virtual = a - sum, a_virtual = sum + b_virtual;
        Expansion e;
        e.append((a - a_virtual) + (b_virtual - b));
        e.append(sum);
        return e;
    }

    void add(double value) {
        int kept = 0;
        for (int i = 0; i < count_; ++i) {
            const double sum = value + terms_[i], virtual_term = sum - value;
            const double error = (value - (sum - virtual_term)) + (terms_[i] - virtual_term);
            if (error != 0) terms_[kept++] = error;
            value = sum;
        }
        count_ = kept;
        append(value);
    }
    void add(const Expansion& other) {
        for (int i = 0; i < other.count_; ++i) add(other.terms_[i]);
    }
    friend Expansion operator*(const Expansion& a, const Expansion& b) {
        Expansion product;
        for (int i = 0; i < a.count_; ++i) {
            for (int j = 0; j < b.count_; ++j) {
                const double high = a.terms_[i] * b.terms_[j];
                product.add(std::fma(a.terms_[i], b.terms_[j], -high));
                product.add(high);
            }
        }
        return product;
    }
    Expansion operator-() const {
        Expansion e = *this;
        for (int i = 0; i < count_; ++i) e.terms_[i] = -e.terms_[i];
        return e;
    }
    // The largest term has the sign of the sum.
    double largest() const { return count_ == 0 ? 0 : terms_[count_ - 1]; }

private:
    void append(double value) {
        if (value != 0) terms_[count_++] = value;
    }

    std::array<double, 192> terms_;
    int count_ = 0;
};

double exact_orientation(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    Expansion u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = Expansion::difference(b[k], a[k]);
        v[k] = Expansion::difference(c[k], a[k]);
        w[k] = Expansion::difference(d[k], a[k]);
    }
    Expansion sum;
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        Expansion minor = u[l] * v[m];
        minor.add(-(u[m] * v[l]));
        sum.add(minor * w[k]);
    }
    return sum.largest();
}

}  // namespace

double orientation(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    const Vec3d u = b - a, v = c - a, w = d - a;
    const Vec3d plus{u.y * v.z, u.z * v.x, u.x * v.y}, minus{u.z * v.y, u.x * v.z, u.y * v.x};
    const double determinant = dot(plus - minus, w);
    // Each of the six products has at most three rounded differences and four further roundings on its way
    // into the sum: eight half units in the last place of their total bound the error.
    double total = 0;
    for (int k = 0; k < 3; ++k) total += (std::fabs(plus[k]) + std::fabs(minus[k])) * std::fabs(w[k]);
    const double bound = 8 * std::numeric_limits<double>::epsilon() * total;
    if (std::fabs(determinant) > bound || total == 0) return determinant;
    return exact_orientation(a, b, c, d);
}

}  // namespace lig::geometry
