import { execFile } from "node:child_process";

/** What one run of `nvidia-smi` said, and its exit code; -1 when it could not be started or took too long. */
export interface Said {
  readonly code: number;
  readonly text: string;
}

export type Smi = (args: readonly string[]) => Promise<Said>;

/** Changing a mode or making instances takes a second; a driver that has not answered by then will not. */
const answerMsMax = 60_000;

/** Where the tool and the driver's own files are. Tests put a fake in their place, in supervisors too. */
export const driverVariables = {
  smi: "TESSERA_NVIDIA_SMI",
  proc: "TESSERA_NVIDIA_PROC",
  mps: "TESSERA_MPS_CONTROL",
} as const;

export function smiProgram(): string {
  return process.env[driverVariables.smi] ?? "nvidia-smi";
}

/** The folder in which the driver says which device node opens which instance. */
export function driverFolder(): string {
  return process.env[driverVariables.proc] ?? "/proc/driver/nvidia";
}

export const runSmi: Smi = (args) =>
  new Promise((resolve) => {
    execFile(smiProgram(), args, { timeout: answerMsMax, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (error === null) return resolve({ code: 0, text: stdout });
      const code = typeof error.code === "number" ? error.code : -1;
      resolve({ code, text: `${stdout}${stderr}`.trim() || error.message });
    });
  });

/** The first line of what it said: enough for a person to see what stands in the way. */
export function complaintOf({ text }: Said): string {
  return (text.trim().split("\n")[0] ?? "").slice(0, 300) || "nvidia-smi said nothing";
}
