// Text → table → clip of a model → table → the same clip.

#include "clip_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    lig::fuzz::check_clip(data, size, ".csv", lig::clip_to_csv);
    return 0;
}
