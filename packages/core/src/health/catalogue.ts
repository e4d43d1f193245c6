import type { FindingSource } from "../model/health.ts";
import { type CatalogueEntry, xids } from "./xids.ts";

/** The parts of a finding that decide what it means. */
export interface FindingKind {
  readonly source: FindingSource;
  readonly code: string;
  readonly text: string;
}

const worn = "have the GPU replaced";
const inspect = "inspect the machine; run the checks";

/** Counters and states that engines read, by source and code. Each is reported once it passes its threshold. */
const counters: Readonly<Record<string, CatalogueEntry>> = {
  "ecc sram-uncorrected": hardware(
    "quarantine",
    "uncorrectable errors in the on-chip memory",
    "reset the GPU; if they come back, have it replaced",
  ),
  "ecc dram-uncorrected": hardware("reset", "uncorrectable errors in the GPU memory", "reset the GPU; run the checks"),
  "ecc sram-corrected": hardware("drain", "very many corrected errors in the on-chip memory", inspect),
  "ecc dram-corrected": hardware("drain", "very many corrected errors in the GPU memory", inspect),
  "remap pending": hardware("watch", "a memory row waits to be replaced", "reset the GPU when it is next idle"),
  "remap failed": hardware("rma", "a memory row could not be replaced", worn),
  "remap exhausted": hardware("rma", "too many memory rows were replaced", worn),
  "nvlink inactive": hardware("drain", "NVLink connections are down", "check both ends of the links"),
  "nvlink errors": hardware("watch", "NVLink connections report errors", inspect),
  "throttle hw-slowdown": hardware("watch", "the hardware slows the GPU down", "check cooling and power"),
  "throttle hw-thermal": hardware("watch", "the GPU is too hot and slows down", "check cooling"),
  "throttle power-brake": hardware("watch", "the power supply slows the GPU down", "check power"),
  "bus lost": hardware(
    "quarantine",
    "the GPU no longer answers on the bus",
    "restart the machine; if it comes back, have the GPU replaced",
  ),
  "pcie width": hardware("drain", "the PCIe connection has fewer lanes than it should", "check seating and riser"),
  "pcie generation": hardware("watch", "the PCIe connection is slower than it should be", "check seating and riser"),
};

function hardware(action: CatalogueEntry["action"], means: string, step: string): CatalogueEntry {
  return { action, origin: "hardware", means, step };
}

/** What a finding means and what follows from it [H1]. What is not known is watched: a fleet must not stop for a new number. */
export function meaningOf(finding: FindingKind): CatalogueEntry {
  switch (finding.source) {
    case "xid":
      return finding.code === "154" ? recoveryOf(finding.text) : (xids.get(Number(finding.code)) ?? unknown);
    case "check":
      return hardware("quarantine", `the check ${finding.code} failed`, "repair what it found; run the checks");
    default:
      return counters[`${finding.source} ${finding.code}`] ?? unknown;
  }
}

const unknown: CatalogueEntry = { action: "watch", origin: "unclear", means: "a finding that is not in the catalogue" };

/** Xid 154 carries what the driver recommends, such as `… changed from 0x0 (None) to 0x1 (GPU Reset Required)`. */
function recoveryOf(text: string): CatalogueEntry {
  const asked = (/\bto\s+0x[0-9a-f]+\s*\(([^)]*)\)/i.exec(text)?.[1] ?? text).toLowerCase();
  if (asked.includes("reboot"))
    return hardware(
      "quarantine",
      "the driver asks for a restart of the machine",
      "restart the machine; run the checks",
    );
  if (asked.includes("drain and reset"))
    return hardware("drain", "the driver asks for a reset once the work has ended", "reset the GPU; run the checks");
  if (asked.includes("reset") || asked.includes("p2p"))
    return hardware("reset", "the driver asks for a reset of the GPU", "reset the GPU; run the checks");
  return { action: "ignore", origin: "unclear", means: "the driver asks for nothing" };
}

/** The name of a kind of finding, for people. */
export function findingName({ source, code }: Pick<FindingKind, "source" | "code">): string {
  return source === "xid" ? `Xid ${code}` : `${source} ${code}`;
}
