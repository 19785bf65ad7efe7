#include "linalg/block_ldlt_kernels.h"

namespace lig {

const BlockLdltKernels& block_ldlt_kernels() {
    static const BlockLdltKernels chosen = [] {
        BlockLdltKernels table{};
        const std::string_view name = active_instruction_set().name;
#define LIG_CHOOSE(isa) \
    if (name == #isa) isa::add_block_ldlt_kernels(table);
        LIG_FOR_EACH_ISA(LIG_CHOOSE)
#undef LIG_CHOOSE
        return table;
    }();
    return chosen;
}

}  // namespace lig
