#include "bodies/program.h"

#include "core/rotation.h"
#include "linalg/small_dense.h"

#include <algorithm>
#include <cmath>

namespace lig::bodies {

namespace {

constexpr int max_rest_iterations = 60;

}  // namespace

Modal modal_of(std::shared_ptr<const ProgramBody> kind, std::span<const MassSample> samples, double mass) {
    Modal out;
    out.count = kind->coordinates();
    out.kind = std::move(kind);
    out.kind->added_mass(out.added);
    out.kind->damping(out.damping);
    for (Vec3d& mean : out.mean) mean = Vec3d::zero();
    if (const std::optional<MassIntegrals> own = out.kind->mass_integrals()) {
        for (int k = 0; k <= out.count; ++k)
            for (int l = 0; l <= out.count; ++l) out.J[k][l] = own->J[k][l];
        return out;
    }
    double sum = 0;
    Vec3d phi[1 + Modal::max_count];
    std::array<Vec3d, Modal::max_count> mean{};
    for (const MassSample& sample : samples) {
        out.phi(sample.at, phi);
        sum += sample.mass;
        for (int k = 0; k < out.count; ++k) mean[k] += sample.mass * phi[k];
    }
    for (int k = 0; k < out.count; ++k) out.mean[k] = (1 / sum) * mean[k];
    for (auto& row : out.J)
        for (Mat3d& entry : row) entry = Mat3d::zero();
    for (const MassSample& sample : samples) {
        phi[0] = sample.at;
        out.phi(sample.at, phi + 1);
        const double weight = sample.mass * mass / sum;
        for (int k = 0; k <= out.count; ++k)
            for (int l = 0; l <= out.count; ++l)
                for (int c = 0; c < 3; ++c) out.J[k][l](c, 0) += weight * phi[k][c] * phi[l].x,
                                            out.J[k][l](c, 1) += weight * phi[k][c] * phi[l].y,
                                            out.J[k][l](c, 2) += weight * phi[k][c] * phi[l].z;
    }
    return out;
}

Vec3d Program::rest_of(const Sym3d& S, const Vec3d& p) const {
    if (!modal->field(geom)) {
        // Fixed to the body itself, whose modes may be anything: r = p − Σ s φ(r), shapes are small.
        Vec3d r = p;
        for (int k = 0; k < max_rest_iterations; ++k) {
            const Vec3d next = p - slip(S, r), change = next - r;
            r = next;
            if (!(dot(change, change) > 1e-32 * dot(p, p))) break;
        }
        return r;
    }
    const Modal::Field& field = *modal->field(geom);
    const Mat3d A = modal->map_of(field, &S.xx);
    const Vec3d seen = p - modal->centre_of(field, &S.xx), yz = cross(A.y, A.z);
    const double inverse = 1 / dot(A.x, yz);
    return field.at +
           inverse * Vec3d{dot(seen, yz), dot(seen, cross(A.z, A.x)), dot(seen, cross(A.x, A.y))};
}

namespace {

// Of v: ω and ṡ in the axes of the body.
Vec3d turning_of(const Mat3d& R, const double* v) { return transpose_mul(R, Vec3d{v[0], v[1], v[2]}); }

void write(const Mat3d& R, const Vec3d& moment, double* out) {
    const Vec3d world = R * moment;
    for (int k = 0; k < 3; ++k) {
        out[k] = world[k];
        out[3 + k] = 0;
    }
}

}  // namespace

void Program::momenta(const Substance& own, const Mat3d& R, const Sym3d& S, const double* v,
                      double* out) const {
    Vec3d moment;
    inertial(S, Vec3d::zero(), Sym3d::zero(), turning_of(R, v), spread(v + 6), moment, out + 6);
    write(R, moment, out);
    for (int k = 3; k < 6; ++k) out[k] = own.mass * v[k];
}

void Program::push_by_motion(const Substance&, const Mat3d& R, const Sym3d& S, const double* v,
                             double* out) const {
    const Vec3d w = turning_of(R, v);
    for (int k = 0; k < shapes(); ++k) {
        const Mat3d B = with_shape(S, 1 + k);
        double sum = dot(w, w) * trace(B) - dot(w, B * w);
        for (int l = 0; l < shapes(); ++l) sum += v[6 + l] * dot(w, axial(modal->J[1 + l][1 + k]));
        out[k] = sum;
    }
}

void Program::mass_block(const Substance& own, const Mat3d& R, const Sym3d& S, double* M) const {
    const int n = freedoms();
    double unit[dim] = {}, column[dim];
    for (int c = 0; c < n; ++c) {
        unit[c] = 1;
        momenta(own, R, S, unit, column);
        unit[c] = 0;
        for (int r = 0; r < n; ++r) M[r * n + c] = column[r];
    }
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < r; ++c) M[c * n + r] = M[r * n + c];
}

void Program::bias(const Substance&, const Mat3d& R, const Sym3d& S, const double* v, double* out) const {
    Vec3d moment;
    inertial(S, turning_of(R, v), spread(v + 6), Vec3d::zero(), Sym3d::zero(), moment, out + 6);
    write(R, moment, out);
    for (int k = 0; k < freedoms(); ++k) out[k] = -out[k];
    out[3] = out[4] = out[5] = 0;
}

// w and ṡ from the momenta of turning, in the axes of the body, and of s.
void Program::velocities(const Sym3d& S, const Vec3d& turning, const double* p, Vec3d& w, Sym3d& rate) const {
    constexpr int largest = 3 + stretches;
    const int n = 3 + shapes();
    double M[largest * largest], x[largest] = {turning.x, turning.y, turning.z};
    std::copy_n(p, shapes(), x + 3);
    for (int c = 0; c < n; ++c) {
        Vec3d unit = Vec3d::zero(), moment;
        Sym3d second = Sym3d::zero();
        if (c < 3)
            unit[c] = 1;
        else
            number(second, c - 3) = 1;
        double out[stretches];
        inertial(S, Vec3d::zero(), Sym3d::zero(), unit, second, moment, out);
        for (int r = 0; r < n; ++r) M[r * n + c] = r < 3 ? moment[r] : out[r - 3];
    }
    cholesky_of(n, M);
    cholesky_solve_of(n, M, x);
    w = {x[0], x[1], x[2]};
    rate = spread(x + 3);
}

// One step of the midpoint rule on momenta, R and s: with the values at the middle,
//     s⁺ = s + h ṡ,  R⁺ = R exp(h w),  p⁺ = p + h ∂T/∂s,
// where w and ṡ are those of the momenta L, which stays, seen in the middle, and (p + p⁺)/2. It is of second
// order and reversible. False: it has not been solved.
bool Program::move(double h, const Vec3d& L, Vec3d& turning, Quatd& quat, StretchWork<double>& shape) const {
    constexpr int max_rounds = 60;
    constexpr double tolerance = 1e-15;
    double p[stretches], push[stretches], middle[stretches];
    const Mat3d unit = Mat3d::identity();
    const Vec3d before = turning;
    {
        Vec3d moment;
        inertial(shape.S, Vec3d::zero(), Sym3d::zero(), before, shape.rate, moment, p);
    }
    Vec3d w = before;
    Sym3d rate = shape.rate;
    bool met = false;
    double missed = HUGE_VAL;
    for (int round = 0; round < max_rounds && !met; ++round) {
        const Sym3d S = shape.S + (0.5 * h) * rate;
        double v[dim] = {w.x, w.y, w.z};
        gather(rate, v + 6);
        push_by_motion({}, unit, S, v, push);
        for (int k = 0; k < shapes(); ++k) middle[k] = p[k] + 0.5 * h * push[k];
        const Vec3d seen = transpose_mul(rotation_matrix(quat * rotation_exp((0.5 * h) * w)), L);
        Vec3d next;
        Sym3d next_rate;
        velocities(S, seen, middle, next, next_rate);
        double change = 0, size = 0;
        for (int k = 0; k < 3; ++k) {
            change = std::max(change, std::abs(next[k] - w[k]));
            size = std::max(size, std::abs(next[k]));
        }
        for (int k = 0; k < shapes(); ++k) {
            change = std::max(change, std::abs(number(next_rate, k) - number(rate, k)));
            size = std::max(size, std::abs(number(next_rate, k)));
        }
        w = next;
        rate = next_rate;
        // Rounding keeps it from getting any better.
        met = change <= tolerance * size || (change <= 1e3 * tolerance * size && change >= missed);
        missed = change;
    }
    if (!met) return false;
    quat = normalized(quat * rotation_exp(h * w));
    shape.S += h * rate;
    for (int k = 0; k < shapes(); ++k) p[k] += h * push[k];
    velocities(shape.S, transpose_mul(rotation_matrix(quat), L), p, turning, shape.rate);
    return true;
}

// In as many parts as turning and shape need for the midpoint rule to be solved.
void Program::drift(const Substance&, double h, Vec3d& x, Quatd& quat, Motion<double>& V,
                    StretchWork<double>& shape) const {
    constexpr int max_parts = 1024;
    x += h * V.lin;
    const Mat3d R = rotation_matrix(quat);
    const Vec3d turning = transpose_mul(R, V.ang);
    double unused[stretches];
    Vec3d moment;
    inertial(shape.S, Vec3d::zero(), Sym3d::zero(), turning, shape.rate, moment, unused);
    const Vec3d L = R * moment;
    for (int parts = 1; parts <= max_parts; parts *= 2) {
        Quatd now = quat;
        Vec3d w = turning;
        StretchWork<double> moved = shape;
        int part = 0;
        while (part < parts && move(h / parts, L, w, now, moved)) ++part;
        if (part < parts) continue;
        quat = now;
        shape = moved;
        V.ang = rotation_matrix(quat) * w;
        return;
    }
    // What cannot be followed is no number, so that the step says so.
    V.ang = Vec3d{HUGE_VAL - HUGE_VAL, 0, 0};
}

}  // namespace lig::bodies
