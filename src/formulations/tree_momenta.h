#pragma once

// TreeMomenta: what a velocity step does to the momenta of trees that float, and to those on kinematic
// bodies.
//
// A tree on a free joint changes its linear and angular momentum by what acts on it from outside and by
// nothing else. Steps in joint coordinates keep that to their order only. After a step the tree gets the
// momentum that is due to it, by a rigid motion of all of it, and its centre of mass the place that the
// momentum leads to. A tree on a kinematic body takes from it what it has gained beyond what acts on it: that
// impulse, along the motion of the body, is work.

#include "constraints/rows.h"

#include <ligament/workspace.h>

#include <span>
#include <vector>

namespace lig {

class TreeMomenta {
public:
    explicit TreeMomenta(const Model& model);

    // A step of length h from the state with the velocities that ws has.
    struct Step {
        const Rows& rows;
        std::span<const double> lambda;  // (rows)
        // (links) Momenta after impulses, about centres of mass; and moments that have held links back
        // without being forces.
        std::span<const Force<double>> momenta;
        std::span<const Vec3d> held_back;
        std::span<const double> curved;  // (nv) what coordinates have taken off because they are curved
        std::span<const double> moving;  // (nv) velocities that coordinates move with
        double h;
    };
    // At its beginning: what momenta and centres of mass will be. After forward_kinematics.
    void note(const Workspace<double>& ws, const Step& step);
    // Moves the trees that float to where their centres of mass are to be, but not along the normals of
    // contacts that push; q and the poses of ws change by translations. After forward_kinematics of q.
    void place(const Step& step, Workspace<double>& ws, std::span<double> q);
    bool any_floats() const { return floats_; }
    // Gives the trees that float their momenta. After forward_kinematics of the state with v.
    void restore(const Workspace<double>& ws, std::span<double> v);
    // The work of kinematic bodies on the trees that hang on them.
    double work_of_bases(const Workspace<double>& ws) const;

private:
    struct Tree {
        int begin, end;  // links
        int q_adr, v_adr;
        bool floats;     // else it is on a kinematic body
        double mass = 0;
        Vec3d origin{0, 0, 0};   // fixed in the world for the step; moments are about it
        Vec3d com{0, 0, 0};      // where its centre of mass is to be
        Force<double> momentum = Force<double>::zero();  // due at the end
        Motion<double> base = Motion<double>::zero();  // of a kinematic body, at the origin
    };
    std::vector<Tree> trees_;
    bool floats_ = false;  // some do
    std::vector<Motion<double>> motion_;  // (links) of note
};

}  // namespace lig
