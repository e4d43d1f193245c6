import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { batchAfter } from "../testing/batches.ts";
import { describeStore } from "../testing/store-suite.ts";
import { MemoryPlace, openMemoryStore } from "./memory.ts";
import { CommitOutage } from "./port.ts";

describeStore("memory", async () => {
  const place = new MemoryPlace();
  return { open: async () => openMemoryStore(place), remove: async () => {} };
});

describe("the in-memory store", () => {
  it("[S18] takes nothing from a writer that was ended, once its place is free for another", async () => {
    const place = new MemoryPlace();
    const ended = openMemoryStore(place);
    await ended.append(batchAfter(await ended.head()));
    place.dropHolder();
    const next = openMemoryStore(place);
    assert.equal((await next.head()).seq, 1);
    await assert.rejects(ended.append(batchAfter(await ended.head())), CommitOutage);
  });
});
