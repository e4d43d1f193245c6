import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { plainTerms, unitsPerGpu } from "../../../packages/core/dist/index.js";
import { recover } from "../../../packages/server/dist/flow/write/recover.js";
import { requestOf, Writer } from "../../../packages/server/dist/flow/write/writer.js";
import { openStore } from "../../../packages/server/dist/store/index.js";
import { fleetOf } from "../../../packages/server/dist/testing/control.js";
import { testPrices } from "../../../packages/server/dist/testing/tenancy.js";

/** Fills a data folder with a month that is over: two tenants with guaranteed GPUs, so that there is something to bill. */
export async function writePast(data, month = Date.UTC(2026, 9, 1)) {
  const dir = join(data, "store");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const store = await openStore({ dir });
  const { state, head } = await recover(store);
  const clock = { now: () => month, at: () => () => {} };
  const writer = new Writer({ store, state, head, clock, snapshotEveryEvents: 1e9, freeBytesMin: 0 });
  const terms = { ...plainTerms, quota: { guarantee: { H100: 2 * unitsPerGpu }, weight: 1 } };
  const commands = [
    { kind: "node.register", nodes: fleetOf(1, 4) },
    { kind: "price.add", version: testPrices },
    { kind: "account.create", id: "acc_lab", path: "lab", terms },
    { kind: "account.create", id: "acc_local", path: "local", terms: plainTerms },
    { kind: "account.create", id: "acc_ops", path: "ops", terms },
  ];
  for (const command of commands) {
    const op = `op_${randomBytes(8).toString("hex")}`;
    const input = { kind: "command", v: 1, op, actor: { user: "system" }, request: op, command };
    await writer.write([requestOf(input)]);
  }
  await store.close();
}
