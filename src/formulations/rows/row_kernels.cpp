#include "formulations/rows/row_kernels.h"

namespace lig {

const RowKernels& row_kernels() {
    static const RowKernels chosen = [] {
        RowKernels table{};
        const std::string_view name = active_instruction_set().name;
#define LIG_CHOOSE(isa) \
    if (name == #isa) isa::add_row_kernels(table);
        LIG_FOR_EACH_ISA(LIG_CHOOSE)
#undef LIG_CHOOSE
        return table;
    }();
    return chosen;
}

int count_path(const JointFactor::Link* links, int a, int b) {
    int count = 0;
    while (a >= 0 || b >= 0) {
        const int at = a > b ? a : b;
        count += links[at].nv;
        if (a == at) a = links[at].parent;
        if (b == at) b = links[at].parent;
    }
    return count;
}

}  // namespace lig
