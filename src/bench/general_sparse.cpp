#include "bench/general_sparse.h"

#ifdef LIG_HAVE_EIGEN

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <cstddef>
#include <utility>
#include <vector>

namespace lig::bench {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::Map<Eigen::VectorXd>;

// K as Eigen has it. `each` of the entries in a fixed order, so that numbers can be written into the pattern.
class SparseCopy {
public:
    explicit SparseCopy(const BlockLdlt& K) : K_(K), matrix_(K.size(), K.size()) {
        std::vector<Eigen::Triplet<double>> entries;
        // Not the value: an entry that is zero now need not stay so.
        each([&](int i, int j, double) { entries.emplace_back(i, j, 1.0); });
        matrix_.setFromTriplets(entries.begin(), entries.end());
        matrix_.makeCompressed();
        each([&](int i, int j, double) { places_.push_back(&matrix_.coeffRef(i, j)); });
    }
    const Matrix& read(double shift) {
        std::size_t at = 0;
        each([&](int, int, double value) { *places_[at++] = value; });
        if (shift > 0)
            for (int n = 0; n < K_.nodes(); ++n)
                for (int k = K_.offset(n); K_.node(n).constraint && k < K_.offset(n) + K_.dim(n); ++k)
                    matrix_.coeffRef(k, k) -= shift;
        return matrix_;
    }

private:
    template <class F>
    void each(const F& f) const {
        for (int n = 0; n < K_.nodes(); ++n)
            for (int p = 0; p < K_.dim(n); ++p)
                for (int q = 0; q < K_.dim(n); ++q)
                    f(K_.offset(n) + p, K_.offset(n) + q, K_.diagonal(n)[p * K_.dim(n) + q]);
        for (int e = 0; e < K_.edges(); ++e) {
            const auto [a, b] = K_.edge_nodes(e);
            for (int p = 0; p < K_.dim(a); ++p)
                for (int q = 0; q < K_.dim(b); ++q) {
                    const double value = K_.edge(e)[p * K_.dim(b) + q];
                    f(K_.offset(a) + p, K_.offset(b) + q, value);
                    f(K_.offset(b) + q, K_.offset(a) + p, value);
                }
        }
    }

    const BlockLdlt& K_;
    Matrix matrix_;
    std::vector<double*> places_;
};

class ByLu final : public GeneralSparse {
public:
    explicit ByLu(const BlockLdlt& K) : copy_(K) { solver_.analyzePattern(copy_.read(0)); }
    bool factor() override {
        solver_.factorize(copy_.read(0));
        return solver_.info() == Eigen::Success;
    }
    void solve(std::span<double> x) override {
        Vector v(x.data(), static_cast<Eigen::Index>(x.size()));
        v = solver_.solve(v).eval();
    }

private:
    SparseCopy copy_;
    Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<int>> solver_;
};

class ByLdlt final : public GeneralSparse {
public:
    explicit ByLdlt(const BlockLdlt& K) : K_(K), copy_(K), missed_(static_cast<std::size_t>(K.size())) {
        solver_.analyzePattern(copy_.read(shift));
    }
    bool factor() override {
        solver_.factorize(copy_.read(shift));
        return solver_.info() == Eigen::Success;
    }
    void solve(std::span<double> x) override {
        const Eigen::Index n = static_cast<Eigen::Index>(x.size());
        Vector v(x.data(), n), missed(missed_.data(), n);
        const Eigen::VectorXd side = v;
        v = solver_.solve(side);
        K_.multiply(x, missed_);
        missed = side - missed;
        v += solver_.solve(missed);
    }

private:
    const BlockLdlt& K_;
    SparseCopy copy_;
    std::vector<double> missed_;
    Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::AMDOrdering<int>> solver_;
};

}  // namespace

std::unique_ptr<GeneralSparse> make_general_sparse(const BlockLdlt& K, GeneralSparse::Method method) {
    if (method == GeneralSparse::Method::lu) return std::make_unique<ByLu>(K);
    return std::make_unique<ByLdlt>(K);
}

}  // namespace lig::bench

#else

namespace lig::bench {

std::unique_ptr<GeneralSparse> make_general_sparse(const BlockLdlt&, GeneralSparse::Method) {
    return nullptr;
}

}  // namespace lig::bench

#endif
