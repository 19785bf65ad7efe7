// A point of the curve is corrected onto the equalities and the coordinates that are held by the least
// change; the tangent is what these leave of the last one. Both are of the size of a radian, or of the
// model.

#include <ligament/transmission.h>

#include "linalg/pseudo_inverse.h"
#include "linalg/vector_ops.h"
#include "model/named.h"
#include "simulation/equality_closure.h"

#include <ligament/loop_dynamics.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>

namespace lig {

namespace {

constexpr double independent_sine = 1e-7;  // rows nearer to the others follow from them
constexpr double no_row = 1e-9;            // of the size: a row that nothing moves
constexpr double closed = 1e-13;           // errors, of a radian or the size
constexpr int max_corrections = 12;
constexpr double straight_on = 0.98;       // cosine between the tangents of neighbouring points, at least
constexpr double shortest = 1e-6;          // of the step
constexpr double moves = 1e-7;             // of the fastest: a velocity that takes part
constexpr int halvings = 60;

class Tracer {
public:
    Tracer(std::shared_ptr<const Model> model, const JointState<double>& state, int actuator,
           const TransmissionOptions& options);

    TransmissionCurve trace();

private:
    struct Place {
        JointState<double> state;
        std::vector<double> tangent;  // (nv) at the scale of velocities, of unit length
    };

    void find_start(TransmissionCurve& curve);
    void add_rows();
    bool correct(JointState<double>& state);
    bool find_tangent(Place& at, std::span<const double> before);
    std::optional<Place> advance(const Place& from, double h);
    std::optional<Place> step(const Place& from, double& h);
    std::string follow(double sign, std::vector<TransmissionPoint>& points, TransmissionCurve& curve);
    TransmissionPoint point(const Place& at);
    int passed_limit(const JointState<double>& state) const;
    template <class Function>
    Place locate(const Place& from, double h, const Function& is_behind);
    void find_moved(TransmissionCurve& curve) const;
    double distance(const JointState<double>& a, const JointState<double>& b);

    std::shared_ptr<const Model> model_;
    const TransmissionOptions options_;
    int actuator_;
    Workspace<double> ws_;
    DriveWorkspace<double> drives_;
    std::optional<EqualityClosure> closure_;
    std::vector<int> held_;
    std::vector<double> scale_;  // (nv) what a unit of each counts: 1, or the size
    double size_;
    std::vector<char> ranges_;   // (nv) of hinges and slides whose limits end the curve
    Place start_;
    std::vector<double> R_, errors_, difference_, change_;
    int rows_ = 0;
};

double size_of(const Model& model) {
    double size = 0;
    for (const Model::Body& body : model.bodies)
        size = std::max(size, std::sqrt(dot(body.X_WB0.p, body.X_WB0.p)));
    return size > 0 ? size : 1;
}

Tracer::Tracer(std::shared_ptr<const Model> shared, const JointState<double>& state, int actuator,
               const TransmissionOptions& options)
    : model_(std::move(shared)),
      options_(options),
      actuator_(actuator),
      ws_(model_),
      drives_(*model_),
      scale_(model_->nv, 1.0),
      size_(size_of(*model_)),
      ranges_(model_->nv, 0),
      start_{state, {}},
      difference_(model_->nv),
      change_(model_->nv) {
    const Model& model = *model_;
    if (!Equalities(model).acting().empty()) closure_.emplace(model);
    forward_kinematics(state, ws_);
    for (const Model::Joint& joint : model.joints)
        for (int k = joint.v_adr; k < joint.v_adr + joint.nv; ++k) {
            const Vec3d& turns = ws_.S[k].ang;
            scale_[k] = dot(turns, turns) > 0 ? 1 : size_;
            ranges_[k] = joint.nv == 1 && model.options.enabled.constraint && model.options.enabled.limit;
        }
    if (passed_limit(state) >= 0)
        throw std::invalid_argument("lig::trace_transmission: the start is beyond the limit of " +
                                    named(model, model.joints[passed_limit(state)]));
}

// The joint of a hinge or slide that is beyond its range, or −1.
int Tracer::passed_limit(const JointState<double>& state) const {
    for (std::size_t j = 0; j < model_->joints.size(); ++j) {
        const Model::Joint& joint = model_->joints[j];
        if (joint.nv != 1 || !ranges_[joint.v_adr]) continue;
        const double q = state.q[joint.q_adr], rounding = 1e-12 * (1 + std::fabs(q));
        if (q < joint.range[0].lower - rounding || q > joint.range[0].upper + rounding)
            return static_cast<int>(j);
    }
    return -1;
}

// Equalities, and what is held, at the scale of velocities: R x + errors.
void Tracer::add_rows() {
    const std::size_t nv = static_cast<std::size_t>(model_->nv);
    R_.clear();
    errors_.clear();
    std::vector<double> row(nv);
    const auto add = [&](double error) {
        double largest = 0;
        for (std::size_t k = 0; k < nv; ++k) largest = std::max(largest, std::fabs(row[k] *= scale_[k]));
        if (!(largest > no_row * size_)) return;  // out of a plane, say
        for (double& entry : row) entry /= largest;
        R_.insert(R_.end(), row.begin(), row.end());
        errors_.push_back(error / largest);
    };
    for (int r = 0; closure_ && r < closure_->equality_rows(); ++r) {
        if (!closure_->terms()[r].holonomic) continue;
        closure_->write_row(ws_, r, row);
        add(closure_->terms()[r].error);
    }
    for (const int k : held_) {
        std::fill(row.begin(), row.end(), 0.0);
        row[k] = 1;
        add(difference_[k]);
    }
    rows_ = static_cast<int>(errors_.size());
}

bool Tracer::correct(JointState<double>& state) {
    const std::size_t nv = static_cast<std::size_t>(model_->nv);
    for (int count = 0; count < max_corrections; ++count) {
        forward_kinematics(state, ws_);
        update_drives(state, ws_, drives_);
        if (closure_) closure_->assemble(state, ws_, drives_, false);
        difference<double>(ws_, start_.state.q, state.q, difference_);
        add_rows();
        if (!(largest_of(errors_) > closed)) return true;
        std::vector<double> G(static_cast<std::size_t>(rows_) * rows_), lambda(rows_);
        for (int i = 0; i < rows_; ++i)
            for (int j = 0; j < rows_; ++j)
                G[static_cast<std::size_t>(i) * rows_ + j] =
                    dot(&R_[i * nv], &R_[j * nv], static_cast<int>(nv));
        PseudoInverse inverse;
        inverse.factor(G, rows_, independent_sine);
        inverse.solve(errors_, lambda);
        std::fill(change_.begin(), change_.end(), 0.0);
        for (int i = 0; i < rows_; ++i)
            add_scaled(-lambda[i], &R_[i * nv], change_.data(), static_cast<int>(nv));
        // Rounding of large numbers leaves more than is asked for.
        if (count > 3 && !(largest_of(change_) > 1e3 * closed)) return true;
        for (std::size_t k = 0; k < nv; ++k) change_[k] *= scale_[k];
        std::vector<double> q(state.q.size());
        integrate<double>(ws_, state.q, change_, 1.0, q);
        state.q = q;
    }
    return false;
}

// What the rows of the place corrected last leave of the tangent before.
bool Tracer::find_tangent(Place& at, std::span<const double> before) {
    const std::size_t nv = static_cast<std::size_t>(model_->nv);
    std::vector<double> G(static_cast<std::size_t>(rows_) * rows_), lambda(rows_), along(rows_);
    for (int i = 0; i < rows_; ++i)
        for (int j = 0; j < rows_; ++j)
            G[static_cast<std::size_t>(i) * rows_ + j] = dot(&R_[i * nv], &R_[j * nv], static_cast<int>(nv));
    PseudoInverse inverse;
    inverse.factor(G, rows_, independent_sine);
    at.tangent.assign(before.begin(), before.end());
    // Twice: what rounding leaves of the first.
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < rows_; ++i) along[i] = dot(&R_[i * nv], at.tangent.data(), static_cast<int>(nv));
        inverse.solve(along, lambda);
        for (int i = 0; i < rows_; ++i)
            add_scaled(-lambda[i], &R_[i * nv], at.tangent.data(), static_cast<int>(nv));
    }
    const double length = std::sqrt(dot(at.tangent.data(), at.tangent.data(), static_cast<int>(nv)));
    if (!(length > straight_on)) return false;
    for (double& entry : at.tangent) entry /= length;
    return true;
}

std::optional<Tracer::Place> Tracer::advance(const Place& from, double h) {
    Place to{from.state, {}};
    for (std::size_t k = 0; k < change_.size(); ++k) change_[k] = h * scale_[k] * from.tangent[k];
    integrate<double>(ws_, from.state.q, change_, 1.0, to.state.q);
    if (!correct(to.state) || !find_tangent(to, from.tangent)) return {};
    return to;
}

// A step of h, or shorter where the curve bends.
std::optional<Tracer::Place> Tracer::step(const Place& from, double& h) {
    for (; std::fabs(h) > shortest * options_.step; h *= 0.5)
        if (std::optional<Place> to = advance(from, h)) return to;
    return {};
}

// The last place up to h that is not behind what `is_behind` asks for.
template <class Function>
Tracer::Place Tracer::locate(const Place& from, double h, const Function& is_behind) {
    double before = 0, behind = h;
    Place best = from;
    for (int count = 0; count < halvings && std::fabs(behind - before) > 1e-15 * std::fabs(h); ++count) {
        const double middle = 0.5 * (before + behind);
        std::optional<Place> at = advance(from, middle);
        if (at && !is_behind(*at)) {
            before = middle;
            best = std::move(*at);
        } else {
            behind = middle;
        }
    }
    return best;
}

TransmissionPoint Tracer::point(const Place& at) {
    TransmissionPoint out{at.state.q, at.tangent, 0, 0};
    for (std::size_t k = 0; k < scale_.size(); ++k) out.motion[k] *= scale_[k];
    forward_kinematics(at.state, ws_);
    update_drives(at.state, ws_, drives_);
    out.length = drives_.actuator_length[actuator_];
    const Model::Row& row = model_->actuators[actuator_].row;
    for (int k = row.begin; k < row.begin + row.count; ++k)
        out.length_rate += drives_.row_entries[k] * out.motion[model_->row_velocities[k]];
    return out;
}

// Hinges repeat after a turn.
double Tracer::distance(const JointState<double>& a, const JointState<double>& b) {
    difference<double>(ws_, a.q, b.q, difference_);
    for (const Model::Joint& joint : model_->joints)
        if (joint.type == JointType::hinge)
            difference_[joint.v_adr] = std::remainder(difference_[joint.v_adr], 2 * std::numbers::pi);
    double squares = 0;
    for (std::size_t k = 0; k < scale_.size(); ++k) squares += std::pow(difference_[k] / scale_[k], 2);
    return std::sqrt(squares);
}

// From the start in one direction. Returns why it ends; empty: it comes back.
std::string Tracer::follow(double sign, std::vector<TransmissionPoint>& points, TransmissionCurve& curve) {
    Place at = start_;
    for (double& entry : at.tangent) entry *= sign;
    TransmissionPoint here = point(at);
    double h = options_.step, gone = 0;
    const auto stands = [&](const TransmissionPoint& p, int velocity) {
        return velocity < 0 ? p.length_rate : p.motion[velocity] / scale_[velocity];
    };
    for (int count = 0; count < options_.points; ++count) {
        std::optional<Place> to = step(at, h);
        if (!to) return "a dead end: the mechanism cannot go on";
        const int limit = passed_limit(to->state);
        if (limit >= 0)
            to = locate(at, h, [&](const Place& p) { return passed_limit(p.state) >= 0; });
        TransmissionPoint there = point(*to);
        for (int velocity = -1; velocity < model_->nv; ++velocity) {
            if (velocity >= 0 && (std::fabs(stands(here, velocity)) < moves ||
                                  std::fabs(stands(there, velocity)) < moves))
                continue;
            if (!(stands(here, velocity) * stands(there, velocity) < 0)) continue;
            const double before = stands(here, velocity);
            const Place singular = locate(
                at, h, [&](const Place& p) { return stands(point(p), velocity) * before < 0; });
            curve.singular.push_back({velocity, point(singular)});
        }
        gone += h;
        if (gone > 4 * options_.step && distance(to->state, start_.state) < 0.75 * h &&
            dot(to->tangent.data(), start_.tangent.data(), model_->nv) * sign > straight_on)
            return "";
        points.push_back(there);
        if (limit >= 0) return "the limit of " + named(*model_, model_->joints[limit]);
        at = std::move(*to);
        here = std::move(there);
        h = std::min(options_.step, 2 * h);
    }
    return "more points than allowed";
}

// The independent velocity that the actuator drives most, and its motion; the others are held.
void Tracer::find_start(TransmissionCurve& curve) {
    LoopDynamics loops(model_);
    if (loops.set_state(start_.state) != LoopStatus::ok)
        throw std::invalid_argument("lig::trace_transmission: " + loops.where);
    const int d = loops.freedoms();
    std::vector<double> effect(d, 0.0);
    const Model::Row& row = model_->actuators[actuator_].row;
    for (int k = row.begin; k < row.begin + row.count; ++k)
        for (int i = 0; i < d; ++i)
            effect[i] += loops.drives.row_entries[k] * loops.map()[model_->row_velocities[k] * d + i];
    int chosen = -1;
    double most = 0;
    for (int i = 0; i < d; ++i)
        if (const double own = std::fabs(effect[i]) * scale_[loops.independent()[i]]; own > most)
            most = own, chosen = i;
    if (chosen < 0)
        throw std::invalid_argument("lig::trace_transmission: " +
                                    named("actuator", model_->actuators[actuator_].name, actuator_) +
                                    " moves nothing");
    curve.freedom = loops.independent()[chosen];
    start_.tangent.resize(model_->nv);
    for (int i = 0; i < d; ++i)
        if (i != chosen) held_.push_back(loops.independent()[i]);
    double squares = 0;
    for (int k = 0; k < model_->nv; ++k) {
        start_.tangent[k] = loops.map()[k * d + chosen] / scale_[k];
        squares += start_.tangent[k] * start_.tangent[k];
    }
    for (double& entry : start_.tangent) entry /= std::copysign(std::sqrt(squares), effect[chosen]);
}

void Tracer::find_moved(TransmissionCurve& curve) const {
    std::vector<char> own(model_->nv, 0);
    const Model::Row& row = model_->actuators[actuator_].row;
    for (int k = row.begin; k < row.begin + row.count; ++k)
        own[model_->row_velocities[k]] = model_->actuators[actuator_].tendon < 0;
    for (const Model::Joint& joint : model_->joints) {
        if (joint.nv != 1 || own[joint.v_adr]) continue;
        double most = 0;
        for (const TransmissionPoint& p : curve.points)
            most = std::max(most, std::fabs(p.motion[joint.v_adr]) / scale_[joint.v_adr]);
        if (most > moves) curve.moved.push_back(joint.v_adr);
    }
}

TransmissionCurve Tracer::trace() {
    TransmissionCurve curve;
    curve.actuator = actuator_;
    find_start(curve);
    std::vector<TransmissionPoint> behind, before;
    curve.ends[1] = follow(1, behind, curve);
    curve.closed = curve.ends[1].empty();
    if (!curve.closed) {
        const std::size_t found = curve.singular.size();
        curve.ends[0] = follow(-1, before, curve);
        // Those behind the start go on in the order of the curve.
        std::reverse(curve.singular.begin() + static_cast<std::ptrdiff_t>(found), curve.singular.end());
        std::rotate(curve.singular.begin(), curve.singular.begin() + static_cast<std::ptrdiff_t>(found),
                    curve.singular.end());
    }
    // All along one direction.
    for (TransmissionPoint& p : before) {
        for (double& v : p.motion) v = -v;
        p.length_rate = -p.length_rate;
    }
    curve.points.assign(before.rbegin(), before.rend());
    curve.points.push_back(point(start_));
    curve.points.insert(curve.points.end(), behind.begin(), behind.end());
    find_moved(curve);
    return curve;
}

}  // namespace

TransmissionCurve trace_transmission(std::shared_ptr<const Model> model, const JointState<double>& state,
                                     int actuator, const TransmissionOptions& options) {
    if (actuator < 0 || actuator >= model->nu)
        throw std::invalid_argument("lig::trace_transmission: there is no actuator " +
                                    std::to_string(actuator));
    if (!model->deforming.empty())
        throw std::invalid_argument("lig::trace_transmission: bodies that deform are not handled");
    if (!(options.step > 0) || options.points < 1)
        throw std::invalid_argument("lig::trace_transmission: step and points are to be positive");
    return Tracer(std::move(model), state, actuator, options).trace();
}

}  // namespace lig
