#pragma once

// K = J M⁻¹ Jᵀ by carrying each row to the root once, instead of one test force and two loops over the whole
// body for each [faster than K04 sec. 4.3].
//
// In the coordinates of JointFactor row i is z_i = Inward(Jᵢᵀ), with entries on the ways from its links
// to the root only, and K_ij = z_i · z_j: a sum over the links that both ways have in common. Where
// these are a path from some link c to the root, all of it beyond c is known from the forces that have
// arrived at the parent p:
//     K_ij = z_i(c) · z_j(c) + F_i(p) · Ω_p F_j(p),
// Ω_p being the acceleration of p per force on it: the inverse of the inertia that the whole body shows
// there, found outwards from the root,
//     Ω_c = P X Ω_p Xᵀ Pᵀ + S Sᵀ,   P = 1 − S Uᵀ    (S, U as JointFactor has them)
// So a pair of rows costs the shorter of two things: the product of the entries that they have in common, or
// a product with Ω_p F (of a row's own c and p that is found once, and on a chain it is all there is),
// once there are rows enough to pay for finding Ω. With d the freedoms on the way from a row to the root,
// Cost:     O(md + m²) after the factor, and O(n) once for Ω where some way is long; the test forces need
//           O(nm + m²).
// (Ω and its recursion are those of the "extended force propagators" of Kreutz-Delgado, Jain and
// Rodriguez; to choose between it and the plain product pair by pair is ours.)
//
// Rows that act in several places at once, two points or a loop, have ways that meet. Up to the last link at
// which a row acts or at which its ways join, common links are summed one by one; from there on, its trunk,
// as above.

#include "constraints/rows.h"
#include "dynamics/joint_factor.h"

#include <array>
#include <span>
#include <vector>

namespace lig {

class PropagatedMatrix {
public:
    explicit PropagatedMatrix(const Model& model);

    // K, rows × rows, after factor.factor(). Compliances of the rows are not looked at. Allocates only beyond
    // the largest lists of rows so far.
    void build(const JointFactor& factor, const Rows& rows, std::span<double> K);

private:
    // The ways of a row to the root, stop by stop in falling order of the links.
    struct Path {
        int begin, end;  // stops
        int trunk;       // from this stop on one way, and nothing acts on it but what comes along it
        Motion<double> answer;  // Ω F at the second stop of the trunk, where Ω is found
    };
    using Response = std::array<Motion<double>, 6>;  // Ω by columns: of unit moments, then of unit forces

    void add_plain_path(const JointFactor& factor, int link);
    void add_joined_path(const JointFactor& factor, const Rows& rows, const RowBlock& block, const Row& row);
    void add_row(const JointFactor& factor, const Rows& rows, const RowBlock& block, const Row& row);
    void carry_inward(const JointFactor& factor);
    int length_of(const JointFactor& factor, const Path& path) const;
    void find_responses(const JointFactor& factor);
    double product(const JointFactor& factor, const Path& a, const Path& b) const;

    std::vector<Path> paths_;               // (rows)
    std::vector<int> links_;                // (stops)
    std::vector<int> next_;                 // (stops) that of the same row at the link's parent, or −1
    std::vector<int> z_at_;                 // (stops) where the entries of the link's freedoms are in z_
    std::vector<Force<double>> forces_;     // (stops) what has arrived at the link, about its origin
    std::vector<double> z_;
    std::vector<Response> responses_;       // (links) of those on long trunks, where
    bool with_responses_ = false;           // it pays to have them
    std::vector<char> on_trunk_;            // (links) scratch, clear between calls
    std::vector<int> stop_at_;              // (links) scratch, −1 between calls
    std::vector<int> order_, order_begin_;  // the stops by links; (links + 1) 0 between calls
};

}  // namespace lig
