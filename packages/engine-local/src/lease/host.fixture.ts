import type { LeaseOrder } from "@tessera/engine";
import { openLocalEngine } from "../open.ts";

/**
 * An engine in a process of its own, to be killed: binds the orders it is given as its second argument, releases each
 * as soon as it is prepared, and prints what it has seen.
 */
const [dir, orders] = [process.argv[2]!, JSON.parse(process.argv[3]!) as LeaseOrder[]];
const engine = await openLocalEngine({ dir, virtual: "1x8:H100" });
engine.subscribe((report) => {
  console.log(`${report.lease} ${report.what.kind}`);
  if (report.what.kind === "prepared") void engine.release(report.lease);
});
for (const order of orders) await engine.bind(order);
setInterval(() => {}, 1_000);
