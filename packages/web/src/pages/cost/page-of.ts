import { nodeAddress } from "../../frame/address.ts";

/** The page of what a line of a report is about; undefined where there is none, or it is not for this reader. */
export function pageOf(by: string, key: string, may: (action: string) => boolean): string | undefined {
  if (key === "") return undefined;
  // The part of a guarantee that no job held is listed among jobs.
  if (by === "job") return key.startsWith("job_") && may("job.read") ? `/jobs/${key}` : undefined;
  if (by === "account") return `/quota/${key}`;
  return by === "node" ? nodeAddress(key) : undefined;
}
