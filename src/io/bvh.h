#pragma once

// BVH (Biovision hierarchy): a skeleton of joints at offsets from each other, and their channels frame by
// frame.
//
//   HIERARCHY
//   ROOT hips {                                          MOTION
//     OFFSET 0 0.9 0                                     Frames: 2
//     CHANNELS 6 Xposition … Yrotation                   Frame Time: 0.0333333
//     JOINT knee { OFFSET … CHANNELS 3 … End Site {…} }  0 0.9 0 0 0 0 12 0 0
//   }                                                    0 0.9 0 0 0 0 14 0 0
//
// A joint turns about its origin by its rotations (degrees) in the order of its channels, the first one
// outermost: R = R₁ R₂ R₃. All frames of the skeleton have the axes of the world when all rotations are 0. A
// position replaces the offset, component by component.

#include <ligament/motion_clip.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lig::io {

struct BvhChannel {
    bool is_rotation;
    int axis;  // 0 … 2
};

struct BvhJoint {
    std::string name;
    int parent;  // -1: a root
    Vec3d offset = Vec3d::zero();
    std::vector<BvhChannel> channels;
    int first_channel = 0;  // in a frame
    SourceLocation where;
};

struct Bvh {
    std::vector<BvhJoint> joints;  // parents first; ends are left out
    int channels = 0;              // of a frame
    double frame_time = 0;
    std::vector<double> values;    // (frames × channels), degrees and the file's lengths

    std::size_t frames() const { return channels > 0 ? values.size() / channels : 0; }
};

// Reads the text of a file. What is wrong is reported with its place; nothing is returned after an error.
std::optional<Bvh> read_bvh(std::string_view text, const std::filesystem::path& file, Diagnostics& log);

// The motion of a model's joints by that of a skeleton: bvh_match.cpp says how. Nothing after an error.
std::optional<ClipSamples> match_bvh(const Bvh& bvh, const Model& model, const ClipOptions& options,
                                     const std::filesystem::path& file, Diagnostics& log);

// Where the joints of a model are at its reference configuration, in world axes: the frames F and M.
struct JointFrames {
    Transformd X_WF, X_WM;
};
std::vector<JointFrames> reference_frames(const Model& model);  // (joints)

// y up to z up: (x, y, z) becomes (x, −z, y); and back.
inline Vec3d to_z_up(const Vec3d& v) { return {v.x, -v.z, v.y}; }
inline Vec3d to_y_up(const Vec3d& v) { return {v.x, v.z, -v.y}; }

}  // namespace lig::io
