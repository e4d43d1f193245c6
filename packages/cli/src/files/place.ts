import type { Job } from "@tessera/wire";
import { usageFailure } from "../failure.ts";

/** `train:model.bin`, `train.3:log`, `train/out:plots`: files of a job. */
export interface Place {
  /** Name or id, maybe with a rank behind a dot. */
  readonly job: string;
  readonly output?: string;
  readonly path: string;
}

/** Undefined for a path of this machine: one without a colon, or that begins like a path. */
export function parsePlace(text: string): Place | undefined {
  const [, job, output, path] = /^([^/:.~][^/:]*)(?:\/([^/:]+))?:(.*)$/s.exec(text) ?? [];
  if (job === undefined) return undefined;
  return { job, ...(output !== undefined && { output }), path: tidy(path!) };
}

/** Without `./` in front and slashes at the end; nothing and `.` mean everything. */
function tidy(path: string): string {
  const plain = path.replace(/^(\.\/+)+/, "").replace(/\/+$/, "");
  return plain === "." ? "" : plain;
}

export function refuseArray({ elements, name }: Job): void {
  if (elements !== undefined)
    throw usageFailure("an array has no files of its own", `name an element, such as ${name}.1`);
}
