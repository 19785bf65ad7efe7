#include "io/urdf.h"

#include "core/diagnostic_codes.h"
#include "core/suggest.h"
#include "io/urdf_parts.h"
#include "model/compile.h"

#include <algorithm>

namespace lig::io {

namespace {

using namespace urdf;

constexpr const char* base_joint_name = "root_joint";
constexpr std::size_t names_shown = 10;  // in one message

// Links and joints by index, in the order of the file.
struct Robot {
    std::vector<Link> links;
    std::vector<Joint> joints;
    std::vector<LoopJoint> loops;
    std::unordered_map<std::string_view, int> link_index;
    std::unordered_map<std::string_view, int> joint_index;

    struct Ends {
        int parent = -1, child = -1;
    };
    std::vector<Ends> ends;                  // per joint: links, -1 where the reference is broken
    std::vector<int> parent_joint;           // per link: the joint it hangs on, -1 for a root
    std::vector<std::vector<int>> children;  // per link: joints
};

std::string list_names(const std::vector<int>& items, const std::vector<Link>& links, const char* separator) {
    std::string text;
    for (std::size_t i = 0; i < std::min(items.size(), names_shown); ++i)
        text += (i == 0 ? "'" : separator + std::string("'")) + links[items[i]].name + "'";
    if (items.size() > names_shown) text += separator + std::to_string(items.size() - names_shown) + " more";
    return text;
}

// Suggests at most a few times: a file in which every reference is broken is one mistake, and a search
// through all names for each of them would take quadratic time.
class Suggestions {
public:
    explicit Suggestions(std::vector<std::string_view> choices) : choices_(std::move(choices)) {}

    std::string hint(std::string_view wanted, std::string otherwise) {
        if (left_ == 0) return otherwise;
        --left_;
        const std::string_view near = nearest(wanted, choices_);
        return near.empty() ? otherwise : "did you mean '" + std::string(near) + "'?";
    }

private:
    std::vector<std::string_view> choices_;
    int left_ = 20;
};

template <class Part>
std::vector<std::string_view> names_of(const std::vector<Part>& parts) {
    std::vector<std::string_view> names;
    names.reserve(parts.size());
    for (const Part& part : parts) names.push_back(part.name);
    return names;
}

// Fills the index; the first of two parts of one name keeps it.
template <class Part>
void index_names(const std::vector<Part>& parts, const char* kind,
                 std::unordered_map<std::string_view, int>& index, Diagnostics& log) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].name.empty()) continue;  // reported where it was read
        const auto [entry, is_new] = index.try_emplace(parts[i].name, static_cast<int>(i));
        if (is_new) continue;
        log.report(codes::E068, parts[i].where,
                   std::string("there are two ") + kind + "s '" + parts[i].name + "'",
                   "the first is at " + parts[entry->second].where.to_string() + "; rename one");
    }
}

void read_parts(Reading& reading, pugi::xml_node root, Robot& robot) {
    read_materials(reading, root);
    for (const pugi::xml_node node : root.children("link")) robot.links.push_back(read_link(reading, node));
    for (const pugi::xml_node node : root.children("joint"))
        robot.joints.push_back(read_joint(reading, node));
    robot.loops = read_loops(reading, root);
    index_names(robot.links, "link", robot.link_index, reading.log);
    index_names(robot.joints, "joint", robot.joint_index, reading.log);
}

// Finds the links each joint names. False if some joint or link is left unconnected by a mistake in a name.
bool resolve_ends(Robot& robot, Diagnostics& log) {
    Suggestions suggestions(names_of(robot.links));
    bool complete = robot.link_index.size() == robot.links.size();
    const auto find = [&](const Joint& joint, const std::string& link, const SourceLocation& where,
                          const char* role) {
        const auto found = robot.link_index.find(link);
        if (found != robot.link_index.end()) return found->second;
        complete = false;
        if (!link.empty())
            log.report(codes::E067, where,
                       std::string("the ") + role + " of <joint \"" + joint.name + "\"> is '" + link +
                           "', but no link has this name",
                       suggestions.hint(link, "add the link or correct the name"));
        return -1;
    };
    robot.ends.resize(robot.joints.size());
    robot.parent_joint.assign(robot.links.size(), -1);
    robot.children.resize(robot.links.size());
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
        const Joint& joint = robot.joints[j];
        Robot::Ends& ends = robot.ends[j];
        ends.parent = find(joint, joint.parent, joint.where_parent, "parent");
        ends.child = find(joint, joint.child, joint.where_child, "child");
        if (ends.parent < 0 || ends.child < 0) continue;
        if (ends.parent == ends.child) {
            log.report(codes::E065, joint.where,
                       "<joint \"" + joint.name + "\"> joins link '" + joint.child + "' to itself",
                       "parent and child must be two links");
            complete = false;
            continue;
        }
        int& hangs_on = robot.parent_joint[ends.child];
        if (hangs_on >= 0) {
            const Joint& first = robot.joints[hangs_on];
            log.report(codes::E066, joint.where_child,
                       "link '" + joint.child + "' is already the child of <joint \"" + first.name +
                           "\">, and <joint \"" + joint.name + "\"> would give it a second parent",
                       "a URDF is a tree; the first joint is at " + first.where.to_string());
            continue;
        }
        hangs_on = static_cast<int>(j);
        robot.children[ends.parent].push_back(static_cast<int>(j));
    }
    return complete;
}

// The links depth first from `root`, the children of a link in the order of their joints.
std::vector<int> depth_first(const Robot& robot, int root) {
    std::vector<int> order, stack{root};
    while (!stack.empty()) {
        const int link = stack.back();
        stack.pop_back();
        order.push_back(link);
        const std::vector<int>& joints = robot.children[link];
        for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint)
            stack.push_back(robot.ends[*joint].child);
    }
    return order;
}

// Links that no root reaches hang on cycles: every one of them has a parent, and none of these chains ends.
void report_cycles(const Robot& robot, std::vector<char>& reached, Diagnostics& log) {
    for (std::size_t start = 0; start < robot.links.size(); ++start) {
        if (reached[start]) continue;
        std::vector<int> chain;
        int link = static_cast<int>(start);
        for (; !reached[link]; link = robot.ends[robot.parent_joint[link]].parent) {
            reached[link] = true;
            chain.push_back(link);
        }
        const auto entry = std::find(chain.begin(), chain.end(), link);
        if (entry == chain.end()) continue;  // hangs on a cycle that has been reported
        std::vector<int> cycle(entry, chain.end());
        std::reverse(cycle.begin(), cycle.end());  // from parent to child
        std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
        cycle.push_back(cycle.front());
        log.report(codes::E065, robot.joints[robot.parent_joint[cycle.front()]].where,
                   "the joints form a cycle of links: " + list_names(cycle, robot.links, " → "),
                   "a URDF is a tree; remove the joint that closes the cycle");
    }
}

// All links depth first from the only root; empty if they do not form a tree, which is reported.
std::vector<int> order_links(const Robot& robot, bool complete, Diagnostics& log) {
    std::vector<int> roots, order;
    std::vector<char> reached(robot.links.size(), false);
    for (std::size_t i = 0; i < robot.links.size(); ++i)
        if (robot.parent_joint[i] < 0) roots.push_back(static_cast<int>(i));
    for (const int root : roots) {
        order = depth_first(robot, root);
        for (const int link : order) reached[link] = true;
    }
    report_cycles(robot, reached, log);
    if (roots.size() == 1) return order;
    // Behind a broken joint hangs a tree of its own, which is no further mistake.
    if (roots.size() > 1 && complete)
        log.report(codes::E064, robot.links[roots[1]].where,
                   std::to_string(roots.size()) + " links have no parent, but a robot has one root: " +
                       list_names(roots, robot.links, ", "),
                   "join them by joints, fixed ones if need be");
    return {};
}

constexpr int the_world = -1, unknown_link = -2;

int find_link(const Robot& robot, const std::string& name) {
    const auto found = robot.link_index.find(name);
    if (found != robot.link_index.end()) return found->second;
    return name == "world" ? the_world : unknown_link;
}

void check_loops(const Robot& robot, Diagnostics& log) {
    Suggestions suggestions(names_of(robot.links));
    for (const LoopJoint& loop : robot.loops)
        for (const LoopJoint::End* end : {&loop.a, &loop.b})
            if (!end->link.empty() && find_link(robot, end->link) == unknown_link)
                log.report(codes::E067, end->where,
                           "the loop '" + loop.name + "' names link '" + end->link +
                               "', but no link has this name",
                           suggestions.hint(end->link, "add the link or correct the name"));
}

bool has_one_coordinate(const JointSpec& spec) {
    return spec.type == JointType::hinge || spec.type == JointType::slide;
}

// Reports every cycle in which joints follow each other. Each joint follows at most one, so a walk along the
// leaders that meets itself has found one.
void check_mimic_cycles(const Robot& robot, const std::vector<int>& leader, Diagnostics& log) {
    std::vector<int> walk_of(leader.size(), -1);
    for (std::size_t start = 0; start < leader.size(); ++start) {
        int joint = static_cast<int>(start);
        while (joint >= 0 && walk_of[joint] < 0) {
            walk_of[joint] = static_cast<int>(start);
            joint = leader[joint];
        }
        if (joint < 0 || walk_of[joint] != static_cast<int>(start)) continue;
        log.report(codes::E072, robot.joints[joint].mimic->where,
                   "<joint \"" + robot.joints[joint].name + "\"> follows itself" +
                       (leader[joint] == joint ? "" : " through other mimic joints"),
                   "let one joint of the cycle move freely");
    }
}

// The joint each mimic joint follows, -1 for those that follow none.
std::vector<int> resolve_mimics(const Robot& robot, Diagnostics& log) {
    Suggestions suggestions(names_of(robot.joints));
    std::vector<int> leaders(robot.joints.size(), -1);
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
        const Joint& joint = robot.joints[j];
        if (!joint.mimic || joint.mimic->leader.empty()) continue;
        const Mimic& mimic = *joint.mimic;
        const std::string label = "<joint \"" + joint.name + "\">";
        const auto found = robot.joint_index.find(mimic.leader);
        if (found == robot.joint_index.end()) {
            log.report(codes::W078, mimic.where_leader,
                       label + " follows '" + mimic.leader +
                           "', but no joint has this name: it moves freely",
                       suggestions.hint(mimic.leader, "add the joint, correct the name, or remove <mimic>"));
            continue;
        }
        const Joint& leader = robot.joints[found->second];
        if (!leader.moves) {
            log.report(codes::W073, mimic.where,
                       label + " follows '" + leader.name + "', which is fixed: it moves freely",
                       "remove <mimic>");
            continue;
        }
        const Joint& several = has_one_coordinate(joint.spec) ? leader : joint;
        if (!has_one_coordinate(several.spec)) {
            log.report(
                codes::E072, mimic.where,
                label + " follows '" + leader.name + "', but '" + several.name + "' has several coordinates",
                "only revolute, continuous and prismatic joints follow each other");
            continue;
        }
        leaders[j] = found->second;
    }
    check_mimic_cycles(robot, leaders, log);
    return leaders;
}

void check_base_name(const Robot& robot, Diagnostics& log) {
    const auto taken = robot.joint_index.find(base_joint_name);
    if (taken == robot.joint_index.end()) return;
    log.report(codes::E074, robot.joints[taken->second].where,
               std::string("the joint '") + base_joint_name + "' has the name of the free joint of the base",
               "rename it, or load the robot with a fixed base");
}

JointSpec free_base_joint(const Link& link) {
    JointSpec spec;
    spec.name = base_joint_name;
    spec.type = JointType::free;
    spec.where = link.where;
    return spec;
}

// `order` holds parents before their children.
void build_scene(Robot& robot, const std::vector<int>& order, const std::vector<int>& leaders, BaseMode base,
                 Scene& scene) {
    std::vector<BodyId> body_of(robot.links.size());
    std::vector<JointId> joint_of(robot.joints.size());
    std::vector<bool> stands(robot.links.size());  // fixed to the world
    std::vector<Transformd> X_WL(robot.links.size(), Transformd::identity());  // at the zero configuration
    for (const int index : order) {
        Link& link = robot.links[index];
        const int above = robot.parent_joint[index];
        const BodyId parent = above < 0 ? world : body_of[robot.ends[above].parent];
        const Pose pose = above < 0 ? Pose() : robot.joints[above].origin;
        const BodyId body = scene.add_body(
            parent,
            {.name = link.name, .pose = pose, .inertial = std::move(link.inertial), .where = link.where});
        body_of[index] = body;
        if (above >= 0) X_WL[index] = X_WL[robot.ends[above].parent] * compiling::transform(pose);
        if (above < 0) {
            if (base == BaseMode::free) scene.add_joint(body, free_base_joint(link));
            stands[index] = base == BaseMode::fixed;
        } else if (Joint& joint = robot.joints[above]; joint.moves) {
            joint_of[above] = scene.add_joint(body, std::move(joint.spec));
            // Links that a joint joins do not collide. For those that move the model sees to it; what stands
            // counts as the world there, with which everything collides.
            if (stands[robot.ends[above].parent]) scene.exclude_collision(parent, body);
        } else {
            stands[index] = stands[robot.ends[above].parent];
            // A fixed joint is no joint of the scene, but its name still finds its frame.
            scene.add_site(body, {.name = joint.name, .pose = {}, .where = joint.where});
        }
        for (GeomSpec& geom : link.geoms) scene.add_geom(body, std::move(geom));
    }
    for (const LoopJoint& loop : robot.loops) {
        const int a = find_link(robot, loop.a.link), b = find_link(robot, loop.b.link);
        const auto body = [&](int link) { return link < 0 ? world : body_of[link]; };
        const auto pose = [&](int link) { return link < 0 ? Transformd::identity() : X_WL[link]; };
        scene.add_loop(loop_spec(loop, body(a), body(b), pose(a), pose(b)));
        // Links that a joint joins do not collide.
        if (a >= 0 && b >= 0 && a != b) scene.exclude_collision(body(a), body(b));
    }
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
        if (leaders[j] < 0) continue;
        const Mimic& mimic = *robot.joints[j].mimic;
        scene.add_coupling({.name = robot.joints[j].name,
                            .follower = joint_of[j],
                            .leader = joint_of[leaders[j]],
                            .coefficients = {mimic.offset, mimic.multiplier, 0, 0, 0},
                            .where = mimic.where});
    }
}

}  // namespace

Scene read_urdf(const XmlSource& source, const LoadOptions& options, Diagnostics& log) {
    Reading reading{source, log, {}, MeshTable(PackagePaths(options, source.path()), log), {}, {}};
    ElementReader root = reading.element(source.root());
    Scene scene(root.text_or("name", ""));
    if (reject_xacro(reading, root.node())) return scene;
    if (scene.name.empty())
        log.report(codes::W077, root.where(), "the robot has no name", "write <robot name=\"…\">");
    root.ignore({"version"});
    root.warn_unknown();
    constexpr std::string_view known[] = {"link", "joint", "material", "loop_joint", "constraint",
                                          "drake:ball_constraint"};
    check_children(reading, root, known);

    Robot robot;
    read_parts(reading, root.node(), robot);
    reading.extensions.report(log);
    if (robot.links.empty()) {
        log.report(codes::E063, root.where(), "the robot has no links", "add at least one <link>");
        return scene;
    }
    const bool complete = resolve_ends(robot, log);
    const std::vector<int> order = order_links(robot, complete, log);
    const std::vector<int> leaders = resolve_mimics(robot, log);
    check_loops(robot, log);
    if (options.base == BaseMode::free) check_base_name(robot, log);
    if (log.error_count() > 0) return scene;

    build_scene(robot, order, leaders, options.base, scene);
    for (MeshAsset& mesh : reading.meshes.assets()) scene.add_mesh(std::move(mesh));
    return scene;
}

}  // namespace lig::io
