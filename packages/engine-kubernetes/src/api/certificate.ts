import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { User } from "@kubernetes/client-node";

/** When the client certificate of a kubeconfig ran out; undefined while it is valid, and where there is none. */
export function expiryOf(user: Pick<User, "certData" | "certFile"> | null, now: Date): string | undefined {
  const { certData, certFile } = user ?? {};
  const pem = certData !== undefined ? Buffer.from(certData, "base64") : certFile && readFileSync(certFile);
  if (!pem) return undefined;
  const { validToDate } = new X509Certificate(pem);
  return validToDate < now ? validToDate.toISOString().slice(0, 10) : undefined;
}
