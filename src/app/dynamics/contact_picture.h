#pragma once

// A drawing of a model where it stands: the outlines of its geoms, its contacts and their normals, as SVG.

#include <ligament/collision.h>

#include <string>

namespace lig::app {

struct PictureView {
    double azimuth = -60, elevation = 20;  // degrees: where the eye is, seen from the middle of the model
    int width = 900, height = 700;         // pixels
};

// Of the geoms that collide, where find_contacts last saw them.
std::string contact_picture(const CollisionWorkspace& ws, const PictureView& view);

}  // namespace lig::app
