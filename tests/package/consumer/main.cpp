// A program of a user of the installed library.

#include <ligament/scene.h>

#include <cstdio>

int main() {
    lig::Scene scene("pendulum");
    const lig::BodyId rod = scene.add_body(lig::world, {.name = "rod"});
    scene.add_joint(rod, {.name = "pivot", .type = lig::JointType::hinge, .axis = {0, 1, 0}});

    const bool ok = scene.bodies().size() == 2 && scene.joints().size() == 1 && scene.find_body("rod") == rod;
    std::printf("%zu bodies, %zu joints: %s\n", scene.bodies().size(), scene.joints().size(),
                ok ? "ok" : "wrong");
    return ok ? 0 : 1;
}
