#pragma once

// Vectors, rotations and forces as plain numbers in a row, and back: what formulations keep between steps
// goes into snapshots in this form.

#include <ligament/spatial.h>
#include <ligament/vec.h>

#include <cstddef>
#include <vector>

namespace lig {

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
    void symmetric(Sym3d& m) {
        for (double* x : {&m.xx, &m.yy, &m.zz, &m.xy, &m.xz, &m.yz}) number(*x);
    }
    // A motion or a force.
    template <class Spatial>
    void spatial(Spatial& s) {
        vector(s.ang);
        vector(s.lin);
    }
    // In the place of numbers that mean nothing now: there are always as many.
    void skip(std::size_t count) {
        if (to_)
            to_->resize(to_->size() + count, 0.0);
        else
            from_ += count;
    }

private:
    std::vector<double>* to_ = nullptr;
    const double* from_ = nullptr;
};

}  // namespace lig
