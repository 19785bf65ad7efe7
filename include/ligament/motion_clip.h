#pragma once

// Motion clips: coordinates of joints over time, to be followed by a simulation (tracking.h) or written down.
//
//   Diagnostics log;
//   const MotionClip clip(*model, load_clip("dance.bvh", *model, {}, log), ClipEnds::loop);
//   clip.sample(0.7, q, v, {});
//
// docs/motion-control.md tells what files hold.

#include <ligament/diagnostics.h>
#include <ligament/model.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lig {

// What a clip is made of: times, and at each of them the coordinates of some joints.
struct ClipSamples {
    std::vector<int> joints;    // in Model::joints, rising
    std::vector<double> times;  // rising
    std::vector<double> q;      // (times × coordinates of these joints)
    std::vector<double> v;      // (times × their velocities), or empty: as the coordinates have it
};

enum class ClipEnds {
    hold,  // before the first and after the last sample: as there, at rest
    loop   // from the last sample on with the first. Where the two differ, a further interval of average
           // length leads from one to the other
};

// A smooth curve through samples: coordinates and velocities are continuous, accelerations are piecewise.
//
// Numbers are cubic Hermite splines. Rotations are q(t) = q₀ exp φ(t) in each interval, φ a Hermite spline
// from 0 to the logarithm of q₀⁻¹ q₁, with ends such that angular velocities at the samples are as given.
// Velocities that are not given are those of the parabola through three samples, of rotations in the axes of
// the middle one.
class MotionClip {
public:
    // Throws std::invalid_argument for samples that do not fit the model or each other, times that do not
    // rise and numbers that are not finite.
    MotionClip(const Model& model, ClipSamples samples, ClipEnds ends = ClipEnds::hold);

    const ClipSamples& samples() const { return samples_; }  // with velocities
    ClipEnds ends() const { return ends_; }
    double begin() const { return samples_.times.front(); }
    double end() const { return samples_.times.back(); }
    double period() const { return period_; }  // loop: until it is where it was; 0: it never moves
    bool has_joint(int joint) const;
    // Whether it was made for this model, or for one whose joints are the same.
    bool fits(const Model& model) const;

    // Coordinates, velocities and accelerations (v̇: docs/conventions.md) at a time, into vectors of the
    // model's sizes (nq, nv, nv) or empty ones; what belongs to other joints is left as it is. Does not
    // allocate.
    void sample(double time, std::span<double> q, std::span<double> v, std::span<double> a) const;

private:
    // A joint of the clip: where it is in a sample and in the model, and which part is a rotation.
    struct Track {
        int joint, q_at, v_at;    // in a sample
        int q_adr, v_adr;         // in the model
        int numbers;              // coordinates that are their own rates' integrals; they come first
        bool rotation;            // … followed by a quaternion
        bool floats;              // it is not followed
    };

    void find_velocities();
    void close_loop();

    ClipSamples samples_;
    ClipEnds ends_;
    std::vector<Track> tracks_;
    int q_size_ = 0, v_size_ = 0;  // of a sample
    double period_ = 0;
    std::uint64_t fingerprint_ = 0;
    int nq_ = 0, nv_ = 0;
};

// How clips are read and matched with a model.
struct ClipOptions {
    enum class Up {
        y,
        z
    };
    // BVH: what its lengths are multiplied by, which axis points up (y of BVH becomes z, z becomes −y), and
    // joints of the file that are to be joints of the model, by name; others are found by their names.
    double scale = 1;
    Up up = Up::y;
    std::vector<std::pair<std::string, std::string>> map{};
    std::string root{};  // BVH with several skeletons: the root of the one that is meant
};

// Reads a clip; the ending of the name tells the format, .csv or .bvh. Warnings are collected in `log`;
// errors are collected there too and thrown together as InputError.
ClipSamples load_clip(const std::filesystem::path& path, const Model& model, const ClipOptions& options,
                      Diagnostics& log);
// The same from text. `file_name` stands in diagnostics, and its ending tells the format.
ClipSamples parse_clip(std::string_view text, const std::filesystem::path& file_name, const Model& model,
                       const ClipOptions& options, Diagnostics& log);

// The model's keyframes: all, or the given ones, at the given times (empty: their own). Free joints are part
// of it. Throws std::invalid_argument where there is none, an index is wrong, or there are as many times not
// as keyframes; MotionClip sees to their order.
ClipSamples keyframe_samples(const Model& model, std::span<const int> keyframes = {},
                             std::span<const double> times = {});

// A clip as text: a table as `ligament run --out x.csv` writes it, or BVH with the skeleton of the model, its
// joints at their reference where the clip does not have them. BVH has equal steps: samples that are not, to
// 10⁻⁶ of a step, are taken from the curve at their average distance. `options`: scale (BVH lengths are ours
// divided by it) and up.
std::string clip_to_csv(const Model& model, const ClipSamples& samples);
std::string clip_to_bvh(const Model& model, const ClipSamples& samples, const ClipOptions& options = {});

}  // namespace lig
