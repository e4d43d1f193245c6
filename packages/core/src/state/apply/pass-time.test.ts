import assert from "node:assert/strict";
import { it } from "node:test";
import { minute } from "../../model/units.ts";
import { jobId, World } from "../../testing/world.ts";
import { emptyState } from "../empty.ts";
import { apply } from "./apply.ts";
import { passTime } from "./pass-time.ts";

it("[S26] a replica queues a job when its time has come, and keeps no past timers", () => {
  const w = new World().nodes(["n0", "H100:1"]).account("lab");
  w.submit("now", "lab");
  w.submit("later", "lab", { notBeforeAt: w.now + minute });
  const replica = emptyState();
  for (const event of w.events) apply(replica, event);
  passTime(replica, w.now);
  const later = replica.jobById.get(jobId("later"))!;
  assert.equal(replica.waiting.has(later), false);
  w.tick(minute);
  passTime(replica, w.now);
  assert.equal(replica.waiting.has(later), true);
  assert.equal(w.state.waiting.has(w.state.jobById.get(jobId("later"))!), true);
  passTime(replica, w.now + 60 * minute);
  assert.equal(replica.timers.nextAt, undefined);
});
