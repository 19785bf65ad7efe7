#include "shapes/shape_mass.h"

#include "shapes/shape_list.h"

#include <cmath>

namespace lig {

namespace {

struct ShapeEntry {
    std::string_view name;
    int size_count;
    bool sizes_may_be_zero;
    std::optional<ShapeMass> (*mass)(const Vec3d& size);
};

constexpr ShapeEntry entries[] = {
#define LIG_SHAPE_ENTRY(type, Shape) {Shape::name, Shape::size_count, Shape::sizes_may_be_zero, &Shape::mass},
    LIG_FOR_EACH_SHAPE(LIG_SHAPE_ENTRY)
#undef LIG_SHAPE_ENTRY
};

const ShapeEntry& entry(ShapeType shape) { return entries[static_cast<int>(shape)]; }

}  // namespace

std::string_view shape_name(ShapeType shape) { return entry(shape).name; }

std::optional<ShapeType> shape_by_name(std::string_view name) {
    for (const ShapeType shape : all_shapes)
        if (shape_name(shape) == name) return shape;
    return std::nullopt;
}

bool weighs_nothing(ShapeType shape) {
    const std::optional<ShapeMass> mass = shape_mass(shape, {1, 1, 1});
    return mass && mass->volume == 0 && mass->area == 0;
}

int shape_size_count(ShapeType shape) { return entry(shape).size_count; }

std::optional<std::string> shape_size_error(ShapeType shape, const Vec3d& size) {
    const ShapeEntry& e = entry(shape);
    for (int i = 0; i < e.size_count; ++i) {
        const bool allowed = e.sizes_may_be_zero ? size[i] >= 0 : size[i] > 0;
        if (allowed && std::isfinite(size[i])) continue;
        std::string text = "size " + std::to_string(i + 1) + " of a " + std::string(e.name) + " must be ";
        return text + (e.sizes_may_be_zero ? "zero or positive" : "positive");
    }
    return std::nullopt;
}

std::optional<ShapeMass> shape_mass(ShapeType shape, const Vec3d& size) { return entry(shape).mass(size); }

}  // namespace lig
