#pragma once

// Vectors, rotations and forces as plain numbers in a row, and back: what formulations keep between steps
// goes into snapshots in this form.

#include <ligament/spatial.h>
#include <ligament/vec.h>

#include <algorithm>
#include <span>
#include <vector>

namespace lig {

// Appends.
class NumberWriter {
public:
    explicit NumberWriter(std::vector<double>& out) : out_(out) {}

    void number(double x) { out_.push_back(x); }
    void numbers(std::span<const double> list) { out_.insert(out_.end(), list.begin(), list.end()); }
    void vector(const Vec3d& v) { out_.insert(out_.end(), {v.x, v.y, v.z}); }
    void quaternion(const Quatd& q) { out_.insert(out_.end(), {q.w, q.x, q.y, q.z}); }
    void motion(const Motion<double>& V) {
        vector(V.ang);
        vector(V.lin);
    }
    void force(const Force<double>& f) {
        vector(f.ang);
        vector(f.lin);
    }

private:
    std::vector<double>& out_;
};

// Reads what NumberWriter has written, in the same order. The caller has checked how many numbers there are.
class NumberReader {
public:
    explicit NumberReader(const double* from) : at_(from) {}

    double number() { return *at_++; }
    void numbers(std::span<double> list) {
        std::copy_n(at_, list.size(), list.begin());
        at_ += list.size();
    }
    Vec3d vector() {
        at_ += 3;
        return {at_[-3], at_[-2], at_[-1]};
    }
    Quatd quaternion() {
        at_ += 4;
        return {at_[-4], at_[-3], at_[-2], at_[-1]};
    }
    Motion<double> motion() {
        const Vec3d ang = vector();
        return {ang, vector()};
    }
    Force<double> force() {
        const Vec3d ang = vector();
        return {ang, vector()};
    }

private:
    const double* at_;
};

// Appends or reads, so that what is kept is listed once.
class NumberStream {
public:
    explicit NumberStream(std::vector<double>& out) : to_(&out) {}
    explicit NumberStream(const double* from) : from_(from) {}

    bool reads() const { return to_ == nullptr; }
    // Of any type; those of one byte are flags.
    template <class T>
    LIG_INLINE void number(T& x) {
        if (to_)
            to_->push_back(static_cast<double>(x));
        else if constexpr (sizeof(T) == 1)
            x = *from_++ != 0;
        else
            x = static_cast<T>(*from_++);
    }
    template <class T>
    void numbers(std::vector<T>& list) {
        for (T& x : list) number(x);
    }
    void vector(Vec3d& v) {
        for (double* x : {&v.x, &v.y, &v.z}) number(*x);
    }
    void quaternion(Quatd& q) {
        for (double* x : {&q.w, &q.x, &q.y, &q.z}) number(*x);
    }

private:
    std::vector<double>* to_ = nullptr;
    const double* from_ = nullptr;
};

}  // namespace lig
