import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseSacct } from "./sacct.ts";

const header = "JobID|Account|User|Submit|Start|End|AllocTRES|NNodes|Timelimit";

describe("Slurm's accounting", () => {
  it("gives the jobs that held GPUs, in order of submission", () => {
    const text = [
      header,
      "12|nlp|ann|2026-03-01T10:00:00|2026-03-01T10:05:00|2026-03-01T12:05:00|billing=8,cpu=8,gres/gpu=4,gres/gpu:h100=4,node=1|1|1-02:00:00",
      "12.batch||||2026-03-01T10:05:00|2026-03-01T12:05:00|cpu=8,gres/gpu=4|1|",
      "11_3|vision|bo|2026-03-01T09:00:00|2026-03-01T09:00:01|2026-03-01T09:00:11|cpu=2,gres/gpu:a100=2,gres/gpu:h100=1|2|UNLIMITED",
      "13|nlp|ann|2026-03-01T10:00:00|None|Unknown|cpu=1,gres/gpu=1|1|01:00:00",
      "14|nlp|ann|2026-03-01T10:00:00|2026-03-01T10:00:00|2026-03-01T11:00:00|cpu=1|1|01:00:00",
      "",
    ].join("\n");
    const at = (time: string) => Date.parse(`2026-03-01T${time}Z`);
    assert.deepEqual(parseSacct(text, "f"), [
      {
        ...{ name: "11_3", account: "vision", user: "bo", submitAt: at("09:00:00"), startedAt: at("09:00:01") },
        ...{ runMs: 10_000, gpus: 3, nodes: 2 },
      },
      {
        ...{ name: "12", account: "nlp", user: "ann", submitAt: at("10:00:00"), startedAt: at("10:05:00") },
        ...{ runMs: 7_200_000, gpus: 4, nodes: 1, limitMs: 26 * 3_600_000 },
      },
    ]);
  });

  it("names file, line, column and value of what it cannot read", () => {
    const row = (change: Record<string, string>) => {
      const good = { JobID: "1", Account: "a", User: "u", Submit: "2026-03-01T10:00:00", Start: "2026-03-01T10:00:00" };
      const rest = { End: "2026-03-01T11:00:00", AllocTRES: "gres/gpu=1", NNodes: "1", Timelimit: "30:00" };
      const all: Record<string, string> = { ...good, ...rest, ...change };
      return [
        header,
        header
          .split("|")
          .map((column) => all[column])
          .join("|"),
      ].join("\n");
    };
    assert.equal(parseSacct(row({}), "f")[0]!.limitMs, 1_800_000);
    for (const [column, value] of Object.entries({
      Submit: "soon",
      Start: "1 o'clock",
      NNodes: "two",
      Timelimit: "long",
    })) {
      assert.throws(() => parseSacct(row({ [column]: value }), "f"), new RegExp(`f:2: ${column} is "${value}"; write`));
    }
  });

  it("names the columns that a file lacks", () => {
    assert.throws(() => parseSacct("JobID|Account", "f"), /f: User, Submit, .* missing; write it with sacct/);
  });
});
