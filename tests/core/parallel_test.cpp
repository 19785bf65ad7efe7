#include "core/parallel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

using namespace lig;

TEST_CASE("every piece runs once, whatever the number of threads") {
    Parallel parallel;
    for (const int threads : {1, 2, 3, 8, 1}) {
        parallel.set_threads(threads);
        CHECK(parallel.threads() == threads);
        for (const int count : {0, 1, 7, 64, 65, 1000}) {
            CAPTURE(count);
            std::vector<std::atomic<int>> runs(count);
            std::atomic<bool> sound{true};
            parallel.for_chunks(count, 8, [&](int begin, int end, int chunk, int worker) {
                if (begin != 8 * chunk || end > count || end <= begin || worker < 0 || worker >= threads)
                    sound = false;
                for (int k = begin; k < end; ++k) ++runs[k];
            });
            CHECK(sound);
            for (const auto& times : runs) REQUIRE(times == 1);
        }
    }
}

TEST_CASE("a worker sees its pieces in rising order") {
    Parallel parallel;
    parallel.set_threads(3);
    std::vector<int> last(3, -1);
    std::atomic<bool> rising{true};
    parallel.for_chunks(5000, 1, [&](int, int, int chunk, int worker) {
        if (chunk <= last[worker]) rising = false;
        last[worker] = chunk;
    });
    CHECK(rising);
}

TEST_CASE("what a body throws reaches the caller, and the next loop runs") {
    Parallel parallel;
    for (const int threads : {1, 4}) {
        parallel.set_threads(threads);
        const auto loop = [&] {
            parallel.for_chunks(100, 1, [](int begin, int, int, int) {
                if (begin == 50) throw std::runtime_error("fifty");
            });
        };
        CHECK_THROWS_WITH_AS(loop(), "fifty", std::runtime_error);
        std::atomic<int> runs{0};
        parallel.for_chunks(100, 1, [&](int, int, int, int) { ++runs; });
        CHECK(runs == 100);
    }
}

TEST_CASE("fewer threads than one are one") {
    Parallel parallel;
    parallel.set_threads(-3);
    CHECK(parallel.threads() == 1);
}
