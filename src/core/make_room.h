#pragma once

// Room in vectors that are filled anew again and again.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lig {

// Room for `count` elements, and for twice as many as there was room for when that was too little: a count
// that creeps up allocates rarely.
template <class T>
void make_room(std::vector<T>& elements, std::size_t count) {
    if (elements.capacity() < count) elements.reserve(std::max(count, 2 * elements.capacity()));
}

}  // namespace lig
