import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./main.js", import.meta.url));
const good = `scenario: 1
name: good
fleet: [{nodes: 1, named: n, gpus: H100:1}]
accounts: {lab: {}}
steps:
  - at: 0s
    submit: [{job: x, account: lab, gpus: 1}]
    expect: {running: [x]}
`;

describe("tess-sim", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "tess-sim-"));
    writeFileSync(join(folder, "good.yaml"), good);
    writeFileSync(join(folder, "unmet.yaml"), good.replace("[x]", "[]"));
    writeFileSync(join(folder, "bad.yaml"), good.replace("H100:1", "H100:many"));
  });
  after(() => rmSync(folder, { recursive: true }));

  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: folder,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };

  it("answers 0 when everything is as expected", () => {
    const { status, stdout } = run("scenario", "good.yaml");
    assert.equal(status, 0);
    assert.match(stdout, /^✓ good {2}good\.yaml\n$/);
  });

  it("answers 1 when something is not, and says what", () => {
    const { status, stdout } = run("scenario", "good.yaml", "unmet.yaml");
    assert.equal(status, 1);
    assert.match(stdout, /at 0s {2}running: expected \[\], got \[x\]/);
    assert.match(stdout, /1 as expected, 1 not/);
  });

  it("answers 65 for a bad file, with file, line, field, value and fix, and runs the others", () => {
    const { status, stdout, stderr } = run("scenario", "bad.yaml", "good.yaml");
    assert.equal(status, 65);
    assert.match(stderr, /^bad\.yaml:3: fleet\.0\.gpus "H100:many" is not a model with a count\. Write .*H100:8\.\n$/);
    assert.match(stdout, /✓ good/);
    const missing = run("scenario", "nowhere.yaml");
    assert.equal(missing.status, 65);
    assert.match(missing.stderr, /^nowhere\.yaml: Cannot be read: .*\. Give the path/);
  });

  it("writes one JSON line a file with -o json, errors too", () => {
    const { status, stdout, stderr } = run("scenario", "-o", "json", "good.yaml", "bad.yaml", "unmet.yaml");
    assert.equal(status, 65);
    const [first, second, ...rest] = stdout.trim().split("\n");
    assert.deepEqual(rest, []);
    assert.deepEqual(JSON.parse(first!), {
      file: "good.yaml",
      name: "good",
      ok: true,
      settled: true,
      failures: [],
      events: [{ at: 0, kind: "started", job: "x", nodes: ["n0"], gpus: 1, reason: "burst", for: null }],
    });
    assert.deepEqual(JSON.parse(second!).failures, [{ at: 0, what: "running", expected: [], got: ["x"] }]);
    const { error } = JSON.parse(stderr);
    assert.deepEqual([error.file, error.line, error.field, error.value], ["bad.yaml", 3, "fleet.0.gpus", "H100:many"]);
  });

  it("answers 2 to what it does not understand", () => {
    for (const [args, said] of [
      [[], /a command is missing/],
      [["scenari", "x"], /did you mean scenario\?/],
      [["replay"], /unknown command replay/],
      [["scenario"], /at least one FILE/],
      [["scenario", "good.yaml", "-o", "xml"], /unknown output xml/],
      [["scenario", "good.yaml", "--fast"], /--fast/],
    ] as const) {
      const { status, stderr, stdout } = run(...args);
      assert.deepEqual([status, stdout], [2, ""], args.join(" "));
      assert.match(stderr, said);
    }
  });

  it("explains itself", () => {
    const { status, stdout } = run("--help");
    assert.equal(status, 0);
    assert.match(stdout, /tess-sim scenario FILE\.\.\. \[-o json\]/);
  });
});
