import { type Refusal, refuse } from "../journal/refusal.ts";
import type { Code, Venv } from "../model/job.ts";

/** Where the job's files come from, as the job file says it. */
export type RawWorkdir =
  | string
  | { readonly tree: string; readonly commit?: string; readonly dirty?: boolean; readonly from?: string }
  | { readonly git: string; readonly ref?: string }
  | { readonly in_place: string };

export type RawVenv = string | Venv;

/** The fields of a spec that say where a job's files and programs come from. */
export interface Origin {
  readonly workdir?: string;
  readonly inPlace?: true;
  readonly code?: Code;
  readonly venv?: Venv;
}

export function parseOrigin(workdir: RawWorkdir | undefined, venv: RawVenv | undefined): Origin | Refusal {
  const environment = typeof venv === "string" ? { path: venv } : venv;
  if (environment !== undefined && !environment.path.startsWith("/")) {
    return refuse("invalid", "venv", environment.path, "is not an absolute folder", "begin it with /");
  }
  const origin = environment === undefined ? {} : { venv: environment };
  if (workdir === undefined) return origin;
  if (typeof workdir === "string" || "in_place" in workdir) {
    const path = typeof workdir === "string" ? workdir : workdir.in_place;
    const field = typeof workdir === "string" ? "workdir" : "workdir.in_place";
    if (!path.startsWith("/")) {
      return refuse(
        "invalid",
        field,
        path,
        "is not an absolute folder",
        "begin it with /; tess run sends the folder that workdir: . names",
      );
    }
    return { ...origin, workdir: path, ...(typeof workdir !== "string" && { inPlace: true }) };
  }
  if ("tree" in workdir) return { ...origin, code: workdir };
  if (!isRepository(workdir.git)) {
    return refuse(
      "invalid",
      "workdir.git",
      workdir.git,
      "is not the address of a repository",
      "such as https://example.org/lab/train.git or git@example.org:lab/train.git",
    );
  }
  if (workdir.ref !== undefined && !/^[A-Za-z0-9_][^\s~^:?*[\\]*$/.test(workdir.ref)) {
    return refuse(
      "invalid",
      "workdir.ref",
      workdir.ref,
      "is not a branch, tag or commit",
      "such as main, v1.2 or a commit",
    );
  }
  return { ...origin, code: workdir };
}

/** With a scheme that git knows, or `user@host:path`. Nothing that git could take for an option or a command. */
function isRepository(url: string): boolean {
  return /^((https?|ssh|git|file):\/\/[^\s]+|[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^\s]+)$/.test(url);
}
