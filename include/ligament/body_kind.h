#pragma once

// Kinds of bodies that a program defines: how the points of a body move by up to six coordinates of its own,
// what it weighs, and what drives it back. A point at r at rest, in the body's frame, is at
//     x + R (r + Σ s_k φ_k(r)),
// where R turns with the body and the modes φ_k say how it bends, twists or swells. Everything else follows
// from the modes and the mass: the mass matrix, the forces of inertia, free motion, and what joints, contacts
// and forces at any point do to the coordinates.
//
//   // A bar along x that bends upwards, with an elastic law of its own.
//   const auto bar = lig::body_kind<1>(
//       [](const auto& r) { return std::array{lig::Vec3{0 * r.x, 0 * r.x, r.x * r.x}}; },
//       [](const auto& s) { return 200.0 * s[0] * s[0]; });
//   const lig::BodyId id = scene.add_body(
//       lig::world, {.name = "bar", .kind = lig::BodyKind::program, .program = bar});
//   scene.add_geom(id, {.shape = lig::ShapeType::box, .size = {0.5, 0.02, 0.02}});
//
// Its coordinates are those of a free joint, then s: bar.s1, bar.s2, …; at rest all of s are 0. Compiling
// moves its frame to the centre of mass, and takes from each mode its mean by mass, which is a motion of the
// whole body: the centre of mass stays at the origin.

#include <ligament/dual.h>
#include <ligament/spatial.h>

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lig {

struct MassSample {
    double mass = 0;
    Vec3d at{0, 0, 0};  // in the body's frame, at rest
};

inline constexpr int max_shape_coordinates = 6;

using ShapeMatrix = std::array<std::array<double, max_shape_coordinates>, max_shape_coordinates>;

// The mass of a body as its equations need it, about its centre of mass: with φ_0 = r, J_kl = ∫ φ_k φ_lᵀ dm.
// The modes move no centre of mass: ∫ φ_k dm = 0.
struct MassIntegrals {
    double mass = 0;
    std::array<std::array<Mat3d, 1 + max_shape_coordinates>, 1 + max_shape_coordinates> J{};
};

// What a body's own energy says at some s.
struct ShapeForces {
    double energy = 0;                                 // J, of E(s)
    std::array<double, max_shape_coordinates> force{};  // −∂E/∂s
    // ∂²E/∂s²
    ShapeMatrix stiffness{};
};

// Immutable: its functions may be called from several threads at once, and must give the same for the same
// arguments.
class ProgramBody {
public:
    virtual ~ProgramBody() = default;

    virtual std::string_view kind() const = 0;
    virtual int coordinates() const = 0;  // 1 … max_shape_coordinates, always the same

    // φ_k(r), and their derivatives ∂φ_k/∂r: (coordinates)
    virtual void modes(const Vec3d& r, Vec3d* phi) const = 0;
    virtual void gradients(const Vec3d& r, Mat3d* gradient) const = 0;

    // How its mass is spread; empty: as that of its geoms.
    virtual std::vector<MassSample> mass() const { return {}; }

    // … or the integrals themselves, where a program knows them otherwise: then the body's frame is at its
    // centre of mass, and samples and geoms do not matter.
    virtual std::optional<MassIntegrals> mass_integrals() const { return {}; }
    // What resists ṡ beside the mass that moves with the points, flywheels or a fluid: the energy is ½ ṡᵀ A ṡ
    // more. A[k][l], constant and symmetric. Comes with zeros.
    virtual void added_mass(ShapeMatrix&) const {}

    // (coordinates); out comes with zeros.
    virtual void elastic(const double* s, ShapeForces& out) const = 0;
    // Its forces −D ṡ: D[k][l], constant, symmetric and not negative. Comes with zeros.
    virtual void damping(ShapeMatrix&) const {}

    // What is wrong with its parameters, for the compiler to refuse it; empty if nothing is.
    virtual std::string fault() const { return {}; }

protected:
    ProgramBody() = default;
    ProgramBody(const ProgramBody&) = default;
    ProgramBody& operator=(const ProgramBody&) = default;
};

struct BodyKindOptions {
    std::string kind = "program";   // what it is called in messages
    std::vector<MassSample> mass;   // empty: that of its geoms
    double damping = 0;             // s: D is so much time of the stiffness at rest
    ShapeMatrix added_mass{};       // ProgramBody::added_mass
};

// Of two functions, written as templates over their scalar: the modes, std::array<Vec3<T>, n> of a Vec3<T>,
// and the energy, T of a std::array<T, n>. Their derivatives come by automatic differentiation (dual.h);
// functions such as sin are called without std::, so that those of the scalar are found.
template <int n, class Modes, class Energy>
class FunctionBody final : public ProgramBody {
    static_assert(n >= 1 && n <= max_shape_coordinates);
    using Slope = Dual<double, n>;
    using Bend = Dual<Slope, n>;

public:
    FunctionBody(Modes modes, Energy energy, BodyKindOptions options)
        : modes_(std::move(modes)), energy_(std::move(energy)), options_(std::move(options)) {}

    std::string_view kind() const override { return options_.kind; }
    int coordinates() const override { return n; }

    void modes(const Vec3d& r, Vec3d* phi) const override {
        using Value = Dual<double, 1>;  // so that functions need no overloads for plain numbers
        const std::array<Vec3<Value>, n> at = modes_(Vec3<Value>{r.x, r.y, r.z});
        for (int k = 0; k < n; ++k) phi[k] = {at[k].x.value, at[k].y.value, at[k].z.value};
    }
    void gradients(const Vec3d& r, Mat3d* gradient) const override {
        using Partial = Dual<double, 3>;
        Vec3<Partial> p{r.x, r.y, r.z};
        for (int c = 0; c < 3; ++c) p[c].d[c] = 1;
        const std::array<Vec3<Partial>, n> at = modes_(p);
        for (int k = 0; k < n; ++k)
            for (int row = 0; row < 3; ++row)
                for (int c = 0; c < 3; ++c) gradient[k](row, c) = at[k][row].d[c];
    }
    std::vector<MassSample> mass() const override { return options_.mass; }
    void added_mass(ShapeMatrix& A) const override { A = options_.added_mass; }
    void elastic(const double* s, ShapeForces& out) const override {
        std::array<Bend, n> at;
        for (int k = 0; k < n; ++k) {
            at[k] = s[k];
            at[k].value.d[k] = 1;
            at[k].d[k] = Slope(1.0);
        }
        const Bend E = energy_(at);
        out.energy = E.value.value;
        for (int k = 0; k < n; ++k) {
            out.force[k] = -E.value.d[k];
            for (int l = 0; l < n; ++l) out.stiffness[k][l] = E.d[k].d[l];
        }
    }
    void damping(ShapeMatrix& D) const override {
        if (options_.damping == 0) return;
        const double rest[n] = {};
        ShapeForces at_rest;
        elastic(rest, at_rest);
        for (int k = 0; k < n; ++k)
            for (int l = 0; l < n; ++l) D[k][l] = options_.damping * at_rest.stiffness[k][l];
    }
    std::string fault() const override {
        return options_.damping >= 0 && std::isfinite(options_.damping)
                   ? ""
                   : "its damping is not zero or a positive time";
    }

private:
    Modes modes_;
    Energy energy_;
    BodyKindOptions options_;
};

template <int n, class Modes, class Energy>
std::shared_ptr<const ProgramBody> body_kind(Modes modes, Energy energy, BodyKindOptions options = {}) {
    return std::make_shared<FunctionBody<n, Modes, Energy>>(std::move(modes), std::move(energy),
                                                            std::move(options));
}

}  // namespace lig
