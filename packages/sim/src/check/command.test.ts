import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { BadInput, exit } from "../command/command.ts";
import { checkCommand } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "check-"));
after(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, ...lines: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  return path;
}

const nodes = fileOf("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model", "n0,8000,64,2,T4", "n1,8000,64,2,T4");
const tasks = fileOf(
  "tasks.csv",
  "name,cpu_milli,memory_mib,num_gpu,gpu_milli,account,submission_time,duration",
  "half,1000,8,1,500,lab/x,0,10",
  "gang,2000,8,2,1000,lab/x,0,10",
  "guest,1000,8,1,500,other,0,10",
);
const accounts = fileOf(
  "accounts.json",
  JSON.stringify({ lab: { max: 3, trust_group: "ours" }, other: { trust_group: "theirs" } }),
);
const header = "task,node,devices,milli,start,end";
const sound = ["half,n0,0,500,0,10", "gang,n1,0;1,1000,0,10", "guest,n0,1,500,0,10"];

async function check(...rows: string[]): Promise<{ code: number; rules: string[] }> {
  const lines: string[] = [];
  const out = (line: string) => lines.push(line);
  const log = fileOf("log.csv", header, ...rows);
  const args = [log, "--nodes", nodes, "--tasks", tasks, "--accounts", accounts, "-o", "json"];
  const code = await checkCommand.run(args, { out, err: out, paint: (_, text) => text });
  const { breaches } = JSON.parse(lines[0]!) as { breaches: { rule: string; line: number }[] };
  return { code, rules: breaches.map(({ rule, line }) => `${rule} ${line}`) };
}

describe("tess-sim check", () => {
  it("finds nothing in a sound log", async () => {
    assert.deepEqual(await check(...sound), { code: exit.ok, rules: [] });
  });

  const breaks: Record<string, { rows: string[]; rules: string[] }> = {
    "a device that is given twice over": {
      rows: ["gang,n1,0;1,1000,0,10", "half,n1,1,500,5,15"],
      rules: ["capacity 3"],
    },
    "a gang that is not whole": { rows: ["gang,n1,0,1000,0,10"], rules: ["gang 2"] },
    "a gang whose members start apart": {
      rows: ["gang,n0,0,1000,0,10", "gang,n1,0,1000,1,10"],
      rules: ["gang 2", "gang 3", "time 3"],
    },
    "a part of another size": { rows: ["half,n0,0,400,0,10"], rules: ["slice 2"] },
    "a part that comes from two devices": { rows: ["half,n0,0;1,500,0,10"], rules: ["gang 2"] },
    "an account beyond its max": {
      rows: ["half,n0,0,500,0,10", "gang,n1,0;1,1000,0,10", "half#2,n0,1,500,1,11", "half#3,n0,1,500,2,12"],
      rules: ["quota 5"],
    },
    "strangers on one GPU": { rows: ["half,n0,0,500,0,10", "guest,n0,0,500,3,13"], rules: ["trust 3"] },
    "a run that is too short": { rows: ["half,n0,0,500,0,9"], rules: ["time 2"] },
  };

  for (const [what, { rows, rules }] of Object.entries(breaks)) {
    it(`finds ${what}`, async () => {
      assert.deepEqual(await check(...rows), { code: exit.unmet, rules });
    });
  }

  it("names what it cannot read of the accounts", async () => {
    for (const [text, message] of [
      ['{"lab": {"max": "all"}}', /lab\.max is "all"; write/],
      ['{"lab": {"trust": "some"}}', /lab\.trust is "some"/],
      ['{"lab": {"floor": 3}}', /lab\.floor is 3/],
      ["[]", /is not an object/],
      ["{", /cannot be read/],
    ] as const) {
      const path = fileOf("bad.json", text);
      const args = [fileOf("log.csv", header), "--nodes", nodes, "--tasks", tasks, "--accounts", path];
      await assert.rejects(
        checkCommand.run(args, { out: () => {}, err: () => {}, paint: (_, line) => line }),
        (error: Error) => error instanceof BadInput && message.test(error.message),
      );
    }
  });
});
