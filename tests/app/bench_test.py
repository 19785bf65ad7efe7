"""Benchmarks by name: that they run, and that their figures are figures. Times are not judged."""

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
        # Rounding of accelerations of up to 1e3 m/s².
        for row in tables["largest acceleration at which a loop opens"]:
            for column in ("direct [m/s²]", "anticipation [m/s²]", "reduced [m/s²]"):
                self.assertLess(row[column], 1e-8)

    def test_extents_exclude_each_other(self):
        self.assert_fails(1, ["bench", "loops", "--quick", "--full"], "--quick and --full")


if __name__ == "__main__":
    main()
