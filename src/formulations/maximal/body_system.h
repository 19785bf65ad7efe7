#pragma once

// BodySystem: a model in body coordinates, after Baraff 1996 (sec. 4, 6): what it is made of (BodyGraph),
// where its bodies are (BodyPoses), and the matrix of its equations of motion (BodyMatrix).

#include "formulations/maximal/body_graph.h"
#include "formulations/maximal/body_matrix.h"
#include "formulations/maximal/body_poses.h"

#include <memory>
#include <span>

namespace lig::maximal {

struct BodySystem {
    // As BodyGraph.
    BodySystem(std::shared_ptr<const Model> model, EqualityMethod method, std::span<const char> soft_freedoms,
               bool with_body_blocks = false)
        : graph(std::move(model), method, soft_freedoms, with_body_blocks),
          poses(graph),
          matrix(graph, poses) {}
    // Its parts refer to each other.
    BodySystem(const BodySystem&) = delete;
    BodySystem& operator=(const BodySystem&) = delete;

    // Links that take part from now on, all at first, in rising order: whole trees, and with each all that
    // equalities and the like join it with. What is found of poses and the matrix is theirs; entries of the
    // others stay as they are.
    void choose(std::span<const int> links) {
        poses.choose(links);
        matrix.choose(links);
    }

    const BodyGraph graph;
    BodyPoses poses;
    BodyMatrix matrix;
};

}  // namespace lig::maximal
