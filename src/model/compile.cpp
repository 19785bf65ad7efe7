#include "model/compile.h"

#include "bodies/modal.h"
#include "core/diagnostic_codes.h"
#include "core/rotation.h"
#include "joints/joint_list.h"
#include "model/collision_model.h"
#include "model/compile_drives.h"
#include "model/keyframe_part.h"

#include <bit>
#include <cmath>
#include <numeric>

namespace lig {

namespace compiling {
namespace {

// FNV-1a over everything that shapes a state or its motion.
class Hash {
public:
    void add(std::uint64_t x) {
        for (int k = 0; k < 8; ++k) value = (value ^ ((x >> (8 * k)) & 0xff)) * 0x100000001b3;
    }
    void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
    void add(const std::string& s) {
        add(static_cast<std::uint64_t>(s.size()));
        for (const char c : s) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    void add(const Vec3d& a) {
        for (int k = 0; k < 3; ++k) add(a[k]);
    }
    std::uint64_t value = 0xcbf29ce484222325;
};

std::uint64_t fingerprint(const Model& model) {
    Hash h;
    h.add(static_cast<std::uint64_t>(model.nq));
    h.add(static_cast<std::uint64_t>(model.nv));
    for (const Model::Joint& joint : model.joints) h.add(joint.name);
    for (const TreeLink<double>& link : model.tree.links) {
        h.add(static_cast<std::uint64_t>(link.parent));
        h.add(link.inertia.mass);
        h.add(link.inertia.h);
        h.add(link.inertia.least);
        h.add(link.inertia.u);
        h.add(link.inertia.v);
    }
    for (const TreeJoint<double>& joint : model.tree.joints) {
        h.add(static_cast<std::uint64_t>(joint.type));
        for (const Vec3d& column : {joint.X_PF.R.x, joint.X_PF.R.y, joint.X_PF.R.z, joint.X_PF.p})
            h.add(column);
        h.add(joint.pitch);
        h.add(joint.reference);
    }
    for (const Model::Deforming& own : model.deforming) {
        h.add(own.volume);
        h.add(own.bulk);
        h.add(model.joints[own.joint].stiffness);
        if (!own.modal) continue;
        for (int k = 0; k <= own.modal->count; ++k)
            for (int l = 0; l <= own.modal->count; ++l)
                for (const Vec3d& column : {own.modal->J[k][l].x, own.modal->J[k][l].y, own.modal->J[k][l].z})
                    h.add(column);
    }
    for (const int body : model.kinematic_bodies) h.add(model.bodies[body].name);
    if (!model.loop_q0.empty()) h.add(static_cast<std::uint64_t>(model.loop_q0.size()));
    h.add(static_cast<std::uint64_t>(model.na));
    for (const Model::Actuator& actuator : model.actuators) h.add(actuator.name);
    return h.value;
}

void add_geoms_and_sites(const Scene& scene, const MeshBodies& meshes, Model& model,
                         const std::vector<int>& body_of) {
    for (const Scene::Geom& geom : scene.geoms()) {
        const Transformd X_BM = transform(geom.spec.pose);
        const geometry::MeshBody* mesh = meshes.find(geom.spec);
        const Transformd X_MG = mesh ? mesh->X_MG : Transformd::identity();
        model.geoms.push_back({geom.spec, body_of[geom.body.index], X_BM * X_MG, X_MG.inverse()});
    }
    for (const Scene::Site& site : scene.sites())
        model.sites.push_back(
            {site.spec.name, body_of[site.body.index], transform(site.spec.pose), site.spec});
}

// Where a keyframe puts the kinematic bodies; positions and orientations may be given one without the other.
void take_kinematic(const KeyframeSpec& spec, std::vector<Pose>& kinematic, const std::string& who,
                    Diagnostics& log) {
    std::vector<double> positions, orientations;
    for (const Pose& pose : kinematic) {
        positions.insert(positions.end(), {pose.pos.x, pose.pos.y, pose.pos.z});
        orientations.insert(orientations.end(), {pose.quat.w, pose.quat.x, pose.quat.y, pose.quat.z});
    }
    put_keyframe_part(spec, who, "mpos", spec.mpos, positions, log);
    put_keyframe_part(spec, who, "mquat", spec.mquat, orientations, log);
    for (std::size_t k = 0; k < kinematic.size(); ++k)
        kinematic[k].pos = {positions[3 * k], positions[3 * k + 1], positions[3 * k + 2]};
    if (spec.mquat.empty()) return;
    for (std::size_t k = 0; k < kinematic.size(); ++k) {
        const double* numbers = orientations.data() + 4 * k;
        const Quatd quat{numbers[0], numbers[1], numbers[2], numbers[3]};
        const double length = std::sqrt(dot(quat, quat));
        if (length > 1e-10)
            kinematic[k].quat = {quat.w / length, quat.x / length, quat.y / length, quat.z / length};
        else
            log.report(codes::W049, spec.where,
                       who + ": a quaternion of mquat is zero, the body keeps its orientation",
                       "write 1 0 0 0 for no rotation");
    }
}

void add_keyframes(const Scene& scene, Model& model, Diagnostics& log) {
    for (std::size_t i = 0; i < scene.keyframes().size(); ++i) {
        const KeyframeSpec& spec = scene.keyframes()[i];
        const std::string who = named("keyframe", spec.name, static_cast<int>(i));
        Model::Keyframe key{spec.name,
                            spec.time,
                            model.q0,
                            std::vector<double>(model.nv, 0.0),
                            std::vector<double>(model.na, 0.0),
                            std::vector<double>(model.nu, 0.0),
                            {}};
        for (const int body : model.kinematic_bodies)
            key.kinematic.push_back({model.bodies[body].X_WB0.p, quaternion(model.bodies[body].X_WB0.R)});
        put_keyframe_part(spec, who, "qpos", spec.qpos, key.q, log);
        put_keyframe_part(spec, who, "qvel", spec.qvel, key.v, log);
        put_keyframe_part(spec, who, "act", spec.act, key.act, log);
        put_keyframe_part(spec, who, "ctrl", spec.ctrl, key.ctrl, log);
        take_kinematic(spec, key.kinematic, who, log);
        for (const Model::Joint& joint : model.joints) {
            const joints::JointInfo& info = joints::joint_info(joint.type);
            for (int k = 0; k < info.nq; ++k) {
                if (info.coordinate_kinds[k] != joints::Coordinate::quaternion) continue;
                double* quat = key.q.data() + joint.q_adr + k;
                const double length =
                    std::sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
                if (!(length > 1e-10)) {
                    log.report(
                        codes::W049, spec.where,
                        who + ": the quaternion of joint '" + joint.name + "' is zero, taken as no rotation",
                        "write 1 0 0 0");
                    quat[0] = 1;
                } else {
                    for (int c = 0; c < 4; ++c) quat[c] /= length;
                }
                break;  // the other three of this quaternion
            }
        }
        model.keyframes.push_back(std::move(key));
    }
}

}  // namespace
}  // namespace compiling

std::shared_ptr<const Model> compile(const Scene& given, Diagnostics& log) {
    using namespace compiling;
    check_scene(given, log);
    log.throw_if_errors();  // what follows relies on finite numbers and axes that have a direction

    const MeshBodies meshes(given);
    std::vector<BodyInertia> inertias = body_inertias(given, meshes, log);
    const std::optional<Scene> changed = reshape(given, inertias, log);
    log.throw_if_errors();
    const Scene& scene = changed ? *changed : given;

    auto model = std::make_shared<Model>();
    model->name = scene.name;
    model->options = scene.options;
    std::vector<int> body_of;
    build_tree(scene, inertias, *model, body_of, log);
    find_principal_axes(scene, *model, body_of);
    add_elasticity(scene, meshes, body_of, *model, log);

    // Fixed joints make no model joint, and some bodies have joints of their own, so the indices differ.
    std::vector<int> joint_of(scene.joints().size(), -1);
    for (std::size_t j = 0; j < model->joints.size(); ++j)
        if (model->joints[j].scene_joint >= 0) joint_of[model->joints[j].scene_joint] = static_cast<int>(j);

    // Fixed joints have left sites behind, which come first.
    std::vector<int> geom_of(scene.geoms().size()), site_of(scene.sites().size());
    std::iota(geom_of.begin(), geom_of.end(), 0);
    std::iota(site_of.begin(), site_of.end(), static_cast<int>(model->sites.size()));
    add_geoms_and_sites(scene, meshes, *model, body_of);
    add_programs(scene, body_of, *model, log);
    add_cameras(scene, *model, body_of);
    add_medium(*model, log);
    add_loops(scene, *model, body_of, log);
    add_pair_constraints(scene, *model, body_of, log);
    add_bushings(scene, *model, body_of, log);
    add_couplings(scene, *model, joint_of, log);
    add_subtree_constraints(scene, *model, body_of, log);
    add_group_constraints(scene, *model, body_of, log);
    add_drives(scene, {joint_of, geom_of, site_of, body_of}, *model, log);
    add_keyframes(scene, *model, log);
    for (const PairSpec& pair : scene.pairs()) model->pairs.push_back({pair, pair.a.index, pair.b.index});
    add_sensors(scene, *model, body_of, joint_of, log);
    model->meshes = scene.meshes();
    model->height_fields = scene.height_fields();
    for (const Scene::Exclusion& e : scene.exclusions())
        model->exclusions.push_back({{body_of[e.a.index]}, {body_of[e.b.index]}, e.name});
    refuse_on_deforming(*model, log);
    log.throw_if_errors();

    check_mobility(*model, log);
    log.throw_if_errors();
    resolve_references(scene, model, log);
    model->collision = build_collision(*model, log);
    log.throw_if_errors();
    model->fingerprint = fingerprint(*model);
    return model;
}

std::shared_ptr<const Model> compile(const Scene& scene) {
    Diagnostics log;
    return compile(scene, log);
}

namespace {

template <class List>
int find_named(const List& list, std::string_view wanted, std::size_t from = 0) {
    for (std::size_t i = from; i < list.size(); ++i)
        if (list[i].name == wanted) return static_cast<int>(i);
    return -1;
}

}  // namespace

int Model::find_body(std::string_view wanted) const {
    // A body of the file before the world itself, should they have the same name.
    const int found = find_named(bodies, wanted, 1);
    return found < 0 ? find_named(bodies, wanted) : found;
}
int Model::find_joint(std::string_view wanted) const { return find_named(joints, wanted); }
int Model::find_site(std::string_view wanted) const { return find_named(sites, wanted); }
int Model::find_loop(std::string_view wanted) const { return find_named(loops, wanted); }
int Model::find_tendon(std::string_view wanted) const { return find_named(tendons, wanted); }
int Model::find_actuator(std::string_view wanted) const { return find_named(actuators, wanted); }
int Model::find_keyframe(std::string_view wanted) const { return find_named(keyframes, wanted); }

}  // namespace lig
