#include "app/dynamics/contact_picture.h"

#include "collide/workspace.h"
#include "shapes/shape_geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace lig::app {

namespace {

// Parallel projection: x to the right, y down, both in pixels.
class Projection {
public:
    Projection(const PictureView& view, const Bounds& box) {
        const double turn = view.azimuth * std::numbers::pi / 180;
        const double lift = view.elevation * std::numbers::pi / 180;
        const Vec3d eye{std::cos(lift) * std::cos(turn), std::cos(lift) * std::sin(turn), std::sin(lift)};
        right_ = {-std::sin(turn), std::cos(turn), 0};
        up_ = cross(eye, right_);
        // The corners of the box decide what is seen.
        double reach_x = 0, reach_y = 0;
        middle_ = 0.5 * box.lower + 0.5 * box.upper;
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3d p = Vec3d{corner & 1 ? box.upper.x : box.lower.x,
                                  corner & 2 ? box.upper.y : box.lower.y,
                                  corner & 4 ? box.upper.z : box.lower.z} -
                            middle_;
            reach_x = std::max(reach_x, std::abs(dot(right_, p)));
            reach_y = std::max(reach_y, std::abs(dot(up_, p)));
        }
        constexpr double border = 40;
        center_x_ = 0.5 * view.width;
        center_y_ = 0.5 * view.height;
        scale_ = std::min((center_x_ - border) / reach_x, (center_y_ - border) / reach_y);
    }

    double x(const Vec3d& p) const { return center_x_ + scale_ * dot(right_, p - middle_); }
    double y(const Vec3d& p) const { return center_y_ - scale_ * dot(up_, p - middle_); }
    double pixels_per_metre() const { return scale_; }

private:
    Vec3d right_, up_, middle_;
    double center_x_, center_y_, scale_;
};

// What is to be seen: everything that has an end, and the contacts.
Bounds contents(const CollisionWorkspace& ws) {
    Bounds box = Bounds::nothing();
    const CollisionWorkspace::Inside& in = ws.inside();
    for (std::size_t k = 0; k < in.placed.size(); ++k)
        if (in.placed[k].shape->type != ShapeType::plane) box.add(in.shape_bounds[k]);
    for (const Contact& contact : ws.contacts.contacts) {
        box.add(contact.on_a);
        box.add(contact.on_b);
    }
    if (!(box.lower.x <= box.upper.x)) box = {{-1, -1, -1}, {1, 1, 1}};
    const Vec3d extent = box.upper - box.lower;
    return box.grown(0.02 * std::max({extent.x, extent.y, extent.z, 1e-9}));
}

std::string colour(const std::array<double, 4>& rgba) {
    const auto byte = [](double x) { return static_cast<int>(std::lround(255 * std::clamp(x, 0.0, 1.0))); };
    return fmt::format("#{:02x}{:02x}{:02x}", byte(rgba[0]), byte(rgba[1]), byte(rgba[2]));
}

// A length of 1, 2 or 5 times a power of ten that is at most `most`.
double round_length(double most) {
    const double power = std::pow(10.0, std::floor(std::log10(most)));
    return power * (most >= 5 * power ? 5 : most >= 2 * power ? 2
                                                              : 1);
}

}  // namespace

std::string contact_picture(const CollisionWorkspace& ws, const PictureView& view) {
    const CollisionWorkspace::Inside& in = ws.inside();
    const Bounds box = contents(ws);
    const Projection eye(view, box);
    const Vec3d extent = box.upper - box.lower;
    const double reach = 0.6 * std::max({extent.x, extent.y, extent.z});

    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"white\"/>\n",
        view.width, view.height);
    std::vector<Vec3d> segments;
    for (std::size_t k = 0; k < in.placed.size(); ++k) {
        const Transformd& X_WG = in.placed[k].X_WG;
        segments.clear();
        outline(*in.placed[k].shape, reach, segments);
        svg += fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" d=\"",
                           colour(ws.model().geoms[in.model.geoms[k].geom].spec.rgba),
                           in.placed[k].shape->type == ShapeType::plane ? 0.4 : 0.8);
        for (std::size_t s = 0; s + 1 < segments.size(); s += 2) {
            const Vec3d p = X_WG * segments[s], q = X_WG * segments[s + 1];
            svg += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", eye.x(p), eye.y(p), eye.x(q), eye.y(q));
        }
        svg += "\"/>\n";
    }
    constexpr double arrow = 26;  // pixels
    for (const Contact& contact : ws.contacts.contacts) {
        const Vec3d at = 0.5 * contact.on_a + 0.5 * contact.on_b;
        const Vec3d tip = at + (arrow / eye.pixels_per_metre()) * contact.normal;
        svg += fmt::format(
            "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#1060c0\" "
            "stroke-width=\"1.6\"/><circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
            eye.x(at), eye.y(at), eye.x(tip), eye.y(tip), eye.x(at), eye.y(at),
            contact.distance < 0 ? "#d02020" : "#e09000");
    }
    const double length = round_length(0.25 * view.width / eye.pixels_per_metre());
    svg += fmt::format(
        "<path d=\"M20 {0}h{1:.1f}\" stroke=\"black\" stroke-width=\"2\"/>"
        "<text x=\"20\" y=\"{2}\">{3:g} m</text>\n",
        view.height - 18, length * eye.pixels_per_metre(), view.height - 24, length);
    svg += fmt::format(
        "<text x=\"20\" y=\"24\">{} contacts: red where they overlap, orange within the "
        "margin; normals from the first geom to the second</text>\n</svg>\n",
        ws.contacts.contacts.size());
    return svg;
}

}  // namespace lig::app
