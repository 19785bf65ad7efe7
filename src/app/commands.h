#pragma once

// The commands, one line each: dispatch, the overview of --help and suggestions run over this list. A new
// command is one file with a function run_NAME and one line here.

#include "app/arguments.h"
#include "app/failure.h"

#include <string_view>

#define LIG_FOR_EACH_COMMAND(X)                                                       \
    X(info, "Shows what is in a model", "ligament info scenes/acrobat.xml")           \
    X(check, "Lists everything that is wrong, suspicious or unsupported in a model",  \
      "ligament check robot.urdf --strict")                                           \
    X(convert, "Writes a model as MJCF", "ligament convert scenes/arm.urdf arm.xml")  \
    X(generate, "Writes one of the benchmark scenes as a model",                      \
      "ligament generate pile pile.xml --count 100")                                  \
    X(forward, "Computes the accelerations of given states",                          \
      "ligament forward scenes/arm.urdf --state state.json")                          \
    X(inverse, "Computes the joint forces that cause given accelerations",            \
      "ligament inverse scenes/arm.urdf --state state.json")                          \
    X(run, "Simulates a model",                                                       \
      "ligament run scenes/character.xml --key tumble --out fall.csv --out fall.svg") \
    X(compare, "Simulates a scene in several ways and tells the differences",         \
      "ligament compare scenes/character.xml --key tumble --out report.html")         \
    X(replay, "Checks that a recording comes out again bit for bit, or converts it",  \
      "ligament replay fall.lrec --out fall.csv")                                     \
    X(clip, "Converts a motion clip of a model",                                      \
      "ligament clip scenes/character.xml scenes/motions/wave.bvh wave.csv")          \
    X(assemble, "Finds a pose in which all loops are closed",                         \
      "ligament assemble mechanism.xml --out assembled.xml")                          \
    X(contacts, "Shows where the geoms of a model touch in given states",             \
      "ligament contacts scenes/touching.xml --svg touching.svg")                     \
    X(bench, "Measures what papers claim", "ligament bench papers kokkevis --quick")  \
    X(list, "Lists what this build has", "ligament list joints")

namespace lig::app {

#define LIG_DECLARE_COMMAND(name, summary, example) Exit run_##name(Arguments& arguments);
LIG_FOR_EACH_COMMAND(LIG_DECLARE_COMMAND)
#undef LIG_DECLARE_COMMAND

struct Command {
    std::string_view name, summary, example;
    Exit (*run)(Arguments& arguments);
};

inline constexpr Command commands[] = {
#define LIG_COMMAND(name, summary, example) Command{#name, summary, example, run_##name},
    LIG_FOR_EACH_COMMAND(LIG_COMMAND)
#undef LIG_COMMAND
};

}  // namespace lig::app
