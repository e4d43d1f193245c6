import assert from "node:assert/strict";
import { it } from "node:test";
import { parseExposition } from "./exposition.ts";

const head = "# HELP a_total Help.\n# TYPE a_total counter\n";

it("reads families with labels and escapes", () => {
  const [family] = parseExposition(`${head}a_total{x="q\\"\\\\\\n",y="2"} 1\na_total 2\n`).values();
  assert.deepEqual(family!.samples, [
    { name: "a_total", labels: { x: 'q"\\\n', y: "2" }, value: 1 },
    { name: "a_total", labels: {}, value: 2 },
  ]);
});

for (const [what, text] of [
  ["a line without an end", `${head}a_total 1`],
  ["no HELP", "# TYPE a_total counter\na_total 1\n"],
  ["a counter without _total", "# HELP a Help.\n# TYPE a counter\na 1\n"],
  ["a gauge with _total", "# HELP a_total Help.\n# TYPE a_total gauge\na_total 1\n"],
  ["the same line twice", `${head}a_total{x="1"} 1\na_total{x="1"} 2\n`],
  ["a family in two places", `${head}a_total 1\n${head}a_total{x="1"} 1\n`],
  ["a line of another family", `${head}b_total 1\n`],
  ["a quote that is not escaped", `${head}a_total{x="a"b"} 1\n`],
  ["no number", `${head}a_total NaN?\n`],
  ["milliseconds", "# HELP a_milliseconds Help.\n# TYPE a_milliseconds gauge\na_milliseconds 1\n"],
  [
    "buckets that fall",
    '# HELP h Help.\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
  ],
] as const)
  it(`refuses ${what}`, () => {
    assert.throws(() => parseExposition(text));
  });
