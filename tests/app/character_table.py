"""The character of the benchmark scenes as it is defined: y up, x to its left, z ahead, metres and degrees.

name: parent, centre, axis, half length, radius, mass;
joint, type, anchor, axis of twist or hinge, swing, range of twist or hinge
"""


def _limb(side, name):
    return {
        f"upper_arm_{name}": (
            *("chest", (side * 0.36, 1.42, 0), "x", 0.11, 0.045, 1.96),
            *(f"shoulder_{name}", "ball", (side * 0.22, 1.42, 0), (side, 0, 0), 80, (-45, 45)),
        ),
        f"forearm_{name}": (
            *(f"upper_arm_{name}", (side * 0.63, 1.42, 0), "x", 0.10, 0.04, 1.12),
            *(f"elbow_{name}", "hinge", (side * 0.50, 1.42, 0), (0, -side, 0), None, (0, 140)),
        ),
        f"hand_{name}": (
            *(f"forearm_{name}", (side * 0.83, 1.42, 0), "x", 0.04, 0.035, 0.42),
            *(f"wrist_{name}", "ball", (side * 0.76, 1.42, 0), (side, 0, 0), 45, (-20, 20)),
        ),
        f"thigh_{name}": (
            *("pelvis", (side * 0.10, 0.72, 0), "y", 0.16, 0.07, 7.35),
            *(f"hip_{name}", "ball", (side * 0.10, 0.93, 0), (0, -1, 0), 60, (-30, 30)),
        ),
        f"shin_{name}": (
            *(f"thigh_{name}", (side * 0.10, 0.29, 0), "y", 0.16, 0.055, 3.15),
            *(f"knee_{name}", "hinge", (side * 0.10, 0.50, 0), (1, 0, 0), None, (0, 140)),
        ),
        f"foot_{name}": (
            *(f"shin_{name}", (side * 0.10, 0.04, 0.05), "z", 0.07, 0.04, 1.05),
            *(f"ankle_{name}", "ball", (side * 0.10, 0.08, 0), (0, -1, 0), 30, (-15, 15)),
        ),
    }


CHARACTER = {
    "pelvis": ("world", (0, 1.00, 0), "x", 0.08, 0.11, 9.1, "root", "free", None, None, None, None),
    "abdomen": (
        *("pelvis", (0, 1.16, 0), "x", 0.06, 0.10, 9.8),
        *("waist", "ball", (0, 1.09, 0), (0, 1, 0), 25, (-20, 20)),
    ),
    "chest": (
        *("abdomen", (0, 1.36, 0), "x", 0.09, 0.13, 15.4),
        *("spine", "ball", (0, 1.25, 0), (0, 1, 0), 25, (-20, 20)),
    ),
    "head": (
        *("chest", (0, 1.66, 0), "y", 0.05, 0.09, 5.6),
        *("neck", "ball", (0, 1.52, 0), (0, 1, 0), 40, (-45, 45)),
    ),
    **_limb(1, "left"),
    **_limb(-1, "right"),
}


def z_up(v):
    x, y, z = v
    return [x, -z, y]


def capsule_inertia(mass, half_length, radius, steps=4000):
    """About the axis and across it, by slices: discs of radius s at height z, of the mass that their area has."""
    end = half_length + radius
    volume = along = across = 0.0
    for i in range(steps):
        # Gauss' rule of two points in every slice, so that only the ends are not exact.
        for offset in (-0.5 / 3**0.5, 0.5 / 3**0.5):
            z = end * (2 * (i + 0.5 + offset) / steps - 1)
            beyond = max(abs(z) - half_length, 0)
            area = radius**2 - beyond**2
            volume += area
            along += area * area / 2
            across += area * (area / 4 + z * z)
    return mass * along / volume, mass * across / volume
