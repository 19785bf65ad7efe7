#pragma once

// What a formulation can do, in one table beside its class. FormulationInfo::find_unsupported asks it, for
// the library, the command line and bindings alike; there is no other list of what is refused.

#include "formulations/impulse_solvers.h"

#include <ligament/model.h>
#include <ligament/simulation_options.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lig::formulations {

// What a model may hold that not every formulation has.
enum class Feature {
    tendon_inertia,
    massless_bodies,
    deforming_bodies,
    deforming_contacts
};
inline constexpr Feature all_features[] = {Feature::tendon_inertia, Feature::massless_bodies,
                                           Feature::deforming_bodies, Feature::deforming_contacts};

struct Unsupported {
    enum class Kind {
        model,         // the formulation does not have what the model holds
        option,        // … or an option
        contradiction  // options that exclude each other
    };
    Kind kind;
    std::string text;  // a sentence without its end: what it is, and what to do
    SourceLocation where = {};  // of what the model holds
};

// A set of values of an enumeration.
template <class Value>
class Choices {
public:
    constexpr Choices(std::initializer_list<Value> values) {
        for (const Value value : values) bits_ |= 1u << static_cast<unsigned>(value);
    }
    constexpr bool has(Value value) const { return bits_ >> static_cast<unsigned>(value) & 1u; }

private:
    unsigned bits_ = 0;
};

struct Capabilities {
    Choices<Feature> lacks;
    Choices<Coordinates> coordinates;
    Choices<Stepping> stepping;
    Choices<SmoothIntegrator> integrator;
    Choices<Touching> touching{Touching::automatic, Touching::hard};
    Choices<ImpactLaw> impact{ImpactLaw::automatic, ImpactLaw::simultaneous, ImpactLaw::sequential};
    Choices<FrictionLaw> friction{FrictionLaw::cone, FrictionLaw::six_rows, FrictionLaw::tangent};
    SolverFamily solvers = SolverFamily::rows;
    std::string_view own_options;  // the member of SimulationOptions that it has for itself
    std::span<const std::string_view> unused = {};  // shared options that mean nothing to it
    bool on_bodies = true;     // its unknowns are motions of bodies
    bool holds_equalities = true;  // … in every step; false: equalities pull what they hold over some steps
    bool leaves_slop = false;  // ImpulseOptions::slop
    bool takes_any_stiffness = false;
    std::string_view smooth_steps;  // what it does where nothing is touched, in words
    // Combinations that it does not have.
    std::optional<Unsupported> (*find_excluded)(const Model& model,
                                                const SimulationOptions& options) = nullptr;
};

// The first of these that the model holds, in words ("inertia of tendons, as 'rope' has it").
std::optional<Unsupported> find_feature(const Model& model, const Choices<Feature>& features);
// The first constraint whose forces have bounds, which steps `with` something do not have.
std::optional<Unsupported> find_bounded_force(const Model& model, std::string_view with);
// The first loop, coupling or other equality, which steps `with` something do not have.
std::optional<Unsupported> find_equality(const Model& model, std::string_view with);
// What the matrix of bodies and joints (maximal/) does not have. Throws std::invalid_argument, naming it.
inline constexpr Choices<Feature> not_on_bodies{Feature::tendon_inertia, Feature::massless_bodies};
void require_without(const Choices<Feature>& features, const Model& model);

// "implicit.newton (--newton)"; the owner as in for_all_options.
std::string option_text(std::string_view owner, const OptionInfo& info);

}  // namespace lig::formulations
