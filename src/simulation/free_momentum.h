#pragma once

// Angular momentum of what floats: a tree on a free joint that nothing but gravity pulls on keeps its angular
// momentum about its centre of mass. Runge–Kutta methods keep it to their tolerance only; this puts it back
// after each step by the least rigid motion, a spin about the centre of mass, so that it stays to rounding.
//
// Left alone are models in which something else could act on a tree from outside: a medium, tendons, loops,
// couplings, actuators on sites, floating bodies; and trees whose root has springs, dampers or armature.

#include <ligament/smooth_motion.h>

#include <vector>

namespace lig {

class FreeMomentum {
public:
    explicit FreeMomentum(const Model& model);

    // Takes down the momenta of a state, of the trees that no applied force acts on.
    void note(const JointState<double>& state, SmoothDynamics& dynamics);
    void forget();
    // Gives a later state the momenta that were noted.
    void restore(JointState<double>& state, SmoothDynamics& dynamics) const;

private:
    struct Tree {
        int link_begin, link_end;  // links; the first is on the free joint
        int v_adr;
        bool noted = false;
        Vec3d momentum{0, 0, 0};
    };
    std::vector<Tree> trees_;
};

}  // namespace lig
