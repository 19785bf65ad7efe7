#pragma once

// What the runs of a comparison are measured against: another run, or a table that some program has written.

#include "app/compare/matter_distance.h"
#include "app/dynamics/model_file.h"
#include "app/run/trajectory.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lig::app {

class ReferenceMotion {
public:
    virtual ~ReferenceMotion() = default;

    // How far a sample is from the reference at its time, in unit(); nothing where the reference does not
    // reach that time.
    virtual std::optional<double> distance(const TrajectoryLayout& layout,
                                           const TrajectorySample& sample) = 0;

    // How far it moves from where it begins, in unit(); 0: not known.
    virtual double extent() const { return 0; }

    virtual std::string_view unit() const { return "m"; }
    // What is compared with what, in words.
    virtual std::string description() const = 0;
};

// Samples of a run, which others must have been taken at the same times as.
class RecordedReference final : public ReferenceMotion {
public:
    RecordedReference(const Model& model, std::string name) : distance_(model), name_(std::move(name)) {}

    void add(const TrajectoryLayout& layout, const TrajectorySample& sample);

    std::optional<double> distance(const TrajectoryLayout& layout, const TrajectorySample& sample) override;
    double extent() const override { return extent_; }
    std::string description() const override { return name_; }

private:
    struct Poses {
        double time;
        std::vector<double> xpos, xquat;
    };

    MatterDistance distance_;
    std::string name_;
    std::vector<Poses> samples_;  // in order of time
    double extent_ = 0;
};

// A recording, or a table: coordinates of joints as `ligament run` writes them, or positions of bodies
// (NAME.x NAME.y NAME.z) as any engine can. Warnings and errors are printed; errors end in a Failure.
std::unique_ptr<ReferenceMotion> read_reference(std::string_view command, const std::string& path,
                                                std::shared_ptr<const Model> model, const Names& names,
                                                const ModelOptions& options);

}  // namespace lig::app
