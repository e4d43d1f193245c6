import type { HealthAction } from "../model/health.ts";

/** What one kind of finding means and what follows from it. */
export interface CatalogueEntry {
  readonly action: HealthAction;
  /** Whose fault it usually is. */
  readonly origin: "application" | "hardware" | "software" | "unclear";
  /** For people: what happened. */
  readonly means: string;
  /** What the owner has to do. */
  readonly step?: string;
  /** Only the program that met it is affected, where the finding names one. */
  readonly contained?: true;
  /** So often on one GPU within a day, another action follows. */
  readonly repeated?: { readonly times: number; readonly action: HealthAction };
}

const inspect = "inspect the machine; run the checks";
const resetGpu = "reset the GPU; run the checks";
const resetWhenIdle = "reset the GPU when it is next idle";
const reboot = "restart the machine; if it comes back, have the GPU replaced";
const replace = "have the GPU replaced";
const lookAtProgram = "look at the program";

const ignore = (means: string, origin: CatalogueEntry["origin"] = "software"): CatalogueEntry => {
  return { action: "ignore", origin, means };
};
const watch = (means: string, step?: string, origin: CatalogueEntry["origin"] = "hardware"): CatalogueEntry => {
  return { action: "watch", origin, means, ...(step !== undefined && { step }) };
};
const program = (means: string): CatalogueEntry => {
  return { action: "restart-job", origin: "application", means, step: lookAtProgram };
};
/** Engines of a GPU stop for bad input as well as for bad silicon: the tenants that meet it tell which. */
const unclear = (means: string): CatalogueEntry => ({ action: "restart-job", origin: "unclear", means });
const reset = (means: string, origin: CatalogueEntry["origin"] = "hardware"): CatalogueEntry => {
  return { action: "reset", origin, means, step: resetGpu };
};
const drain = (means: string, step = inspect): CatalogueEntry => ({ action: "drain", origin: "hardware", means, step });
const quarantine = (means: string, step = inspect): CatalogueEntry => {
  return { action: "quarantine", origin: "hardware", means, step };
};

const many = (codes: readonly number[], entry: CatalogueEntry): [number, CatalogueEntry][] =>
  codes.map((code) => [code, entry]);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

const copyEngine = unclear("a copy engine stopped");
const decoder = unclear("a video decoder stopped");
const jpeg = unclear("a JPEG engine stopped");
const linkOfNvlink5 = drain("an NVLink unit reported an error", "decode the unit; check both ends of the link");

/**
 * Xid numbers and what follows from them, in our own words; made from the buckets that the vendor publishes and the lists
 * of operators (docs/decisions/0054). A number that is not here is watched.
 */
export const xids: ReadonlyMap<number, CatalogueEntry> = new Map<number, CatalogueEntry>([
  [8, program("its work on the GPU made no progress and was ended")],
  [11, program("the GPU got a command that it does not know")],
  [13, program("a kernel of the program failed, such as by an illegal instruction or address")],
  [25, program("the GPU got an illegal command")],
  [31, program("the program used a GPU address at which nothing is mapped")],
  [32, program("the GPU read a corrupted command")],
  [37, ignore("the firmware saw a method that it does not have")],
  [38, ignore("a watchdog of the firmware fired")],
  ...many([39, 40, 41, 70, 71, 72, 75, 76, 77, 85, ...range(126, 135)], copyEngine),
  [43, ignore("a channel of a program was reset after its fault; the GPU is well", "application")],
  [44, ignore("a fault while the context was switched", "unclear")],
  [45, ignore("channels were removed, because of another fault or of the program's end", "application")],
  [46, reset("the GPU stopped answering", "software")],
  [48, reset("an uncorrectable memory error (double bit)")],
  [54, quarantine("the auxiliary power is missing", "check power cables and seating")],
  [60, unclear("a video processor stopped")],
  [61, reset("a microcontroller of the GPU stopped", "unclear")],
  [62, reset("the power microcontroller halted")],
  [63, watch("a bad memory row was recorded; it is replaced at the next reset", resetWhenIdle)],
  [64, reset("a bad memory row could not be recorded")],
  [65, unclear("a video processor stopped")],
  [66, ignore("the driver used a register that is not there")],
  [67, ignore("the driver failed a check of its own")],
  [68, unclear("a video decoder stopped")],
  [69, program("the program used a class of commands wrongly")],
  [74, quarantine("an NVLink connection failed", "check both ends of the link; run the checks")],
  [78, watch("a virtual GPU could not start", "update the driver", "software")],
  [79, quarantine("the GPU no longer answers on the bus", reboot)],
  [80, program("the GPU found corrupted commands")],
  [81, quarantine("the display part of the GPU failed")],
  ...many([82, ...range(99, 105)], jpeg),
  ...many([83, 84, 88, 89, 96, 97, 98], decoder),
  [86, unclear("the optical flow engine stopped")],
  [92, watch("corrected memory errors come faster than usual")],
  [93, watch("the memory of the GPU's own settings wears out")],
  [94, { ...reset("an uncorrectable memory error that reached one program only"), contained: true }],
  [95, reset("an uncorrectable memory error that may have reached every program on the GPU")],
  [106, ignore("a test message")],
  [107, ignore("a test message")],
  [109, { ...program("the program could not be taken off the GPU in time"), repeated: { times: 3, action: "reset" } }],
  [110, reset("the security processor failed", "software")],
  [111, ignore("the display part reported a fault", "unclear")],
  [119, reset("the firmware of the GPU did not answer", "software")],
  [120, reset("the firmware of the GPU crashed", "software")],
  [121, watch("an error on the link between chips was corrected")],
  ...many([122, 123], watch("the GPU could not read or write its own settings", inspect, "unclear")),
  [125, drain("the NVLink fabric timed out", "check the fabric manager and the links")],
  [136, reset("an NVLink connection could not be trained")],
  [137, program("the program used memory of another GPU that is not mapped")],
  [139, unclear("the optical flow engine stopped")],
  [140, reset("an uncorrectable memory error was not contained")],
  [141, ignore("an error on the fast path of CUDA", "unclear")],
  [142, unclear("a video encoder stopped")],
  [143, reset("the GPU could not be initialised")],
  ...many(range(144, 150), linkOfNvlink5),
  [151, quarantine("the keys of confidential computing could not be renewed", "restart the machine")],
  ...many([152, 153], ignore("the deep learning accelerator reported an error", "unclear")),
  [155, reset("NVLink reported an error of software", "software")],
  [156, watch("a part of the GPU was retired; it is replaced at the next reset", resetWhenIdle)],
  [157, watch("a part of the GPU could not be retired", replace)],
  [158, reset("the GPU timed out for good", "software")],
  [159, watch("the coherent interface reported an error", undefined, "unclear")],
  [160, watch("a memory channel was retired")],
  [161, watch("a memory channel could not be retired", replace)],
  [162, ignore("power smoothing works again")],
  [163, watch("power smoothing is off")],
  [164, watch("power smoothing is close to its end of life", replace)],
  [165, watch("power smoothing is worn out", replace)],
  [166, watch("encrypted NVLink traffic came before the link was ready", undefined, "unclear")],
  [167, quarantine("the PCIe connection timed out for good", reboot)],
  [168, { action: "rma", origin: "hardware", means: "the GPU has lost memory capacity", step: replace }],
  [169, reset("the security processor halted", "software")],
  [170, watch("an interrupt in confidential mode", undefined, "unclear")],
  ...many([171, 172], ignore("details of an uncorrectable memory error that is reported by itself", "hardware")),
]);
