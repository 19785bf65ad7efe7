#include "app/recording/recorded_inputs.h"

#include "core/byte_stream.h"
#include "core/printable.h"

#include <ligament/snapshot.h>

#include <stdexcept>

namespace lig::app {

namespace {

static_assert(sizeof(Vec3d) == 3 * sizeof(double) && sizeof(Quatd) == 4 * sizeof(double));

// Lists with their lengths.
class ListWriter : public ByteWriter {
public:
    void text(std::string_view words) {
        half(static_cast<std::uint32_t>(words.size()));
        bytes(std::as_bytes(std::span(words)));
    }
    void numbers(std::span<const double> list) {
        half(static_cast<std::uint32_t>(list.size()));
        for (const double x : list) number(x);
    }
    void integers(std::span<const int> list) {
        half(static_cast<std::uint32_t>(list.size()));
        for (const int x : list) half(static_cast<std::uint32_t>(x));
    }
};

class ListReader : public ByteReader {
public:
    explicit ListReader(std::span<const std::byte> bytes) : ByteReader(bytes, "an input") {}

    std::string text() {
        const std::span<const std::byte> letters = bytes(half());
        return {reinterpret_cast<const char*>(letters.data()), letters.size()};
    }
    std::vector<double> numbers() {
        const std::size_t count = counted(8);
        std::vector<double> list(count);
        for (double& x : list) x = number();
        return list;
    }
    std::vector<int> integers() {
        std::vector<int> list(counted(4));
        for (int& x : list) x = static_cast<int>(half());
        return list;
    }
    void expect_end() const {
        if (left() > 0) throw std::invalid_argument("an input: there is more than it should hold");
    }

private:
    // So that nothing is allocated for what is not there.
    std::size_t counted(std::size_t size_of_each) {
        const std::size_t count = half();
        if (left() / size_of_each < count) throw std::invalid_argument("an input: it ends too early");
        return count;
    }
};

template <class Vector>
std::span<const double> flat(const std::vector<Vector>& list) {
    return {reinterpret_cast<const double*>(list.data()), list.size() * sizeof(Vector) / sizeof(double)};
}

std::vector<Vec3d> to_vectors(const std::vector<double>& numbers) {
    std::vector<Vec3d> list;
    for (std::size_t k = 0; k + 3 <= numbers.size(); k += 3)
        list.push_back({numbers[k], numbers[k + 1], numbers[k + 2]});
    return list;
}

std::vector<Quatd> to_quaternions(const std::vector<double>& numbers) {
    std::vector<Quatd> list;
    for (std::size_t k = 0; k + 4 <= numbers.size(); k += 4)
        list.push_back({numbers[k], numbers[k + 1], numbers[k + 2], numbers[k + 3]});
    return list;
}

}  // namespace

std::vector<std::byte> bytes_of(const StateInput& start, const Model& model) {
    Snapshot snapshot = save(model, start.state);
    snapshot.ctrl = start.ctrl;
    snapshot.qfrc_applied = start.qfrc_applied;
    snapshot.xfrc_applied.resize(model.bodies.size());
    for (const auto& [body, f] : start.xfrc_applied)
        snapshot.xfrc_applied[body] = {{f[3], f[4], f[5]}, {f[0], f[1], f[2]}};
    return snapshot.to_bytes();
}

StateInput start_of(std::span<const std::byte> bytes, const Model& model) {
    const Snapshot snapshot = Snapshot::from_bytes(bytes);
    StateInput start = input_at(model, JointState<double>(model));
    restore(model, snapshot, start.state);
    if (snapshot.ctrl.size() != start.ctrl.size() ||
        snapshot.qfrc_applied.size() != start.qfrc_applied.size() ||
        snapshot.xfrc_applied.size() != model.bodies.size())
        throw std::invalid_argument("the forces of the start do not fit the model");
    start.ctrl = snapshot.ctrl;
    start.qfrc_applied = snapshot.qfrc_applied;
    for (std::size_t b = 0; b < snapshot.xfrc_applied.size(); ++b) {
        const auto& [ang, lin] = snapshot.xfrc_applied[b];
        start.xfrc_applied.push_back({static_cast<int>(b), {lin.x, lin.y, lin.z, ang.x, ang.y, ang.z}});
    }
    return start;
}

std::vector<std::byte> bytes_of(const TrackedClip& clip) {
    // All members: a new one does not compile before it is here.
    const auto& [samples, ends, options, source] = clip;
    const auto& [method, gains, feed_forward, joints, torque_limit, torque_limits, start, limp] = options;
    ListWriter out;
    out.text(source);
    out.half(ends == ClipEnds::loop);
    out.half(method == TrackingMethod::pd);
    out.half(feed_forward);
    for (const double x : {gains.stiffness, gains.damping, torque_limit, start}) out.number(x);
    out.integers(joints);
    out.numbers(torque_limits);
    std::vector<double> intervals;
    for (const TrackingOptions::Interval& interval : limp)
        intervals.insert(intervals.end(), {interval.from, interval.to});
    out.numbers(intervals);
    out.integers(samples.joints);
    out.numbers(samples.times);
    out.numbers(samples.q);
    out.numbers(samples.v);
    return std::move(out.out);
}

TrackedClip clip_of(std::span<const std::byte> bytes) {
    ListReader in(bytes);
    TrackedClip clip;
    TrackingOptions& options = clip.options;
    clip.source = printable(in.text());
    clip.ends = in.half() != 0 ? ClipEnds::loop : ClipEnds::hold;
    options.method = in.half() != 0 ? TrackingMethod::pd : TrackingMethod::acceleration;
    options.feed_forward = in.half() != 0;
    for (double* x :
         {&options.gains.stiffness, &options.gains.damping, &options.torque_limit, &options.start})
        *x = in.number();
    options.joints = in.integers();
    options.torque_limits = in.numbers();
    const std::vector<double> intervals = in.numbers();
    for (std::size_t k = 0; k + 2 <= intervals.size(); k += 2)
        options.limp.push_back({intervals[k], intervals[k + 1]});
    clip.samples.joints = in.integers();
    clip.samples.times = in.numbers();
    clip.samples.q = in.numbers();
    clip.samples.v = in.numbers();
    in.expect_end();
    return clip;
}

std::vector<std::byte> bytes_of(const PathSamples& paths, const std::string& source) {
    ListWriter out;
    out.text(source);
    out.numbers(paths.times);
    out.half(static_cast<std::uint32_t>(paths.paths.size()));
    for (const PathSamples::Path& path : paths.paths) {
        out.half(static_cast<std::uint32_t>(path.body));
        out.numbers(flat(path.pos));
        out.numbers(flat(path.quat));
    }
    return std::move(out.out);
}

PathSamples paths_of(std::span<const std::byte> bytes, std::string& source) {
    ListReader in(bytes);
    PathSamples paths;
    source = printable(in.text());
    paths.times = in.numbers();
    for (std::uint32_t count = in.half(); count > 0; --count) {
        const int body = static_cast<int>(in.half());
        std::vector<Vec3d> pos = to_vectors(in.numbers());
        paths.paths.push_back({body, std::move(pos), to_quaternions(in.numbers())});
    }
    in.expect_end();
    return paths;
}

}  // namespace lig::app
