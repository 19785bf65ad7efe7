#include "formulations/maximal/body_graph.h"

#include "bodies/body_list.h"
#include "core/length.h"
#include "formulations/capabilities.h"
#include "formulations/maximal/link_joint.h"
#include "model/split_inertia.h"
#include "model/subtree.h"

#include <ligament/dynamics.h>

#include <algorithm>
#include <cmath>

namespace lig::maximal {

namespace {

// The kinds of links: those of the bodies that their joints move. What is welded to them counts with them.
std::vector<BodyKind> kinds_of_links(const Model& model) {
    std::vector<BodyKind> kinds(model.tree.links.size(), BodyKind::rigid);
    for (std::size_t b = model.bodies.size(); b-- > 0;)
        if (model.bodies[b].link >= 0) kinds[model.bodies[b].link] = model.bodies[b].kind;
    return kinds;
}

// The links of two bodies that move.
std::vector<int> links_of(const Model& model, int body_a, int body_b) {
    std::vector<int> out;
    for (const int body : {body_a, body_b})
        if (const int link = model.bodies[body].link; link >= 0) out.push_back(link);
    return out;
}

// The links on which a freedom of a link pulls: its own and the one before it.
void add_links_of(const Model& model, int link, std::vector<int>& touched) {
    touched.push_back(link);
    touched.push_back(model.tree.links[link].parent);
}

// The links that a tendon touches, or whose freedoms it goes with; bases among them.
void add_links_of(const Model& model, const Model::Tendon& tendon, std::vector<int>& touched) {
    for (int k = tendon.term_begin; k < tendon.term_begin + tendon.term_count; ++k) {
        const auto& links = model.tree.links;
        if (const int index = model.tendon_terms[k].loop; index >= 0) {
            const Model::Loop& loop = model.loops[index];
            for (const int body : {loop.body_a, loop.body_b}) touched.push_back(model.bodies[body].link);
            continue;
        }
        const auto after = std::upper_bound(links.begin(), links.end(), model.tendon_terms[k].v_adr,
                                            [](int v, const auto& link) { return v < link.v_adr; });
        add_links_of(model, static_cast<int>(after - links.begin()) - 1, touched);
    }
    for (int k = tendon.point_begin; k < tendon.point_begin + tendon.point_count; ++k) {
        const Model::TendonPoint& point = model.tendon_points[k];
        if (point.kind == TendonStop::Kind::pulley) continue;
        const int body = point.kind == TendonStop::Kind::site ? model.sites[point.site].body
                                                              : model.geoms[point.geom].body;
        touched.push_back(model.bodies[body].link);
    }
}

// The largest moment of what hangs on each link, at the reference configuration, about the link's origin; a
// tenth of it for every link in between. A link without inertia of its own is thin beside that.
std::vector<double> carried_moments(const std::shared_ptr<const Model>& model) {
    const Tree<double>& tree = model->tree;
    Workspace<double> ws(model);
    forward_kinematics(JointState<double>(*model), ws);
    std::vector<RigidInertia<double>> hanging(tree.links.size(), RigidInertia<double>::zero());
    std::vector<double> out(tree.links.size());
    for (std::size_t i = tree.links.size(); i-- > 0;) {
        hanging[i] = hanging[i] + world_inertia(ws.poses[i].X_WL.R, tree.links[i].inertia);
        out[i] = symmetric_eigen(hanging[i].I).values.z;
        const int parent = tree.links[i].parent;
        if (parent < 0) continue;
        const RigidInertia<double> seen =
            shift_back(hanging[i], ws.poses[i].X_WL.p - ws.poses[parent].X_WL.p);
        hanging[parent] = hanging[parent] + RigidInertia<double>{0.1 * seen.mass, 0.1 * seen.h, 0.1 * seen.I};
    }
    return out;
}

// Of the largest moment of inertia: bodies with less about some axis are thin, and what they are given.
constexpr double thin_bound = 1e-7, thin_share = 1e-16;

}  // namespace

BodyGraph::BodyGraph(std::shared_ptr<const Model> model, EqualityMethod method,
                     std::span<const char> soft_freedoms, bool with_body_blocks)
    : model_(std::move(model)), equality_method_(method), links_(model_->tree.links.size()) {
    formulations::require_without(formulations::not_on_bodies, *model_);
    add_bodies();
    add_joints(soft_freedoms, with_body_blocks);
    add_equalities();
    find_sizes();
    place_entries();
}

void BodyGraph::add_bodies() {
    const std::vector<BodyKind> kinds = kinds_of_links(*model_);
    const std::vector<double> carried = carried_moments(model_);
    for (int i = 0; i < links(); ++i) {
        links_[i].kind = kinds[i];
        links_[i].stretch = tree().links[i].stretch;
        if (links_[i].stretch >= 0) links_[i].modal = model_->deforming[links_[i].stretch].modal.get();
        set_mass(i, carried[i]);
        const int dim =
            links_[i].modal ? 6 + links_[i].modal->count : bodies::body_info(kinds[i]).dim;
        nodes_.push_back({dim, false, false, dim < 6});
        body_entries_ += nodes_.back().dim;
    }
}

void BodyGraph::set_mass(int i, double carried) {
    Link& link = links_[i];
    const SplitInertia<double>& own = tree().links[i].inertia;
    const RigidInertia<double> about_L = world_inertia(Mat3d::identity(), own);
    link.mass = own.mass;
    link.com = (1 / own.mass) * own.h;
    // Moments about the centre of mass are never larger than those about L; those of a point are rounding.
    link.inertia = about_L.I - shift_back({own.mass, Vec3d::zero(), Sym3d::zero()}, link.com).I;
    if (link.kind == BodyKind::rigid) {
        const SymmetricEigen about_com = symmetric_eigen(link.inertia);
        const double own_largest = symmetric_eigen(about_L.I).values.z;
        if (about_com.values.x < thin_bound * std::max(own_largest, thin_bound * carried)) {
            link.thin = has_thin_ = true;
            link.inertia += thin_share * carried * Sym3d::diagonal(1, 1, 1);
        }
    }
    link.rotation = bodies::FreeRotation::of(link.inertia);
}

void BodyGraph::add_joints(std::span<const char> soft_freedoms, bool with_body_blocks) {
    for (int i = 0; i < links(); ++i) {
        Link& link = links_[i];
        const TreeLink<double>& own = tree().links[i];
        link.rows = link.kind == BodyKind::rigid ? joint_row_count(tree(), i) : 0;
        link.soft_begin = static_cast<int>(soft_freedoms_.size());
        for (int k = own.v_adr; k < own.v_adr + frame_freedoms(tree(), own); ++k)
            if (soft_freedoms[k]) soft_freedoms_.push_back(k);
        link.soft_count = static_cast<int>(soft_freedoms_.size()) - link.soft_begin;
        if (own.parent >= 0 && (with_body_blocks || (link.thin && link.rows > 0))) {
            link.body_edge = static_cast<int>(block_edges_.size());
            block_edges_.push_back({i, own.parent});
        }
        if (link.rows + link.soft_count == 0) continue;
        link.plain = link.rows > 0 && own.joint_count == 1 &&
                     (own.parent < 0 || links_[own.parent].kind == BodyKind::rigid);
        const int node = static_cast<int>(nodes_.size());
        link.joint = {node, 0, link.rows + link.soft_count, static_cast<int>(edges_.size()),
                      own.parent < 0 ? 1 : 2};
        nodes_.push_back({link.joint.count, true, link.rows == 0});
        for (const int on : {i, own.parent}) {
            if (on < 0) continue;
            edges_.push_back({static_cast<int>(block_edges_.size()), on, true});
            block_edges_.push_back({node, on});
        }
    }
}

// grounded: it may hold what the links have in common.
void BodyGraph::add_equality(const lig::Equality& equality, std::vector<int> on, bool grounded) {
    std::sort(on.begin(), on.end());
    on.erase(std::unique(on.begin(), on.end()), on.end());
    const bool direct = equality_method_ == EqualityMethod::direct;
    const int node = direct ? static_cast<int>(nodes_.size()) : -1;
    equalities_.push_back(
        {{node, 0, equality.rows, static_cast<int>(edges_.size()), static_cast<int>(on.size())}, equality});
    if (direct) nodes_.push_back({equality.rows, true, false, false, grounded});
    for (const int link : on) {
        edges_.push_back(
            {static_cast<int>(direct ? block_edges_.size() : equality_block_size_), link, direct});
        if (direct)
            block_edges_.push_back({node, link});
        else
            equality_block_size_ += static_cast<std::size_t>(equality.rows * nodes_[link].dim);
    }
    equality_rows_ += equality.rows;
}

void BodyGraph::add_equalities() {
    const Equalities all(*model_);
    for (const lig::Equality& equality : all.acting())
        switch (equality.kind) {
            case RowKind::loop: {
                const Model::Loop& loop = model_->loops[equality.source];
                add_equality(equality, links_of(*model_, loop.body_a, loop.body_b), false);
                break;
            }
            case RowKind::pair: {
                const Model::PairConstraint& pair = model_->pair_constraints[equality.source];
                add_equality(equality, links_of(*model_, pair.body_a, pair.body_b), false);
                break;
            }
            case RowKind::coupling: {
                const Model::Coupling& coupling = model_->couplings[equality.source];
                std::vector<int> on;
                for (const int joint : {coupling.follower, coupling.leader})
                    if (joint >= 0)
                        add_links_of(*model_, model_->bodies[model_->joints[joint].body].link, on);
                std::erase_if(on, [](int link) { return link < 0; });
                add_equality(equality, on, false);
                couples_joints_ = true;
                break;
            }
            case RowKind::tendon_coupling: {
                const Model::TendonCoupling& coupling = model_->tendon_couplings[equality.source];
                std::vector<int> on;
                for (const int tendon : {coupling.follower, coupling.leader}) {
                    if (tendon < 0) continue;
                    add_links_of(*model_, model_->tendons[tendon], on);
                    couples_joints_ = couples_joints_ || model_->tendons[tendon].term_count > 0;
                }
                const bool on_bases = std::erase_if(on, [](int link) { return link < 0; }) > 0;
                add_equality(equality, on, on_bases);
                break;
            }
            case RowKind::subtree: {
                std::vector<int> on;
                for_each_moving(*model_, model_->subtree_constraints[equality.source].body,
                                [&](const Model::Body& body) { on.push_back(body.link); });
                add_equality(equality, on, true);
                break;
            }
            case RowKind::group: {
                std::vector<int> on;
                for (const Model::GroupConstraint::Member& member :
                     model_->group_constraints[equality.source].members)
                    if (const int link = model_->bodies[member.body].link; link >= 0) on.push_back(link);
                add_equality(equality, on, true);
                break;
            }
            default: break;  // no equality
        }
}

void BodyGraph::find_sizes() {
    for (const Link& link : links_) {
        const double moment = symmetric_eigen(link.inertia).values.z;
        extent_ += 2 * (length(link.com) + std::sqrt(moment / link.mass));
    }
    if (!links_.empty()) extent_ /= static_cast<double>(links_.size());
    for (const Link& link : links_) idle_energy_ += 0.5e-6 * link.mass * extent_ * extent_;
}

// Node by node, as BlockLdlt has them; what is anticipated comes last.
void BodyGraph::place_entries() {
    for (const BlockLdlt::Node& node : nodes_) {
        offsets_.push_back(size_);
        size_ += node.dim;
    }
    for (Link& link : links_)
        if (link.joint.node >= 0) link.joint.begin = offsets_[link.joint.node];
    for (Equality& equality : equalities_) {
        equality.begin = equality.node >= 0 ? offsets_[equality.node] : size_;
        if (equality.node < 0) size_ += equality.count;
    }
    link_of_dof_.resize(model_->nv);
    soft_row_.assign(model_->nv, -1);
    for (int i = 0; i < links(); ++i) {
        const Link& link = links_[i];
        std::fill_n(link_of_dof_.begin() + tree().links[i].v_adr, tree().links[i].nv, i);
        for (int s = 0; s < link.soft_count; ++s)
            soft_row_[soft_freedoms_[link.soft_begin + s]] = link.joint.begin + link.rows + s;
    }
}

}  // namespace lig::maximal
