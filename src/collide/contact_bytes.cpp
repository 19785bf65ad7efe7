// The manifold cache as bytes.
//
// Layout, little-endian: version, fingerprint of the model, manifolds, contacts (64 bits each); then for each
// manifold geom_a, geom_b, part, count, active (32 bits each) and its normal; then for each contact its
// feature (32 bits), on_a, on_b, distance, impulse, moment_impulse (doubles).

#include "collide/workspace.h"
#include "core/byte_stream.h"

#include <stdexcept>
#include <tuple>

namespace lig {

namespace {

constexpr std::uint64_t contacts_version = 1;
constexpr std::size_t manifold_size = 5 * 4 + 3 * 8, contact_size = 4 + 13 * 8;

[[noreturn]] void damaged(const char* what) {
    throw std::invalid_argument(std::string("lig::restore_contacts: ") + what);
}

template <class Bytes>
void put(Bytes& to, const Vec3d& v) {
    for (int k = 0; k < 3; ++k) to.number(v[k]);
}

Vec3d get(ByteReader& in) {
    Vec3d v;
    for (int k = 0; k < 3; ++k) v[k] = in.number();
    return v;
}

Manifold read_manifold(ByteReader& in, int begin, CollisionWorkspace& ws) {
    const CollisionModel& model = ws.inside().model;
    const std::uint32_t a = in.half(), b = in.half(), part = in.half(), count = in.half(), active = in.half();
    const auto index = [&](std::uint32_t geom) {
        return geom < model.index_of.size() ? model.index_of[geom] : -1;
    };
    if (a >= b || index(a) < 0 || index(b) < 0) damaged("a manifold names geoms that do not collide");
    if (count < 1 || count > collide::PairManifold::capacity || active > 1)
        damaged("a manifold has an impossible number of contacts");
    return {.geom_a = static_cast<int>(a),
            .geom_b = static_cast<int>(b),
            .part = part,
            .begin = begin,
            .count = static_cast<int>(count),
            .properties = ws.inside().properties.find(model, index(a), index(b), ws.contacts.properties),
            .active = active == 1,
            .normal = get(in)};
}

}  // namespace

std::vector<std::byte> save_contacts(const CollisionWorkspace& ws) {
    const Contacts& contacts = ws.contacts;
    ByteWriter to;
    to.word(contacts_version);
    to.word(ws.model().fingerprint);
    to.word(contacts.manifolds.size());
    to.word(contacts.contacts.size());
    for (const Manifold& m : contacts.manifolds) {
        for (const int x : {m.geom_a, m.geom_b, static_cast<int>(m.part), m.count, int(m.active)})
            to.half(static_cast<std::uint32_t>(x));
        put(to, m.normal);
    }
    for (const Contact& c : contacts.contacts) {
        to.half(c.feature);
        put(to, c.on_a);
        put(to, c.on_b);
        to.number(c.distance);
        put(to, c.impulse);
        put(to, c.moment_impulse);
    }
    return std::move(to.out);
}

void restore_contacts(std::span<const std::byte> bytes, CollisionWorkspace& ws) {
    ByteReader in(bytes, "lig::restore_contacts");
    if (in.word() != contacts_version) damaged("the data is of another version, or damaged");
    if (in.word() != ws.model().fingerprint) damaged("the contacts are of another model");
    const std::uint64_t manifolds = in.word(), count = in.word();
    // Each bound by itself first, so that the sum cannot overflow.
    if (manifolds > in.left() / manifold_size || count > in.left() / contact_size ||
        in.left() != manifolds * manifold_size + count * contact_size)
        damaged("the length does not fit the counts; the data is truncated or damaged");

    Contacts read;
    std::size_t promised = 0;
    for (std::uint64_t k = 0; k < manifolds; ++k) {
        const Manifold manifold = read_manifold(in, static_cast<int>(promised), ws);
        const auto order = [](const Manifold& m) { return std::tuple(m.geom_a, m.geom_b, m.part); };
        if (k > 0 && order(read.manifolds.back()) >= order(manifold))
            damaged("the manifolds are out of order");
        read.manifolds.push_back(manifold);
        promised += manifold.count;
    }
    if (promised != count) damaged("the manifolds have other contacts than there are");
    for (std::size_t m = 0; m < read.manifolds.size(); ++m)
        for (int k = 0; k < read.manifolds[m].count; ++k) {
            Contact contact{};
            contact.feature = in.half();
            contact.on_a = get(in);
            contact.on_b = get(in);
            contact.distance = in.number();
            contact.impulse = get(in);
            contact.moment_impulse = get(in);
            contact.normal = read.manifolds[m].normal;
            contact.manifold = static_cast<int>(m);
            contact.previous = -1;
            read.contacts.push_back(contact);
        }
    // Copied, so that the room that is there stays; nothing throws once there is enough.
    ws.contacts.contacts.reserve(read.contacts.size());
    ws.contacts.manifolds.reserve(read.manifolds.size());
    ws.contacts.contacts.assign(read.contacts.begin(), read.contacts.end());
    ws.contacts.manifolds.assign(read.manifolds.begin(), read.manifolds.end());
    ws.contacts.events.clear();
}

}  // namespace lig
