// MJCF text → scene → model.

#include "model_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return lig::fuzz::read_and_compile({reinterpret_cast<const char*>(data), size}, "model.xml");
}
