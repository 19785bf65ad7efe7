#pragma once

// Models of `generate random`.

#include "scenes/generator_list.h"

#include <ligament/model.h>

#include <memory>

namespace lig::test {

inline std::shared_ptr<const Model> random_model(int seed) {
    const scenes::Setting setting{"seed", static_cast<double>(seed)};
    return compile(scenes::generate(scenes::random_scene, {&setting, 1}));
}

}  // namespace lig::test
