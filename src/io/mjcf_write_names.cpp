#include "io/mjcf_write.h"

#include <algorithm>

namespace lig::io::mjcf {

namespace {

constexpr std::string_view kind_words[] = {"body", "joint", "geom", "site",
                                           "camera", "tendon", "actuator", "loop"};

template <class Objects>
std::vector<std::string> names_of(const Objects& objects) {
    std::vector<std::string> names;
    names.reserve(objects.size());
    for (const auto& object : objects) {
        if constexpr (requires { object.spec; })
            names.push_back(object.spec.name);
        else
            names.push_back(object.name);
    }
    return names;
}

// Whether something has to call the world by its name. An equality's second body is the world when it is
// left out.
bool world_is_named(const Scene& scene) {
    const auto is_world = [](const ObjectRef& object) {
        using enum ObjectRef::Kind;
        return (object.kind == body || object.kind == xbody || object.kind == subtree) && object.index == 0;
    };
    const auto any = [](const auto& list, auto test) { return std::any_of(list.begin(), list.end(), test); };
    return any(scene.exclusions(), [](const auto& e) { return e.a == world || e.b == world; }) ||
           any(scene.cameras(), [](const auto& c) { return c.spec.target == world; }) ||
           any(scene.loops(), [](const auto& l) { return l.body_a == world; }) ||
           any(scene.constraints(), [](const auto& c) { return c.body_a == world && c.body_b == world; }) ||
           any(scene.bushings(), [](const auto& b) { return b.body_a == world && b.body_b == world; }) ||
           any(scene.sensors(), [&](const auto& s) { return is_world(s.object) || is_world(s.reference); });
}

}  // namespace

WrittenNames::WrittenNames(const Scene& scene) {
    const auto list = [&](Kind kind) -> List& { return lists_[static_cast<int>(kind)]; };
    list(Kind::body).names = names_of(scene.bodies());
    list(Kind::joint).names = names_of(scene.joints());
    list(Kind::geom).names = names_of(scene.geoms());
    list(Kind::site).names = names_of(scene.sites());
    list(Kind::camera).names = names_of(scene.cameras());
    list(Kind::tendon).names = names_of(scene.tendons());
    list(Kind::actuator).names = names_of(scene.actuators());
    list(Kind::loop).names = names_of(scene.loops());

    auto& bodies = list(Kind::body).names;
    bodies[0] = "world";
    // A body may have the world's name. Where the world itself has to be named, the body cannot keep it.
    const auto other = std::find(bodies.begin() + 1, bodies.end(), "world");
    if (other != bodies.end() && world_is_named(scene))
        *other = invent(Kind::body, static_cast<int>(other - bodies.begin()));
}

const std::string& WrittenNames::to_refer(Kind kind, int index) {
    std::string& name = lists_[static_cast<int>(kind)].names[static_cast<std::size_t>(index)];
    if (name.empty()) name = invent(kind, index);
    return name;
}

std::string WrittenNames::invent(Kind kind, int index) {
    List& list = lists_[static_cast<int>(kind)];
    if (list.taken.empty()) list.taken.insert(list.names.begin(), list.names.end());
    std::string name = std::string(kind_words[static_cast<int>(kind)]) + std::to_string(index);
    while (!list.taken.insert(name).second) name += '_';
    return name;
}

}  // namespace lig::io::mjcf
