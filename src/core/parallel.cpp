#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace lig {

// Threads that wait for loops. A loop has a number; a thread that sees a new number takes part in it.
struct Parallel::Pool {
    explicit Pool(int threads) {
        for (int worker = 1; worker < threads; ++worker)
            threads_.emplace_back([this, worker] { wait_for_loops(worker); });
    }
    ~Pool() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        begin_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    int size() const { return static_cast<int>(threads_.size()) + 1; }

    void run(int count, int grain, const Body& body) {
        {
            const std::lock_guard lock(mutex_);
            count_ = count;
            grain_ = grain;
            body_ = &body;
            next_chunk_.store(0, std::memory_order_relaxed);
            running_ = static_cast<int>(threads_.size());
            error_ = nullptr;
            ++loop_;
        }
        begin_.notify_all();
        take_part(0);
        std::unique_lock lock(mutex_);
        done_.wait(lock, [this] { return running_ == 0; });
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

private:
    void wait_for_loops(int worker) {
        unsigned seen = 0;
        for (;;) {
            {
                std::unique_lock lock(mutex_);
                begin_.wait(lock, [&] { return ending_ || loop_ != seen; });
                if (ending_) return;
                seen = loop_;
            }
            take_part(worker);
            const std::lock_guard lock(mutex_);
            if (--running_ == 0) done_.notify_one();
        }
    }

    void take_part(int worker) {
        const int chunks = (count_ + grain_ - 1) / grain_;
        try {
            for (;;) {
                const int chunk = next_chunk_.fetch_add(1, std::memory_order_relaxed);
                if (chunk >= chunks) return;
                const int begin = chunk * grain_;
                (*body_)(begin, std::min(begin + grain_, count_), chunk, worker);
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
            next_chunk_.store(chunks, std::memory_order_relaxed);
        }
    }

    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable begin_, done_;
    unsigned loop_ = 0;
    bool ending_ = false;
    int running_ = 0;
    int count_ = 0, grain_ = 1;
    const Body* body_ = nullptr;
    std::atomic<int> next_chunk_{0};
    std::exception_ptr error_;
};

Parallel::Parallel() = default;
Parallel::Parallel(Parallel&&) noexcept = default;
Parallel& Parallel::operator=(Parallel&&) noexcept = default;
Parallel::~Parallel() = default;

int Parallel::threads() const { return pool_ ? pool_->size() : 1; }

void Parallel::set_threads(int threads) {
    threads = std::max(threads, 1);
    if (threads == this->threads()) return;
    pool_.reset();
    if (threads > 1) pool_ = std::make_unique<Pool>(threads);
}

void Parallel::run(int count, int grain, const Body& body) { pool_->run(count, grain, body); }

}  // namespace lig
