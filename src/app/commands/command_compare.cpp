// Simulates a scene in several ways and tells the differences: formulations, integrators and steps.

#include "app/commands.h"
#include "app/compare/comparison.h"
#include "app/compare/comparison_files.h"
#include "app/compare/comparison_output.h"

#include <fmt/format.h>

#include <algorithm>

namespace lig::app {

Exit run_compare(Arguments& arguments) {
    CompareOptions options;
    options.declare(arguments);
    if (!arguments.parse()) return Exit::ok;

    const DynamicsJob job = prepare_to_run(options.run.job);
    ComparisonFiles files(options.out, job, options.run.job.model.path, arguments.command_line());
    const Comparison comparison = compare(options, job, files.watch());
    files.write(comparison);
    if (options.run.job.json) {
        print_json(comparison_json(comparison, options.run.job.model.path));
    } else {
        print_comparison(comparison);
        for (const std::string& path : options.out) fmt::print("written: {}\n", path);
    }
    if (comparison.interrupted)
        throw Failure(Exit::interrupted, "ligament compare: interrupted; what was done until then is told");
    const auto failed = std::ranges::count_if(comparison.runs, [](const ComparedRun& run) {
        return run.status != "ok";
    });
    if (failed > 0)
        throw Failure(Exit::simulation,
                      fmt::format("ligament compare: {} of {} runs did not go well; 'ligament run' with that "
                                  "formulation and step says what to try",
                                  failed, comparison.runs.size()));
    if (comparison.runs.empty())
        throw Failure(Exit::unsupported, "ligament compare: nothing could be run");
    return Exit::ok;
}

}  // namespace lig::app
