import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { apply, canonicalJson, emptyState } from "@tessera/core";
import { sha256 } from "../../journal/digest.ts";
import { rowOf } from "../../journal/line.ts";
import { eventsOf } from "../write/recover.ts";
import { Projector } from "./project.ts";

const folder = fileURLToPath(new URL("../../../src/journal/golden/", import.meta.url));

/**
 * SHA-256 of all usage, device and book rows of each golden journal, in their order. Stores in the field hold these
 * rows, and `tess admin verify` compares them: a changed value needs a migration. A new journal gets a new line.
 */
const rowHashes: Readonly<Record<string, string>> = {
  "0001-first.golden.jsonl": "4f2e9b9e9a26cad1db6765faf35e9baff684ae8daf55df5c6a231edc6434ea9e",
  "0002-elastic.golden.jsonl": "2f3abc7b1ccbd9a8c457af122cea69bfc679f624a62fe4bd357d2a985e44d81f",
  "0003-handover.golden.jsonl": "877bac564e7cbef0c4a4a96bf41d9dd34ead664b0d3d2cca50a4610862a40506",
  "0003-maintenance.golden.jsonl": "9d192b21252003a2918590e9ea2de9945342a2977824ef1279e899db599c59ae",
  "0004-money.golden.jsonl": "595856bb93975e998a0aaf0197f9a45dc570121a0f69da4b0e42f3b7151a56ba",
  "0005-plans.golden.jsonl": "4f935f1cd1875fd1325092985a80f13d3e8f128dbf20378a6f8634faa6d10247",
  "0006-own-budgets.golden.jsonl": "b7d87f81456b3f322450b9fc63152d014191d3010b563d1f082788742a8a74b3",
  "0007-credit.golden.jsonl": "b7d87f81456b3f322450b9fc63152d014191d3010b563d1f082788742a8a74b3",
  "0008-turns.golden.jsonl": "c2ced34f7a227e820ffd4018fbb7c8037839a505ff1cbc85bfbe4f5c9b278a88",
  "0009-leaving.golden.jsonl": "92554563ab0ffc31023d03639a44066b84adda2e729582a5c222cb71a0c0969a",
  "0010-code.golden.jsonl": "46782461f316a099d548258b0c04912e0020e3198c9da63f7fcdb8ee91c30bb4",
  "0011-results.golden.jsonl": "0417ebc95693094fe843f75c47fb1e72fbf7e35a07d3f855ad3e2993af119c10",
  "0013-inside.golden.jsonl": "9bd07d9f42e202afeff34d27490071af33104f0f60429d4d89c0b23164885e20",
  "0014-long-arrays.golden.jsonl": "178f8aac1af8c5db992e776d7d02978d6493dc6f92dc7c2a7bdb4699f1848e37",
  "0015-trail.golden.jsonl": "e4de2bb9ac10d628bb48747a95f426b90b0c7098b6ad5621a9d69c3f8b09732c",
  "0016-notes.golden.jsonl": "0417ebc95693094fe843f75c47fb1e72fbf7e35a07d3f855ad3e2993af119c10",
  "0017-engines.golden.jsonl": "e7bb30e524adffb0c18951d01cabaab651442a5a6ed0e7f972d1f8300bf695be",
  "0018-pools.golden.jsonl": "c7bad083426a577f4ec377c1aea3021965726200d00319768d15ae5489b11793",
  "0020-sessions.golden.jsonl": "e4de2bb9ac10d628bb48747a95f426b90b0c7098b6ad5621a9d69c3f8b09732c",
  "0021-shared-pools.golden.jsonl": "b5fb287f0bf5780e37cc4d30f25027573bd1e1e175aa8caef454037f354b1215",
  "0022-neighbours.golden.jsonl": "38783e64139213c9294ee2a22c83f05440158bb8bd8e79ec088716a1f035f874",
  "0023-idle.golden.jsonl": "354ae569f6559df516e745d812b66388f67e7d92c1bb726a1e49ed5ab46c8448",
  "0024-health.golden.jsonl": "cba028d8e3e7c405c64f7a498e4a45bb82f83023776fb8aad760f121bb500c01",
  "0025-instances.golden.jsonl": "cba028d8e3e7c405c64f7a498e4a45bb82f83023776fb8aad760f121bb500c01",
  "0026-alone-after-a-fault.golden.jsonl": "2d45389d4025ae6e4bb4cf9dce95dc1a179d24044a618c9eabbd84e5b321deb1",
  "0028-providers.golden.jsonl": "f306245a0c0a69efff6d7b0a8212459fa92d70b243e5125321b97c17539e989f",
  "0029-factors.golden.jsonl": "f306245a0c0a69efff6d7b0a8212459fa92d70b243e5125321b97c17539e989f",
  "0030-keys.golden.jsonl": "b706c07f1f361f02c417b7aedab13361a036afe1cd1a0ee11bd1dfa614e6d261",
  "0031-grants.golden.jsonl": "2a02218f11ec06f1f5aede82a08fbcb5158c4ff8a9380841244ae7862b64a60a",
  "0032-scim.golden.jsonl": "2a02218f11ec06f1f5aede82a08fbcb5158c4ff8a9380841244ae7862b64a60a",
  "0033-exchanges.golden.jsonl": "c82fd6dd2c4cd5da27c02589044c519d4a2f687671a0a7036815f03c922dfd67",
  "0034-labels.golden.jsonl": "6d0ad299cef9e84ca50c57d58f0afae73f20ef83aeb5a105f847e9ed696c12d1",
};

function rowHashOf(journal: string): string {
  const state = emptyState();
  const rows: string[] = [];
  for (const line of readFileSync(folder + journal, "utf8")
    .trimEnd()
    .split("\n")) {
    const row = rowOf(line);
    const projector = new Projector(row.seq);
    for (const event of eventsOf(row.events)) {
      projector.see(event, state);
      apply(state, event);
    }
    const { usage, devices, books } = projector.finish([], state, row.at);
    for (const each of [...usage, ...devices, ...books]) rows.push(canonicalJson(each));
  }
  return sha256(Buffer.from(rows.join("\n"))).toString("hex");
}

describe("projected rows", () => {
  it("[S10] [S11] of golden journals are byte for byte those that stores in the field hold", () => {
    const journals = readdirSync(folder).filter((name) => name.endsWith(".golden.jsonl"));
    assert.deepEqual(Object.fromEntries(journals.map((name) => [name, rowHashOf(name)])), rowHashes);
  });
});
