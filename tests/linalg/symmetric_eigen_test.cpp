#include "linalg/symmetric_eigen.h"

#include "scalar_types.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace lig::test {
namespace {

double largest(const Mat3d& m) {
    double worst = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            worst = std::isnan(m(i, j)) ? m(i, j) : std::max(worst, std::fabs(m(i, j)));
    return worst;
}

// What every result must be: a rotation that rebuilds the matrix, with values in order.
void check_decomposition(const Sym3d& m, const SymmetricEigen& e) {
    const double size = largest(m.full());
    const Mat3d& v = e.vectors;
    CHECK(e.values.x <= e.values.y);
    CHECK(e.values.y <= e.values.z);
    CHECK(largest(transpose(v) * v - Mat3d::identity()) < 3e-15);
    CHECK(std::fabs(dot(cross(v.x, v.y), v.z) - 1) < 3e-15);
    CHECK(largest(rotate(v, Sym3d::diagonal(e.values.x, e.values.y, e.values.z)).full() - m.full()) <=
          4e-15 * size);
}

Mat3d random_rotation(Random& random) {
    return rotation_matrix(
        Quatd{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0.1, 1)});
}

}  // namespace

TEST_CASE("eigenvalues that were put in come out") {
    Random random(1);
    for (int round = 0; round < 500; ++round) {
        double values[3];
        for (double& v : values) v = random.uniform(-2, 2);
        if (round % 5 == 1) values[1] = values[0];              // a symmetric top
        if (round % 5 == 2) values[0] = values[1] = values[2];  // a sphere
        if (round % 5 == 3) values[0] = values[1] + 1e-9;       // nearly a top
        if (round % 5 == 4) values[0] = 0;                      // a rod
        std::sort(values, values + 3);
        const Sym3d m = rotate(random_rotation(random), Sym3d::diagonal(values[0], values[1], values[2]));
        const SymmetricEigen e = symmetric_eigen(m);
        check_decomposition(m, e);
        for (int i = 0; i < 3; ++i) CHECK(std::fabs(e.values[i] - values[i]) < 5e-15);
    }
}

TEST_CASE("eigenvectors of a known matrix") {
    // [2 1 0; 1 2 0; 0 0 5]: values 1, 3, 5 with axes (1, -1, 0), (1, 1, 0), z.
    const SymmetricEigen e = symmetric_eigen({2, 2, 5, 1, 0, 0});
    CHECK(e.values.x == doctest::Approx(1).epsilon(1e-15));
    CHECK(e.values.y == doctest::Approx(3).epsilon(1e-15));
    CHECK(e.values.z == 5);
    const double h = std::sqrt(0.5);
    CHECK(std::fabs(dot(e.vectors.x, Vec3d{h, -h, 0})) == doctest::Approx(1).epsilon(1e-15));
    CHECK(std::fabs(dot(e.vectors.y, Vec3d{h, h, 0})) == doctest::Approx(1).epsilon(1e-15));
    CHECK(std::fabs(e.vectors.z.z) == 1);
}

TEST_CASE("diagonal matrices: exact values, axes permuted into a rotation") {
    const SymmetricEigen sorted = symmetric_eigen(Sym3d::diagonal(-1, 2, 3));
    CHECK(largest(sorted.vectors - Mat3d::identity()) == 0);
    const double v[] = {3, -1, 0.25};
    int order[] = {0, 1, 2};
    do {
        const Sym3d m = Sym3d::diagonal(v[order[0]], v[order[1]], v[order[2]]);
        const SymmetricEigen e = symmetric_eigen(m);
        check_decomposition(m, e);
        CHECK(e.values.x == -1);
        CHECK(e.values.y == 0.25);
        CHECK(e.values.z == 3);
    } while (std::next_permutation(order, order + 3));
    const SymmetricEigen zero = symmetric_eigen(Sym3d::zero());
    CHECK(zero.values.z == 0);
    CHECK(largest(zero.vectors - Mat3d::identity()) == 0);
}

TEST_CASE("eigenvalues at the ends of the number range") {
    Random random(2);
    for (double scale : {1e-300, 1e-160, 1e160, 1e307}) {
        CAPTURE(scale);
        const Mat3d axes = random_rotation(random);
        const SymmetricEigen e = symmetric_eigen(scale * rotate(axes, Sym3d::diagonal(1, 2, 4)));
        for (int i = 0; i < 3; ++i) CHECK(std::fabs(e.values[i] / scale - (1 << i)) < 1e-14);
        for (int i = 0; i < 3; ++i)
            CHECK(std::fabs(std::fabs(dot((&e.vectors.x)[i], (&axes.x)[i])) - 1) < 1e-14);
    }
    // Stiff against soft: the small value survives beside the large one.
    const SymmetricEigen graded = symmetric_eigen({1e-12, 1, 1e12, 1e-7, 0, 1e-1});
    CHECK(graded.values.x == doctest::Approx(1e-12 - 1e-14).epsilon(1e-10));
    CHECK(graded.values.z == doctest::Approx(1e12).epsilon(1e-15));
}

TEST_CASE("eigenvalues of what is not finite are not numbers") {
    const double inf = std::numeric_limits<double>::infinity();
    for (int entry = 0; entry < 6; ++entry) {
        Sym3d m = {1, 2, 3, 0.1, 0.2, 0.3};
        (&m.xx)[entry] = entry % 2 ? inf : std::nan("");
        const SymmetricEigen e = symmetric_eigen(m);
        CHECK(std::isnan(e.values.x));
        CHECK(std::isnan(e.values.z));
        CHECK(largest(e.vectors - Mat3d::identity()) == 0);
    }
}

}  // namespace lig::test
