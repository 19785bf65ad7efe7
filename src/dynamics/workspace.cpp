#include <ligament/model.h>
#include <ligament/workspace.h>

#include <stdexcept>
#include <type_traits>

namespace lig {

namespace {

template <class To, class From>
Vec3<To> narrowed(const Vec3<From>& a) {
    return {To(a.x), To(a.y), To(a.z)};
}

Tree<float> narrowed(const Tree<double>& tree) {
    Tree<float> out;
    out.nq = tree.nq;
    out.nv = tree.nv;
    out.nbase = tree.nbase;
    out.links.reserve(tree.links.size());
    for (const TreeLink<double>& l : tree.links) {
        out.links.push_back({l.parent,
                             l.joint_begin,
                             l.joint_count,
                             l.v_adr,
                             l.nv,
                             static_cast<TreeLink<float>::Kernel>(l.kernel),
                             l.carries_parent,
                             l.has_other_children,
                             {float(l.inertia.mass), narrowed<float>(l.inertia.h), float(l.inertia.least),
                              narrowed<float>(l.inertia.u), narrowed<float>(l.inertia.v)},
                             l.stretch});
    }
    out.joints.reserve(tree.joints.size());
    for (const TreeJoint<double>& j : tree.joints) {
        const Mat3d& R = j.X_PF.R;
        out.joints.push_back(
            {j.type,
             j.turn,
             j.q_adr,
             j.v_adr,
             {{narrowed<float>(R.x), narrowed<float>(R.y), narrowed<float>(R.z)}, narrowed<float>(j.X_PF.p)},
             float(j.pitch),
             float(j.reference),
             j.angle});
    }
    out.armature.assign(tree.armature.begin(), tree.armature.end());
    out.angle_adr = tree.angle_adr;
    out.stretches = tree.stretches;
    out.angle_reference.assign(tree.angle_reference.begin(), tree.angle_reference.end());
    return out;
}

}  // namespace

template <class T>
Workspace<T>::Workspace(std::shared_ptr<const Model> model) : model_(std::move(model)) {
    if (!model_) throw std::invalid_argument("lig::Workspace: no model was given");
    if constexpr (std::is_same_v<real_t<T>, float>) single_ = narrowed(model_->tree);
    const std::size_t nlink = model_->tree.links.size();
    const std::size_t nv = model_->tree.nv;
    bases.resize(1 + model_->nkinematic);
    links.resize(nlink);
    branches.resize(nlink);
    dofs.resize(nv);
    S.resize(nv);
    poses.resize(nlink);
    stretches.resize(model_->tree.stretches.size());
    f_ext.assign(nlink, Force<T>::zero());
    sine.resize(model_->tree.angle_adr.size());
    cosine.resize(model_->tree.angle_adr.size());
}

template <class T>
const Tree<real_t<T>>& Workspace<T>::tree() const {
    if constexpr (std::is_same_v<real_t<T>, float>)
        return single_;
    else
        return model_->tree;
}

#define LIG_INSTANTIATE(T) template class Workspace<T>;
LIG_FOR_EACH_SCALAR(LIG_INSTANTIATE)
#undef LIG_INSTANTIATE

}  // namespace lig
