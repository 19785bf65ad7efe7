// States, keyframes and snapshots.

#include "model/support_scene.h"
#include "scalar_types.h"

#include <ligament/snapshot.h>

#include <cstring>

using namespace lig;
using namespace lig::test;

namespace {

Scene mixed_scene() {
    Scene scene("mixed");
    scene.add_body(world, {.name = "cart", .kinematic = true});
    const BodyId a = scene.add_body(world, body_named("a", {1, 2, 3}));
    scene.add_joint(a, {.name = "float", .type = JointType::free});
    const BodyId b = scene.add_body(a, body_named("b"));
    scene.add_joint(b, {.name = "turn", .type = JointType::hinge});
    return scene;
}

// Numbers that a careless path through text or float would change.
JointState<double> awkward_state(const Model& model) {
    JointState<double> state(model);
    Random random(91);
    for (double& x : state.q) x = random.uniform(-1, 1);
    for (double& x : state.v) x = random.uniform(-1e-300, 1e-300);
    state.v[0] = -0.0;
    state.v[1] = 5e-324;
    state.v[2] = 1.7976931348623157e308;
    state.kinematic[0].pos = {0.1, 0.2, 0.3};
    state.kinematic[0].velocity.ang = {1.0 / 3, 2.0 / 3, -1.0 / 7};
    state.kinematic[0].acceleration.lin = {9, 8, 7};
    state.time = 1.0 / 3;
    return state;
}

// Bit for bit. memcmp does not take the null pointers of empty vectors.
template <class Number>
bool same_bytes(const std::vector<Number>& a, const std::vector<Number>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Number)) == 0);
}

bool same_state(const JointState<double>& a, const JointState<double>& b) {
    return same_bytes(a.q, b.q) && same_bytes(a.v, b.v) && same_bytes(a.act, b.act) &&
           same_bytes(a.kinematic, b.kinematic) && same_bits(a.time, b.time);
}

}  // namespace

TEST_CASE("snapshot: the round trip keeps every bit") {
    const auto model = compile(mixed_scene());
    const JointState<double> state = awkward_state(*model);
    const std::vector<std::byte> bytes = save(*model, state).to_bytes();
    JointState<double> back(*model);
    restore(*model, Snapshot::from_bytes(bytes), back);
    CHECK(same_state(state, back));
    CHECK(Snapshot::from_bytes(bytes).to_bytes() == bytes);
    // Little-endian with a name in front, whatever the machine.
    const char* name = "LMENTSNP";
    CHECK(std::memcmp(bytes.data(), name, 8) == 0);
    CHECK(bytes[8] == std::byte{7});
    // With something in every list.
    Snapshot full = save(*model, state);
    full.ctrl = {1};
    full.qfrc_applied = {2, 3};
    full.pose_targets = {4, 5, 6};
    full.impulses = {7, 8};
    full.bodies = {9, 10, 11, -0.0};
    full.guard = {20, 21, 22};
    full.loop_q = {23, -24};
    full.xfrc_applied = {{{12, 13, 14}, {15, 16, 17}}};
    full.contacts = {std::byte{18}};
    full.impulse_time = 19;
    const Snapshot read = Snapshot::from_bytes(full.to_bytes());
    CHECK(read.bodies == full.bodies);
    CHECK(read.guard == full.guard);
    CHECK(read.loop_q == full.loop_q);
    CHECK(read.impulses == full.impulses);
    CHECK(read.contacts == full.contacts);
    CHECK(read.to_bytes() == full.to_bytes());
}

TEST_CASE("snapshot: versions without loop_q (6), guard (5) and bodies (4) are read") {
    const auto model = compile(mixed_scene());
    const JointState<double> state = awkward_state(*model);
    Snapshot snapshot = save(*model, state);
    snapshot.impulses = {1, 2, 3};
    snapshot.xfrc_applied = {{{4, 5, 6}, {7, 8, 9}}};
    const std::vector<std::byte> bytes = snapshot.to_bytes();
    // Magic, version and fingerprint; then the counts of q, v, act, ctrl, qfrc_applied, pose_targets,
    // impulses, and the three that are left out.
    constexpr std::size_t count_of_bodies = 8 * (3 + 7), count_of_guard = count_of_bodies + 8,
                          count_of_loops = count_of_guard + 8;
    std::vector<std::byte> sixth = bytes;
    sixth.erase(sixth.begin() + count_of_loops, sixth.begin() + count_of_loops + 8);
    sixth[8] = std::byte{6};
    CHECK(Snapshot::from_bytes(sixth).to_bytes() == bytes);
    std::vector<std::byte> fifth = sixth;
    fifth.erase(fifth.begin() + count_of_guard, fifth.begin() + count_of_guard + 8);
    fifth[8] = std::byte{5};
    CHECK(Snapshot::from_bytes(fifth).to_bytes() == bytes);
    std::vector<std::byte> old = fifth;
    old.erase(old.begin() + count_of_bodies, old.begin() + count_of_bodies + 8);
    old[8] = std::byte{4};
    const Snapshot read = Snapshot::from_bytes(old);
    CHECK(read.bodies.empty());
    CHECK(read.to_bytes() == bytes);
    for (std::size_t length = 0; length < old.size(); ++length)
        CHECK_THROWS_AS(Snapshot::from_bytes(std::span(old).first(length)), std::invalid_argument);
    // Neither is taken for the other.
    old[8] = std::byte{5};
    CHECK_THROWS_AS(Snapshot::from_bytes(old), std::invalid_argument);
    std::vector<std::byte> newer = bytes;
    newer[8] = std::byte{4};
    CHECK_THROWS_AS(Snapshot::from_bytes(newer), std::invalid_argument);
}

TEST_CASE("snapshot: other models and damaged data are refused, and the state stays") {
    const auto model = compile(mixed_scene());
    const JointState<double> state = awkward_state(*model);
    const Snapshot snapshot = save(*model, state);
    const std::vector<std::byte> bytes = snapshot.to_bytes();

    Scene changed = mixed_scene();
    changed.joint({1}).axis = {1, 0, 0};
    const auto other = compile(changed);
    JointState<double> target(*other);
    const JointState<double> before = target;
    CHECK_THROWS_WITH_AS(restore(*other, snapshot, target), doctest::Contains("another model"),
                         std::invalid_argument);
    CHECK(same_state(target, before));

    // Truncated anywhere, or with something behind.
    for (std::size_t length = 0; length < bytes.size(); ++length)
        CHECK_THROWS_AS(Snapshot::from_bytes(std::span(bytes).first(length)), std::invalid_argument);
    std::vector<std::byte> longer = bytes;
    longer.push_back(std::byte{0});
    CHECK_THROWS_AS(Snapshot::from_bytes(longer), std::invalid_argument);

    // Foreign, of the future, with absurd counts that must not be allocated.
    const auto damaged = [&](std::size_t at, std::byte value) {
        std::vector<std::byte> out = bytes;
        out[at] = value;
        return out;
    };
    CHECK_THROWS_WITH_AS(Snapshot::from_bytes(damaged(0, std::byte{'X'})),
                         doctest::Contains("not a snapshot"), std::invalid_argument);
    for (const auto& [version, text] : {std::pair(1, "version 1"), std::pair(8, "version 8")})
        CHECK_THROWS_WITH_AS(Snapshot::from_bytes(damaged(8, static_cast<std::byte>(version))),
                             doctest::Contains(text), std::invalid_argument);
    for (const std::size_t count : {24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104})
        for (const std::size_t digit : {0, 3, 7}) {
            CAPTURE(count);
            CHECK_THROWS_AS(Snapshot::from_bytes(damaged(count + digit, std::byte{0x7f})),
                            std::invalid_argument);
        }
    // Another fingerprint, though of the same size.
    target = state;
    CHECK_THROWS_AS(restore(*model, Snapshot::from_bytes(damaged(16, ~bytes[16])), target),
                    std::invalid_argument);
    CHECK(same_state(target, state));
}

TEST_CASE("keyframes: become states; what is left out is the reference configuration") {
    Scene scene = mixed_scene();
    // The quaternion is normalized.
    scene.add_keyframe(
        {.name = "up", .time = 2, .qpos = {1, 2, 3, 0, 2, 0, 0, 0.5}, .qvel = {1, 2, 3, 4, 5, 6, 7}});
    scene.add_keyframe({.name = "rest"});
    const auto model = compile(scene);
    REQUIRE(model->find_keyframe("up") == 0);
    const JointState<double> up = keyframe_state(*model, 0);
    CHECK(up.q == std::vector<double>{1, 2, 3, 0, 1, 0, 0, 0.5});
    CHECK(up.v == std::vector<double>{1, 2, 3, 4, 5, 6, 7});
    CHECK(up.time == 2);
    const JointState<double> rest = keyframe_state(*model, model->find_keyframe("rest"));
    CHECK(rest.q == model->q0);
    CHECK(rest.v == std::vector<double>(7, 0.0));
    CHECK(rest.kinematic.size() == 1);
    CHECK_THROWS_AS(keyframe_state(*model, 2), std::out_of_range);
}

TEST_CASE_TEMPLATE("states: into a lane and out of it again", T, LIG_TEST_SCALARS) {
    using R = real_t<T>;
    const auto model = compile(mixed_scene());
    JointState<T> lanes(*model);
    Random random(92);
    std::vector<JointState<R>> states;
    for (int lane = 0; lane < lane_width<T>; ++lane) {
        JointState<R> state(*model);
        for (R& x : state.q) x = R(random.uniform(-1, 1));
        for (R& x : state.v) x = R(random.uniform(-1, 1));
        state.kinematic[0].pos.y = R(random.uniform(-1, 1));
        state.kinematic[0].quat.z = R(random.uniform(-1, 1));
        state.kinematic[0].acceleration.lin.z = R(random.uniform(-1, 1));
        states.push_back(state);
        set_lane(lanes, lane, state);
    }
    for (int lane = 0; lane < lane_width<T>; ++lane) {
        const JointState<R> back = get_lane(lanes, lane);
        CHECK(back.q == states[lane].q);
        CHECK(back.v == states[lane].v);
        CHECK(back.kinematic[0].pos.y == states[lane].kinematic[0].pos.y);
        CHECK(back.kinematic[0].quat.z == states[lane].kinematic[0].quat.z);
        CHECK(back.kinematic[0].acceleration.lin.z == states[lane].kinematic[0].acceleration.lin.z);
    }
    JointState<R> wrong;
    CHECK_THROWS_AS(set_lane(lanes, 0, wrong), std::invalid_argument);
}
