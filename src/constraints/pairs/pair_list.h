#pragma once

// The constraints between two bodies, one line each: class, least and most rows, how many of them (from the
// last) are nonholonomic, summary. Names are those of the classes' kind(). The command line, the readers and
// writers of files, the contract test and the table in docs/constraints.md run on this list.

#include <ligament/pair_kinds.h>

#define LIG_FOR_EACH_PAIR(X)                                                                \
    X(DistanceConstraint, "distance", 1, 1, 0, "two points keep their distance")            \
    X(PointOnLineConstraint, "point_on_line", 2, 2, 0, "a point on a line")                 \
    X(PointOnPlaneConstraint, "point_on_plane", 1, 1, 0, "a point on a plane")              \
    X(CurveConstraint, "curve", 1, 2, 0, "a point on a quadric, or where two of them meet") \
    X(GearConstraint, "gear", 1, 1, 1, "a ratio of angular velocities")                     \
    X(RollingBallConstraint, "rolling_ball", 3, 3, 2, "a ball rolls on a plane")            \
    X(RollingDiskConstraint, "rolling_disk", 3, 3, 2, "a disk or wheel rolls on a plane")   \
    X(KnifeEdgeConstraint, "knife_edge", 1, 1, 1, "a blade moves along its edge only")      \
    X(PrescribedConstraint, "prescribed", 1, 6, 0, "position and angles as functions of time")

namespace lig::pairs {

struct PairInfo {
    std::string_view name;
    int least_rows, most_rows;
    int nonholonomic;
    std::string_view summary;
};

inline constexpr PairInfo pair_list[] = {
#define LIG_PAIR_INFO(Class, name, least, most, nonholonomic, summary) \
    {name, least, most, nonholonomic, summary},
    LIG_FOR_EACH_PAIR(LIG_PAIR_INFO)
#undef LIG_PAIR_INFO
};

}  // namespace lig::pairs
