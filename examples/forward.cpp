// Accelerations of an arm that is let go with a bent shoulder, and where its tool is.

#include <ligament/dynamics.h>
#include <ligament/load.h>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) try {
    lig::Diagnostics log;
    const lig::Scene scene = lig::load_scene(argc > 1 ? argv[1] : "scenes/arm.urdf", {}, log);
    const auto model = lig::compile(scene, log);  // immutable, share it between threads
    lig::Workspace<double> ws(model);             // one per thread
    lig::JointState<double> state(*model);        // the reference configuration at rest
    state.q[model->joints[model->find_joint("shoulder_lift")].q_adr] = 0.5;

    std::vector<double> tau(model->nv, 0.0), qacc(model->nv);
    lig::add_damping_forces<double>(state, *model, tau);
    lig::forward_dynamics<double>(state, tau, ws, qacc);
    for (const lig::Model::Joint& joint : model->joints)
        std::printf("%-14s %10.5f\n", joint.name.c_str(), qacc[joint.v_adr]);

    lig::forward_kinematics(state, ws);
    const auto tool = lig::body_pose(ws, model->find_body("tool"));
    std::printf("tool at %.4f %.4f %.4f\n", tool.p.x, tool.p.y, tool.p.z);
} catch (const lig::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
