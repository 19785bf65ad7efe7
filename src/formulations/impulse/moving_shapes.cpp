// Bodies that deform, of MovingBodies. Their kinds (bodies/) are asked for everything.

#include "core/rotation.h"
#include "dynamics/stretches.h"
#include "formulations/impulse/moving_bodies.h"
#include "linalg/small_dense.h"

#include <algorithm>

namespace lig::impulse {

namespace {

// (ω, ẋ, ṡ) of a body, as its kind has it.
struct BodyVelocity {
    double v[bodies::max_body_dim] = {};

    BodyVelocity(const Velocity& own, const Velocity& rates, int stretches) {
        for (int k = 0; k < 3; ++k) {
            v[k] = own.w[k];
            v[3 + k] = own.v[k];
        }
        for (int k = 0; k < stretches; ++k) v[6 + k] = rates.rate(k);
    }
};

// Of a mass block, the part of turning and stretching: N = 3 + stretches. Those that a program's kind does
// not use weigh 1 and move nothing.
template <class Kind>
void read_turning_block(const Kind& kind, const double* M, double* out) {
    constexpr int N = 3 + Kind::stretches;
    const int n = 3 + kind.shapes();
    const auto from = [](int k) { return k < 3 ? k : k + 3; };
    for (int r = 0; r < N; ++r)
        for (int c = 0; c < N; ++c)
            out[r * N + c] = r < n && c < n ? M[from(r) * kind.freedoms() + from(c)] : r == c ? 1
                                                                                              : 0;
}

}  // namespace

void BodyView::push_shape(int body, const Vec3d& impulse, const Vec3d& moment) const {
    const Inertia& own = inertias[body];
    if (!own.shape) return;
    const Shape& shape = shapes[own.shape];
    Velocity &frame = u[own.frame], &rates = u[own.rates];
    if (body == own.frame) {
        for (int k = 0; k < max_stretches; ++k) rates.rate(k) += dot(shape.by_moment[k], moment);
        return;
    }
    for (int k = 0; k < max_stretches; ++k) {
        const double force = k < 3 ? impulse[k] : moment[k - 3];
        if (force == 0) continue;
        frame.w += force * shape.by_moment[k];
        for (int l = 0; l < max_stretches; ++l)
            rates.rate(l) += force * shape.by_force[l * max_stretches + k];
    }
}

double MovingBodies::shape_response(const Push& to, const Push& of) const {
    const Inertia &a = inertias[to.place], &b = inertias[of.place];
    if (!a.shape || a.shape != b.shape) return 0;
    if (to.place == a.frame) return of.place == b.frame ? 0 : shape_response(of, to);
    const Shape& shape = shapes[a.shape];
    double sum = 0;
    for (int k = 0; k < max_stretches; ++k) {
        const double force = k < 3 ? to.lin[k] : to.ang[k - 3];
        double rate = 0;
        if (of.place == b.frame)
            rate = dot(shape.by_moment[k], of.ang);
        else
            for (int l = 0; l < max_stretches; ++l)
                rate += shape.by_force[k * max_stretches + l] * (l < 3 ? of.lin[l] : of.ang[l - 3]);
        sum += force * rate;
    }
    return sum;
}

void MovingBodies::add_shapes() {
    const Model& model = *model_;
    if (model.deforming.empty()) return;
    shapes.resize(1 + model.deforming.size());
    for (std::size_t k = 0; k < model.deforming.size(); ++k) {
        const int link = model.tree.stretches[k].link, place = rates(static_cast<int>(k));
        deforming_.push_back({link, {kinds_[link].mass, model.deforming[k].moment}});
        for (const int own : {index(link), place}) {
            inertias[own].shape = static_cast<int>(k) + 1;
            inertias[own].frame = index(link);
            inertias[own].rates = place;
        }
        roots_[place] = roots_[index(link)];
        visit_deforming(model, static_cast<int>(k), [&](auto kind) {
            using Kind = decltype(kind);
            static_assert(Kind::stretches <= max_stretches);
            if constexpr (Kind::kind == BodyKind::program) return;
            for (int s = 0; s < Kind::stretches; ++s) {
                double unit[Kind::stretches] = {};
                unit[s] = 1;
                shapes[k + 1].by_rate[s] = kind.spread(unit);
            }
        });
    }
}

Sym3d& MovingBodies::stretch_of(int deforming) {
    Shape& shape = shapes[deforming + 1];
    return model_->deforming[deforming].modal ? shape.coordinates : shape.S;
}
const Sym3d& MovingBodies::stretch_of(int deforming) const {
    return const_cast<MovingBodies*>(this)->stretch_of(deforming);
}

void MovingBodies::set_shape(int deforming, const Sym3d& S, const Velocity& rates) {
    stretch_of(deforming) = S;
    velocities[this->rates(deforming)] = rates;
    corrections[this->rates(deforming)] = {};
    find_inertia(deforming_[deforming].link);
}

void MovingBodies::set_shape(int deforming, const StretchWork<double>& shape) {
    Velocity rates;
    visit_deforming(*model_, deforming, [&](auto kind) {
        double own[decltype(kind)::stretches];
        kind.read(shape.rate, own);
        for (int s = 0; s < kind.shapes(); ++s) rates.rate(s) = own[s];
    });
    set_shape(deforming, shape.S, rates);
}

Sym3d MovingBodies::rate_of(int deforming, const Velocity& rates) const {
    Sym3d out;
    double own[max_stretches];
    for (int s = 0; s < max_stretches; ++s) own[s] = rates.rate(s);
    visit_deforming(*model_, deforming, [&](auto kind) { out = kind.spread(own); });
    return out;
}

StretchWork<double> MovingBodies::shape_of(int deforming) const {
    return {stretch_of(deforming), rate_of(deforming, velocities[rates(deforming)])};
}

Vec3d MovingBodies::stretch_velocity(int index, const Vec3d& arm, int geom) const {
    const int deforming = inertias[index].shape - 1;
    const Shape& shape = shapes[deforming + 1];
    const Velocity& rates = velocities[inertias[index].rates];
    const Mat3d& R = places[index].R;
    const Vec3d seen = transpose_mul(R, arm);
    if (const bodies::Modal* const modal = model_->deforming[deforming].modal.get()) {
        const bodies::Program kind{modal, geom};
        return R * kind.slip(rate_of(deforming, rates), kind.rest(shape.coordinates, seen));
    }
    const Vec3d rest = shape.inverse * seen;
    Vec3d sum = Vec3d::zero();
    for (int s = 0; s < max_stretches; ++s) sum += rates.rate(s) * (shape.by_rate[s] * rest);
    return R * sum;
}

double MovingBodies::twice_shape_energy(int link, std::span<const Velocity> u, bool resisted) const {
    const int deforming = kinds_[link].deforms;
    const Velocity &own = u[index(link)], &moved = u[rates(deforming)];
    double sum = ShapeMomentum<double>(*model_, deforming, places[index(link)].R, own.w,
                                       {stretch_of(deforming), rate_of(deforming, moved)})
                     .twice_energy;
    const double* resists = deforming_[deforming].resists;
    for (int s = 0; s < max_stretches && resisted; ++s)
        for (int t = 0; t < max_stretches; ++t)
            sum += moved.rate(s) * resists[s * max_stretches + t] * moved.rate(t);
    return sum;
}

double MovingBodies::resisted_energy(std::span<const Velocity> u, std::span<const int> links) const {
    double sum = 0;
    for (const int i : links) {
        const Velocity& own = u[index(i)];
        sum += kinds_[i].deforms < 0
                   ? twice_energy(i, u)
                   : kinds_[i].mass * dot(own.v, own.v) + twice_shape_energy(i, u, true);
    }
    return 0.5 * sum;
}

Force<double> MovingBodies::impulse_between(int link, std::span<const Velocity> before,
                                            std::span<const Velocity> after,
                                            std::span<double, max_stretches> on_stretches) const {
    const int place = index(link), deforming = kinds_[link].deforms;
    const Mat3d& R = places[place].R;
    const Velocity change{after[place].v - before[place].v, after[place].w - before[place].w};
    std::fill(on_stretches.begin(), on_stretches.end(), 0.0);
    if (deforming < 0) {
        const Vec3d w = transpose_mul(R, change.w), &I = moments_[place];
        return {R * Vec3d{I.x * w.x, I.y * w.y, I.z * w.z}, kinds_[link].mass * change.v};
    }
    const Velocity &from = before[rates(deforming)], &to = after[rates(deforming)];
    const Velocity stretched{to.v - from.v, to.w - from.w};
    const Deforming& own = deforming_[deforming];
    double p[bodies::max_body_dim];
    visit_deforming(*model_, deforming, [&](auto kind) {
        const BodyVelocity u(change, stretched, kind.shapes());
        kind.momenta(own.substance, R, stretch_of(deforming), u.v, p);
        for (int s = 0; s < kind.shapes(); ++s) {
            on_stretches[s] = p[6 + s];
            for (int t = 0; t < kind.shapes(); ++t)
                on_stretches[s] += own.resists[s * max_stretches + t] * stretched.rate(t);
        }
    });
    return {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}};
}

void MovingBodies::resist_stretching(const JointTerms& terms, double h) {
    for (std::size_t k = 0; k < deforming_.size(); ++k) {
        const TreeStretch& own = model_->tree.stretches[k];
        for (int s = 0; s < own.count; ++s)
            for (int t = 0; t < own.count; ++t)
                deforming_[k].resists[s * max_stretches + t] =
                    terms.added[terms.added_at(own.v_adr + s, own.v_adr + t)];
        if (is_asleep(index(own.link))) continue;
        find_shape_inertia(own.link);
        const Velocity rates = find_shape_spin(own.link, velocities).rates;
        Velocity force;
        for (int s = 0; s < own.count; ++s)
            for (int t = 0; t < own.count; ++t)
                force.rate(s) -= 0.5 * h * deforming_[k].resists[s * max_stretches + t] * rates.rate(t);
        moving().push(this->rates(static_cast<int>(k)), force.v, force.w);
    }
}

void MovingBodies::find_shape_block(int link) {
    const int deforming = kinds_[link].deforms;
    Deforming& own = deforming_[deforming];
    visit_deforming(*model_, deforming, [&](auto kind) {
        using Kind = decltype(kind);
        double M[Kind::dim * Kind::dim];
        kind.mass_block(own.substance, places[index(link)].R, stretch_of(deforming), M);
        read_turning_block(kind, M, own.turning_block);
    });
}

void MovingBodies::find_shape_inertia(int link) {
    const int deforming = kinds_[link].deforms;
    const Deforming& own = deforming_[deforming];
    Shape& shape = shapes[deforming + 1];
    shape.inverse = lig::inverse(shape.S);
    visit_deforming(*model_, deforming, [&](auto kind) {
        using Kind = decltype(kind);
        constexpr int N = 3 + Kind::stretches;
        double a[N * N];
        std::copy_n(own.turning_block, N * N, a);
        for (int s = 0; s < kind.shapes(); ++s)
            for (int t = 0; t < kind.shapes(); ++t)
                a[(3 + s) * N + 3 + t] += own.resists[s * max_stretches + t];
        inverse_definite<N>(a);
        inertias[index(link)].inv_inertia = {a[0], a[N + 1], a[2 * N + 2], a[N], a[2 * N], a[2 * N + 1]};
        for (int s = 0; s < kind.shapes(); ++s) {
            const double* row = a + (3 + s) * N;
            shape.by_moment[s] = {row[0], row[1], row[2]};
            for (int t = 0; t < kind.shapes(); ++t) shape.by_force[s * max_stretches + t] = row[3 + t];
        }
    });
}

MovingBodies::ShapeSpin MovingBodies::find_shape_spin(int link, std::span<const Velocity> u) const {
    const int deforming = kinds_[link].deforms, place = index(link);
    const Deforming& own = deforming_[deforming];
    ShapeSpin out;
    visit_deforming(*model_, deforming, [&](auto kind) {
        using Kind = decltype(kind);
        constexpr int N = 3 + Kind::stretches;
        const BodyVelocity v(u[place], u[rates(deforming)], kind.shapes());
        const Mat3d& R = places[place].R;
        const Sym3d& S = stretch_of(deforming);
        double a[N * N], bias[Kind::dim] = {}, change[N];
        std::copy_n(own.turning_block, N * N, a);
        kind.bias(own.substance, R, S, v.v, bias);
        for (int k = 0; k < N; ++k) change[k] = bias[k < 3 ? k : k + 3];
        solve_definite<N>(a, change);
        out.turning = {change[0], change[1], change[2]};
        for (int s = 0; s < kind.shapes(); ++s) out.rates.rate(s) = change[3 + s];
    });
    return out;
}

void MovingBodies::drift_shape(int link, double h) {
    const int deforming = kinds_[link].deforms, place = index(link);
    const Deforming& own = deforming_[deforming];
    Velocity &u = velocities[place], &rates_now = velocities[rates(deforming)];
    Velocity &correction = corrections[place], &stretching = corrections[rates(deforming)];
    Place& at = places[place];
    Sym3d& S = stretch_of(deforming);
    visit_deforming(*model_, deforming, [&](auto kind) {
        using Kind = decltype(kind);
        constexpr int N = 3 + Kind::stretches;
        const BodyVelocity off(correction, stretching, kind.shapes());
        if (std::any_of(off.v, off.v + Kind::dim, [](double x) { return x != 0; })) {
            // Momenta stay.
            const BodyVelocity before(u, rates_now, kind.shapes());
            double p[Kind::dim] = {}, M[Kind::dim * Kind::dim], a[N * N], x[N];
            kind.momenta(own.substance, at.R, S, before.v, p);
            at.x += h * correction.v;
            at.q = normalized(rotation_exp(h * correction.w) * at.q);
            at.R = rotation_matrix(at.q);
            S += h * kind.spread(off.v + 6);
            kind.mass_block(own.substance, at.R, S, M);
            read_turning_block(kind, M, a);
            for (int k = 0; k < N; ++k) x[k] = p[k < 3 ? k : k + 3];
            solve_definite<N>(a, x);
            u.w = {x[0], x[1], x[2]};
            for (int s = 0; s < kind.shapes(); ++s) rates_now.rate(s) = x[3 + s];
        }
        Motion<double> V{u.w, u.v};
        StretchWork<double> shape{S, shape_of(deforming).rate};
        kind.drift(own.substance, h, at.x, at.q, V, shape);
        at.R = rotation_matrix(at.q);
        S = shape.S;
        u.w = V.ang;
        double moved[Kind::stretches];
        kind.read(shape.rate, moved);
        for (int s = 0; s < kind.shapes(); ++s) rates_now.rate(s) = moved[s];
    });
    correction = stretching = {};
    find_inertia(link);
}

}  // namespace lig::impulse
