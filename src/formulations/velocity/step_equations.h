#pragma once

// What the parts of a velocity step hand on to each other.

#include "constraints/limit_rows.h"
#include "dynamics/joint_terms.h"

#include <ligament/model.h>

#include <vector>

namespace lig {

// What a velocity step of length h is to solve, M̂ (v⁺ − v) = x + Jᵀ λ, beside the rows of the context and
// the terms of the algebra. Written by StepAssembly.
struct StepEquations {
    explicit StepEquations(const Model& model) : x(model.nv), curvature(model.nv), driven(model.nv) {
        driven_terms.reserve(JointTerms(model).added.size());
    }

    std::vector<double> x;          // (nv) impulses of forces, h (τ − ½ c − h K v)
    std::vector<double> curvature;  // (nv) of x: what the curvature of coordinates takes, ½ h c or all of it
    bool whole_curvature = false;   // it is all of it: none is left for the end of the step
    // Links carry their momenta to where coordinates get to: no part of the curvature is a force.
    bool carries_momenta = false;
    // (from WarmStarts::limit(0) on) Limits that are held otherwise and get no rows; empty: none.
    std::vector<char> held_limits;
    // Equalities and contacts are asked for velocities that fit them as they are, not for those by which
    // coordinates will.
    bool ignores_row_curvature = false;
    bool pushed = false;      // links, by forces other than weight
    bool has_drives = false;  // of any kind; by themselves, for the ledger:
    std::vector<double> driven;        // (nv) of x, what drives have put there,
    std::vector<double> driven_terms;  // and of the algebra's terms.added
    int equalities_begin = 0;  // the first block of an equality
    int two_sided = 0;  // behind the last of those, of drives and tendons: what touches begins here
    // Where tendons with limits are at the beginning of the step; by how much the farthest is beyond, m.
    std::vector<TendonGaps> tendon_gaps;  // (tendons), empty where none has limits
    double tendons_beyond = 0;
    double constraints_beyond = 0;  // … of constraints that act on one side
};

// One problem of impulses: with the velocities b of the rows without them, as the rows want them to be 0, λ
// along the rows, and s, the change of all velocities by it in the algebra's coordinates.
struct Impulses {
    std::vector<double> b, lambda;  // (rows)
    std::vector<double> s;          // of the algebra

    void resize(std::size_t rows, std::size_t coordinates) {
        b.resize(rows);
        lambda.resize(rows);
        s.resize(coordinates);
    }
};

// How a sub-step is to be taken.
struct SubstepRules {
    bool last_try;        // it cannot be shorter
    bool may_be_pressed;  // it is not to be shorter for what it leads into
    bool watches_energy;  // impulses make its motion grow: its energy is looked at
};

enum class StepOutcome {
    moved,
    open,    // equalities could not be closed behind it: the state is as before
    astray,  // … not without pressing bodies into each other; or it leads into something or makes energy
    failed   // the report says why
};

}  // namespace lig
