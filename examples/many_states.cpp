// Accelerations of many states of one model: four at a time in the lanes of a register, on two threads.

#include <ligament/dynamics.h>
#include <ligament/load.h>

#include <cstdio>
#include <thread>
#include <vector>

using Lanes = lig::Lanes4d;

int main() {
    lig::Diagnostics log;
    const auto model = lig::compile(lig::load_scene("scenes/arm.urdf", {}, log), log);
    const int lift = model->joints[model->find_joint("shoulder_lift")].q_adr;

    std::vector<double> result(64);  // of the shoulder, for 64 angles
    const auto compute = [&](int begin, int end) {
        lig::Workspace<Lanes> ws(model);  // a workspace is of one thread, the model of all
        lig::JointState<Lanes> state(*model);
        const std::vector<Lanes> tau(model->nv, Lanes(0.0));
        std::vector<Lanes> qacc(model->nv);
        for (int i = begin; i < end; i += Lanes::width) {
            for (int lane = 0; lane < Lanes::width; ++lane) state.q[lift].set(lane, 0.02 * (i + lane));
            lig::forward_dynamics<Lanes>(state, tau, ws, qacc);
            for (int lane = 0; lane < Lanes::width; ++lane) result[i + lane] = qacc[lift][lane];
        }
    };
    std::thread other(compute, 32, 64);
    compute(0, 32);
    other.join();
    std::printf("shoulder_lift at 0.5 rad: %.5f rad/s² (%s)\n", result[25],
                std::string(lig::instruction_set_name()).c_str());
}
