#pragma once

// Which geoms touch where. find_contacts keeps its manifolds from call to call, so that a solver finds the
// impulses of the last step at the same features again; queries ask about single rays, shapes and pairs.

#include <ligament/model.h>
#include <ligament/workspace.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lig {

// How two geoms meet: mixed from both by the rules of MJCF, or given by a <pair>.
struct ContactProperties {
    int condim = 3;
    std::array<double, 5> friction{1, 1, 0.005, 0.0001, 0.0001};  // two sliding, torsional, two rolling
    double restitution = 0;  // the larger of the two, or that of the higher priority
    double margin = 0;  // contacts are reported from this distance on,
    double gap = 0;     // and act from margin − gap on
    Softness soft;
    std::optional<std::array<double, 2>> solref_friction;
    double adhesion = 0;    // N, by which each contact is drawn together from its margin on
};

// One point of contact.
struct Contact {
    Vec3d on_a, on_b;        // witness points in the world: on_b = on_a + distance · normal
    Vec3d normal;            // unit, from A to B
    double distance;         // negative: how deep they overlap
    std::uint32_t feature;   // what meets what; unique within its manifold, the same from step to step
    int manifold;            // in Contacts::manifolds
    int previous;            // the same feature's index in the contacts before this call, or −1
    // For whoever computes forces: the impulse on B, at its witness point, and the moment. Carried over from
    // the contact `previous`; zero for a new one.
    Vec3d impulse, moment_impulse;
};

// The contacts of two geoms with one normal. Two convex geoms have at most one; a surface of triangles may
// have several with the same geom, told apart by `part`.
struct Manifold {
    int geom_a, geom_b;      // in Model::geoms, a < b
    std::uint32_t part;
    int begin, count;        // in Contacts::contacts; 1 to 4
    int properties;          // in Contacts::properties
    bool active;             // some point is within margin − gap, up to rounding
    Vec3d normal;
};

enum class ContactEventKind {
    began,
    persists,
    ended
};
// Two geoms have come to touch: to have an active manifold.
struct ContactEvent {
    ContactEventKind kind;
    int geom_a, geom_b;
};

// What find_contacts leaves behind, in rising order of (geom_a, geom_b, part).
struct Contacts {
    std::vector<Contact> contacts;
    std::vector<Manifold> manifolds;
    std::vector<ContactEvent> events;           // in rising order of (geom_a, geom_b)
    std::vector<ContactProperties> properties;  // grows; an index means the same as long as the workspace is
};

struct CollisionOptions {
    // Reported beyond the margins of the pairs: contacts that a step might reach.
    double speculative_distance = 0;
    // (nbody) The same for single bodies: a pair is looked at from the sum of both on. Empty: none.
    std::span<const double> reach{};
    // (Model::deforming) How far bodies that deform are stretched, as in Workspace::stretches. Empty: not.
    std::span<const StretchWork<double>> stretches{};
    int threads = 1;  // the result does not depend on it
};

// Everything that finding contacts keeps or writes. One per thread of control; grows while the number of
// pairs grows, and allocates nothing otherwise.
class CollisionWorkspace {
public:
    explicit CollisionWorkspace(std::shared_ptr<const Model> model);
    CollisionWorkspace(CollisionWorkspace&&) noexcept;
    CollisionWorkspace& operator=(CollisionWorkspace&&) noexcept;
    ~CollisionWorkspace();

    const Model& model() const { return *model_; }

    Contacts contacts;  // of the last find_contacts

    struct Inside;
    Inside& inside() const { return *inside_; }

private:
    std::shared_ptr<const Model> model_;
    std::unique_ptr<Inside> inside_;
};

// Contacts of the bodies at these poses, (nbody) as body_pose gives them. Poses that are not finite throw
// std::invalid_argument, naming the body; the contacts are then those of before.
void find_contacts(std::span<const Transformd> X_WB, const CollisionOptions& options, CollisionWorkspace& ws);
// Forgets manifolds and events, as at the beginning.
void clear_contacts(CollisionWorkspace& ws);

// The manifolds with their impulses, which are all that find_contacts remembers. After restore_contacts it
// continues as it would have, bit for bit. Bytes that are not whole or not of this model throw
// std::invalid_argument, saying what is wrong; the workspace is then as before.
std::vector<std::byte> save_contacts(const CollisionWorkspace& ws);
void restore_contacts(std::span<const std::byte> bytes, CollisionWorkspace& ws);

}  // namespace lig
