import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccountNo, GpuNo, JobId, JobNo, NodeNo, OperationId, UserId } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { parseJob } from "../submit/parse.ts";
import { canonicalJson } from "./canonical.ts";
import type { CommandInput } from "./command.ts";
import type { Event, JobPlaced, JobSubmitted, KeyUsed } from "./event.ts";
import { isRefusal } from "./refusal.ts";
import { EventSpelling } from "./spell.ts";

const at = 1_767_225_600_000;
const gpus = [4, 5] as GpuNo[];
const node = 3 as NodeNo;

function specOf(env: Record<string, string>): JobSpec {
  const spec = parseJob(
    { name: `,"user":"x"`, run: `echo '"kind":"job.submit","spec":'`, gpus: 1, env },
    { after: [] },
  );
  assert.ok(!isRefusal(spec));
  return spec;
}

function submissionOf(spec: JobSpec): CommandInput {
  const user = `usr_"\\"größe` as UserId;
  const command = { kind: "job.submit", id: "job_1" as JobId, account: "a/b", user, spec, endedBefore: [] } as const;
  const idempotency = { key: `,"user":`, bodyHash: `"spec":` };
  return { kind: "command", v: 1, op: "op_1" as OperationId, actor: { user }, request: "req", command, idempotency };
}

// With every field: a new one does not compile until it is added here, and then it must be written.
const submitted = (spec: JobSpec): Required<JobSubmitted> => ({
  ...{ kind: "job-submitted", v: 1, at, job: 7 as JobNo, id: "job_1" as JobId, account: 2 as AccountNo },
  ...{ user: `usr_"\n` as UserId, spec, waitsFor: [5, 6] as JobNo[], window: 100 },
});
const placed: Required<JobPlaced> = {
  ...{ kind: "job-placed", v: 1, at, job: 7 as JobNo, attempt: 1, choice: 0, unitsEach: 21_000 },
  ...{ class: "burst", cover: -1 as AccountNo, scrub: gpus, reshape: gpus },
  pools: [{ node, perMille: 1500, pool: "gold" }],
  seats: [
    { node, gpus },
    { node, gpus: [] },
  ],
};
const keyUsed: Required<KeyUsed> = {
  ...{ kind: "key-used", v: 1, at, user: "system", key: `k"\u0001`, bodyHash: "\ud800", result: "job_1" },
};

describe("the text of an event", () => {
  const check = (spelling: EventSpelling, event: Event) => assert.equal(spelling.spell(event), canonicalJson(event));

  it("[S12] is canonical JSON, with and without each optional field", () => {
    const spelling = new EventSpelling();
    const { scrub: _, reshape: __, pools, ...plain } = placed;
    const part = { mode: "mps", compute: 1, memory: 2 } as never;
    for (const event of [placed, plain, { ...plain, scrub: gpus }, { ...plain, reshape: gpus }, { ...plain, pools }])
      check(spelling, event);
    check(spelling, { ...plain, seats: [{ node, gpus, part }] });
    check(spelling, { ...plain, seats: [] });
    check(spelling, keyUsed);
    const { window: ___, ...whole } = submitted(specOf({}));
    check(spelling, whole);
    check(spelling, submitted(specOf({})));
    check(spelling, { kind: "job-held", v: 1, at, job: 7 as JobNo, held: true });
  });

  it("[S12] reuses the job's specification from its submission, even if its strings look like JSON", () => {
    const envs: Record<string, string>[] = [
      {},
      { user: "x" },
      { A: `"kind":"job.submit","spec":{}` },
      { A: `,"user":` },
    ];
    for (const env of envs) {
      const spelling = new EventSpelling();
      const spec = specOf(env);
      const input = submissionOf(spec);
      spelling.note(input, canonicalJson(input));
      check(spelling, submitted(spec));
      check(spelling, submitted(specOf({ other: "job" })));
    }
  });

  it("refuses a number that is not whole", () => {
    const spelling = new EventSpelling();
    for (const wrong of [Number.NaN, 1.5, 2 ** 60]) {
      assert.throws(() => spelling.spell({ ...keyUsed, at: wrong }), /not a whole number/);
      assert.throws(() => spelling.spell({ ...placed, scrub: undefined, unitsEach: wrong }), /not a whole number/);
    }
  });
});
