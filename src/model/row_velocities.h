#pragma once

// Which velocities change a length: collected for one row at a time, in rising order into
// Model::row_velocities.

#include "dynamics/drive_rows.h"

#include <ligament/model.h>

#include <algorithm>
#include <vector>

namespace lig::compiling {

class RowVelocities {
public:
    explicit RowVelocities(Model& model) : model_(model) {}

    void add(int velocity) { velocities_.push_back(velocity); }
    void add(const Model::Row& row) {
        velocities_.insert(velocities_.end(), model_.row_velocities.begin() + row.begin,
                           model_.row_velocities.begin() + row.begin + row.count);
    }
    // The freedoms that move one of two links but not both.
    void add_difference(int a, int b) {
        const int stop = common_carrier(model_.tree, a, b);
        for (int link : {a, b})
            for (; link != stop && link >= 0; link = model_.tree.links[link].parent)
                for (int k = 0; k < model_.tree.links[link].nv; ++k)
                    velocities_.push_back(model_.tree.links[link].v_adr + k);
    }
    void add_difference(const Model::Loop& loop) {
        add_difference(model_.bodies[loop.body_a].link, model_.bodies[loop.body_b].link);
    }

    Model::Row finish() {
        std::sort(velocities_.begin(), velocities_.end());
        velocities_.erase(std::unique(velocities_.begin(), velocities_.end()), velocities_.end());
        const Model::Row row{static_cast<int>(model_.row_velocities.size()),
                             static_cast<int>(velocities_.size())};
        model_.row_velocities.insert(model_.row_velocities.end(), velocities_.begin(), velocities_.end());
        velocities_.clear();
        return row;
    }

private:
    Model& model_;
    std::vector<int> velocities_;
};

}  // namespace lig::compiling
