#include "formulations/rows/row_kernels.h"

#include <ligament/lanes.h>

#include <cmath>

namespace lig {
namespace {

using Four = Lanes4d;

LIG_INLINE Four load(const double* p) {
    Four x(0.0);
    for (int k = 0; k < 4; ++k) x.set(k, p[k]);
    return x;
}
LIG_INLINE void store(const Four& x, double* p) {
    for (int k = 0; k < 4; ++k) p[k] = x[k];
}

struct Front {
    int link;
    Vec3<Four> ang, lin;
};

LIG_INLINE Front front_of(const FourForces& on) {
    const double* force = on.force;
    return {on.link,
            {load(force), load(force + 4), load(force + 8)},
            {load(force + 12), load(force + 16), load(force + 20)}};
}

// What arrives at a link: its freedoms' z, and the rest handed to the parent.
LIG_INLINE void pass(const JointFactor::Link& link, const JointFactor::Dof* dofs, Front& front, double*& z,
                     int*& support) {
    Four own[12];  // no link has more freedoms
    for (int k = link.nv - 1; k >= 0; --k) {
        const Motion<double>& S = dofs[link.v_adr + k].S;
        own[k] = Four(S.ang.x) * front.ang.x + Four(S.ang.y) * front.ang.y + Four(S.ang.z) * front.ang.z +
                 Four(S.lin.x) * front.lin.x + Four(S.lin.y) * front.lin.y + Four(S.lin.z) * front.lin.z;
        store(own[k], z);
        z += 4;
        *support++ = link.v_adr + k;
    }
    if (link.parent >= 0) {
        for (int k = 0; k < link.nv; ++k) {
            const Force<double>& U = dofs[link.v_adr + k].U;
            front.ang.x = front.ang.x - own[k] * Four(U.ang.x);
            front.ang.y = front.ang.y - own[k] * Four(U.ang.y);
            front.ang.z = front.ang.z - own[k] * Four(U.ang.z);
            front.lin.x = front.lin.x - own[k] * Four(U.lin.x);
            front.lin.y = front.lin.y - own[k] * Four(U.lin.y);
            front.lin.z = front.lin.z - own[k] * Four(U.lin.z);
        }
        const Vec3<Four> r = {Four(link.r.x), Four(link.r.y), Four(link.r.z)};
        front.ang += cross(r, front.lin);
    }
    front.link = link.parent;
}

void propagate4(const JointFactor::Link* links, const JointFactor::Dof* dofs, FourForces on_a,
                FourForces on_b, double* z, int* support) {
    Front a = front_of(on_a), b = a;
    if (on_b.link >= 0) {
        b = front_of(on_b);
        while (a.link >= 0 && b.link >= 0 && a.link != b.link) {
            Front& later = a.link > b.link ? a : b;
            pass(links[later.link], dofs, later, z, support);
        }
        if (a.link >= 0 && a.link == b.link) {
            a.ang += b.ang;
            a.lin += b.lin;
        } else {
            while (b.link >= 0) pass(links[b.link], dofs, b, z, support);
        }
    }
    while (a.link >= 0) pass(links[a.link], dofs, a, z, support);
}

void gather4(const double* z, const int* support, int count, const double* s, double* w) {
    Four even(0.0), odd(0.0);
    int j = 0;
    for (; j + 1 < count; j += 2) {
        even = even + load(z + 4 * j) * Four(s[support[j]]);
        odd = odd + load(z + 4 * j + 4) * Four(s[support[j + 1]]);
    }
    if (j < count) even = even + load(z + 4 * j) * Four(s[support[j]]);
    store(load(w) + (even + odd), w);
}

void scatter4(const double* z, const int* support, int count, const double* change, double* s) {
    const Four c = load(change);
    for (int j = 0; j < count; ++j) {
        const Four x = load(z + 4 * j) * c;
        s[support[j]] += (x[0] + x[1]) + (x[2] + x[3]);
    }
}

void products4(const double* z, int count, double* a) {
    Four sum[4] = {Four(0.0), Four(0.0), Four(0.0), Four(0.0)};
    for (int j = 0; j < count; ++j) {
        const Four x = load(z + 4 * j);
        for (int r = 0; r < 4; ++r) sum[r] = sum[r] + Four(z[4 * j + r]) * x;
    }
    for (int r = 0; r < 4; ++r) store(sum[r], a + 4 * r);
}

template <int Terms>
LIG_INLINE void add_outer_of(const OuterTerms& of, double* entries, const int* start, const int* first) {
    const double* const y = of.y;
    const int* const runs = of.runs;
    const int count = of.count, run_count = of.run_count;
    int i = 0;
    for (int k = 0; k < run_count; ++k)
        for (int t = 0; t < runs[2 * k + 1]; ++t, ++i) {
            const int place = runs[2 * k] + t;
            double* const row = entries + start[place] - first[place];
            double own[Terms];
            for (int m = 0; m < Terms; ++m) own[m] = y[m * count + i];
            int j = 0;
            for (int l = 0; l <= k; ++l) {
                double* to = row + runs[2 * l];
                const int length = l < k ? runs[2 * l + 1] : t + 1;
                const double* from = y + j;
                int p = 0;
                for (; p + 4 <= length; p += 4) {
                    Four sum = load(to + p);
                    for (int m = 0; m < Terms; ++m) sum = sum + Four(own[m]) * load(from + m * count + p);
                    store(sum, to + p);
                }
                for (; p < length; ++p) {
                    double sum = to[p];
                    for (int m = 0; m < Terms; ++m) sum = sum + own[m] * from[m * count + p];
                    to[p] = sum;
                }
                j += length;
            }
        }
}

void add_outer(const OuterTerms& of, double* entries, const int* start, const int* first) {
    switch (of.terms) {
        case 1: add_outer_of<1>(of, entries, start, first); break;
        case 2: add_outer_of<2>(of, entries, start, first); break;
        case 3: add_outer_of<3>(of, entries, start, first); break;
        default:
            for (int m = 0; m < of.terms; ++m)
                add_outer_of<1>({of.y + m * of.count, 1, of.count, of.runs, of.run_count}, entries, start,
                                first);
    }
}

LIG_INLINE double dot4(const double* x, const double* y, int n) {
    Four sum(0.0);
    int i = 0;
    for (; i + 4 <= n; i += 4) sum = sum + load(x + i) * load(y + i);
    double rest = 0;
    for (; i < n; ++i) rest += x[i] * y[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

bool factor_envelope(int n, const int* start, const int* first, double* entries, double* reciprocal) {
    for (int i = 0; i < n; ++i) {
        double* const row = entries + start[i] - first[i];
        const int begin = first[i];
        double pivot = row[i];
        for (int j = begin; j < i; ++j) {
            const int common = begin > first[j] ? begin : first[j];
            const double* const other = entries + start[j] - first[j];
            const double entry = (row[j] - dot4(row + common, other + common, j - common)) * reciprocal[j];
            row[j] = entry;
            pivot -= entry * entry;
        }
        if (!(pivot > 0)) return false;
        row[i] = __builtin_sqrt(pivot);
        reciprocal[i] = 1 / row[i];
    }
    return true;
}

void solve_envelope(int n, const int* start, const int* first, const double* entries,
                    const double* reciprocal, double* x) {
    // Zeros in front stay: a right-hand side of one row begins where its support does.
    int begin = 0;
    while (begin < n && x[begin] == 0) ++begin;
    for (int i = begin; i < n; ++i) {
        const double* const row = entries + start[i] - first[i];
        const int from = first[i] > begin ? first[i] : begin;
        x[i] = (x[i] - dot4(row + from, x + from, i - from)) * reciprocal[i];
    }
    for (int i = n - 1; i >= 0; --i) {
        const double* const row = entries + start[i] - first[i];
        x[i] *= reciprocal[i];
        const Four own(x[i]);
        int j = first[i];
        for (; j + 4 <= i; j += 4) store(load(x + j) - own * load(row + j), x + j);
        for (; j < i; ++j) x[j] -= x[i] * row[j];
    }
}

}  // namespace

namespace LIG_ISA {

void add_row_kernels(RowKernels& table) {
    table = {&propagate4, &gather4, &scatter4, &products4, &add_outer, &factor_envelope, &solve_envelope};
}

}  // namespace LIG_ISA
}  // namespace lig
