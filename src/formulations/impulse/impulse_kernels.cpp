#include "formulations/impulse/impulse_kernels.h"

namespace lig::impulse {

const ImpulseKernels& impulse_kernels() {
    static const ImpulseKernels chosen = [] {
        ImpulseKernels table{};
        const std::string_view name = active_instruction_set().name;
#define LIG_CHOOSE(isa)                  \
    if (name == #isa) {                  \
        isa::add_joint_kernels(table);   \
        isa::add_limit_kernels(table);   \
        isa::add_contact_kernels(table); \
        isa::add_motion_kernels(table);  \
    }
        LIG_FOR_EACH_ISA(LIG_CHOOSE)
#undef LIG_CHOOSE
        return table;
    }();
    return chosen;
}

}  // namespace lig::impulse
