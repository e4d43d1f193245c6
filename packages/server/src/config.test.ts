import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BadCall, parseConfig } from "./config.ts";

describe("labels of this machine", () => {
  const labelsOf = (...labels: string[]) => {
    const config = parseConfig(
      labels.flatMap((label) => ["--label", label]),
      {},
    );
    assert.ok(config !== "help");
    return config.labels;
  };

  it("are keys and values, and a value may hold any sign", () => {
    assert.deepEqual(labelsOf(), {});
    assert.deepEqual(labelsOf("tier=gold", "example.com/rack=a=b"), { tier: "gold", "example.com/rack": "a=b" });
  });

  it("are refused with the text as it was given", () => {
    for (const label of ["tier", "=gold", "ti er=gold", `tier=${"x".repeat(300)}`])
      assert.throws(
        () => labelsOf(label),
        (error: Error) => error instanceof BadCall && error.message.startsWith("--label"),
      );
  });
});
