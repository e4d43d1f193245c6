import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { ContentStore } from "@tessera/content";
import { day } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { jobsWithoutSnapshot } from "./snapshot.ts";
import { sweepContent } from "./sweep.ts";

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

it("keeps what live jobs, jobs of the last month and outputs refer to, and removes the rest", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "tessera-sweep-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const control = await TestControl.start(undefined, fleetOf(1, 4));
  const tenancy = new Tenancy(control);
  const lab = await tenancy.account("lab");
  const ann = await tenancy.user("ann", "member", "lab");
  const content = new ContentStore(folder);
  const kept = content.of(lab);
  const put = async (text: string) => {
    const source = [Buffer.from(text)];
    await kept.putFile(source, { sha256: digest(text), bytes: text.length });
    return kept.putTree({ files: [{ path: "a", mode: 0o644, bytes: text.length, sha256: digest(text) }] });
  };
  const [live, ended, output] = [await put("live"), await put("ended"), await put("output")];
  await put("loose");
  await kept.useTree(ended);
  const job = await tenancy.job("lab", ann.id, { workdir: { tree: live } }, 4e12);
  assert.equal(await jobsWithoutSnapshot(content, control.state), 0);
  assert.equal(await jobsWithoutSnapshot(new ContentStore(join(folder, "restored")), control.state), 1);
  const left = async () => {
    const there: string[] = [];
    for (const text of ["live", "ended", "output", "loose"]) if (await kept.has(digest(text))) there.push(text);
    return there;
  };
  const sweep = (days: number) =>
    sweepContent(content, control.state, (tenant) => (tenant === lab ? [output] : []), control.now() + days * day);
  await sweep(0.5);
  assert.deepEqual(await left(), ["live", "ended", "output", "loose"]);
  await sweep(2);
  assert.deepEqual(await left(), ["live", "ended", "output"]);
  await sweep(40);
  assert.deepEqual(await left(), ["live", "output"]);
  await sweep(0); // notes that the job still uses it
  await control.must({ kind: "job.cancel", job });
  await sweep(20);
  assert.deepEqual(await left(), ["live", "output"], "the job can be run again for a while");
  await sweep(100);
  assert.deepEqual(await left(), ["output"]);
});
