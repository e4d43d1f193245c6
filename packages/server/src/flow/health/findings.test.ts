import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Command, HealthFinding } from "@tessera/core";
import { Findings } from "./findings.ts";

const finding: HealthFinding = { node: "n0", gpuUuid: "GPU-0", at: 1, source: "xid", code: "13", text: "first" };

function open(ask: (command: Command) => Promise<unknown> = async () => ({})) {
  const asked: Extract<Command, { kind: "node.finding" }>[] = [];
  const warned: string[] = [];
  const control = {
    ask: async (command: Command) => {
      if (command.kind === "node.finding") asked.push(command);
      return (await ask(command)) as never;
    },
  };
  const findings = new Findings({ control, warn: (text) => warned.push(text), after: () => () => {} });
  return { findings, asked, warned };
}

describe("findings of engines", () => {
  it("are told by the key of their node, the first at once and repetitions together", async () => {
    const { findings, asked } = open();
    for (let i = 0; i < 1_000; i++) findings.take("local", { ...finding, text: `line ${i}` });
    assert.deepEqual(
      asked.map(({ node, count, text }) => [node, count, text]),
      [["local/n0", undefined, "line 0"]],
    );
    await findings.flush();
    assert.deepEqual(asked.map(({ count, text }) => [count, text])[1], [999, "line 999"]);
    await findings.flush();
    await findings.flush();
    assert.equal(asked.length, 2);
    findings.take("local", finding);
    assert.equal(asked.length, 3);
  });

  it("are apart by GPU, code and lease", () => {
    const { findings, asked } = open();
    findings.take("local", finding);
    findings.take("local", { ...finding, gpuUuid: "GPU-1" });
    findings.take("local", { ...finding, code: "31" });
    findings.take("east", finding);
    assert.equal(asked.length, 4);
  });

  it("are bounded, and it is said once that they are", () => {
    const { findings, asked, warned } = open();
    for (let i = 0; i < 5_000; i++) findings.take("local", { ...finding, code: String(i) });
    assert.deepEqual([asked.length, warned.length], [2_000, 1]);
  });

  it("are told again when they could not be written", async () => {
    let refuse = true;
    const { findings, asked } = open(async () => {
      if (refuse) throw new Error("the disk is full");
      return {};
    });
    findings.take("local", finding);
    await new Promise((resolve) => setImmediate(resolve));
    refuse = false;
    await findings.flush();
    assert.equal(asked.length, 2);
  });
});
