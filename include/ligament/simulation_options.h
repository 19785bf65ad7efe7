#pragma once

// What a simulation may be asked for. SimulationOptions holds what formulations share; each of the others
// holds what one formulation, or one kind of stepping, has for itself. What the chosen formulation does not
// have is refused by name.
//
// Each struct has the list of its options, for_each. Command line and help, recordings, the checks of ranges,
// refusals and the tables of docs/options.md walk over these lists: a new option is a member and a line here,
// and its use.

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace lig {

enum class Stepping {
    automatic,  // sub-steps as accuracy asks: smooth ones where nothing is touched, else velocity steps
    velocity,   // velocity steps of the given length, no more and no fewer
    event,      // from event to event: impacts, landings, ends of sliding are located; between them forces of
                // contacts, limits and friction go with the accelerations, in steps by their error
    smooth,     // the smooth integrator alone: contacts, limits and dry friction take no part
    crowd       // few sub-steps with few sweeps each, for many bodies in each other's way
};

// How several impacts at one instant are resolved.
enum class ImpactLaw {
    automatic,     // sequential where anything bounces, else simultaneous
    simultaneous,  // all at once: every contact leaves with its restitution times its own approach
    sequential     // pair of bodies by pair, the fastest first, until nothing approaches: what waves that run
                   // through bodies in turn do
};

// The law of sliding friction.
enum class FrictionLaw {
    cone,      // a circle: friction against the sliding, of the same strength in all directions
    six_rows,  // four directions and the slip: six conditions per contact, Kokkevis 2004 (19–21)
    tangent,   // one direction: against the sliding, or the last one, or one by chance: three conditions
    per_axis   // two directions, each by itself: a square around the circle
};

// Which unknowns smooth motion is integrated in.
enum class Coordinates {
    automatic,  // those of the formulation
    maximal,    // poses and velocities of bodies; joints hold by forces
    joint       // joints hold by themselves
};

// How equalities are kept closed where joints hold by forces.
enum class EqualityMethod {
    direct,       // together with the joints, by one factorization
    anticipation  // their forces come first, with what the joints will make of them: Baraff 1996, 8.1
};

// What forces do.
enum class Law {
    dynamic,   // they accelerate: mass times acceleration
    kinematic  // they move: mass times velocity, for what is dragged about
};

// Of motion where nothing is touched.
enum class SmoothIntegrator {
    automatic,  // that of the formulation
    euler,
    rk4,
    rk45,   // as in SmoothMethod
    rattle,  // second order, symplectic: joints and equalities hold at the end of each step in coordinates
             // and velocities
    backward_euler,  // implicit, first order: everything at the end of the step, stable however stiff
    bdf2             // the same of second order, by two steps back
};

// How limits, contacts and dry friction act.
enum class Touching {
    automatic,  // as the formulation has it
    hard,       // by impulses, which let nothing pass and nothing slide that should not
    penalty     // by stiff one-sided springs, implicit
};

// A constraint that gives a little: as a spring and damper of this frequency (hertz) and damping ratio
// between the two bodies it acts on.
struct Softening {
    double frequency, damping_ratio;
    bool operator==(const Softening&) const = default;
};

// The words for the values of an enumeration, in the order of the values.
inline constexpr std::string_view stepping_words[] = {"automatic", "velocity", "event", "smooth",
                                                      "crowd"};
inline constexpr std::string_view impact_words[] = {"automatic", "simultaneous", "sequential"};
inline constexpr std::string_view friction_words[] = {"cone", "six_rows", "tangent", "per_axis"};
inline constexpr std::string_view coordinates_words[] = {"automatic", "maximal", "joint"};
inline constexpr std::string_view equality_words[] = {"direct", "anticipation"};
inline constexpr std::string_view law_words[] = {"dynamic", "kinematic"};
inline constexpr std::string_view integrator_words[] = {"automatic", "euler", "rk4", "rk45",
                                                        "rattle", "backward-euler", "bdf2"};
inline constexpr std::string_view touching_words[] = {"automatic", "hard", "penalty"};

constexpr const auto& words_of(Stepping) { return stepping_words; }
constexpr const auto& words_of(ImpactLaw) { return impact_words; }
constexpr const auto& words_of(FrictionLaw) { return friction_words; }
constexpr const auto& words_of(Coordinates) { return coordinates_words; }
constexpr const auto& words_of(EqualityMethod) { return equality_words; }
constexpr const auto& words_of(Law) { return law_words; }
constexpr const auto& words_of(SmoothIntegrator) { return integrator_words; }
constexpr const auto& words_of(Touching) { return touching_words; }

template <class Value>
    requires std::is_enum_v<Value>
constexpr std::string_view word_of(Value value) {
    return words_of(value)[static_cast<std::size_t>(value)];
}

// The numbers that an option may be, all of them finite.
struct OptionRange {
    double least = 0, largest = std::numeric_limits<double>::max();
    bool above = false;  // more than `least`

    constexpr bool has(double x) const { return (above ? x > least : x >= least) && x <= largest; }
};
namespace option_ranges {
inline constexpr OptionRange from_0{}, from_1{1}, above_0{.above = true}, share{0, 1};
}

// Under which title of the help an option stands; `own`: that of its struct.
enum class OptionTopic {
    own,
    formulation,
    steps,
    contacts
};

// What another, shared option has to be for an option to mean anything.
struct OptionNeed {
    std::string_view option = "", word = "";
};

struct OptionInfo {
    std::string_view name;   // of the member
    std::string_view flag;   // of the command line; empty: it has none
    std::string_view value;  // what the flag takes; empty: nothing, the flag turns the default around
    std::string_view unit;
    OptionRange range;       // of numbers
    // What it is. "{}" stands for the words that it may be; that of a switch says what is done when it is on.
    std::string_view sentence;
    std::string_view by_default = "";  // what the default means, where the value alone does not say it
    OptionTopic topic = OptionTopic::own;
    OptionNeed needs = {};
};

// Lists of entries, each in lines as it reads best.
// clang-format off

// Of `multiplier`: docs/multiplier.md.
struct MultiplierOptions {
    EqualityMethod equalities = EqualityMethod::direct;
    Law law = Law::dynamic;
    double baumgarte = 0;

    template <class Visit>
    static constexpr void for_each(Visit&& visit) {
        using namespace option_ranges;
        visit(&MultiplierOptions::equalities,
              OptionInfo{"equalities", "--loops", "METHOD", "", {},
                         "how loops and other equalities hold beside joints: {}"});
        visit(&MultiplierOptions::law,
              OptionInfo{"law", "--law", "NAME", "", {},
                         "what forces do: dynamic, they accelerate, or kinematic, they move"});
        visit(&MultiplierOptions::baumgarte,
              OptionInfo{"baumgarte", "--baumgarte", "RATE", "1/s", from_0,
                         "rate at which forces let errors of joints decay; not with rattle",
                         "they are projected away"});
    }
};

// Of `implicit`: docs/implicit.md.
struct ImplicitOptions {
    int newton = 0;
    bool geometric_stiffness = true;
    double penalty_frequency = 100, penalty_dissipation = 1;

    template <class Visit>
    static constexpr void for_each(Visit&& visit) {
        using namespace option_ranges;
        visit(&ImplicitOptions::newton,
              OptionInfo{"newton", "--newton", "COUNT", "", from_0,
                         "iterations of a step, no more and no fewer", "until they converge"});
        visit(&ImplicitOptions::geometric_stiffness,
              OptionInfo{"geometric_stiffness", "--no-geometric-stiffness", "", "", {},
                         "count how forces of joints turn with their bodies"});
        visit(&ImplicitOptions::penalty_frequency,
              OptionInfo{"penalty_frequency", "--penalty-frequency", "HERTZ", "Hz", above_0,
                         "stiffness of penalties, as the frequency of what rests on one"});
        visit(&ImplicitOptions::penalty_dissipation,
              OptionInfo{"penalty_dissipation", "--penalty-dissipation", "NUMBER", "s/m, s/rad", from_0,
                         "how much less a penalty pushes what moves away than what approaches"});
    }
};

// Of Stepping::event: docs/event-stepping.md.
struct EventOptions {
    int max_events = 400;

    template <class Visit>
    static constexpr void for_each(Visit&& visit) {
        using namespace option_ranges;
        visit(&EventOptions::max_events,
              OptionInfo{"max_events", "--max-events", "COUNT", "", from_1,
                         "events of one step, at most; velocity steps make the rest of it", "",
                         OptionTopic::own, {"stepping", "event"}});
    }
};

// Of `impulse`: docs/impulse.md.
struct ImpulseOptions {
    int substeps = 0;
    bool sleeping = false;
    bool warm_starting = true;
    double bias_factor = 0.2;
    double slop = 1e-4;
    double least_impulse = 0;
    Softening contacts{30, 10};
    Softening joints{60, 5};
    bool accumulated_clamping = true;

    template <class Visit>
    static constexpr void for_each(Visit&& visit) {
        using namespace option_ranges;
        constexpr OptionTopic own = OptionTopic::own;
        visit(&ImpulseOptions::substeps,
              OptionInfo{"substeps", "--substeps", "COUNT", "", from_0, "sub-steps of a step",
                         "the solver's own, or as many as the motion needs"});
        visit(&ImpulseOptions::sleeping,
              OptionInfo{"sleeping", "--sleep", "", "", {}, "leave islands alone that have come to rest"});
        visit(&ImpulseOptions::warm_starting,
              OptionInfo{"warm_starting", "--no-warm-starting", "", "", {},
                         "begin each step with the impulses of the last"});
        visit(&ImpulseOptions::bias_factor,
              OptionInfo{"bias_factor", "--bias-factor", "SHARE", "", share,
                         "share of an error that a step removes", "", own, {"solver", "classic"}});
        visit(&ImpulseOptions::slop,
              OptionInfo{"slop", "--slop", "METRES", "m, rad", from_0,
                         "how far contacts and limits may be passed"});
        visit(&ImpulseOptions::least_impulse,
              OptionInfo{"least_impulse", "--least-impulse", "NUMBER", "N·s, N·m·s", from_0,
                         "sweeps end when no corrective impulse is larger"});
        visit(&ImpulseOptions::contacts,
              OptionInfo{"contacts", "--contact-give", "HERTZ,RATIO", "Hz, 1", {},
                         "frequency and damping ratio of contacts", "", own, {"solver", "soft-step"}});
        visit(&ImpulseOptions::joints,
              OptionInfo{"joints", "--joint-give", "HERTZ,RATIO", "Hz, 1", {},
                         "frequency and damping ratio of joints", "", own, {"solver", "soft-step"}});
        visit(&ImpulseOptions::accumulated_clamping,
              OptionInfo{"accumulated_clamping", "--increment-clamping", "", "", {},
                         "clamp the sum of corrective impulses; clamping each of them is wrong, and here "
                         "to show it"});
    }
};

// What formulations share.
struct SimulationOptions {
    std::string formulation = "reduced";
    Coordinates coordinates = Coordinates::automatic;
    Stepping stepping = Stepping::automatic;
    ImpactLaw impact = ImpactLaw::automatic;
    FrictionLaw friction = FrictionLaw::cone;
    unsigned seed = 0;
    SmoothIntegrator integrator = SmoothIntegrator::automatic;
    double tolerance = 1e-7;
    Touching touching = Touching::automatic;
    int max_substeps = 20000;
    std::string solver = "automatic";
    int iterations = 0;
    double accuracy = 1e-6;
    double energy_guard = 0.01;
    bool momentum_ledger = false;
    int threads = 1;
    bool timed = false;
    MultiplierOptions multiplier{};
    ImplicitOptions implicit{};
    EventOptions event{};
    ImpulseOptions impulse{};

    template <class Visit>
    static constexpr void for_each(Visit&& visit) {
        using namespace option_ranges;
        using enum OptionTopic;
        visit(&SimulationOptions::formulation,
              OptionInfo{"formulation", "--formulation", "NAME", "", {},
                         "one of 'ligament list formulations'", "", OptionTopic::formulation});
        visit(&SimulationOptions::coordinates,
              OptionInfo{"coordinates", "--coordinates", "NAME", "", {}, "of smooth motion: {}",
                         "the formulation's", OptionTopic::formulation});
        visit(&SimulationOptions::stepping,
              OptionInfo{"stepping", "--stepping", "NAME", "", {}, "how steps are divided: {}",
                         "on the command line what the integrator asks for", steps});
        visit(&SimulationOptions::integrator,
              OptionInfo{"integrator", "--integrator", "NAME", "", {}, "where nothing is touched: {}",
                         "the formulation's", steps});
        visit(&SimulationOptions::tolerance,
              OptionInfo{"tolerance", "--tolerance", "NUMBER", "", above_0, "relative error of a smooth step",
                         "on the command line 1e-9 with --integrator rk45", steps});
        visit(&SimulationOptions::max_substeps,
              OptionInfo{"max_substeps", "", "", "", from_1, "sub-steps of one step, at most"});
        visit(&SimulationOptions::energy_guard,
              OptionInfo{"energy_guard", "--energy-guard", "SHARE", "", from_0,
                         "share of the energy in motion that the method may make before steps are taken "
                         "again, then slowed down; 0 or off: anything", "", steps});
        visit(&SimulationOptions::threads,
              OptionInfo{"threads", "--threads", "COUNT", "", from_1,
                         "threads to compute with; results do not depend on it", "", steps});
        visit(&SimulationOptions::seed,
              OptionInfo{"seed", "--seed", "NUMBER", "", from_0, "of random directions",
                         "", steps, {"friction", "tangent"}});
        visit(&SimulationOptions::touching,
              OptionInfo{"touching", "--touching", "WAY", "", {}, "how limits and contacts act: {}",
                         "hard unless there are bushings", contacts});
        visit(&SimulationOptions::impact,
              OptionInfo{"impact", "--impact", "LAW", "", {}, "of several impacts at once: {}",
                         "sequential where anything bounces", contacts});
        visit(&SimulationOptions::friction,
              OptionInfo{"friction", "--friction", "LAW", "", {},
                         "of sliding: {}; six_rows and tangent by the solver lemke", "", contacts});
        visit(&SimulationOptions::solver,
              OptionInfo{"solver", "--solver", "NAME", "", {}, "of impulses: {}", "the formulation's",
                         contacts});
        visit(&SimulationOptions::iterations,
              OptionInfo{"iterations", "--iterations", "COUNT", "", from_0, "of the solver, at most",
                         "its own limit", contacts});
        visit(&SimulationOptions::accuracy,
              OptionInfo{"accuracy", "", "", "m/s, rad/s", above_0,
                         "velocity errors of rows below this are as good as none"});
        visit(&SimulationOptions::momentum_ledger,
              OptionInfo{"momentum_ledger", "", "", "", {},
                         "fill StepReport::momentum; not under the kinematic law"});
        visit(&SimulationOptions::timed,
              OptionInfo{"timed", "", "", "", {}, "fill StepReport::seconds"});
    }
};

// clang-format on

// The structs one by one: visit(name, options), the name that of the member; "": what is shared.
template <class Options, class Visit>
constexpr void for_each_option_struct(Options& o, Visit&& visit) {
    visit(std::string_view(), o);
    visit(std::string_view("multiplier"), o.multiplier);
    visit(std::string_view("implicit"), o.implicit);
    visit(std::string_view("event"), o.event);
    visit(std::string_view("impulse"), o.impulse);
}

// All options: visit(owner, value, default, info), the owner as above.
template <class Options, class Visit>
constexpr void for_all_options(Options& o, Visit&& visit) {
    for_each_option_struct(o, [&](std::string_view owner, auto& options) {
        using Struct = std::remove_cvref_t<decltype(options)>;
        const Struct defaults{};
        Struct::for_each([&](auto member, const OptionInfo& info) {
            visit(owner, options.*member, defaults.*member, info);
        });
    });
}

}  // namespace lig
