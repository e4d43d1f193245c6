import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ContentStore } from "@tessera/content";
import type { KeptOutput } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("files of a job", () => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-files-"));
  const store = new ContentStore(folder);
  let control: TestControl;
  let server: TestServer;
  let ada: TestUser;
  let eve: TestUser;
  let viewer: TestUser;
  let lab: string;
  let job: string;

  const call = (who: TestUser, path: string) => server.call(who.token, "GET", `/v1/jobs/${path}`);
  const lines = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  /** Keeps files as a supervisor would. */
  const keep = async (name: string, files: { readonly [path: string]: string }, rank = 0): Promise<KeptOutput> => {
    const content = store.of(lab);
    const entries = [];
    for (const [path, text] of Object.entries(files)) {
      const bytes = Buffer.from(text);
      const source = async function* () {
        yield bytes;
      };
      entries.push({ path, mode: 0o640, ...(await content.takeFile(source())) });
    }
    const tree = await content.putTree({ files: entries });
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    return { name, tree, files: entries.length, bytes, ...(rank > 0 && { rank }) };
  };

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 8));
    const tenancy = new Tenancy(control);
    lab = await tenancy.account("lab");
    await tenancy.account("mill");
    ada = await tenancy.user("ada", "member", "lab");
    viewer = await tenancy.user("vic", "viewer", "lab");
    eve = await tenancy.user("eve", "member", "mill");
    server = await serveApi(control, {}, undefined, store);
    job = await tenancy.job("lab", ada.id, { name: "train" });
    await control.run(job);
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("are those of its folders while it runs", async () => {
    control.liveFiles.set(`${job}-1-0/work`, { "model.bin": "half" });
    control.liveFiles.set(`${job}-1-0/out`, { plot: "p" });
    control.liveFiles.set(`${job}-1-0/checkpoint`, { state: "7" });
    const listed = lines((await call(ada, "train/files")).text);
    assert.deepEqual(
      listed.map(({ output, path, bytes }) => [output, path, bytes]),
      [
        ["work", "model.bin", 4],
        ["out", "plot", 1],
      ],
    );
    const read = await call(ada, "train/file?path=model.bin&start=2");
    assert.equal(read.text, "lf");
    assert.equal(read.headers.get("content-type"), "application/octet-stream");
    assert.equal(read.headers.get("x-content-type-options"), "nosniff");
    assert.equal((await call(ada, "train/file?path=state&output=checkpoint")).text, "7");
    assert.equal((await call(ada, "train/file?path=nothing")).status, 404);
    assert.equal((await call(ada, "train/file?path=model.bin&start=9")).json.field, "start");
    assert.deepEqual((await call(ada, "train/outputs")).json, { job, live: true, outputs: [] });
  });

  it("are those that it kept after its end, the same for all who may read its logs", async () => {
    const outputs = [
      await keep("out", { plot: "p" }),
      {
        ...(await keep("work", { "model.bin": "whole", plot: "other" })),
        left: { files: 1, bytes: 2, why: "too large" },
      },
      await keep("work", { "model.bin": "of rank 1" }, 1),
    ];
    const [lease] = control.state.jobById.get(job as never)!.leases;
    await control.report(lease!.id, { kind: "exited", ran: true, code: 0, outputs });
    const shown = (await call(ada, job)).json.outputs;
    assert.deepEqual(
      shown.map(({ name, rank, files, bytes }: { name: string; rank: number; files: number; bytes: number }) => [
        name,
        rank,
        files,
        bytes,
      ]),
      [
        ["out", 0, 1, 1],
        ["work", 0, 2, 10],
        ["work", 1, 1, 9],
      ],
    );
    assert.equal(shown[1].left.why, "too large");
    const list = (await call(ada, "train/outputs")).json;
    assert.deepEqual([list.live, list.outputs.length, Date.parse(list.keptUntil) > Date.now()], [false, 3, true]);
    const listed = lines((await call(ada, "train/files")).text);
    assert.deepEqual(
      listed.map(({ output, path }) => `${output}:${path}`),
      ["work:model.bin", "work:plot", "out:plot"],
    );
    assert.equal(listed[0].sha256, createHash("sha256").update("whole").digest("hex"));
    assert.equal((await call(ada, "train/file?path=model.bin")).text, "whole");
    assert.equal((await call(ada, "train/file?path=plot&output=out")).text, "p");
    assert.equal((await call(ada, "train/file?path=model.bin&rank=1")).text, "of rank 1");
    for (const path of ["../model.bin", "/etc/passwd", "none"])
      assert.equal((await call(ada, `train/file?path=${encodeURIComponent(path)}`)).status, 404);
  });

  it("are not there where their content is lost, as after a restore", async () => {
    const [{ tree }] = (await call(ada, "train/outputs")).json.outputs;
    await store.of(lab).remove(tree);
    assert.equal((await call(ada, "train/files?output=out")).text, "");
    assert.equal((await call(ada, "train/file?path=plot&output=out")).status, 404);
    await store.of(lab).remove(createHash("sha256").update("whole").digest("hex"));
    assert.equal((await call(ada, "train/file?path=model.bin&output=work")).status, 404);
  });

  it("are not shown to others, nor to those who may only see that it ran", async () => {
    for (const route of ["outputs", "files", "file?path=model.bin"]) {
      assert.equal((await call(eve, `${job}/${route}`)).status, 404, route);
      assert.equal((await call(viewer, `${job}/${route}`)).status, 403, route);
    }
  });

  it("are gone when their time is over", async () => {
    control.setTime(control.now() + 31 * 24 * 3_600_000);
    assert.deepEqual((await call(ada, "train/outputs")).json.outputs, []);
    assert.equal((await call(ada, "train/file?path=model.bin")).status, 404);
  });
});
