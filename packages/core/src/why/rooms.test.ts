import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { playDay } from "../schedule/random-day.fixture.ts";
import type { World } from "../testing/world.ts";
import { reasonFor } from "./reason-for.ts";
import { Rooms } from "./rooms.ts";

describe("rooms that several explanations share", () => {
  it("give each waiting job the reason that it has by itself", () => {
    const kinds = new Set<string>();
    const beforeStep = ({ state, now }: World) => {
      const shared = new Rooms(state.fleet);
      const waiting = [...state.jobs.values()].filter((job) => job.state === "waiting");
      for (const job of waiting) {
        const alone = reasonFor(state, job, now);
        assert.deepEqual(reasonFor(state, job, now, shared), alone, job.id);
        kinds.add(alone.kind);
      }
    };
    for (let seed = 1; seed <= 4; seed++) playDay({ seed, waiting: 60, backfill: seed % 2 === 0, beforeStep });
    for (const kind of ["capacity", "health", "order"]) assert.ok(kinds.has(kind), `no job waited for ${kind}`);
  });
});
