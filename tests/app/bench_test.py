"""Benchmarks by name: that they run, and that their figures are figures. Times are not judged."""

import os

from support import AppTest, main


class BenchTest(AppTest):
    def test_list(self):
        listed = self.run_json("bench", "--list")["benchmarks"]
        self.assertIn("papers kokkevis", [entry["name"] for entry in listed])
        self.assertTrue(all(set(entry) == {"name", "summary"} for entry in listed))
        text = self.run_app("bench", "--list", "kokkevis")
        self.assertEqual(text.code, 0)
        self.assertRegex(text.out, r"(?m)^papers kokkevis +\S")

    def test_unknown_name(self):
        self.assert_fails(1, ["bench", "papers", "kokevis"], "no benchmark 'kokevis'", "did you mean 'kokkevis'?")
        self.assert_fails(1, ["bench", "zzzzzz"], "no benchmark 'zzzzzz'", "--list")

    def test_kokkevis(self):
        (entry,) = self.run_json("bench", "papers", "kokkevis", "--quick")["benchmarks"]
        tables = {table["title"]: table["rows"] for table in entry["tables"]}
        self.assertIn("compiler", [row["what"] for row in tables["setting"]])
        claims = tables["the paper and here"]
        self.assertTrue(any("about three times faster" in row["Kokkevis 2004"] for row in claims))
        self.assertTrue(any("fifty to sixty percent" in row["Kokkevis 2004"] for row in claims))
        for row in tables["one test force"]:
            for column in ("evaluation [µs]", "in lanes [µs]", "cached [µs]", "deltas [µs]"):
                self.assertGreater(row[column], 0)
        text = self.run_app("bench", "kokkevis", "--quick")
        self.assertEqual((text.code, text.err), (0, ""))
        self.assertIn("the paper and here", text.out)

    def test_loops(self):
        (entry,) = self.run_json("bench", "loops", "--quick")["benchmarks"]
        tables = {table["title"]: table["rows"] for table in entry["tables"]}
        workloads = [row["workload"] for row in tables["accelerations"]]
        self.assertEqual(workloads, ["loops 100,1", "loops 100,10", "loops 100,30"])
        for row in tables["accelerations"]:
            for column in ("direct, bodies [µs]", "anticipation, bodies [µs]", "direct, joints [µs]",
                           "anticipation, joints [µs]", "reduced, joints [µs]"):
                self.assertGreater(row[column], 0)
        (local,) = [rows for title, rows in tables.items() if title.endswith("factor and solution")]
        self.assertEqual([row["k"] for row in local], [1, 5, 20])
        for row in local:
            for column in ("direct [µs]", "anticipation as in the paper [µs]", "anticipation along the tree [µs]"):
                self.assertGreater(row[column], 0)
        # With Eigen or without, the output says which.
        (peer,) = [row["is"] for row in tables["setting"] if row["what"] == "general sparse solver"]
        self.assertEqual("Eigen SparseLU [µs]" in local[0], "without Eigen" not in peer)
        # Rounding of accelerations of up to 1e3 m/s².
        for row in tables["largest acceleration at which a loop opens"]:
            for column in ("direct [m/s²]", "anticipation [m/s²]", "reduced [m/s²]"):
                self.assertLess(row[column], 1e-8)

    def test_plots(self):
        result = self.run_app("bench", "loops", "--quick", "--plots", self.folder)
        self.assertEqual((result.code, result.err), (0, ""))
        with open(os.path.join(self.folder, "multiplier-loops.svg"), encoding="utf-8") as file:
            picture = file.read()
        self.assertIn("</svg>", picture)
        self.assertIn("anticipation as in the paper", picture)

    def test_baraff(self):
        (entry,) = self.run_json("bench", "papers", "baraff", "--quick")["benchmarks"]
        tables = {table["title"]: table["rows"] for table in entry["tables"]}
        claims = [row["Baraff 1996"] for row in tables["the paper and here"]]
        for words in ("108 multipliers", "381 multipliers", "approximately four times", "conjugate gradients"):
            self.assertTrue(any(words in claim for claim in claims), words)
        rows = [(row["primary"], row["auxiliary"]) for row in tables["evaluations"]]
        self.assertEqual(rows, [(108, 0), (96, 12), (96, 3), (381, 0)])
        for row in tables["evaluations"]:
            for column in ("J [µs]", "factor [µs]", "solve [µs]", "evaluation [µs]"):
                self.assertGreater(row[column], 0)
        # All methods solve the same equations, conjugate gradients to their tolerance.
        for row in tables["factor and solution by other methods"]:
            bound = 1e-2 if "0.001" in row["method"] else 1e-8 if "conjugate" in row["method"] else 1e-11
            self.assertLess(row["accelerations apart"], bound, row)

    def test_catto(self):
        (entry,) = self.run_json("bench", "papers", "catto", "--quick", "--plots", self.folder)["benchmarks"]
        tables = {table["title"]: table["rows"] for table in entry["tables"]}
        stack = {row["sweeps"]: row for row in tables["classic: sweeps and what is left, a stack of 10 boxes after 2 s"]}
        # Warm starting improves stacking; more sweeps leave less.
        for sweeps in (5, 10, 20, 50):
            self.assertLess(stack[sweeps]["warm: depth [mm]"], 0.5 * stack[sweeps]["cold: depth [mm]"])
        self.assertLess(stack[100]["warm: depth [mm]"], 0.1 * stack[10]["warm: depth [mm]"])
        (steps,) = [rows for title, rows in tables.items() if title.startswith("32 sweeps of a frame")]
        for solver in ("classic", "split-step"):
            column = f"{solver}: joints apart, rms [mm]"
            self.assertLess(steps[-1][column], 0.2 * steps[0][column])
        solvers = [row["solver"] for row in tables["the solvers: a stack of 10 boxes, 2 characters"]]
        self.assertEqual(solvers, ["classic", "soft-step", "split-step"])
        for name in ("impulse-sweeps.svg", "impulse-substeps.svg"):
            self.assertTrue(os.path.exists(os.path.join(self.folder, name)))

    def test_linear(self):
        (entry,) = self.run_json("bench", "linear", "--quick")["benchmarks"]
        tables = {table["title"]: table["rows"] for table in entry["tables"]}
        for title in ("chains", "random trees"):
            *sizes, exponents = tables[title]
            self.assertEqual([row["bodies"] for row in sizes], ["100", "1000"])
            # Times are not judged; operations are counted.
            self.assertAlmostEqual(exponents["operations of factor and solution"], 1, delta=0.01)

    def test_extents_exclude_each_other(self):
        self.assert_fails(1, ["bench", "loops", "--quick", "--full"], "--quick and --full")


if __name__ == "__main__":
    main()
