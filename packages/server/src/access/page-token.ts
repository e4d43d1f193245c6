import { createHmac } from "node:crypto";

/**
 * What a notebook asks of its visitors. Other jobs of the machine can reach its port, so it must ask; the same for all
 * attempts of a job and kept nowhere, because it follows from the server's key.
 */
export function pageTokenOf(serverKey: Buffer, job: string): string {
  return createHmac("sha256", serverKey).update(`page ${job}`).digest("hex").slice(0, 48);
}
