import { join } from "node:path";
import { parseArgs } from "node:util";
import { openStore } from "@tessera/server";
import { liveThrough } from "./month.ts";

const usage = `node packages/sim/dist/history/main.js --data DIR: fills the data folder of a server that never ran with the month before

  --data DIR  where the server will keep its files

Two tenants on 16 simulated GPUs, in virtual time. What they owe can be invoiced by the server that starts there.`;

const { values } = parseArgs({ options: { data: { type: "string" }, help: { type: "boolean", short: "h" } } });
if (values.help || values.data === undefined) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}
const now = new Date();
const fromAt = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1);
const toAt = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
const store = await openStore({ dir: join(values.data, "store") });
const { jobs } = await liveThrough(store, { fromAt, toAt });
await store.close();
console.log(JSON.stringify({ month: new Date(fromAt).toISOString().slice(0, 7), jobs }));
