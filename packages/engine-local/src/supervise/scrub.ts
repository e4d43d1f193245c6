import { execFile } from "node:child_process";
import type { ReportWhat } from "@tessera/core";
import type { RunSheet } from "./sheet.ts";

/** Runs a program to its end; the text is what it complained of, undefined when it succeeded. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string | undefined>;

/** A reset takes seconds; a driver that has not answered by then will not. */
const resetMsMax = 120_000;

/**
 * Clears the GPUs that another tenant had (S4), and says what was really done. A device that cannot be cleared fails the
 * order: it must not be handed over.
 */
export async function scrub(sheet: RunSheet, run: RunProgram = runProgram): Promise<ReportWhat | undefined> {
  const { scrub: asked } = sheet.order;
  if (asked === undefined) return undefined;
  if (sheet.realGpus.length === 0) return { kind: "scrubbed", how: "nothing to clear: the GPUs are virtual" };
  for (const uuid of asked.gpuUuids) {
    const complaint = await run("nvidia-smi", ["--gpu-reset", "-i", uuid]);
    if (complaint !== undefined)
      return { kind: "scrub-failed", reason: `GPU ${uuid} could not be reset: ${complaint || "nvidia-smi failed"}` };
  }
  return { kind: "scrubbed", how: "reset by nvidia-smi" };
}

async function runProgram(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: resetMsMax }, (error, stdout, stderr) => {
      const said = `${stderr}${stdout}`.trim().split("\n")[0] ?? "";
      resolve(error === null ? undefined : said.slice(0, 300) || error.message.slice(0, 300));
    });
  });
}
