#include "dynamics/kernels.h"

#include <ligament/dynamics.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace lig {

namespace {

#define LIG_BUILD_TABLE(isa)        \
    KernelTable build_##isa() {     \
        KernelTable table{};        \
        isa::add_aba(table);        \
        isa::add_rnea(table);       \
        isa::add_crba(table);       \
        isa::add_kinematics(table); \
        return table;               \
    }
LIG_FOR_EACH_ISA(LIG_BUILD_TABLE)
#undef LIG_BUILD_TABLE

bool runs_baseline() { return true; }
#if defined(LIG_HAVE_X86_ISAS)
bool runs_avx2() { return __builtin_cpu_supports("avx2"); }
bool runs_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

const InstructionSet& choose() {
    const std::span<const InstructionSet> all = instruction_sets();
    const char* wanted = std::getenv("LIGAMENT_ISA");
    const InstructionSet* best = nullptr;
    std::string names;
    for (const InstructionSet& set : all) {
        if (!set.runs_here) continue;
        names += (names.empty() ? "" : ", ") + std::string(set.name);
        if (!wanted || set.name == wanted) best = &set;
    }
    if (!best)
        throw std::runtime_error(
            "LIGAMENT_ISA=" + std::string(wanted) +
            " is not an instruction set that this build has and this machine runs; choose one of " + names +
            " or unset the variable");
    return *best;
}

}  // namespace

std::span<const InstructionSet> instruction_sets() {
#define LIG_TABLE(isa) static const KernelTable table_##isa = build_##isa();
    LIG_FOR_EACH_ISA(LIG_TABLE)
#undef LIG_TABLE
    static const InstructionSet sets[] = {
#define LIG_SET(isa) InstructionSet{#isa, runs_##isa(), &table_##isa},
        LIG_FOR_EACH_ISA(LIG_SET)
#undef LIG_SET
    };
    return sets;
}

const InstructionSet& active_instruction_set() {
    static const InstructionSet& chosen = choose();
    return chosen;
}

std::string_view instruction_set_name() { return active_instruction_set().name; }

}  // namespace lig
