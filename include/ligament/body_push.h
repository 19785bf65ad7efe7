#pragma once

// Forces that a body of a program's kind has beside its energy (body_kind.h): muscles, followers, a drag that
// is not linear, on its own coordinates.
//
//   const auto driven = lig::with_push(lig::body_kind<1>(modes, energy),
//       [](const lig::ShapeMotion& now, double* force) { force[0] = 3 * std::sin(5 * now.time); });
//
// A simulation adds them to what is applied: as they are when a velocity step begins, and at every stage of
// methods of higher order. What is stiff belongs into energy and damping, which are taken implicitly.

#include <ligament/body_kind.h>

#include <functional>

namespace lig {

struct ShapeMotion {
    const double* s;     // (coordinates)
    const double* rate;  // ṡ
    double time;
};

// A kind that has such forces.
class PushedBody : public ProgramBody {
public:
    virtual void push(const ShapeMotion& now, double* force) const = 0;  // (coordinates); comes with zeros
};

// All that another kind says.
template <class Base>
class ForwardedBody : public Base {
public:
    explicit ForwardedBody(std::shared_ptr<const ProgramBody> kind) : kind_(std::move(kind)) {}

    std::string_view kind() const override { return kind_->kind(); }
    int coordinates() const override { return kind_->coordinates(); }
    void modes(const Vec3d& r, Vec3d* phi) const override { kind_->modes(r, phi); }
    void gradients(const Vec3d& r, Mat3d* gradient) const override { kind_->gradients(r, gradient); }
    std::vector<MassSample> mass() const override { return kind_->mass(); }
    std::optional<MassIntegrals> mass_integrals() const override { return kind_->mass_integrals(); }
    void added_mass(ShapeMatrix& A) const override { kind_->added_mass(A); }
    void elastic(const double* s, ShapeForces& out) const override { kind_->elastic(s, out); }
    void damping(ShapeMatrix& D) const override { kind_->damping(D); }
    std::string fault() const override { return kind_->fault(); }

protected:
    std::shared_ptr<const ProgramBody> kind_;
};

using Push = std::function<void(const ShapeMotion& now, double* force)>;

class FunctionPush final : public ForwardedBody<PushedBody> {
public:
    FunctionPush(std::shared_ptr<const ProgramBody> kind, Push push)
        : ForwardedBody(std::move(kind)), push_(std::move(push)) {}
    void push(const ShapeMotion& now, double* force) const override { push_(now, force); }

private:
    Push push_;
};

inline std::shared_ptr<const ProgramBody> with_push(std::shared_ptr<const ProgramBody> kind, Push push) {
    return std::make_shared<FunctionPush>(std::move(kind), std::move(push));
}

}  // namespace lig
