"""What happens in the scenes of the slides of docs/impulse-scenes.md, by their closed forms."""

import csv
import math
import os

import numpy as np
from support import SOURCE_DIR, AppTest, main

G = 9.81


class SlideScenesTest(AppTest):
    def simulate(self, name, duration, *words):
        path = os.path.join(SOURCE_DIR, "scenes", name + ".xml")
        return self.run_json("run", path, "--duration", repr(duration), *words)

    def samples(self, name, duration, *words):
        """The coordinates over time, by name."""
        out = os.path.join(self.folder, "motion.npz")
        self.simulate(name, duration, *words, "--out", out)
        with np.load(out) as arrays:
            columns = dict(zip(arrays["qpos_names"], arrays["qpos"].T))
            return arrays["time"], columns

    def test_distance(self):
        final = self.simulate("distance", 10.0, "--key", "start", "--wrenches", "--tolerance", "1e-9")["final"]
        tension = {name: math.hypot(*w["force"]) for name, w in final["constraint_wrenches"].items()}
        # IFToMM's problem A01, by elliptic functions. The rod carries the weight along it and what the curve takes.
        x, z = -0.27508746257612, -0.96141920509913
        self.assert_near(final["xpos"]["bob"], [x, 0, 2 + z], 1e-6)
        self.assertAlmostEqual(tension["rod"], 3 * G * -z, delta=1e-4)
        angle = 10 * math.sqrt(G / math.cos(math.pi / 6))
        around = [2.5 + 0.5 * math.cos(angle), 0.5 * math.sin(angle), 2 - math.cos(math.pi / 6)]
        self.assert_near(final["xpos"]["cone"], around, 1e-6)
        self.assertAlmostEqual(tension["string"], G / math.cos(math.pi / 6), delta=1e-5)
        # The centre of mass on its parabola, the bar turned by 40 rad from the light one to the heavy one.
        light, heavy = (np.array(final["xpos"][name]) for name in ("light", "heavy"))
        self.assert_near((light + 3 * heavy) / 4, [5.45, 0, 1 + 5 * 10 - G * 50], 1e-6)
        self.assert_near(heavy - light, [0.6 * math.cos(40), 0, -0.6 * math.sin(40)], 1e-5)
        self.assertAlmostEqual(tension["bar"], 4**2 * 0.6 * 3 / 4, delta=1e-4)

    def test_motors(self):
        """All of the torque until the servo's line is crossed, and then all of it the other way."""
        time, q = self.samples("motors", 5.0, "--key", "start")
        # Where 20000 (sin t − t²) + 4000 (cos t − 2 t) = 10.
        ahead = time < 0.722
        self.assert_near(q["position"][ahead], time[ahead] ** 2, 1e-12)
        # The torque changes its sign within milliseconds: 10 N·m on 5 kg·m².
        braking = (time > 0.75) & (time < 1.4)
        second = np.diff(q["position"][braking], 2) * 60**2
        self.assert_near(second, np.full(len(second), -2.0), 1e-5)
        late = time > 4
        self.assertLess(np.abs(q["position"] - np.sin(time))[late].max(), 5 / 20000 * 1.05)
        self.assert_near(q["pointer"], np.sin(time), 1e-9)
        speeding, spinning = time < 1.99, time > 2.01
        self.assert_near(q["velocity"][speeding], time[speeding] ** 2 / 2, 1e-12)
        # The servo lets go where 5000 (2 − ω) = 5.
        self.assert_near(q["velocity"][spinning], 2 * time[spinning] - 2, 5 / 5000 * 1e-3 + 1e-6)

    def test_restitution(self):
        """Times and heights of every bounce, from impact to impact."""
        time, q = self.samples("restitution", 4.5, "--stepping", "event")
        fall = math.sqrt(2 / G)
        for joint, e in (("joint0", 0), ("joint1", 0.25), ("joint2", 0.5), ("joint3", 0.8), ("joint4", 1)):
            wanted = []
            for t in time:
                begin, speed = fall, e * G * fall
                if t < fall:
                    wanted.append(1 - G * t * t / 2)
                    continue
                while speed > 1e-6 and t > begin + 2 * speed / G:
                    begin, speed = begin + 2 * speed / G, e * speed
                wanted.append(speed * (t - begin) - G * (t - begin) ** 2 / 2 if speed > 1e-6 else 0)
            # Bounces below the threshold of the events are no more.
            self.assert_near(q[joint + ".z"] - 0.1, wanted, 1e-5)

    def test_friction(self):
        final = self.simulate("friction", 1.0)["final"]
        sine, cosine = 0.5, math.sqrt(3) / 2
        down = np.array([cosine, 0, -sine])

        def moves(name):
            motion = final["xvel"][name]
            velocity, spin = np.array(motion["linear"]), motion["angular"]
            self.assert_near(velocity - np.dot(velocity, down) * down, [0, 0, 0], 1e-6)
            return np.dot(velocity, down), spin[1]

        for name, mu in (("box0", 0), ("box30", 0.3), ("box57", 0.57)):
            self.assert_near(moves(name), [G * (sine - mu * cosine), 0], 1e-5)
        for name in ("box58", "box80"):
            self.assert_near(moves(name), [0, 0], 1e-9)
        self.assert_near(moves("ball10"), [G * (sine - 0.1 * cosine), 2.5 * 0.1 * G * cosine / 0.1], 1e-5)
        self.assert_near(moves("ball30"), [5 / 7 * G * sine, 5 / 7 * G * sine / 0.1], 1e-5)

    def test_rolling_balls(self):
        for formulation in ("reduced", "multiplier"):
            with self.subTest(formulation):
                final = self.simulate("rolling_balls", 4.0, "--key", "push", "--formulation", formulation)["final"]
                a = (150 - 0.4 * 35 * G) / (10 + 25 * 2 / 7)
                along = np.array([0.5, math.sqrt(3) / 2, 0])
                self.assert_near(final["xvel"]["box"]["linear"], 4 * a * along, 1e-4)
                balls = [name for name in final["xvel"] if name.startswith("ball")]
                self.assertEqual(len(balls), 25)
                for name in balls:
                    self.assert_near(final["xvel"][name]["linear"], 4 * a * 2 / 7 * along, 1e-4)

    def test_falling_box(self):
        """It lands once, flat, and stays: contacts take the momentum of the fall and the weight, without a moment."""
        out = os.path.join(self.folder, "motion.csv")
        final = self.simulate("falling_box", 1.0, "--integrator", "velocity", "--contacts", "--out", out)["final"]
        self.assert_near(final["xpos"]["box"], [0, 0, 0.2], 1e-6)
        self.assert_near(final["qvel"], [0] * 6, 1e-6)
        with open(out, newline="", encoding="utf-8") as file:
            forces = [[float(row[f"box.contact.{k}"] or 0) for k in ("fz", "tx", "ty")] for row in csv.DictReader(file)]
        impulse = np.sum(forces, axis=0) / 60
        self.assert_near(impulse, [4 * G, 0, 0], 1e-5)
        result = self.simulate("falling_box", 0.25, "--stepping", "event")
        self.assertEqual(result["impacts"], 1)
        self.assertAlmostEqual(result["energy_start"] - result["energy_end"], 4 * G * 0.2, delta=1e-9)

    def test_air_drag(self):
        for formulation, accuracy in (("reduced", 1e-6), ("multiplier", 2e-5)):
            final = self.simulate("air_drag", 1.8, "--formulation", formulation)["final"]
            for name, mass, c in (
                ("foam", 0.02, 1.2 * 0.5 * math.pi * 0.1**2),
                ("wood", 2, 1.2 * 0.5 * math.pi * 0.1**2),
                ("plate", 0.05, 0.5 * 1.2 * 0.4**2),
            ):
                with self.subTest(f"{name} {formulation}"):
                    most = math.sqrt(mass * G / c)
                    velocity = final["xvel"][name]["linear"][2]
                    self.assertAlmostEqual(velocity / (most * math.tanh(G * 1.8 / most)), -1, delta=accuracy)

    def test_joint_tuning(self):
        """All joints are open at the start, as the slides need it, and a solution of all at once closes them."""
        path = os.path.join(SOURCE_DIR, "scenes", "joint_tuning.xml")
        start = self.run_json("forward", path, "--disable", "equality")["states"][0]["xpos"]
        self.assert_near(start["ball"], [0, 0, 1.4], 1e-15)
        names = ["link1", "link2", "link3", "link4", "weight"]
        self.assert_near([start[name][0] for name in names], [0.63 + 0.23 * k for k in range(5)], 1e-12)
        result = self.simulate("joint_tuning", 1 / 60, "--formulation", "multiplier")
        self.assert_near(result["final"]["xpos"]["ball"], [0, 0, 1.5], 1e-9)
        self.assertLess(result["max_equality_error"], 1e-9)


if __name__ == "__main__":
    main()
