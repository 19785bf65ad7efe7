#pragma once

// Accelerations of a state in which something touches, and forces for given ones: contacts, limits, dry
// friction and constraints whose forces have bounds take part, with loops and all other equalities.
//
//     M v̇ + bias = τ + Jᵀ λ,    w = J v̇ + γ,
//     what pushes        w ≥ 0, λ ≥ 0, w λ = 0
//     friction           against the slip; where nothing slips, what keeps it so as long as the cone allows,
//                        and beyond against the slip that begins
// A state that moves into a contact or limit has no accelerations, but an impact; it is refused by name.
// docs/contact-dynamics.md has what is solved and what is unique.

#include <ligament/collision.h>
#include <ligament/loop_dynamics.h>
#include <ligament/smooth_motion.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lig {

struct TouchingOptions {
    double gap = 1e-6;    // m, rad: what is no farther apart touches
    double speed = 1e-6;  // m/s, rad/s: slower than that nothing approaches, parts or slides
};

enum class TouchingStatus {
    ok,
    open,         // an equality of the state is open
    impact,       // something that touches approaches
    no_inertia,   // a link can be moved without force
    no_forces,    // none were found that the conditions hold with
    dependent,    // as LoopStatus has it
    into_contact,  // the acceleration that was asked for leads into a contact, or beyond a limit
    unreachable   // no forces within their bounds can do what the motion asks for
};

enum class TouchingMode {
    opens,   // it moves apart; no force
    rests,   // without friction
    sticks,
    breaks_away,  // it begins to slide
    slides
};

// A contact that touches, and what it does: on body B, in world axes, at the point.
struct TouchingContact {
    int geom_a, geom_b;  // in Model::geoms
    Vec3d point, normal;  // from A to B
    double gap;
    TouchingMode mode;
    Vec3d force, moment;
    ContactProperties properties;
};
// An end of a range of a joint or tendon that is reached.
struct TouchingLimit {
    int joint, tendon;  // −1: the other
    double gap, force;  // along what is limited, into the range
};

class ContactDynamics {
public:
    // Throws std::invalid_argument for a model with bodies that deform. independent: as LoopDynamics.
    explicit ContactDynamics(std::shared_ptr<const Model> model, const TouchingOptions& options = {},
                             std::vector<int> independent = {});
    ContactDynamics(ContactDynamics&&) noexcept;
    ContactDynamics& operator=(ContactDynamics&&) noexcept;
    ~ContactDynamics();

    // What acts besides: ctrl, qfrc_applied, xfrc_applied.
    SmoothDynamics& inputs();

    // Whether anything touches or rubs in a state. Where nothing does, LoopDynamics and SmoothDynamics say
    // the same as what follows, and more quickly.
    bool touches(const JointState<double>& state);

    // qacc with the inputs, and what acts then. With any status but ok the rest must not be asked for;
    // `where` says why. Allocates.
    TouchingStatus accelerate(const JointState<double>& state);
    std::vector<double> qacc;  // (nv)

    // Forces that cause qacc (nv), as LoopDynamics::find_forces has them, in `loops`: of all that do those
    // for which Σ f² of the actuators is least, together with a millionth of the squares of what touches. The
    // inputs are not looked at.
    TouchingStatus find_forces(const JointState<double>& state, std::span<double> qacc);
    LoopDynamics loops;

    std::string where;
    // Of the last accelerate or find_forces. Where they are not unique, those of least sum of squares.
    std::vector<TouchingContact> contacts;
    std::vector<TouchingLimit> limits;
    std::vector<double> limit_force, friction_force;  // (nv) of limits, and of dry friction

private:
    TouchingStatus prepare(const JointState<double>& state);
    void tell();

    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace lig
