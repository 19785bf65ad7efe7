#pragma once

// Random scenes from seed 0 on, judged one by one: what survey_test and survey_long_test share.

#include "support/passive_run.h"
#include "support/random_model.h"

#include <doctest/doctest.h>

#include <array>
#include <initializer_list>
#include <string>

namespace lig::test {

using VerdictCounts = std::array<int, verdicts>;

// Runs `seeds` scenes for a second each, under both formulations that promise their energy, in steps of
// 1/rate. None may make energy or leave the numbers; `check_more` sees the counts besides.
template <class Check>
void survey(int seeds, std::initializer_list<int> rates, Check&& check_more) {
    for (const std::string formulation : {"reduced", "multiplier"})
        for (const int rate : rates) {
            CAPTURE(formulation);
            CAPTURE(rate);
            VerdictCounts counts{};
            std::string not_true;
            for (int seed = 0; seed < seeds; ++seed) {
                SimulationOptions options;
                options.formulation = formulation;
                const PassiveRun run = run_passive(random_model(seed), options, 1.0 / rate, 1);
                ++counts[static_cast<int>(run.verdict)];
                if (run.verdict != Verdict::ok)
                    not_true += ' ' + std::to_string(seed) + ' ' + name_of(run.verdict);
            }
            MESSAGE(formulation, " 1/", rate, ": ", counts[0], " true;", not_true);
            CHECK(counts[static_cast<int>(Verdict::energy)] == 0);
            CHECK(counts[static_cast<int>(Verdict::non_finite)] == 0);
            check_more(counts);
        }
}

}  // namespace lig::test
