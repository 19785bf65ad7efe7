#pragma once

// What the fuzz targets of the model formats share: a model is read and compiled. Input may be refused with
// InputError and in no other way, and a model that is accepted holds finite numbers in arrays that fit
// together.

#include <ligament/load.h>
#include <ligament/model.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace lig::fuzz {

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "the model was accepted although %s\n", what);
    std::abort();
}

inline bool finite(double x) { return std::isfinite(x); }
inline bool finite(const Vec3d& a) { return finite(a.x) && finite(a.y) && finite(a.z); }
inline bool finite(const Transformd& X) {
    return finite(X.R.x) && finite(X.R.y) && finite(X.R.z) && finite(X.p);
}
inline bool finite(const std::vector<double>& list) {
    for (const double x : list)
        if (!finite(x)) return false;
    return true;
}

inline void check_model(const Model& model) {
    const auto nq = std::size_t(model.nq), nv = std::size_t(model.nv);
    require(model.q0.size() == nq && model.q_spring.size() == nq, "q0 or q_spring is not of length nq");
    require(model.tree.armature.size() == nv, "the armatures are not of length nv");
    require(finite(model.q0) && finite(model.q_spring), "a reference coordinate is not finite");
    require(finite(model.tree.armature), "an armature is not finite");
    for (const TreeJoint<double>& joint : model.tree.joints)
        require(finite(joint.X_PF) && finite(joint.pitch) && finite(joint.reference),
                "the frame of a joint is not finite");
    for (const TreeLink<double>& link : model.tree.links) {
        const SplitInertia<double>& inertia = link.inertia;
        require(finite(inertia.mass) && finite(inertia.h) && finite(inertia.least) && finite(inertia.u) &&
                    finite(inertia.v),
                "the inertia of a link is not finite");
    }
    for (const Model::Body& body : model.bodies) {
        require(finite(body.X_LB) && finite(body.X_WB0), "the pose of a body is not finite");
        require(finite(body.mass) && body.mass >= 0, "the mass of a body is not finite or negative");
        require(body.parent < int(&body - model.bodies.data()), "a body comes before its parent");
    }
    for (const Model::Geom& geom : model.geoms)
        require(finite(geom.X_BG), "the pose of a geom is not finite");
    for (const Model::Keyframe& key : model.keyframes) {
        require(key.q.size() == nq && key.v.size() == nv, "a keyframe does not fit");
        require(finite(key.q) && finite(key.v), "a keyframe is not finite");
    }
    require(finite(model.total_mass), "the total mass is not finite");
}

// Whether a text could name a file outside of the folder it is said to be in: a '/' that belongs to no tag,
// as itself or as a character reference. Stricter than need be.
inline bool may_leave_its_folder(std::string_view text) {
    for (std::size_t at = text.find('/'); at != text.npos; at = text.find('/', at + 1)) {
        const bool in_tag = (at > 0 && text[at - 1] == '<') || (at + 1 < text.size() && text[at + 1] == '>');
        if (!in_tag) return true;
    }
    if (text.find("..") != text.npos) return true;
    if (text.find("&#") == text.npos) return false;
    for (const std::string_view slash : {"47", "2f", "2F"})
        if (text.find(slash) != text.npos) return true;
    return false;
}

// The folder that the files of a fuzz target are said to be in. It holds what the models may refer to.
inline const std::filesystem::path& model_folder() {
    static const std::filesystem::path folder = LIG_FUZZ_DIR "/files";
    return folder;
}

// Returns what a fuzz target returns: -1 for input that is not worth keeping.
inline int read_and_compile(std::string_view text, std::string_view file_name) {
    if (may_leave_its_folder(text)) return -1;
    Diagnostics log;
    try {
        const Scene scene = parse_scene(text, model_folder() / file_name, {}, log);
        check_model(*compile(scene, log));
    } catch (const InputError& error) {
        require(!error.diagnostics().empty(), "it was refused without a reason");
    }
    for (const Diagnostic& diagnostic : log.all()) (void)diagnostic.to_string();
    return 0;
}

}  // namespace lig::fuzz
