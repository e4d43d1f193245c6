import { describe } from "node:test";
import { describeAdoption } from "./suite/adoption.ts";
import { describeBind } from "./suite/bind.ts";
import { describeEntries } from "./suite/entries.ts";
import type { OpenHarness } from "./suite/harness.ts";
import { describeInventory } from "./suite/inventory.ts";
import { describeLogs } from "./suite/logs.ts";
import { describeOthers } from "./suite/others.ts";
import { describeParts } from "./suite/parts.ts";
import { describeReports } from "./suite/reports.ts";
import { describeStop } from "./suite/stop.ts";
import { describeTelemetry } from "./suite/telemetry.ts";
import { describeTimeLimit } from "./suite/time-limit.ts";

export { Authority, type Signed } from "./suite/authority.ts";
export type { Commands, Harness, InsideCommands, OpenHarness, Others } from "./suite/harness.ts";
export { shellCommands, shellInside } from "./suite/shell-commands.ts";

/** What every engine promises. Call it from a test file of the engine's own package; each test opens a new harness. */
export function describeEngine(name: string, open: OpenHarness): void {
  describe(`engine ${name}`, () => {
    describeInventory(open);
    describeBind(open);
    describeStop(open);
    describeTimeLimit(open);
    describeReports(open);
    describeAdoption(open);
    describeLogs(open);
    describeEntries(open);
    describeParts(open);
    describeOthers(open);
    describeTelemetry(open);
  });
}
