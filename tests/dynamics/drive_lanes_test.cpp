// Every lane gives the bits of the scalar run, for all that is computed about tendons and actuators.

#include "scalar_types.h"
#include "support/drive_reference.h"

using namespace lig;
using namespace lig::test;

namespace {

// All results of one state as a list.
template <class T>
std::vector<T> results(const std::shared_ptr<const Model>& model, const JointState<T>& state,
                       const std::vector<T>& ctrl) {
    Driven<T> here(model, state);
    std::vector<T> tau(model->nv, T(0)), qacc(model->nv), back(model->nv), act(model->na);
    add_smooth_forces<T>(state, *model, ctrl, here.drives, tau);
    next_activation<T>(state, *model, here.drives, 0.01, act);
    forward_dynamics<T>(state, tau, here.ws, here.drives, qacc);
    inverse_dynamics<T>(state, qacc, here.ws, here.drives, back);
    const Energy<T> e = energy(state, here.ws, here.drives);
    std::vector<T> all{e.kinetic, e.potential};
    const DriveWorkspace<T>& d = here.drives;
    const std::initializer_list<const std::vector<T>*> lists{
        &d.tendon_length, &d.tendon_velocity, &d.actuator_length, &d.actuator_velocity, &d.row_entries,
        &d.actuator_force, &d.act_dot, &d.joint_force, &tau, &qacc, &back, &act};
    for (const std::vector<T>* list : lists)
        all.insert(all.end(), list->begin(), list->end());
    return all;
}

}  // namespace

TEST_CASE_TEMPLATE("lanes of tendons and actuators are the scalar bits", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    for (const char* name : {"transmissions", "tendons", "actuators", "tendon_armature", "muscles"}) {
        CAPTURE(std::string(name));
        const DriveReference reference(name);
        const Model& model = *reference.model;
        Random random(11);
        const Workspace<double> ws(reference.model);
        JointState<T> lanes(model);
        std::vector<T> ctrl(model.nu);
        std::vector<std::vector<R>> wanted;
        for (int lane = 0; lane < lane_width<T>; ++lane) {
            std::vector<double> way(model.nv);
            for (double& x : way) x = random.uniform(-1, 1);
            // Some lanes go far: around the obstacles, out of the crank's reach.
            const JointState<double> at = moved(ws, reference.state, way, lane % 2 ? 1.5 : 0.1);
            JointState<R> one(model);
            for (int k = 0; k < model.nq; ++k) one.q[k] = R(at.q[k]);
            for (int k = 0; k < model.nv; ++k) one.v[k] = R(random.uniform(-1, 1));
            for (int k = 0; k < model.na; ++k) one.act[k] = R(random.uniform(-1, 1));
            std::vector<R> control(model.nu);
            for (int k = 0; k < model.nu; ++k) {
                control[k] = R(random.uniform(-1, 1));
                set_lane(ctrl[k], lane, control[k]);
            }
            set_lane(lanes, lane, one);
            wanted.push_back(results<R>(reference.model, one, control));
        }
        const std::vector<T> got = results<T>(reference.model, lanes, ctrl);
        int different = 0;
        for (int lane = 0; lane < lane_width<T>; ++lane)
            for (std::size_t k = 0; k < got.size(); ++k)
                different += !same_bits(get_lane(got[k], lane), wanted[lane][k]);
        CHECK(different == 0);
    }
}
