#pragma once

// What a program's kind of body is made of (body_kind.h), after compiling: its modes without their means, and
// the integrals over its mass that its equations need. With φ₀ = r and s₀ = 1 a point is at
//     x + R a,   a = Σ s_k φ_k,
// and J_kl = ∫ φ_k φ_lᵀ dm.

#include <ligament/body_kind.h>

#include <memory>
#include <span>
#include <vector>

namespace lig {

struct ModalBody {
    static constexpr int max_count = max_shape_coordinates;

    // The field of modes about a point to first order: how a geom stretches, which is there.
    struct Field {
        Vec3d at;
        Vec3d phi[max_count];
        Mat3d gradient[max_count];
    };

    std::shared_ptr<const ProgramBody> kind;
    int count = 0;
    Vec3d mean[max_count];                             // of the program's modes, by mass
    Mat3d J[1 + max_count][1 + max_count];             // kg m²
    ShapeMatrix added{};    // mass of s beside what is in J
    ShapeMatrix damping{};  // after compiling, beside the joints' own
    std::vector<int> field_of;                         // (Model::geoms) in `fields`; −1: on another body
    std::vector<Field> fields;

    void phi(const Vec3d& r, Vec3d* out) const {
        kind->modes(r, out);
        for (int k = 0; k < count; ++k) out[k] -= mean[k];
    }
    // Null: −1, the body itself.
    const Field* field(int geom) const { return geom < 0 ? nullptr : &fields[field_of[geom]]; }
    // ∂a/∂r at a geom, for coordinates s.
    Mat3d map_of(const Field& field, const double* s) const {
        Mat3d out = Mat3d::identity();
        for (int k = 0; k < count; ++k) out = out + s[k] * field.gradient[k];
        return out;
    }
    Vec3d centre_of(const Field& field, const double* s) const {
        Vec3d out = field.at;
        for (int k = 0; k < count; ++k) out += s[k] * field.phi[k];
        return out;
    }
};

namespace bodies {

using Modal = ModalBody;

// The integrals, the kind's own or from the samples of a body whose centre of mass is the origin. Of `mass`
// altogether.
Modal modal_of(std::shared_ptr<const ProgramBody> kind, std::span<const MassSample> samples, double mass);

}  // namespace bodies

}  // namespace lig
