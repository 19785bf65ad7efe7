#pragma once

// The commands: dispatch, the overview of --help, suggestions and completion run over this list. A new
// command is one file with a function run_NAME and its lines here: name, summary, and examples, a line each.

#include "app/arguments.h"
#include "app/failure.h"

#include <string_view>

#define LIG_FOR_EACH_COMMAND(X)                                                                      \
    X(info, "Shows what is in a model",                                                              \
      "ligament info scenes/acrobat.xml\n"                                                           \
      "ligament info scenes/arm.urdf --base free --json")                                            \
    X(check, "Lists everything that is wrong, suspicious or unsupported in a model",                 \
      "ligament check scenes/arm.urdf\n"                                                             \
      "ligament check scenes/character.xml --strict --json")                                         \
    X(convert, "Writes a model as MJCF",                                                             \
      "ligament convert scenes/arm.urdf arm.xml\n"                                                   \
      "ligament convert scenes/arm.urdf - | ligament info -")                                        \
    X(generate, "Writes one of the benchmark scenes as a model",                                     \
      "ligament generate pile pile.xml --count 10\n"                                                 \
      "ligament generate chain - --count 50 | ligament run - --duration 0.1")                        \
    X(forward, "Computes the accelerations of given states",                                         \
      "ligament forward scenes/arm.urdf --disable contact\n"                                         \
      "ligament forward scenes/arm.urdf --state state.json --disable contact --json\n"               \
      "ligament forward scenes/acrobat.xml --key stand --disable contact --mass-matrix")             \
    X(inverse, "Computes the joint forces that cause given accelerations",                           \
      "ligament inverse scenes/arm.urdf --disable contact\n"                                         \
      "ligament inverse scenes/arm.urdf --state state.json --disable contact --json")                \
    X(run, "Simulates a model",                                                                      \
      "ligament run scenes/character.xml --key tumble --duration 3 --out fall.lrec --out fall.svg\n" \
      "ligament run scenes/four_bar.xml --formulation multiplier --dt 0.005 --duration 2\n"          \
      "ligament run scenes/falling_box.xml --out - --every 0.1 | head")                              \
    X(compare, "Simulates a scene in several ways and tells the differences",                        \
      "ligament compare scenes/character.xml --key tumble --duration 3 --out report.html\n"          \
      "ligament compare scenes/coin.xml --key round --duration 1 --dt 1/100,1/200\n"                 \
      "ligament compare scenes/four_bar.xml --formulations reduced,multiplier:rk4 --duration 1")     \
    X(replay, "Checks that a recording comes out again bit for bit, or converts it",                 \
      "ligament replay fall.lrec\n"                                                                  \
      "ligament replay fall.lrec --out fall.csv --out fall.glb\n"                                    \
      "ligament replay fall.lrec --info")                                                            \
    X(clip, "Converts a motion clip of a model",                                                     \
      "ligament clip scenes/character.xml scenes/motions/wave.bvh wave.csv\n"                        \
      "ligament clip scenes/character.xml scenes/motions/wave.bvh - --every 0.1")                    \
    X(assemble, "Finds a pose in which all equalities are closed",                                   \
      "ligament assemble scenes/four_bar.xml\n"                                                      \
      "ligament assemble scenes/assembly.xml --out assembled.xml")                                   \
    X(contacts, "Shows where the geoms of a model touch in given states",                            \
      "ligament contacts scenes/touching.xml --svg touching.svg\n"                                   \
      "ligament contacts scenes/acrobat.xml --key stand --json")                                     \
    X(gallery, "Shows the scenes that are shipped",                                                  \
      "ligament gallery excavator\n"                                                                 \
      "ligament gallery --json")                                                                     \
    X(bench, "Measures what papers claim",                                                           \
      "ligament bench --list\n"                                                                      \
      "ligament bench papers kokkevis --quick")                                                      \
    X(list, "Lists what this build has",                                                             \
      "ligament list formulations\n"                                                                 \
      "ligament list joints --json")                                                                 \
    X(completion, "Prints what makes a shell complete commands, options and values",                 \
      "source <(ligament completion bash)")

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
