#include "support/joint_results.h"

using namespace lig;
using namespace lig::test;

TEST_CASE("joints: float agrees with double") {
    const auto of_double = joint_table<double>();
    const auto of_float = joint_table<float>();
    for (std::size_t j = 0; j < of_double.size(); ++j) {
        CAPTURE(std::string(of_double[j].info.name));
        Random random(70 + j);
        for (int trial = 0; trial < 20; ++trial) {
            const Inputs in = random_inputs(random, of_double[j].info);
            Scalars<double> wide(in);
            Scalars<float> narrow(in);
            wide.set(0, in);
            narrow.set(0, in);
            const std::vector<double> exact = wide.run(of_double[j]);
            const std::vector<float> rounded = narrow.run(of_float[j]);
            REQUIRE(exact.size() == rounded.size());
            // A few roundings of 6e-8 on numbers up to ten, divided by the angles (above 0.1 here) of
            // difference.
            double worst = 0;
            for (std::size_t k = 0; k < exact.size(); ++k)
                worst = std::max(worst, std::abs(exact[k] - rounded[k]));
            CHECK(worst < 2e-5);
        }
    }
}
