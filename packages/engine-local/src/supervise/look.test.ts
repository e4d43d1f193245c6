import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { bareMachine, isRoot } from "../limit/machine.fixture.ts";
import { examineMachine } from "../limit/machine.ts";
import { openBench, orderOf, temporaryFolder, visibleFolder } from "../order.fixture.ts";

const machines = { "as this machine allows": examineMachine, "with nothing enforced": bareMachine };

/** As much of a virtual environment as a shell needs. */
function makeVenv(folder: string, conda = false): string {
  for (const path of ["bin", "lib", ...(conda ? ["conda-meta"] : [])])
    mkdirSync(join(folder, path), { recursive: true });
  if (!conda) writeFileSync(join(folder, "pyvenv.cfg"), "");
  writeFileSync(join(folder, "bin/python"), "#!/bin/sh\necho python of the environment\n");
  chmodSync(join(folder, "bin/python"), 0o755);
  return folder;
}

for (const [name, examine] of Object.entries(machines)) {
  describe(`what a job reaches of the node, ${name}`, () => {
    it("has the programs of its environment first, and its marks", async (t) => {
      const bench = await openBench(t, {}, examine);
      const folder = await visibleFolder(t);
      const path = makeVenv(join(folder, "it's an env"));
      const plain = orderOf('python; echo "$VIRTUAL_ENV"; command -v ls', { venv: { path } });
      assert.equal((await bench.run(plain)).code, 0);
      assert.match(await bench.text(plain.lease), new RegExp(`^python of the environment\n${path}\n/`));
      const prefix = makeVenv(join(folder, "conda"), true);
      const conda = orderOf('echo "$CONDA_PREFIX $CONDA_DEFAULT_ENV"', { venv: { path: prefix, optional: true } });
      await bench.run(conda);
      assert.equal(await bench.text(conda.lease), `${prefix} conda`);
    });

    it("fails without an environment that it must have, and says what to do", async (t) => {
      const bench = await openBench(t, {}, examine);
      const gone = orderOf("echo ran", { venv: { path: "/nowhere/env" } });
      const end = await bench.run(gone);
      assert.equal(end.code, 126);
      assert.match(
        end.reason!,
        /environment \/nowhere\/env is not on this node \(there is no \/nowhere\); build one in setup/,
      );
      const optional = orderOf("echo ran", { venv: { path: "/nowhere/env", optional: true } });
      assert.equal((await bench.run(optional)).code, 0);
      const lines = await bench.lines(optional.lease);
      assert.match(lines.find(({ stream }) => stream === "tessera")!.text, /The job runs without it\.$/);
      assert.equal(lines.at(-1)!.text, "ran");
    });

    it("fetches a repository inside the job, before setup, and says the commit", async (t) => {
      const folder = await visibleFolder(t);
      const git = (...words: string[]) =>
        execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...words], {
          encoding: "utf8",
        }).trim();
      try {
        git("init", "-q", "-b", "main");
      } catch {
        return t.skip("there is no git here");
      }
      writeFileSync(join(folder, "train.sh"), "echo one");
      git("add", ".");
      git("commit", "-qm", "one");
      const first = git("rev-parse", "HEAD");
      git("tag", "v1");
      writeFileSync(join(folder, "train.sh"), "echo two");
      git("commit", "-qam", "two");
      execFileSync("git", ["clone", "-q", "--bare", folder, join(folder, "bare.git")]);
      const bench = await openBench(t, {}, examine);
      const who = orderOf("id -u");
      await bench.run(who);
      const user = (await bench.text(who.lease)).trim();
      if (isRoot) execFileSync("chown", ["-R", user, join(folder, "bare.git")]); // git reads no stranger's repository
      for (const [ref, said] of [
        [undefined, "two"],
        ["v1", "one"],
        [first, "one"],
      ] as const) {
        const url = `file://${join(folder, "bare.git")}`;
        const code = { git: { url, ...(ref === undefined ? {} : { ref }) } };
        const order = orderOf("sh train.sh", { code, setup: "ls train.sh" });
        const end = await bench.run(order);
        const lines = await bench.lines(order.lease);
        assert.equal(end.code, 0, lines.map(({ text }) => text).join("\n"));
        assert.equal(lines.at(-1)!.text, said);
        const setup = lines.filter(({ stream }) => stream === "setup").map(({ text }) => text);
        assert.match(setup.join("\n"), /fetched file:.* at [0-9a-f]{40}\ntrain\.sh$/);
      }
      const missing = orderOf("true", { code: { git: { url: `file://${folder}/none.git` } } });
      assert.match((await bench.run(missing)).reason!, /none\.git could not be fetched \(code \d+\); the log says why/);
    });
  });
}

it("names the folder that cannot be entered, and what would help", async (t) => {
  const bench = await openBench(t);
  const missing = await bench.run(orderOf("true", { workdir: "/nowhere/run" }));
  assert.equal(missing.code, 126);
  assert.match(
    missing.reason!,
    /workdir \/nowhere\/run is not there for this job: there is no \/nowhere; run it from the folder/,
  );
  const folder = await visibleFolder(t);
  const there = orderOf("pwd", { workdir: folder });
  assert.equal((await bench.run(there)).code, 0, "entered, and not asked to be written");
  assert.equal(await bench.text(there.lease), folder);
});

describe("where jobs run as another user", { skip: !isRoot && "needs root" }, () => {
  it("says which folder is closed to which user", async (t) => {
    const bench = await openBench(t);
    const home = await visibleFolder(t);
    const path = makeVenv(join(home, "project/.venv"));
    symlinkSync(path, join(home, "link"));
    chmodSync(home, 0o700);
    const workdir = await bench.run(orderOf("true", { workdir: join(home, "project") }));
    assert.match(
      workdir.reason!,
      new RegExp(`cannot be entered by user 2\\d+: ${home} is closed to it; chmod o\\+x ${home}, or run it from`),
    );
    const venv = await bench.run(orderOf("true", { venv: { path } }));
    assert.match(
      venv.reason!,
      new RegExp(`environment ${path} cannot be used by user 2\\d+, .*: ${home} is closed to it; chmod o\\+x`),
    );
    chmodSync(home, 0o755);
    chmodSync(join(home, "project"), 0o700);
    const linked = await bench.run(orderOf("true", { venv: { path: join(home, "link") } }));
    assert.match(linked.reason!, new RegExp(`${home}/project is closed to it`), "a link is followed to what is closed");
  });

  it("runs in a folder itself only where the job may write, and says who may not", async (t) => {
    const bench = await openBench(t);
    const folder = await visibleFolder(t);
    const order = () => orderOf("echo x > made; pwd", { workdir: folder, inPlace: true });
    const refused = await bench.run(order());
    assert.match(
      refused.reason!,
      new RegExp(
        `workdir ${folder} cannot be written by user (2\\d+), .*; setfacl -R -m u:\\1:rwX ${folder}, or run it without --in-place`,
      ),
    );
    chmodSync(folder, 0o777);
    const fine = order();
    assert.equal((await bench.run(fine)).code, 0);
    assert.equal(await bench.text(fine.lease), folder);
    const own = await temporaryFolder(t);
    const hidden = await bench.run(orderOf("true", { workdir: own, inPlace: true }));
    assert.match(hidden.reason!, /a job has temporary folders of its own|is closed to it/);
  });
});
