// Text → skeleton → clip of a model → BVH → the same clip.

#include "clip_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    lig::fuzz::check_clip(data, size, ".bvh", [](const lig::Model& model, const lig::ClipSamples& clip) {
        return lig::clip_to_bvh(model, clip);
    });
    return 0;
}
