#pragma once

// Forces that bodies of a program's kind have beside their energy (body_push.h), among the forces that
// are applied while a step is under way: at every state at which it asks for forces.

#include <ligament/body_push.h>
#include <ligament/model.h>
#include <ligament/state.h>

#include <string>
#include <vector>

namespace lig {

class OwnForces {
public:
    explicit OwnForces(const Model& model);

    bool any() const { return !bodies_.empty(); }
    // Adds them to the applied forces (nv). Which is not finite; empty: all are.
    std::string add(const JointState<double>& state, std::vector<double>& applied);
    // Takes them off again, where they still are: who has set other forces since has set all of them.
    void take_off(std::vector<double>& applied);

private:
    struct Body {
        const PushedBody* kind;
        std::string name;
        int q, v, count;
    };
    std::vector<Body> bodies_;
    std::vector<double> before_, with_;  // (of all bodies) what was applied, and with these
    bool added_ = false;
};

}  // namespace lig
