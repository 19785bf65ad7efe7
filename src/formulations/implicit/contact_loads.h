#pragma once

// ContactLoads: the mass that may rest on a contact.
//
// Trees of bodies that loops, pair constraints, bushings or tendons join are one: a load that hangs by a loop
// rests on what its hook rests on. Trees that touch each other make a graph. What is fixed, and trees that
// turn about a point of the world, are on level 0; a tree is one level above the lowest one that it touches.
// What is not reached this way but does not float freely, such as a platform on a slide, is on level 0 as
// well. Of two that touch, the one on the higher level rests on the other, and with it all that is as high or
// higher among what hangs together by contacts: a heavy box on a light one rests on the light one's contacts
// with the ground. Where neither rests on the other, the two masses act in turn, 1 / (1/a + 1/b), and no load
// is less.
//     It follows from what touches what and not from forces, so that it does not depend on the step.

#include <ligament/collision.h>
#include <ligament/model.h>

#include <vector>

namespace lig::implicit {

class ContactLoads {
public:
    explicit ContactLoads(const Model& model);

    // For the manifolds that are active.
    void find(const Contacts& contacts);
    // Of a contact of two links, negative: world or kinematic; not both.
    double between(int link_a, int link_b) const;
    // Of all trees that are joined to that of a link, and its own.
    double joined_mass(int link) const { return trees_[tree_of_[link]].mass; }

private:
    struct Tree {
        double mass = 0;
        bool held = false;    // at a point, by a joint with the world
        bool guided = false;  // somehow
        int level = 0, island = 0;
    };
    int tree_of_link(int link) const { return link < 0 ? -1 : tree_of_[link]; }
    void join_trees();
    void join(int link_a, int link_b);
    void raise_levels();
    double resting(const Tree& tree) const;

    const Model* model_;
    std::vector<int> tree_of_;     // (links) the first of those that are joined
    std::vector<Tree> trees_;
    struct Pair {
        int a, b;
    };
    std::vector<Pair> pairs_;      // of trees that touch, −1: the world
};

}  // namespace lig::implicit
