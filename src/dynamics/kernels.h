#pragma once

// The joint-space recursions as tables of functions, one table per instruction set. The files *.kernel.cpp
// are compiled once per instruction set; dispatch.cpp picks the best table that the machine can run. Kernels
// see raw pointers only: a library template that a kernel file left behind as a weak symbol could be picked
// by the linker for code that must run on any machine (the test `kernel_symbols` looks for such symbols).

#include <ligament/workspace.h>

#include <span>
#include <string_view>

namespace lig {

template <class R>
struct TreeView {
    const TreeLink<R>* links;
    const TreeJoint<R>* joints;
    const R* armature;  // (nv)
    const int* angle_adr;
    const R* angle_reference;
    int nlink, njoint, nangle, nq, nv;
};

template <class T>
struct WorkView {
    const BaseWork<T>* bases;
    LinkWork<T>* links;
    BranchWork<T>* branches;
    DofWork<T>* dofs;
    Motion<T>* S;
    T* sine;
    T* cosine;
    PoseWork<T>* poses;
    const Force<T>* f_ext;  // null: no external forces
};

template <class T>
struct Kernels {
    using View = TreeView<real_t<T>>;
    void (*aba)(const View&, const WorkView<T>&, const T* q, const T* v, const T* tau, T* qacc);
    void (*rnea)(const View&, const WorkView<T>&, const T* q, const T* v, const T* qacc, T* tau);
    void (*crba)(const View&, const WorkView<T>&, const T* q, T* M);
    void (*kinematics)(const View&, const WorkView<T>&, const T* q, const T* v);
    void (*integrate)(const View&, const T* q, const T* v, const T* h, T* q_out);
    void (*difference)(const View&, const T* q0, const T* q1, T* v_out);
};

struct KernelTable {
    Kernels<double> of_double;
    Kernels<float> of_float;
    Kernels<Lanes4d> of_lanes4d;
    Kernels<Lanes8d> of_lanes8d;
    Kernels<Lanes8f> of_lanes8f;
    Kernels<Lanes16f> of_lanes16f;
};

template <class T>
LIG_INLINE Kernels<T>& kernels_in(KernelTable& table) {
    if constexpr (std::is_same_v<T, double>)
        return table.of_double;
    else if constexpr (std::is_same_v<T, float>)
        return table.of_float;
    else if constexpr (std::is_same_v<T, Lanes4d>)
        return table.of_lanes4d;
    else if constexpr (std::is_same_v<T, Lanes8d>)
        return table.of_lanes8d;
    else if constexpr (std::is_same_v<T, Lanes8f>)
        return table.of_lanes8f;
    else
        return table.of_lanes16f;
}

// The instruction sets that kernels are built for, weakest first. The one list.
#if defined(LIG_HAVE_X86_ISAS)
#define LIG_FOR_EACH_ISA(X) X(baseline) X(avx2) X(avx512)
#else
#define LIG_FOR_EACH_ISA(X) X(baseline)
#endif

#define LIG_DECLARE_KERNELS(isa)             \
    namespace isa {                          \
    void add_aba(KernelTable& table);        \
    void add_rnea(KernelTable& table);       \
    void add_crba(KernelTable& table);       \
    void add_kinematics(KernelTable& table); \
    }
LIG_FOR_EACH_ISA(LIG_DECLARE_KERNELS)
#undef LIG_DECLARE_KERNELS

struct InstructionSet {
    std::string_view name;
    bool runs_here;
    const KernelTable* kernels;
};

// All that this library was built with, weakest first.
std::span<const InstructionSet> instruction_sets();
// The one in use: the strongest that runs here, or the one named by the environment variable LIGAMENT_ISA.
// Throws std::runtime_error, listing the choices, when that name is unknown or does not run here.
const InstructionSet& active_instruction_set();

template <class T>
const Kernels<T>& kernels() {
    return kernels_in<T>(const_cast<KernelTable&>(*active_instruction_set().kernels));
}

}  // namespace lig
