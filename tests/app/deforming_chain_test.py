"""A chain of rigid, planar and point bodies and bodies that deform, against the dense system M a + Jᵀ y = f, J a = −c of Baraff 1996.
Everything is computed here from point masses: eight for each box, whose second moments are those of the box."""

import json

import numpy as np

import support

KINDS = ("rigid", "planar", "particle", "scaling", "affine", "stretching", "rigid", "affine", "scaling", "particle")
PLANAR = KINDS.index("planar")
GRAVITY = np.array([0, 0, -9.81])
START, END = np.array([-1, 0.2, -0.1]), np.array([1, 0.2, -0.1])
STRETCHES = {"scaling": [np.eye(3)], "stretching": [np.diag(row) for row in np.eye(3)], "affine": []}
for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
    basis = np.zeros((3, 3))
    basis[i, j] = basis[j, i] = 1
    STRETCHES["affine"].append(basis)
YOUNG, POISSON, DAMPING = 3e3, 0.3, 0.02


def cross_matrix(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Body:
    """One link of the chain in a random state: freedoms are (ω, ẋ, ṡ), those that its kind has."""

    def __init__(self, kind, random):
        self.kind = kind
        self.half = random.uniform(0.1, 0.4, 3)
        self.mass = random.uniform(0.5, 2)
        self.x = np.zeros(3)
        self.R = np.eye(3)
        self.quat = np.array([1.0, 0, 0, 0])
        if kind == "planar":
            self.angle = random.uniform(-1, 1)
            self.quat = np.array([np.cos(self.angle / 2), 0, np.sin(self.angle / 2), 0])
        elif kind != "particle":
            self.quat = random.normal(size=4)
            self.quat /= np.linalg.norm(self.quat)
        self.R = rotation(self.quat)
        self.bases = STRETCHES.get(kind, [])
        rest = np.array([1.0, 1, 1, 0, 0, 0])[: len(self.bases)]
        self.s = rest + random.uniform(-0.1, 0.1, len(self.bases))
        self.S = sum((s * b for s, b in zip(self.s, self.bases)), np.zeros((3, 3))) if self.bases else np.eye(3)
        self.rates = random.uniform(-1, 1, len(self.bases))
        self.w = np.zeros(3) if kind == "particle" else random.uniform(-2, 2, 3)
        self.velocity = random.uniform(-1, 1, 3)
        if kind == "planar":
            self.w[[0, 2]] = 0
            self.velocity[1] = 0
        # Which of ω and ẋ it has.
        self.has = {"planar": [1, 3, 5], "particle": [3, 4, 5]}.get(kind, [0, 1, 2, 3, 4, 5])
        self.dim = len(self.has) + len(self.bases)

    def place(self, r):
        return self.x + self.R @ self.S @ r

    def jacobian(self, r):
        arm = self.R @ self.S @ r
        rigid = np.hstack([-cross_matrix(arm), np.eye(3)])[:, self.has]
        return np.hstack([rigid] + [(self.R @ b @ r)[:, None] for b in self.bases])

    def bend(self, r):
        """Its acceleration while that of the freedoms is 0."""
        W = cross_matrix(self.w)
        rate = sum((s * b for s, b in zip(self.rates, self.bases)), np.zeros((3, 3)))
        return W @ W @ self.R @ self.S @ r + 2 * W @ self.R @ rate @ r

    def equations(self):
        """M and f, summed over its points."""
        M, f = np.zeros((self.dim, self.dim)), np.zeros(self.dim)
        for corner in np.ndindex(2, 2, 2):
            r = (2 * np.array(corner) - 1) * self.half / np.sqrt(3)
            J = self.jacobian(r)
            M += self.mass / 8 * J.T @ J
            f += self.mass / 8 * J.T @ (GRAVITY - self.bend(r))
        volume = 8 * np.prod(self.half)
        mu, lame = YOUNG / (2 * (1 + POISSON)), YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
        if self.bases:
            rate = sum(s * b for s, b in zip(self.rates, self.bases))
            strain = self.S - np.eye(3) + DAMPING * rate
            stress = volume * (2 * mu * strain + lame * np.trace(strain) * np.eye(3))
            f[len(self.has) :] -= [np.sum(stress * b) for b in self.bases]
        return M, f

    def qpos(self):
        if self.kind == "planar":
            return [self.x[0], self.x[2], self.angle]
        if self.kind == "particle":
            return list(self.x)
        return [*self.x, *self.quat, *self.s]

    def to_joints(self, v):
        """Freedoms as the program has them: ẋ before ω, and ω of free joints in the axes of the body."""
        if self.kind == "planar":
            return [v[1], v[2], v[0]]
        if self.kind == "particle":
            return list(v)
        return [*v[3:6], *(self.R.T @ v[:3]), *v[6:]]

    def freedoms(self):
        return np.concatenate([np.concatenate([self.w, self.velocity])[self.has], self.rates])

    def set_freedoms(self, v):
        rigid = np.zeros(6)
        rigid[self.has] = v[: len(self.has)]
        self.w, self.velocity, self.rates = rigid[:3], rigid[3:], v[len(self.has) :]

    def qvel(self):
        return self.to_joints(self.freedoms())

    def xml(self, index):
        words = "" if self.kind == "rigid" else f'kind="{self.kind}" '
        if self.bases:
            words += f'young="{YOUNG}" poisson="{POISSON}" damping="{DAMPING}" '
        joint = "<freejoint/>" if self.kind == "rigid" else ""
        size = " ".join(map(repr, map(float, self.half)))
        return (
            f'<body name="b{index}" pos="{2 * index} 0 0" {words}>{joint}'
            f'<geom type="box" size="{size}" mass="{float(self.mass)!r}" contype="0" conaffinity="0"/></body>'
        )


class Bushing:
    """Pulls the point r_b of one body to the point r_a of another, along the axes of the latter."""

    def __init__(self, a, b, random):
        self.a, self.b = a, b
        self.r_a, self.r_b = random.uniform(-0.3, 0.3, 3), random.uniform(-0.3, 0.3, 3)
        self.stiffness, self.damping = random.uniform(5, 50, 3), random.uniform(0.5, 5, 3)

    def add_forces(self, chain, offsets, side):
        """By the motion of the one point seen from the other, which turns with its body."""
        a, b = chain[self.a], chain[self.b]
        between = b.place(self.r_b) - a.place(self.r_a)
        turning = np.zeros((3, a.dim))
        for column, freedom in enumerate(a.has):
            if freedom < 3:
                turning[freedom, column] = 1
        J_a = a.jacobian(self.r_a) - cross_matrix(between) @ turning
        J_b = b.jacobian(self.r_b)
        p = a.R.T @ between
        rate = a.R.T @ (J_b @ b.freedoms() - J_a @ a.freedoms())
        f = -a.R @ (self.stiffness * p + self.damping * rate)
        side[offsets[self.b] : offsets[self.b] + b.dim] += J_b.T @ f
        side[offsets[self.a] : offsets[self.a] + a.dim] -= J_a.T @ f

    def xml(self):
        words = {
            "pos1": self.r_a,
            "pos2": self.r_b,
            "quat2": np.array([1, 0, 0, 0]),
            "stiffness": self.stiffness,
            "damping": self.damping,
        }
        text = " ".join(f'{word}="{" ".join(map(repr, map(float, numbers)))}"' for word, numbers in words.items())
        return f'<bushing body1="b{self.a}" body2="b{self.b}" {text}/>'


def make_chain(seed):
    random = np.random.default_rng(seed)
    chain = [Body(kind, random) for kind in KINDS]
    for k in range(PLANAR + 1, len(chain)):  # each where the one before it ends
        chain[k].x = chain[k - 1].place(END) - (chain[k].place(START) - chain[k].x)
    for k in reversed(range(PLANAR)):
        chain[k].x = chain[k + 1].place(START) - (chain[k].place(END) - chain[k].x)
    fit_velocities(chain)
    return chain


def model_of(chain, bushings=()):
    loops = "".join(
        f'<connect body1="b{k}" body2="b{k + 1}" anchor="{" ".join(map(str, END))}"/>' for k in range(len(chain) - 1)
    )
    return (
        '<mujoco><option gravity="0 0 -9.81"/><worldbody>'
        + "".join(body.xml(k) for k, body in enumerate(chain))
        + f"</worldbody><equality>{loops}</equality>"
        + f"<force>{''.join(bushing.xml() for bushing in bushings)}</force></mujoco>"
    )


def system(chain):
    """The matrix, f and −c, and where bodies begin."""
    offsets = np.concatenate([[0], np.cumsum([body.dim for body in chain])])
    n, rows = offsets[-1], 3 * (len(chain) - 1)
    K, side = np.zeros((n + rows, n + rows)), np.zeros(n + rows)
    for body, at in zip(chain, offsets):
        K[at : at + body.dim, at : at + body.dim], side[at : at + body.dim] = body.equations()
    for k in range(len(chain) - 1):
        row = slice(n + 3 * k, n + 3 * k + 3)
        for sign, body, at, r in ((1, chain[k], offsets[k], END), (-1, chain[k + 1], offsets[k + 1], START)):
            J = sign * body.jacobian(r)
            K[row, at : at + body.dim] = J
            K[at : at + body.dim, row] = J.T
            side[row] -= sign * body.bend(r)
    return K, side, offsets


def fit_velocities(chain):
    """Velocities that the loops let through, by the least change of momentum."""
    K, _, offsets = system(chain)
    v = np.concatenate([body.freedoms() for body in chain])
    side = np.zeros(len(K))
    side[: len(v)] = K[: len(v), : len(v)] @ v
    fitted = np.linalg.solve(K, side)
    for body, at in zip(chain, offsets):
        body.set_freedoms(fitted[at : at + body.dim])


def accelerations(chain, bushings=()):
    K, side, offsets = system(chain)
    for bushing in bushings:
        bushing.add_forces(chain, offsets, side)
    a = np.linalg.solve(K, side)
    return np.concatenate([body.to_joints(a[at : at + body.dim]) for body, at in zip(chain, offsets)])


class DeformingChainTest(support.AppTest):
    def test_accelerations(self):
        for seed in range(5):
            chain = make_chain(seed)
            state = {"qpos": np.concatenate([body.qpos() for body in chain]).tolist()}
            state["qvel"] = np.concatenate([body.qvel() for body in chain]).tolist()
            model, given = self.file("chain.xml", model_of(chain)), self.file("state.json", json.dumps(state))
            wanted = accelerations(chain)
            for loops in ("direct", "anticipation"):
                with self.subTest(f"{seed} {loops}"):
                    words = ["forward", model, "--state", given, "--formulation", "multiplier", "--loops", loops]
                    found = np.array(self.run_json(*words, "--disable", "contact")["states"][0]["qacc"])
                    self.assertLess(np.max(np.abs(found - wanted)), 1e-10 * np.max(np.abs(wanted)))

    def test_bushings(self):
        """Between any two kinds, from either side."""
        for seed in range(3):
            chain, random = make_chain(seed), np.random.default_rng(100 + seed)
            bushings = [Bushing(k, (k + step) % len(chain), random) for k in range(len(chain)) for step in (3, 7)]
            state = {"qpos": np.concatenate([body.qpos() for body in chain]).tolist()}
            state["qvel"] = np.concatenate([body.qvel() for body in chain]).tolist()
            model = self.file("mounted.xml", model_of(chain, bushings))
            given, wanted = self.file("state.json", json.dumps(state)), accelerations(chain, bushings)
            with self.subTest(str(seed)):
                words = ["forward", model, "--state", given, "--formulation", "multiplier", "--disable", "contact"]
                found = np.array(self.run_json(*words)["states"][0]["qacc"])
                self.assertLess(np.max(np.abs(found - wanted)), 1e-10 * np.max(np.abs(wanted)))

    def test_motion_under_impulse(self):
        """It moves as those accelerations say, to first order in its sub-steps."""
        chain = make_chain(0)
        state = {"qpos": np.concatenate([body.qpos() for body in chain]).tolist()}
        state["qvel"] = np.concatenate([body.qvel() for body in chain]).tolist()
        model, given = self.file("chain.xml", model_of(chain)), self.file("state.json", json.dumps(state))

        def moved(dt, *words):
            run = ["run", model, "--state", given, "--disable", "contact", "--duration", "0.05", "--dt", str(dt)]
            return np.array(self.run_json(*run, *words)["final"]["qpos"])

        wanted = moved(0.005, "--formulation", "multiplier", "--integrator", "rk45", "--tolerance", "1e-10")
        errors = [
            np.max(np.abs(moved(dt, "--formulation", "impulse", "--substeps", "1") - wanted))
            for dt in (5e-4, 2.5e-4, 1.25e-4)
        ]
        self.assertLess(errors[0], 1e-2)
        for coarse, fine in zip(errors, errors[1:]):
            self.assertLess(fine, 0.6 * coarse)


if __name__ == "__main__":
    support.main()
