#pragma once

// How many allocations a call makes, in a program one of whose files includes allocation_counter.h.

namespace lig::test {

long allocation_count();

template <class F>
long count_allocations(F&& f) {
    const long before = allocation_count();
    f();
    return allocation_count() - before;
}

}  // namespace lig::test
