// Bytes → snapshot → the same bytes, those of an older version → bytes of the present one that stay; and the
// contacts in it → a workspace → the same bytes.

#include <ligament/collision.h>
#include <ligament/snapshot.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace {

lig::CollisionWorkspace two_spheres() {
    lig::Scene scene;
    scene.add_geom(lig::world, {.size = {1, 0, 0}});
    const lig::BodyId body = scene.add_body(lig::world, {.name = "ball"});
    scene.add_joint(body, {.type = lig::JointType::free});
    scene.add_geom(body, {.size = {1, 0, 0}});
    return lig::CollisionWorkspace(lig::compile(scene));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static lig::CollisionWorkspace workspace = two_spheres();
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
    try {
        const lig::Snapshot snapshot = lig::Snapshot::from_bytes(bytes);
        const std::vector<std::byte> written = snapshot.to_bytes();
        const bool is_present = written[8] == bytes[8];  // the version
        if (is_present && !std::ranges::equal(written, bytes)) std::abort();
        if (lig::Snapshot::from_bytes(written).to_bytes() != written) std::abort();
        // Behind the version is the fingerprint of the model, which nobody guesses.
        std::vector<std::byte> contacts = snapshot.contacts;
        const std::uint64_t fingerprint = workspace.model().fingerprint;
        for (std::size_t k = 0; k < 8 && 8 + k < contacts.size(); ++k)
            contacts[8 + k] = static_cast<std::byte>(fingerprint >> (8 * k));
        restore_contacts(contacts, workspace);
        if (save_contacts(workspace) != contacts) std::abort();
    } catch (const std::invalid_argument&) {
    }
    return 0;
}
