import { nodeAddress } from "../../frame/address.ts";

/** The page of what a line of a report is about; undefined where there is none, or it is not for this reader. */
export function pageOf(by: string, key: string, may: (action: string) => boolean): string | undefined {
  if (key === "") return undefined;
  if (by === "job") return may("job.read") ? `/jobs/${key}` : undefined;
  if (by === "account") return `/quota/${key}`;
  return by === "node" ? nodeAddress(key) : undefined;
}
