#pragma once

// Work shared among threads. What a loop body does must not depend on who runs it or in which order: then
// results are the same for any number of threads.

#include <functional>
#include <memory>

namespace lig {

class Parallel {
public:
    Parallel();
    Parallel(Parallel&&) noexcept;
    Parallel& operator=(Parallel&&) noexcept;
    ~Parallel();

    // How many threads run from now on, this one included; at least 1.
    void set_threads(int threads);
    int threads() const;

    // Calls body(begin, end, chunk, worker) for pieces of [0, count) of `grain` each (the last may be
    // shorter). Pieces are handed out in rising order; `chunk` is the number of the piece, `worker` in
    // [0, threads) who runs it. An exception of the body ends the loop and is thrown on.
    template <class Body>
    void for_chunks(int count, int grain, Body&& body) {
        if (count <= 0) return;
        if (threads() == 1 || count <= grain) {
            for (int begin = 0, chunk = 0; begin < count; begin += grain, ++chunk)
                body(begin, begin + grain < count ? begin + grain : count, chunk, 0);
            return;
        }
        // A reference: std::function would copy what a body captures to the heap.
        run(count, grain, std::ref(body));
    }

private:
    struct Pool;
    using Body = std::function<void(int, int, int, int)>;
    void run(int count, int grain, const Body& body);

    std::unique_ptr<Pool> pool_;
};

}  // namespace lig
