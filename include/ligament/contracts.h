#pragma once

// Whether a constraint or a kind of body of a program's own is what it says: the same checks that the kinds
// of the library pass. For the tests of programs; in a simulation nothing of it runs.
//
//   CHECK(lig::contract_fault(MyConstraint(0.3)) == "");
//
// They answer what is wrong, for instance "row 2: dC/dt is 0.31 and J v + rate 0.29", or nothing. The states
// are random, of lengths about `size`. Those in which a constraint is not finite are left out, but one has to
// be finite in some.

#include <ligament/body_kind.h>
#include <ligament/group_constraint.h>
#include <ligament/pair_constraint.h>

#include <cstdint>
#include <string>

namespace lig {

struct ContractOptions {
    int states = 40;
    std::uint64_t seed = 1;
    double size = 1;          // m
    double tolerance = 1e-6;  // of what is compared, which differences give to some 1e-8
};

// The derivative of what a holonomic row states is J v + rate; that of J v + rate at constant velocities is
// the product; nonholonomic rows state no error; answers depend on the state alone.
std::string contract_fault(const PairConstraint& constraint, const ContractOptions& options = {});
std::string contract_fault(const GroupConstraint& constraint, const ContractOptions& options = {});

// The gradients are those of the modes, forces those of the energy, the stiffness that of the forces; damping
// and added mass are symmetric and not negative, mass integrals those of some mass; pushes are finite and the
// same each time. Shapes are random up to `size` in each coordinate.
std::string contract_fault(const ProgramBody& kind, const ContractOptions& options = {});

}  // namespace lig
