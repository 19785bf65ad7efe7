#pragma once

// Bodies of a kind that a program defines. As the others that deform (deforming.h), but what S is for those
// are six numbers here, the coordinates s, of which some may not be used; how many there are and how points
// move is in Modal. With a = Σ s_k φ_k, B_k = ∫ φ_k aᵀ dm = Σ_l s_l J_kl and w = Rᵀω, in the body's axes,
//     turning       I w + Σ ṡ_k h_k,     I = tr(H) 1 − H with H = ∫ a aᵀ dm,  h_k = ∫ a × φ_k dm = axial(B_k)
//     momenta of s  w · h_k + Σ ṡ_l (tr(J_kl) + A_kl),  A what resists s beside its points
// and their rates follow from the acceleration of a point,
//     [ẇ]× a + Σ s̈_k φ_k + [w]×[w]× a + 2 [w]× Σ ṡ_k φ_k.

#include "bodies/deforming.h"
#include "bodies/modal.h"
#include "core/lift.h"

#include <ligament/lanes.h>
#include <ligament/specs.h>

#include <type_traits>

namespace lig::bodies {

struct Program {
    static constexpr BodyKind kind = BodyKind::program;
    static constexpr std::string_view name = "program";
    static constexpr std::string_view summary = "moves, turns and deforms as a program says";
    static constexpr int stretches = Modal::max_count, dim = 6 + stretches;  // at most
    static constexpr OwnJoint joints[] = {free_joint,
                                          stretch_joint(".s1", 0), stretch_joint(".s2", 0),
                                          stretch_joint(".s3", 0), stretch_joint(".s4", 0),
                                          stretch_joint(".s5", 0), stretch_joint(".s6", 0)};
    static constexpr std::span<const OwnJoint> own_joints{joints};

    const Modal* modal = nullptr;
    int geom = -1;  // what points are fixed to

    int shapes() const { return modal->count; }
    int freedoms() const { return 6 + shapes(); }

    template <class T>
    LIG_INLINE static Motion<T> expand(const T* v) {
        return Rigid::expand(v);
    }
    template <class T>
    LIG_INLINE void project(const Force<T>& f, T* out) const {
        Rigid::project(f, out);
        for (int k = 6; k < freedoms(); ++k) out[k] = T(0);
    }

    template <class T>
    Sym3<T> spread(const T* s) const {
        Sym3<T> out = Sym3<T>::zero();
        for (int k = 0; k < shapes(); ++k) number(out, k) = s[k];
        return out;
    }
    template <class T>
    void gather(const Sym3<T>& f, T* out) const {
        for (int k = 0; k < shapes(); ++k) out[k] = number(f, k);
    }
    void read(const Sym3d& S, double* s) const { gather(S, s); }

    // Points.
    template <class T>
    Vec3<T> place(const Sym3<T>& S, const Vec3<T>& r) const {
        return r + slip(S, r);
    }
    template <class T>
    Vec3<T> slip(const Sym3<T>& rate, const Vec3<T>& r) const {
        Vec3<T> phi[stretches], out = Vec3<T>::zero();
        modes(r, phi);
        for (int k = 0; k < shapes(); ++k) out += number(rate, k) * phi[k];
        return out;
    }
    template <class T>
    void pull(const Vec3<T>& g, const Vec3<T>& r, T* out) const {
        Vec3<T> phi[stretches];
        modes(r, phi);
        for (int k = 0; k < shapes(); ++k) out[k] = dot(g, phi[k]);
    }
    template <class T>
    Vec3<T> rest(const Sym3<T>& S, const Vec3<T>& p) const {
        Vec3<T> out;
        for (int lane = 0; lane < lane_width<T>; ++lane) {
            const auto of = [&](const T& a) { return static_cast<double>(get_lane(a, lane)); };
            Sym3d own = Sym3d::zero();
            for (int k = 0; k < shapes(); ++k) number(own, k) = of(number(S, k));
            const Vec3d found = rest_of(own, {of(p.x), of(p.y), of(p.z)});
            for (int c = 0; c < 3; ++c) set_lane(out[c], lane, static_cast<real_t<T>>(found[c]));
        }
        return out;
    }

    void momenta(const Substance&, const Mat3d& R, const Sym3d& S, const double* v, double* out) const;
    void push_by_motion(const Substance&, const Mat3d& R, const Sym3d& S, const double* v, double* out) const;
    void mass_block(const Substance&, const Mat3d& R, const Sym3d& S, double* M) const;
    void bias(const Substance&, const Mat3d& R, const Sym3d& S, const double* v, double* out) const;
    void drift(const Substance&, double h, Vec3d& x, Quatd& quat, Motion<double>& V,
               StretchWork<double>& shape) const;

    // ∫ (∂ȧ/∂v) · c dm, the moment and the forces on s, for an acceleration
    //     c = [turning]× a + Σ second_k φ_k + [w]×[w]× a + 2 [w]× Σ rate_k φ_k,
    // all in the axes of the body.
    template <class T>
    void inertial(const Sym3<T>& S, const Vec3<T>& w, const Sym3<T>& rate, const Vec3<T>& turning,
                  const Sym3<T>& second, Vec3<T>& moment, T* out) const;

private:
    Vec3d rest_of(const Sym3d& S, const Vec3d& p) const;
    template <class Symmetric>
    LIG_INLINE static auto& number(Symmetric& a, int k) {
        return (&a.xx)[k];
    }
    template <class T>
    void modes(const Vec3<T>& r, Vec3<T>* phi) const {
        for (int lane = 0; lane < lane_width<T>; ++lane) {
            const auto of = [&](const T& a) { return static_cast<double>(get_lane(a, lane)); };
            const Vec3d at{of(r.x), of(r.y), of(r.z)};
            Vec3d own[stretches];
            if (const Modal::Field* const field = modal->field(geom))
                for (int k = 0; k < shapes(); ++k)
                    own[k] = field->phi[k] + field->gradient[k] * (at - field->at);
            else
                modal->phi(at, own);
            for (int k = 0; k < shapes(); ++k)
                for (int c = 0; c < 3; ++c) set_lane(phi[k][c], lane, static_cast<real_t<T>>(own[k][c]));
        }
    }
    template <class T>
    Mat3<T> integral(int k, int l) const {
        return lift<T>(modal->J[k][l]);
    }
    // B_k; k = 0 is the one of r.
    template <class T>
    Mat3<T> with_shape(const Sym3<T>& S, int k) const {
        Mat3<T> out = integral<T>(k, 0);
        for (int l = 0; l < shapes(); ++l) out = out + number(S, l) * integral<T>(k, 1 + l);
        return out;
    }
    template <class T>
    static T trace(const Mat3<T>& a) {
        return a.x.x + a.y.y + a.z.z;
    }
    bool move(double h, const Vec3d& L, Vec3d& turning, Quatd& quat, StretchWork<double>& shape) const;
    void velocities(const Sym3d& S, const Vec3d& turning, const double* p, Vec3d& w, Sym3d& rate) const;
};

template <class T>
void Program::inertial(const Sym3<T>& S, const Vec3<T>& w, const Sym3<T>& rate, const Vec3<T>& turning,
                       const Sym3<T>& second, Vec3<T>& moment, T* out) const {
    const T two = T(real_t<T>(2));
    Mat3<T> B[stretches], H = with_shape(S, 0);
    for (int k = 0; k < shapes(); ++k) {
        B[k] = with_shape(S, 1 + k);
        H = H + number(S, k) * B[k];
    }
    // H = ∫ a aᵀ dm is symmetric.
    const T all = trace(H);
    moment = all * turning - H * turning + cross(w, all * w - H * w);
    for (int l = 0; l < shapes(); ++l) {
        moment += number(second, l) * axial(B[l]);
        moment += (two * number(rate, l)) * (trace(B[l]) * w - B[l] * w);
    }
    for (int k = 0; k < shapes(); ++k) {
        T sum = dot(turning, axial(B[k])) + dot(w, B[k] * w) - dot(w, w) * trace(B[k]);
        for (int l = 0; l < shapes(); ++l) {
            const Mat3<T> J = integral<T>(1 + k, 1 + l);
            sum += number(second, l) * (trace(J) + T(real_t<T>(modal->added[k][l]))) +
                   (two * number(rate, l)) * dot(w, axial(J));
        }
        out[k] = sum;
    }
}

}  // namespace lig::bodies
