#pragma once

// What the parts of a random scene are built with: numbers drawn one after the other, bodies placed in the
// world, joints with what strangers give them.

#include "scenes/parts.h"
#include "scenes/random.h"

#include <ligament/scene.h>

#include <string>
#include <vector>

namespace lig::scenes {

class Draw {
public:
    explicit Draw(std::uint64_t seed) : numbers_(seed) {
        // The first numbers of neighbouring seeds are alike.
        for (int k = 0; k < 8; ++k) numbers_.u();
    }

    double between(double least, double most) { return least + (most - least) * numbers_.u(); }
    bool chance(double share) { return numbers_.u() < share; }
    int whole(int least, int most) {
        return least + static_cast<int>(numbers_.u() * (most - least + 1));
    }
    // From 1 to 10^decades, all orders of magnitude alike.
    double ratio(int decades);
    Vec3d direction();
    Quatd turn(double most);

private:
    XorShift numbers_;
};

// What the joints of one part have. Drawn once a part, so that many parts have little of it.
struct Habits {
    bool springs, dampers, friction, limits, armature;
};

// A scene under construction. It starts in its reference configuration: bodies are placed in the world, and
// loops are made closed.
struct Sketch {
    Sketch(std::string name, std::uint64_t seed);

    Habits habits();
    // The next name of its kind: rope0_link3.
    std::string name(std::string_view what);

    BodyId add(BodyId parent, std::string_view what, const Transformd& X_WB, const Solid& solid);
    // A link from one point of the world to another, a capsule or a box; x of its frame along it.
    BodyId add_link(BodyId parent, std::string_view what, const Vec3d& from, const Vec3d& to,
                    double thickness, double mass);
    // The joint of a body with its parent, the anchor in the world. The scale of its springs, dampers and dry
    // friction is that of a rod of the mass and length.
    JointId join(BodyId body, JointType type, const Vec3d& anchor, const Vec3d& axis, const Habits& habits,
                 double mass, double length);
    void set_free(BodyId body);
    // A loop between two bodies, closed as they are; z of its frames along the axis. The two do not collide.
    void pin(JointType type, BodyId a, BodyId b, const Vec3d& anchor, const Vec3d& axis);
    // A rod without mass between points of the world on two bodies.
    void add_rod(BodyId a, const Vec3d& on_a, BodyId b, const Vec3d& on_b);
    SiteId add_site(BodyId body, const Vec3d& at);

    Scene scene;
    Draw draw;
    std::vector<Transformd> X_WB;  // by BodyId
    std::string part;              // under construction: the beginning of its names

private:
    int named_ = 0;
};

}  // namespace lig::scenes
