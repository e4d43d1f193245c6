import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import {
  apply,
  type Event,
  type EventKind,
  EventSpelling,
  emptyState,
  type Input,
  readSnapshot,
  snapshotSchema,
  writeSnapshot,
} from "@tessera/core";
import { eventsOf } from "../../flow/write/recover.ts";
import { checkChain } from "../chain.ts";
import { sha256 } from "../digest.ts";
import { lineOf, rowOf } from "../line.ts";
import { linesOf } from "../lines.ts";
import { tellStory } from "./story.ts";

const folder = fileURLToPath(new URL("../../../src/journal/golden/", import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith(".golden.jsonl"));
const hashes = JSON.parse(readFileSync(`${folder}state-hashes.json`, "utf8")) as Record<string, Record<string, string>>;

/** All of the core's kinds: a new one does not compile until it stands here. */
const kinds: Readonly<Record<EventKind, true>> = {
  "node-added": true,
  "node-changed": true,
  "node-removed": true,
  "maintenance-planned": true,
  "finding-noted": true,
  "checks-noted": true,
  "repair-opened": true,
  "repair-noted": true,
  "repair-closed": true,
  "engine-changed": true,
  "engine-reached": true,
  "pool-changed": true,
  "account-created": true,
  "account-edited": true,
  "account-deleted": true,
  "user-created": true,
  "user-changed": true,
  "provider-changed": true,
  "scim-changed": true,
  "exchange-changed": true,
  "role-bound": true,
  "role-unbound": true,
  "token-created": true,
  "token-revoked": true,
  "token-expiring": true,
  "secret-changed": true,
  "volume-changed": true,
  "job-submitted": true,
  "elements-made": true,
  "job-held": true,
  "job-entered": true,
  "job-idle": true,
  "job-edited": true,
  "job-labelled": true,
  "job-planned": true,
  "plan-dropped": true,
  "job-placed": true,
  "job-claimed": true,
  "claim-dropped": true,
  "job-classed": true,
  "job-grown": true,
  "lease-scrubbed": true,
  "lease-reshaped": true,
  "lease-prepared": true,
  "lease-started": true,
  "lease-stopping": true,
  "lease-ended": true,
  "job-requeued": true,
  "job-ended": true,
  "key-used": true,
  "policy-set": true,
  "price-added": true,
  "contract-set": true,
  "tenant-billed": true,
  "budget-set": true,
  "budget-dropped": true,
  "budget-reached": true,
  "budget-foreseen": true,
  "credit-reached": true,
  "prices-foreseen": true,
  "own-budget-spent": true,
  "invoice-issued": true,
  "entry-posted": true,
  "audit-noted": true,
  "epoch-began": true,
  "signing-key-named": true,
  "privates-noted": true,
  "keys-noted": true,
  "anchor-changed": true,
  "head-witnessed": true,
  "turn-taken": true,
};

const howToAdd =
  "Let story.ts bring it about, build, and make a NEW file: " +
  "node packages/server/dist/journal/golden/write.js NNNN-what-is-new. The files that are there stay as they are.";

describe("golden journals", () => {
  for (const name of files) {
    const rows = readFileSync(folder + name, "utf8")
      .trimEnd()
      .split("\n")
      .map(rowOf);
    const events = rows.flatMap((row) => eventsOf(row.events));

    it(`[S12] ${name} is a sound chain`, async () => {
      const check = await checkChain({ rows: async (from, limit) => rows.slice(from - 1, from - 1 + limit) });
      assert.equal(check.sound, true, "fault" in check ? check.fault : "");
    });

    it(`[S12] ${name} is spelled as it was`, () => {
      for (const row of rows) {
        const spelling = new EventSpelling();
        for (const line of linesOf(row.inputs)) spelling.note(JSON.parse(line) as Input, line);
        for (const line of linesOf(row.events)) assert.equal(spelling.spell(JSON.parse(line) as Event), line);
      }
    });

    it(`[S26] ${name} replays to the state that it was written with`, () => {
      const state = emptyState();
      for (const event of events) apply(state, event);
      const text = writeSnapshot(state);
      const hash = sha256(Buffer.from(text)).toString("hex");
      assert.equal(
        hash,
        hashes[name]?.[snapshotSchema],
        `Replayed under snapshot schema ${snapshotSchema} it gives ${hash}. If the events mean what they meant and only ` +
          "the snapshot holds more, raise snapshotSchema and add the hash for it to state-hashes.json. If an event is " +
          "understood otherwise, old journals are broken: give it a new v and an upcaster.",
      );
      assert.equal(writeSnapshot(readSnapshot(text)), text);
    });
  }

  it("hold every kind of event", () => {
    const seen = new Set<string>();
    for (const name of files) {
      const lines = readFileSync(folder + name, "utf8")
        .trimEnd()
        .split("\n");
      for (const line of lines) for (const event of eventsOf(rowOf(line).events)) seen.add(event.kind);
    }
    const missing = Object.keys(kinds).filter((kind) => !seen.has(kind));
    assert.deepEqual(missing, [], `No golden journal holds ${missing.join(", ")}. ${howToAdd}`);
  });

  it("can be made from today's story: it holds every kind, and the same seed gives the same bytes", () => {
    const [one, other] = [tellStory("a seed"), tellStory("a seed")];
    assert.deepEqual(one.rows.map(lineOf), other.rows.map(lineOf));
    const told = new Set(one.rows.flatMap((row) => eventsOf(row.events).map((event) => event.kind)));
    const missing = Object.keys(kinds).filter((kind) => !told.has(kind as EventKind));
    assert.deepEqual(missing, [], `story.ts does not bring about ${missing.join(", ")}. ${howToAdd}`);
  });

  it("would be broken by a changed byte", async () => {
    const rows = readFileSync(folder + files[0], "utf8")
      .trimEnd()
      .split("\n")
      .map(rowOf);
    const bytes = Buffer.from(rows[5]!.events);
    bytes[10]! ^= 1;
    rows[5] = { ...rows[5]!, events: bytes };
    const check = await checkChain({ rows: async (from, limit) => rows.slice(from - 1, from - 1 + limit) });
    assert.deepEqual("seq" in check ? check.seq : undefined, 6);
  });
});
