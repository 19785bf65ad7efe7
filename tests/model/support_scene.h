#pragma once

// Small scenes for the tests of the compiler.

#include <ligament/model.h>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace lig::test {

inline InertialSpec unit_inertial(double mass = 1) {
    return {mass, {}, Sym3d::diagonal(mass, mass, mass), {}};
}

inline BodySpec body_named(std::string name, const Vec3d& pos = {0, 0, 0}) {
    return {.name = std::move(name), .pose = {pos}, .inertial = unit_inertial()};
}

// A body on a hinge below the world: the smallest scene that moves.
struct OneHinge {
    Scene scene{"one"};
    BodyId body = scene.add_body(world, body_named("arm"));
    JointId joint = scene.add_joint(body, {.name = "elbow"});
};

// What compile says about a scene, whether it takes it or not.
struct Compiled {
    explicit Compiled(const Scene& scene) {
        try {
            model = compile(scene, log);
        } catch (const InputError& error) {
            failed = true;
            for (const Diagnostic& d : error.diagnostics()) CHECK(d.severity == Severity::error);
        }
        CHECK(failed == (log.error_count() > 0));
    }
    const Diagnostic* find(std::string_view code) const {
        for (const Diagnostic& d : log.all())
            if (d.code->id == code) return &d;
        return nullptr;
    }

    Diagnostics log;
    std::shared_ptr<const Model> model;
    bool failed = false;
};

// The scene is refused (codes E and U) or warned about (W) with this code alone, and the message names the
// object.
inline void check_diagnosed(const Scene& scene, std::string_view code, std::string_view name) {
    CAPTURE(std::string(code));
    const Compiled result(scene);
    REQUIRE(!result.log.all().empty());
    for (const Diagnostic& d : result.log.all()) CHECK_MESSAGE(d.code->id == code, d.to_string());
    const Diagnostic* found = result.find(code);
    REQUIRE(found);
    CHECK_MESSAGE(found->message.find(name) != std::string::npos, found->message);
    CHECK(!found->hint.empty());
    CHECK(result.failed == (code[0] != 'W'));
}

}  // namespace lig::test
