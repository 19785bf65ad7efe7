// Text → table → paths of kinematic bodies → where they are. Input may be refused with InputError, and what
// was read with std::invalid_argument where its velocities cannot be computed; else places are finite.

#include <ligament/kinematic_paths.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace {

std::shared_ptr<const lig::Model> stage() {
    lig::Scene scene;
    for (const char* const name : {"hand", "left.foot"})
        scene.add_body(lig::world, {.name = name, .kinematic = true});
    const lig::BodyId bob = scene.add_body(lig::world, {.name = "bob"});
    scene.add_joint(bob, {.name = "pivot"});
    scene.add_geom(bob, {.size = {0.1, 0, 0}});
    return compile(scene);
}

bool is_finite(const lig::Vec3d& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::shared_ptr<const lig::Model> model = stage();
    try {
        lig::Diagnostics log;
        const lig::KinematicPaths paths(
            *model, lig::parse_paths({reinterpret_cast<const char*>(data), size}, "paths.csv", *model, log));
        const std::vector<double>& times = paths.samples().times;
        for (int k = 0; k < static_cast<int>(paths.samples().paths.size()); ++k)
            for (const double u : {0.0, 0.3, 0.5, 1.0}) {
                lig::BaseMotion<double> motion{};
                motion.quat = {1, 0, 0, 0};
                paths.sample(k, (1 - u) * times.front() + u * times.back(), motion);
                if (!is_finite(motion.pos)) std::abort();
                if (!(std::abs(dot(motion.quat, motion.quat) - 1) < 1e-9)) std::abort();
            }
    } catch (const lig::InputError&) {
    } catch (const std::invalid_argument&) {}
    return 0;
}
