import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { LineCounter, parseDocument } from "yaml";
import { tess } from "../program.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { problem, StandIn } from "../testing/stand-in.ts";
import { FakeTerminal, runTess } from "../testing/terminal.ts";
import { placesIn } from "./place.ts";
import { decoded } from "./utf8.ts";

test("bytes that are not UTF-8 are refused with their offset, wherever they stand", () => {
  const cases: [number[], number][] = [
    [[0x61, 0xe9], 1],
    [[0xe9, 0x61], 0],
    [[0x0a, 0xc3, 0xa9, 0xff, 0x61], 3],
    [[0xe2, 0x82], 0],
    [[0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0x80], 4],
    [[...Array(5_000).fill(0x61), 0x80, 0x0a], 5_000],
  ];
  for (const [bytes, offset] of cases)
    assert.throws(
      () => decoded(Buffer.from(bytes), "f"),
      new RegExp(`f is not UTF-8: byte 0x\\w+ at offset ${offset},`),
    );
  assert.equal(decoded(Buffer.from("käse €"), "f"), "käse €");
  assert.throws(() => decoded(Buffer.from("\ufeffrun: x", "utf16le"), "f"), /UTF-16/);
});

test("fields are found where they stand: names, values, lists, names with dots, and what is absent", () => {
  const text =
    "name: a\nenv:\n  A.B: x\n  C: y\nretry: {max: 3, when: [failed, never]}\nafter:\n  - one\n  - job: two\n";
  const lines = new LineCounter();
  const locate = placesIn("f", parseDocument(text, { lineCounter: lines }), lines);
  const at = (field: string, of: "name" | "value" = "value") => {
    const { line, column } = locate(field, of);
    return `${line}:${column}`;
  };
  assert.equal(at("name"), "1:7");
  assert.equal(at("name", "name"), "1:1");
  assert.equal(at("env.A.B"), "3:8");
  assert.equal(at("env.C", "name"), "4:3");
  assert.equal(at("retry.when[1]"), "5:32");
  assert.equal(at("after[1].job"), "8:10");
  assert.equal(at("after[1].when", "name"), "8:5");
  assert.equal(at("run", "name"), "1:1");
});

test("a file that is not UTF-8, a folder, and a file that is not there are refused before anything is sent", async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, "latin.yaml"), Buffer.from("name: x\nrun: echo caf\xe9\n", "latin1"));
  mkdirSync(join(cwd, "jobs"));
  writeFileSync(join(cwd, "jobs", "a.yaml"), "run: x");
  const latin = await runTess(["run", "latin.yaml"], { cwd });
  assert.equal(latin.code, 65);
  assert.match(latin.err, /latin\.yaml is not UTF-8: byte 0xe9 at offset 21, in line 2\n {2}save it as UTF-8/);
  const folder = await runTess(["apply", "-f", "jobs"], { cwd });
  assert.equal(folder.code, 66);
  assert.match(folder.err, /jobs is a folder, not a file\n {2}did you mean jobs\/a\.yaml\?/);
  const missing = await runTess(["price", "add", "nope.yaml"], { cwd });
  assert.equal(missing.code, 66);
  assert.match(missing.err, /there is no file nope\.yaml\n {2}name a YAML or JSON file/);
  assert.doesNotMatch(missing.err, /tess run/);
});

test("all mistakes of the syntax are shown, each with line and column", async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, "syntax.yaml"), "run: [a\nname: x: y\n");
  const { code, err } = await runTess(["run", "syntax.yaml"], { cwd });
  assert.equal(code, 65);
  assert.match(err, /syntax\.yaml is not valid YAML\n {2}syntax\.yaml:2:1 .*\n {2}syntax\.yaml:2:7 /);
});

const refused = {
  status: 422,
  body: {
    ...problem(422, "invalid", "gpus must be …", "the first fix"),
    problems: [
      {
        field: "max_time",
        value: 90,
        message: "max_time 90 has no unit.",
        fix: "Write 90s.",
        example: "max_time: 90m",
      },
      { field: "gpus", value: "lots", message: 'gpus "lots" is not a number.', fix: "Write 8.", example: "gpus: 8" },
      { field: "frob", message: "frob is not a known field." },
      { field: "priority", value: 5000, message: "priority 5000 is above 1000." },
    ],
  },
};

test("all mistakes of a job are shown in the order of the file, with line, column, value, fix and example", async (t) => {
  const server = await StandIn.start(t);
  server.lenient = true;
  server.on("submitJob", () => refused);
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, "job.yaml"), "run: x\ngpus: lots\nfrob: 1\nmax_time: 90\n");
  const { code, err } = await runTess(["run", "-d", "job.yaml", "--priority", "5000"], { cwd, env: server.env });
  assert.equal(code, 65);
  assert.equal(
    err,
    `tess: job.yaml has 4 mistakes
  --priority     priority 5000 is above 1000.
  job.yaml:2:7   gpus "lots" is not a number.
                 Write 8.
                 such as gpus: 8
  job.yaml:3:1   frob is not a known field.
  job.yaml:4:11  max_time 90 has no unit.
                 Write 90s.
                 such as max_time: 90m
  request req_1
`,
  );
  const json = await runTess(["run", "-d", "job.yaml", "-o", "json"], { cwd, env: server.env });
  assert.deepEqual(JSON.parse(json.err).error.problems[1], {
    field: "gpus",
    value: "lots",
    message: 'gpus "lots" is not a number.',
    fix: "Write 8.",
    example: "gpus: 8",
    file: "job.yaml",
    line: 2,
    column: 7,
  });
  const terminal = new FakeTerminal({ env: server.env, cwd, columns: 100 });
  await tess(["run", "-d", "job.yaml"], terminal);
  assert.ok(terminal.err.includes("\u001b[1mjob.yaml:2:7"), "coloured on a terminal");
});

test("a single mistake stands in the first line, with its place", async (t) => {
  const server = await StandIn.start(t);
  server.on("dryRunJob", () => ({ ...refused, body: { ...refused.body, problems: [refused.body.problems[1]] } }));
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, "job.yaml"), "run: x\ngpus: lots\n");
  const { err } = await runTess(["run", "--dry-run", "job.yaml"], { cwd, env: server.env });
  assert.equal(
    err,
    'tess: job.yaml:2:7  gpus "lots" is not a number.\n  Write 8.\n  such as gpus: 8\n  request req_1\n',
  );
});
