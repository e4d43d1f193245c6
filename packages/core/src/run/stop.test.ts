import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import type { Checkpoint, RetryCause, StopCause } from "../model/job.ts";
import { plainPolicy } from "../model/policy.ts";
import { hour, minute, second } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { stopOrderOf } from "./stop.ts";

const checkpoint = { dir: undefined, everyMs: undefined, graceMs: 5 * minute, signal: "SIGUSR1" };

/** The order for a job with this checkpoint. */
function order(cause: StopCause, policy = plainPolicy, own: Checkpoint | null = checkpoint, when?: RetryCause[]) {
  const w = new World().nodes(["n0", "H100:2"]).account("lab");
  w.submit("a", "lab");
  const { spec, failures } = w.job("a");
  const retry = when === undefined ? spec.retry : { max: 1, when };
  return stopOrderOf({ spec: { ...spec, checkpoint: own ?? undefined, retry }, failures }, cause, policy);
}
const grace = (...about: Parameters<typeof order>) => order(...about).graceMs;

describe("the grace of a stop", () => {
  it("[L2] is the job's own, with its own signal, where the job returns, and the policy's where it does not", () => {
    const back: StopCause[] = ["preempt", "move", "drain", "budget", "shrink", "node-lost", "neighbour-fault"];
    const away: StopCause[] = ["cancel", "time-limit", "deadline", "spent", "member-failed"];
    const plain = { signal: "SIGTERM", graceMs: 30 * second };
    for (const cause of back) assert.deepEqual(order(cause), { signal: "SIGUSR1", graceMs: 5 * minute }, cause);
    for (const cause of away) assert.deepEqual(order(cause), plain, cause);
    assert.deepEqual(order("preempt", plainPolicy, checkpoint, ["failed"]), plain);
    assert.equal(grace("member-failed", plainPolicy, checkpoint, ["failed"]), 5 * minute);
    for (const cause of [...back, ...away]) assert.deepEqual(order(cause, plainPolicy, null), plain, cause);
  });

  it("[L2] is never longer than the owner allows, also for a job from before there was a limit", () => {
    const tenYears = { ...checkpoint, graceMs: 10 * 365 * 24 * hour };
    assert.equal(grace("drain", plainPolicy, tenYears), 15 * minute);
    assert.equal(grace("drain", { ...plainPolicy, graceMsMax: 2 * minute }), 2 * minute);
    assert.equal(grace("cancel", { ...plainPolicy, graceMs: 3 * minute, graceMsMax: 2 * minute }), 2 * minute);
    // An owner who gave every job an hour allows an hour.
    assert.equal(grace("drain", { ...plainPolicy, graceMs: hour }, tenYears), hour);
  });

  it("[L2] reaches the members of a job that is taken back, and of one that is cancelled", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("own", { guarantee: 2 }).account("guest");
    w.submit("guest", "guest", { gpus: 2, checkpoint: { grace: "5m", signal: "SIGUSR1" } });
    w.run("guest").submit("owner", "own", { gpus: 2 });
    w.must({ kind: "job.cancel", job: jobId("guest") });
    const stops = w.events.filter((event) => event.kind === "lease-stopping");
    assert.deepEqual(
      stops.map(({ cause, signal, graceMs }) => [cause, signal, graceMs]),
      [
        ["preempt", "SIGUSR1", 5 * minute],
        ["cancel", "SIGTERM", 30 * second],
      ],
    );
  });

  it("[L2] is over at once for a job that is cancelled by force, also while it is stopping", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    w.submit("stubborn", "lab", { checkpoint: { grace: "15m", signal: "SIGUSR1" } });
    w.run("stubborn");
    const cancel = (force?: true) => w.must({ kind: "job.cancel", job: jobId("stubborn"), ...(force && { force }) });
    cancel();
    cancel(true);
    cancel(true);
    const stops = w.events.filter((event) => event.kind === "lease-stopping");
    assert.deepEqual(
      stops.map(({ signal, graceMs }) => [signal, graceMs]),
      [
        ["SIGTERM", 30 * second],
        ["SIGKILL", 0],
      ],
    );
    assert.deepEqual(stopOrderOf(w.job("stubborn"), "cancel", plainPolicy), { signal: "SIGKILL", graceMs: 0 });
  });

  it("[L2] is refused where a job asks for more than the owner allows", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    const asked = w.submit("long", "lab", { checkpoint: { grace: "87600h" } });
    assert.ok(isRefusal(asked));
    assert.deepEqual([asked.field, asked.value, asked.hint], ["checkpoint.grace", "3650d", "give at most 15m"]);
    w.must({ kind: "policy.set", policy: { ...plainPolicy, graceMsMax: hour } });
    assert.ok(!isRefusal(w.submit("hour", "lab", { checkpoint: { grace: "1h" } })));
  });

  it("cannot be set beyond its own limit, nor the limit beyond a day", () => {
    const w = new World();
    const set = (change: { graceMs?: number; graceMsMax?: number }) =>
      w.do({ kind: "policy.set", policy: { ...plainPolicy, ...change } });
    const field = (done: ReturnType<typeof set>) => (isRefusal(done) ? done.field : "set");
    assert.equal(field(set({ graceMs: 3 * minute, graceMsMax: 2 * minute })), "grace");
    assert.equal(field(set({ graceMsMax: 25 * hour })), "graceMax");
    assert.equal(field(set({ graceMsMax: 30 * second })), "graceMax");
    assert.equal(field(set({ graceMs: 3 * minute, graceMsMax: 3 * minute })), "set");
  });
});
