// How `impulse` divides a step: when contacts are looked for again, and how long sub-steps are.

#include "formulations/impulse/impulse.h"
#include "model/collision_model.h"
#include "simulation/stopwatch.h"

#include <algorithm>
#include <cmath>

namespace lig {

using impulse::ContactPoints;
using impulse::direct_tuning;
using impulse::solver_tuning;
using impulse::sweep_tuning;

namespace {

int substeps_for(double rough) {
    const double wished = sweep_tuning.substeps_per_root * std::sqrt(rough);
    if (!(wished < sweep_tuning.max_substeps)) return sweep_tuning.max_substeps;
    return std::max(sweep_tuning.min_substeps, static_cast<int>(std::ceil(wished)));
}

}  // namespace

// Whether sub-steps are as the motion needs them, finer from one to the next.
bool Impulse::chooses_substeps() const {
    return way_ == Way::split_step && options_.impulse.substeps == 0;
}

int Impulse::first_substeps(double dt) const {
    if (options_.impulse.substeps > 0) return options_.impulse.substeps;
    if (way_ == Way::classic) return 1;
    if (way_ == Way::soft_step) return solver_tuning.soft_substeps;
    return std::max({substeps_for(rough_), substeps_for_forces(dt), substeps_for_turning(dt),
                     substeps_for_tension(dt)});
}

// After a sub-step of length h.
void Impulse::refine(Course& course, double h) {
    course.turned += h * fastest_turn();
    ++course.looked;
    rough_ = std::max(rough_, missed_);
    if (!chooses_substeps()) return;
    course.substeps = std::max({course.substeps, substeps_for(missed_), substeps_for_turning(course.dt),
                                substeps_for_tension(course.dt)});
    if (carries_heavy_ && !direct_->follows_all_tension() && direct_->holds_tension())
        course.substeps = std::max(course.substeps, direct_tuning.max_turning_substeps);
}

// Contacts are found when a step begins; with split-step after some sub-steps again, or some turning.
void Impulse::look_when_due(Course& course, double left, StepReport& report) {
    const bool beginning = report.substeps == 0, again = way_ == Way::split_step;
    if (!beginning && !(again && (course.looked == sweep_tuning.substeps_per_look ||
                                  course.turned > direct_tuning.max_turned)))
        return;
    if (!beginning) contacts_.store(context_.collision.contacts);
    const double ahead = again ? sweep_tuning.substeps_per_look * course.dt / course.substeps : course.dt;
    find_contacts_within(std::min(left, ahead), beginning, report);
    if (context_.impulse_time > 0) contacts_.scale(1 / context_.impulse_time);
    course.looked = 0;
    course.turned = 0;
    if (chooses_substeps())
        course.substeps =
            std::max(course.substeps, substeps_for(sweep_tuning.hit_weight * contacts_.hit_speed()));
}

void Impulse::look(double dt, StepReport& report) {
    const Stopwatch watch(report, StepStage::look, options_.timed);
    const Model& model = *model_;
    if (!model.options.enabled.constraint || !model.options.enabled.contact) return;
    bodies_.body_poses(surroundings_.poses());
    // An impact can make anything as fast as the fastest there is; against what stands still, that is seen in
    // time.
    double fastest = 0;
    for (int k = 0; k < bodies_.idle(); ++k)
        fastest = std::max(fastest, dot(bodies_.velocities[k].v, bodies_.velocities[k].v));
    for (int k = 0; k < static_cast<int>(model.deforming.size()); ++k)
        surroundings_.stretch(model, k, bodies_.shape_of(k));
    surroundings_.look(dt, dt * std::sqrt(fastest), options_.threads, context_.collision, [&](int b) {
        const int index = bodies_.index(model.bodies[b].link);
        const impulse::Velocity& own = bodies_.velocities[index];
        const Vec3d arm = surroundings_.poses()[b].p - bodies_.places[index].x;
        return solver_tuning.reach_share * Motion<double>{own.w, own.v + cross(own.w, arm)};
    });
    context_.events.add(context_.collision.contacts.events);
}

// Contacts within a time from now, and which of them are of islands at rest, or nearly. Islands wake up; at
// the beginning of a step they may fall asleep.
void Impulse::find_contacts_within(double time, bool beginning, StepReport& report) {
    look(time, report);
    const Stopwatch watch(report, StepStage::factor, options_.timed);
    if (options_.impulse.sleeping && sleeping_.look(context_.collision.contacts, bodies_, time, beginning))
        follow_sleep();
    lists_.assign(bodies_.velocities.size(), ContactPoints::passing);
    if (way_ == Way::split_step && (direct_islands_ || !context_.collision.contacts.manifolds.empty())) {
        islands_.find(context_.collision.contacts, bodies_);
        if (direct_islands_) direct_islands_->find(context_.collision.contacts, islands_, bodies_);
        enum : char {
            quiet,
            fast,
            held
        };
        tempers_.assign(bodies_.links(), quiet);
        for (int i = 0; i < bodies_.links(); ++i) {
            const Vec3d& v = bodies_.velocities[bodies_.index(i)].v;
            const bool speeds = dot(v, v) > sweep_tuning.steady_speed * sweep_tuning.steady_speed;
            const char own = islands_.is_held(i) ? held : speeds ? fast
                                                                 : quiet;
            char& temper = tempers_[islands_.of(i)];
            temper = std::max(temper, own);
        }
        for (int i = 0; i < bodies_.links(); ++i) {
            const char temper = tempers_[islands_.of(i)];
            lists_[bodies_.index(i)] = temper == held   ? ContactPoints::passing
                                       : temper == fast ? ContactPoints::loose
                                                        : ContactPoints::steady;
        }
    }
    contacts_.find(context_.collision.contacts, bodies_, time, lists_);
    const std::vector<Manifold>& manifolds = context_.collision.contacts.manifolds;
    touch_unequally_ = std::ranges::any_of(manifolds, [this](const Manifold& manifold) {
        return masses_.differ_much_at(manifold);
    });
    find_turning_links();
}

// Between two bodies that are not planes a normal turns with either of them; balls alone may turn.
void Impulse::find_turning_links() {
    turning_ = rolling_;
    if (turning_.empty()) return;
    if (direct_islands_) direct_islands_->choose(bodies_);
    if (direct_islands_ && direct_islands_->count() == 0) return turning_.clear();
    const Contacts& contacts = context_.collision.contacts;
    for (const Manifold& manifold : contacts.manifolds) {
        const int geoms[] = {manifold.geom_a, manifold.geom_b};
        const auto type_of = [&](int geom) {
            return model_->collision->geoms[model_->collision->index_of[geom]].shape.type;
        };
        if (type_of(geoms[0]) == ShapeType::plane || type_of(geoms[1]) == ShapeType::plane) continue;
        bool near = false;
        for (int c = manifold.begin; c < manifold.begin + manifold.count; ++c)
            near = near || contacts.contacts[c].distance < direct_tuning.near_gap;
        for (const int geom : geoms) {
            const int link = model_->bodies[model_->geoms[geom].body].link;
            if (near && link >= 0 && type_of(geom) != ShapeType::sphere) turning_[link] = 1;
        }
    }
}

double Impulse::fastest_turn() const {
    double squared = 0;
    for (std::size_t i = 0; i < turning_.size(); ++i) {
        const Vec3d& w = bodies_.velocities[bodies_.index(static_cast<int>(i))].w;
        if (turning_[i] && is_direct(static_cast<int>(i))) squared = std::max(squared, dot(w, w));
    }
    return std::sqrt(squared);
}

int Impulse::substeps_for_forces(double dt) const {
    if (!general_.acts()) return 0;
    const double wished = dt / (sweep_tuning.elastic_share * damping_time_);
    if (!general_.is_elastic_alone() || !(wished < sweep_tuning.smooth_substeps))
        return sweep_tuning.smooth_substeps;
    return static_cast<int>(std::ceil(wished));
}

// What a sub-step is too long for is damped (turning_inertia.h): all that a rope has when it is pulled taut.
int Impulse::substeps_for_tension(double dt) const {
    const double wished = direct_tuning.tension_margin * dt * tension_rate_;
    if (!(wished < direct_tuning.max_tension_substeps)) return direct_tuning.max_tension_substeps;
    return static_cast<int>(std::ceil(wished));
}

// By the accelerations with which the two sides of joints leave each other as bodies turn on.
int Impulse::substeps_for_turning(double dt) const {
    if (!direct_ || (direct_islands_ && direct_islands_->count() == 0)) return 0;
    const auto curving = [&](int link, const Vec3d& joint) {
        const int index = bodies_.index(link);
        const Vec3d& w = bodies_.velocities[index].w;
        return cross(w, cross(w, joint - bodies_.places[index].x));
    };
    double squared = 0;
    for (int i = 0; i < bodies_.links(); ++i) {
        const TreeLink<double>& link = model_->tree.links[i];
        if (!bodies_.has_joint_rows(i) || link.kernel == TreeLink<double>::Kernel::free) continue;
        if (!is_direct(i)) continue;
        const Vec3d joint = bodies_.link_pose(i).p;
        const Vec3d apart = curving(i, joint) - curving(link.parent, joint);
        squared = std::max(squared, dot(apart, apart));
    }
    const double wished = dt * std::sqrt(0.5 * std::sqrt(squared) / direct_tuning.turning_gap);
    if (!(wished < direct_tuning.max_turning_substeps)) return direct_tuning.max_turning_substeps;
    return static_cast<int>(std::ceil(wished));
}

}  // namespace lig
