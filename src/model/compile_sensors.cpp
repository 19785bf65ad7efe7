// Cameras and sensors, with the model's indices in place of the scene's. A sensor whose object cannot give
// the reading is refused here, so that evaluation need not look.

#include "model/compile.h"

#include "core/diagnostic_codes.h"
#include "joints/joint_list.h"
#include "sensors/sensor_kind.h"
#include "sensors/sensor_list.h"

#include <algorithm>
#include <cmath>

namespace lig::compiling {

namespace {

using Kind = ObjectRef::Kind;

// Of one rangefinder.
constexpr int max_rays = 16'777'216;

class SensorCompiler {
public:
    SensorCompiler(const Scene& scene, Model& model, const std::vector<int>& body_of,
                   const std::vector<int>& joint_of, Diagnostics& log)
        : scene_(scene),
          model_(model),
          body_of_(body_of),
          joint_of_(joint_of),
          // Fixed joints left sites of their own before those of the scene.
          first_site_(static_cast<int>(model.sites.size() - scene.sites().size())),
          log_(log) {}

    void run() {
        for (const SensorSpec& spec : scene_.sensors()) {
            Model::Sensor sensor{spec, reading_count_, 0};
            for (ObjectRef* ref : {&sensor.spec.object, &sensor.spec.reference, &sensor.spec.site})
                remap(*ref);
            if (sensor.spec.data.empty()) sensor.spec.data = default_data(spec.type);
            const std::string fault = fault_of(sensor.spec);
            if (fault.empty()) sensor.dim = sensors::reading_size(sensor.spec, camera_of(sensor.spec));
            if (!fault.empty())
                log_.report(codes::E057, spec.where,
                            named("sensor", spec.name, static_cast<int>(model_.sensors.size())) + " (" +
                                std::string(sensors::sensor_info(spec.type).name) + ") " + fault);
            reading_count_ += sensor.dim;
            model_.sensors.push_back(std::move(sensor));
        }
    }

private:
    static std::vector<std::string> default_data(SensorType type) {
        if (type == SensorType::contact) return {std::string(sensors::contact_fields[0])};
        if (type == SensorType::rangefinder) return {std::string(sensors::ray_fields[0])};
        return {};
    }
    template <class Words>
    static bool is_one_of(const Words& words, const std::string& word) {
        return std::find(std::begin(words), std::end(words), word) != std::end(words);
    }
    // What is wrong with what a sensor is to tell, or nothing.
    static std::string fault_of_data(const SensorSpec& spec) {
        const bool of_contacts = spec.type == SensorType::contact;
        if (!of_contacts && spec.type != SensorType::rangefinder) return "";
        for (const std::string& word : spec.data)
            if (of_contacts ? !is_one_of(sensors::contact_fields, word)
                            : !is_one_of(sensors::ray_fields, word))
                return "has no field '" + word + "'";
        if (of_contacts && spec.count < 1) return "has no slot";
        if (of_contacts && !spec.reduce.empty() && !is_one_of(sensors::contact_reductions, spec.reduce))
            return "knows no way '" + spec.reduce + "' to reduce contacts";
        return "";
    }
    const CameraSpec* camera_of(const SensorSpec& spec) const {
        const bool has = spec.type == SensorType::rangefinder && is(spec.object, Kind::camera);
        return has ? &model_.cameras[spec.object.index].spec : nullptr;
    }

    // An object that is not in the model becomes an index of −1.
    void remap(ObjectRef& ref) const {
        const auto within = [&](std::size_t count) {
            return ref.index >= 0 && ref.index < static_cast<int>(count);
        };
        const auto keep = [&](std::size_t count) {
            if (!within(count)) ref.index = -1;
        };
        switch (ref.kind) {
            case Kind::none: return;
            case Kind::body:
            case Kind::xbody:
            case Kind::subtree: ref.index = within(body_of_.size()) ? body_of_[ref.index] : -1; return;
            case Kind::joint: ref.index = within(joint_of_.size()) ? joint_of_[ref.index] : -1; return;
            case Kind::site: ref.index = within(scene_.sites().size()) ? first_site_ + ref.index : -1; return;
            case Kind::geom: keep(model_.geoms.size()); return;
            case Kind::camera: keep(model_.cameras.size()); return;
            case Kind::tendon: keep(model_.tendons.size()); return;
            case Kind::actuator: keep(model_.actuators.size()); return;
            case Kind::loop:
                keep(model_.loops.size());
                if (ref.index >= 0 && model_.loops[ref.index].lengths == 0) ref.index = -1;
                return;
        }
    }

    static bool is(const ObjectRef& ref, Kind kind) { return ref.kind == kind && ref.index >= 0; }
    static bool is_body(const ObjectRef& ref) {
        return is(ref, Kind::body) || is(ref, Kind::xbody) || is(ref, Kind::subtree);
    }
    static bool has_frame(const ObjectRef& ref) {
        return is_body(ref) || is(ref, Kind::geom) || is(ref, Kind::site) || is(ref, Kind::camera);
    }

    static bool is_shape(const ObjectRef& ref) { return is(ref, Kind::geom) || is(ref, Kind::body); }
    static bool is_none_or_shape(const ObjectRef& ref) {
        return ref.kind == Kind::none || is(ref, Kind::geom) || is_body(ref);
    }

    bool has_limit(const ObjectRef& ref) const {
        if (is(ref, Kind::loop)) {
            const Model::Loop& loop = model_.loops[ref.index];
            const int limited = loop.length_begin + (loop.type == JointType::ball ? 3 : 0);
            return (loop.type == JointType::ball ? loop.lengths > 3 && reads_cone(limited)
                                                 : freedoms_of(loop) == 1) &&
                   is_limited(model_.tendons[limited].range);
        }
        if (!is(ref, Kind::joint)) return false;
        const Model::Joint& joint = model_.joints[ref.index];
        if (joint.type == JointType::ball) return joint.cone.has_value();
        return joint.nv == 1 && is_limited(joint.range[0]);
    }
    static bool is_limited(const Range& range) {
        return std::isfinite(range.lower) || std::isfinite(range.upper);
    }
    static int freedoms_of(const Model::Loop& loop) { return joints::joint_info(loop.type).nv; }
    bool reads_cone(int length) const {
        return model_.tendon_terms[model_.tendons[length].term_begin].reading == Model::LoopReading::cone;
    }
    bool is_ball(const ObjectRef& ref) const {
        if (is(ref, Kind::loop)) return model_.loops[ref.index].type == JointType::ball;
        return is(ref, Kind::joint) && model_.joints[ref.index].type == JointType::ball;
    }
    bool is_scalar_joint(const ObjectRef& ref) const {
        if (is(ref, Kind::loop)) return freedoms_of(model_.loops[ref.index]) == 1;
        return is(ref, Kind::joint) && model_.joints[ref.index].nq == 1;
    }
    bool has_limit_of_tendon(const ObjectRef& ref) const {
        if (!is(ref, Kind::tendon)) return false;
        return is_limited(model_.tendons[ref.index].range);
    }

    // What is wrong, or nothing.
    std::string fault_of(const SensorSpec& spec) const {
        using sensors::Measures;
        const ObjectRef& object = spec.object;
        if (spec.cutoff > 0 && sensors::reading_of(spec.type) == sensors::Reading::direction)
            return "has a cutoff, which directions and quaternions cannot have";
        if (std::string fault = fault_of_data(spec); !fault.empty()) return fault;
        const auto needs = [](bool has_it, const char* what) {
            return has_it ? std::string() : std::string("needs ") + what;
        };
        const bool in_frame = spec.reference.kind == Kind::none || has_frame(spec.reference);
        switch (sensors::sensor_info(spec.type).measures) {
            case Measures::site: return needs(is(object, Kind::site), "a site");
            case Measures::site_seen:
                return needs(is(object, Kind::site) && is(spec.reference, Kind::camera),
                             "a site, and a camera that sees it");
            case Measures::ray_source:
                if (const CameraSpec* camera = camera_of(spec);
                    camera && double(camera->resolution[0]) * camera->resolution[1] > max_rays)
                    return "has a camera of more than " + std::to_string(max_rays) + " pixels";
                return needs(is(object, Kind::site) || is(object, Kind::camera), "a site or a camera");
            case Measures::scalar_joint: return needs(is_scalar_joint(object), "a joint of one coordinate");
            case Measures::ball_joint: return needs(is_ball(object), "a ball joint");
            case Measures::limited_joint: return needs(has_limit(object), "a joint with a limit");
            case Measures::tendon: return needs(is(object, Kind::tendon), "a tendon");
            case Measures::limited_tendon:
                return needs(has_limit_of_tendon(object), "a tendon with a limit");
            case Measures::actuator: return needs(is(object, Kind::actuator), "an actuator");
            case Measures::frame:
            case Measures::frame_in_frame:
                return needs(has_frame(object) && in_frame, "a body, geom, site or camera");
            case Measures::frame_in_site:
                return needs(has_frame(object) && is(spec.reference, Kind::site),
                             "a body, geom, site or camera, and a site that may contain it");
            case Measures::subtree: return needs(is_body(object), "a body");
            case Measures::two_shapes:
                return needs(is_shape(object) && is_shape(spec.reference), "two geoms or bodies");
            case Measures::contact:
                return needs(is_none_or_shape(object) && is_none_or_shape(spec.reference) &&
                                 (spec.site.kind == Kind::none || is(spec.site, Kind::site)),
                             "geoms, bodies or subtrees, and a site for a volume");
            case Measures::nothing:
            case Measures::any: break;
        }
        return "";
    }

    const Scene& scene_;
    Model& model_;
    const std::vector<int>& body_of_;
    const std::vector<int>& joint_of_;
    int first_site_;
    Diagnostics& log_;
    int reading_count_ = 0;
};

}  // namespace

void add_cameras(const Scene& scene, Model& model, const std::vector<int>& body_of) {
    for (const Scene::Camera& camera : scene.cameras()) {
        model.cameras.push_back(
            {camera.spec.name, body_of[camera.body.index], transform(camera.spec.pose), camera.spec});
        BodyId& target = model.cameras.back().spec.target;
        if (target.index >= 0) target.index = body_of[target.index];
    }
}

void add_sensors(const Scene& scene, Model& model, const std::vector<int>& body_of,
                 const std::vector<int>& joint_of, Diagnostics& log) {
    SensorCompiler(scene, model, body_of, joint_of, log).run();
}

}  // namespace lig::compiling
