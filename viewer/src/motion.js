// Poses at any time: recorded ones at the times of samples, between them interpolated.

/// The last index whose time is not after `time` (0 before the first).
export function sampleBefore(times, time) {
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= time) low = middle;
        else high = middle - 1;
    }
    return low;
}

export function nearestSample(times, time) {
    const before = sampleBefore(times, time);
    const after = Math.min(before + 1, times.length - 1);
    return time - times[before] <= times[after] - time ? before : after;
}

/// Where `time` lies: sample `index`, and the fraction of the way to the next. Times are f32 in the document,
/// hence what is asked for within their rounding is the sample itself.
export function locate(times, time) {
    const last = times.length - 1;
    if (!(time > times[0])) return { index: 0, fraction: 0 };
    if (time >= times[last]) return { index: last, fraction: 0 };
    const index = sampleBefore(times, time);
    const span = times[index + 1] - times[index];
    const fraction = (time - times[index]) / span;
    if (fraction < 1e-4) return { index, fraction: 0 };
    if (fraction > 1 - 1e-4) return { index: index + 1, fraction: 0 };
    return { index, fraction };
}

function slerp(a, b, i, j, fraction, out) {
    let cosine = 0;
    for (let k = 3; k < 7; k++) cosine += a[i + k] * b[j + k];
    const sign = cosine < 0 ? -1 : 1;
    cosine = Math.min(1, Math.abs(cosine));
    let from = 1 - fraction;
    let to = fraction;
    // Near the same attitude the sines vanish, and the straight line is as good.
    if (cosine < 0.9995) {
        const angle = Math.acos(cosine);
        from = Math.sin(from * angle) / Math.sin(angle);
        to = Math.sin(to * angle) / Math.sin(angle);
    }
    let norm = 0;
    for (let k = 3; k < 7; k++) {
        out[k] = from * a[i + k] + sign * to * b[j + k];
        norm += out[k] * out[k];
    }
    norm = Math.sqrt(norm);
    for (let k = 3; k < 7; k++) out[k] /= norm;
}

/// Writes x y z w x y z of a body.
export function poseAt(run, bodies, body, { index, fraction }, out) {
    const { poses } = run;
    const i = (index * bodies + body) * 7;
    if (fraction === 0) {
        for (let k = 0; k < 7; k++) out[k] = poses[i + k];
        return out;
    }
    const j = i + bodies * 7;
    for (let k = 0; k < 3; k++) out[k] = poses[i + k] + fraction * (poses[j + k] - poses[i + k]);
    slerp(poses, poses, i, j, fraction, out);
    return out;
}

/// Writes xx yy zz xy xz yz of the k-th body that deforms.
export function stretchAt(run, count, k, { index, fraction }, out) {
    const i = (index * count + k) * 6;
    const j = fraction === 0 ? i : i + count * 6;
    const { stretches } = run;
    for (let c = 0; c < 6; c++) out[c] = stretches[i + c] + fraction * (stretches[j + c] - stretches[i + c]);
    return out;
}

/// A point of a body's frame in the world.
export function pointOfPose(pose, point, out) {
    const [px, py, pz] = point;
    const w = pose[3],
        x = pose[4],
        y = pose[5],
        z = pose[6];
    const tx = 2 * (y * pz - z * py),
        ty = 2 * (z * px - x * pz),
        tz = 2 * (x * py - y * px);
    out[0] = pose[0] + px + w * tx + y * tz - z * ty;
    out[1] = pose[1] + py + w * ty + z * tx - x * tz;
    out[2] = pose[2] + pz + w * tz + x * ty - y * tx;
    return out;
}
