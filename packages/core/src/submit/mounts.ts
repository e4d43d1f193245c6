import { type Refusal, refuse } from "../journal/refusal.ts";
import type { JobSpec } from "../model/job.ts";
import { plainPath, systemFolders } from "../model/volume.ts";

export type RawMounts = { readonly [at: string]: string };

/**
 * What a mount shows: a volume of the account or one above it, an output of another job, or a claim on storage that a
 * cluster keeps for the tenant.
 */
export type MountSource =
  | { readonly volume: string; readonly of?: string; readonly readOnly: boolean }
  | { readonly job: string; readonly output: string }
  | { readonly claim: string; readonly readOnly: boolean };

const volumePattern =
  /^vol:(?:([A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*){0,15})\/)?([A-Za-z0-9][A-Za-z0-9._-]{0,62})(:ro)?$/;

/** `vol:data` or `vol:lab/data`, `job:NAME/OUTPUT`, `pvc:NAME`; `:ro` behind a volume or claim; undefined for anything else. */
export function mountSource(text: string): MountSource | undefined {
  const [, of, volume, only] = volumePattern.exec(text) ?? [];
  if (volume !== undefined) return { volume, ...(of !== undefined && { of }), readOnly: only !== undefined };
  const [, claim, ro] = /^pvc:([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(:ro)?$/.exec(text) ?? [];
  if (claim !== undefined) return { claim, readOnly: ro !== undefined };
  const [, job, output] = /^job:([^/\s]{1,110})\/([A-Za-z0-9][A-Za-z0-9._-]{0,62})$/.exec(text) ?? [];
  return job === undefined || output === undefined ? undefined : { job, output };
}

const mountsMax = 32;

/** Where each mount is shown, by its plain path, sorted. */
export function parseMounts(raw: RawMounts | undefined): JobSpec["mounts"] | Refusal {
  if (raw === undefined || Object.keys(raw).length === 0) return undefined;
  const given = Object.entries(raw);
  if (given.length > mountsMax)
    return refuse("invalid", "mounts", given.length, `is more than ${mountsMax} mounts`, "mount fewer folders");
  const mounts = new Map<string, string>();
  for (const [at, source] of given) {
    const field = `mounts.${at}`;
    const path = plainPath(at);
    if (path === undefined || path.length > 200)
      return refuse("invalid", field, source, "is not mounted at an absolute path", "give a path such as /data");
    if (systemFolders.has(path.split("/")[1]!)) {
      const detail = `cannot be mounted at ${path}, which the system needs as it is`;
      return refuse("invalid", field, source, detail, "give a path such as /data or /mnt/data");
    }
    const around = [...mounts.keys()].find(
      (each) => `${each}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${each}/`),
    );
    if (around !== undefined)
      return refuse("invalid", field, source, `overlaps the mount at ${around}`, "mount it at another path");
    if (mountSource(source) === undefined)
      return refuse(
        "invalid",
        field,
        source,
        "is neither a volume, an output nor a claim",
        "write vol:NAME, job:NAME/OUTPUT or pvc:NAME",
      );
    mounts.set(path, source);
  }
  return Object.fromEntries([...mounts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
