#pragma once

// The motion and the curves of one run for a page or a file that shows it: samples as they come, thinned out
// where there are more than can be seen, or than a file should hold. What is not finite has no value: NaN.

#include "app/files/plot_panels.h"

#include <cstddef>
#include <string>
#include <vector>

namespace lig::app {

class ReportSamples {
public:
    // Remembers what it needs of the layout.
    explicit ReportSamples(const TrajectoryLayout& layout);

    void add(const TrajectorySample& sample);

    struct Row {
        double time;
        std::vector<float> poses;   // (bodies × 7) x y z, w x y z; quaternions do not jump between signs
        std::vector<float> stretches;  // (Model::deforming × 6) xx yy zz xy xz yz
        std::vector<float> com;     // (3)
        std::vector<float> values;  // (series)
        std::vector<float> contacts;  // (contacts × contact_size) point, force on geom 2, normal, distance

        std::size_t size() const {
            return poses.size() + stretches.size() + com.size() + values.size() + contacts.size();
        }
    };
    static constexpr std::size_t contact_size = 10;

    // How a curve is thinned out: what happened between two samples is not lost.
    enum class Between {
        nothing,  // a value at a time
        largest,
        sum
    };
    struct Series {
        std::string group, name, unit;
        bool shown;        // before it is chosen
        bool unless_zero;  // left out where it never is anything else
        Between between;
        std::size_t column;
    };

    const std::vector<Row>& rows() const { return rows_; }
    const std::vector<Series>& series() const { return series_; }
    std::size_t bodies() const { return bodies_; }
    std::size_t deforming() const { return shapes_.size(); }
    bool has_contacts() const { return has_contacts_; }
    std::size_t taken() const { return taken_; }   // samples of the run
    std::size_t stride() const { return stride_; }  // every so many of them is a row, and the last one

private:
    void add_series(const TrajectoryLayout& layout, const PanelKind& kind);
    Row row_of(const TrajectorySample& sample) const;
    void carry(const Row& from, Row& to) const;
    bool are_too_many() const;
    static void keep_signs(const Row& before, Row& row);
    void thin_out();

    // Where the coordinates of a body that deforms are, and what makes S of them.
    struct Shape {
        std::size_t column;
        Sym3d (*spread)(const double* s);
    };
    std::vector<Shape> shapes_;
    std::vector<Series> series_;
    std::size_t bodies_ = 0, xpos_ = 0, xquat_ = 0, com_ = 0;
    bool has_contacts_ = false;
    std::vector<Row> rows_;
    std::size_t numbers_ = 0;  // in all rows
    std::size_t taken_ = 0, stride_ = 1;
    bool last_is_extra_ = false;  // it is a row only as long as it is the last one
};

}  // namespace lig::app
