#pragma once

// Models and workspaces as the kernels see them.

#include "dynamics/kernels.h"

namespace lig {

template <class T>
TreeView<real_t<T>> view(const Tree<real_t<T>>& tree) {
    return {tree.links.data(),
            tree.joints.data(),
            tree.armature.data(),
            tree.angle_adr.data(),
            tree.angle_reference.data(),
            static_cast<int>(tree.links.size()),
            static_cast<int>(tree.joints.size()),
            static_cast<int>(tree.angle_adr.size()),
            tree.nq,
            tree.nv};
}

template <class T>
WorkView<T> view(Workspace<T>& ws, bool with_external) {
    return {ws.bases.data(), ws.links.data(), ws.branches.data(),
            ws.dofs.data(), ws.S.data(), ws.sine.data(),
            ws.cosine.data(), ws.poses.data(), with_external ? ws.f_ext.data() : nullptr};
}

}  // namespace lig
