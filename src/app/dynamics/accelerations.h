#pragma once

// Accelerations of single states by one of the formulations, and how long it takes to find them.

#include "app/dynamics/state_file.h"

#include <ligament/contact_dynamics.h>
#include <ligament/smooth_motion.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lig {

enum class EqualityMethod;
namespace maximal {
class BodyDynamics;
}

namespace app {

struct Accelerated {
    std::vector<double> qacc;
    int equality_rows = 0, redundant_rows = 0;
    std::optional<double> constraint_residual;  // of joints and loops where they hold by forces, relative
    double microseconds = 0;
    int bad_body = -1;  // whose inertia cannot be divided by: there are no accelerations
    const ContactDynamics* touching = nullptr;  // what acts where something touches
    std::string failure;  // why there are none then
};

class Accelerations {
public:
    Accelerations(std::shared_ptr<const Model> model, std::string_view formulation, EqualityMethod method);
    ~Accelerations();

    // What acts, and what loops do: of the state that was looked at last.
    SmoothDynamics dynamics;

    // Whether something touches in a state: then accelerations are those of ContactDynamics, whatever the
    // formulation, and the state must be on its equalities.
    bool touches(const JointState<double>& state);
    // tau: springs, drives and what is applied, along the coordinates; external: whether dynamics.ws.f_ext is
    // to be counted. `dynamics` has the multipliers of loops afterwards.
    Accelerated find(const StateInput& input, std::span<const double> tau, bool external);

private:
    template <class Evaluate>
    static double time_of(const Evaluate& evaluate);

    void find_touching(const StateInput& input, Accelerated& result);

    std::unique_ptr<maximal::BodyDynamics> bodies_;  // none: joint coordinates
    std::optional<ContactDynamics> touching_;        // none: nothing that touches acts
};

}  // namespace app
}  // namespace lig
