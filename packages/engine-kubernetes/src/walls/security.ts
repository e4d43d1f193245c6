import { createHash } from "node:crypto";

/** User ids of tenants: above those of people and below those that containers are mapped to. */
const users = { first: 100_000, count: 1_000_000_000 };

/**
 * One user for all pods of a tenant, whatever user their image names: Pod Security `restricted` takes no root, most images
 * name no other, and files that two jobs of a tenant share must belong to both. Another tenant has another user.
 */
export function userOf(tenant: string): number {
  return users.first + (createHash("sha256").update(tenant).digest().readUInt32BE(0) % users.count);
}

/** The `securityContext` of a tenant's pods: what Pod Security `restricted` demands. */
export function podSecurity(tenant: string): Readonly<Record<string, unknown>> {
  const user = userOf(tenant);
  return {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    fsGroup: user,
    // Volumes with many files would otherwise be walked through at every start.
    fsGroupChangePolicy: "OnRootMismatch",
    seccompProfile: { type: "RuntimeDefault" },
  };
}

/** The `securityContext` of each of their containers. */
export const containerSecurity: Readonly<Record<string, unknown>> = {
  allowPrivilegeEscalation: false,
  privileged: false,
  capabilities: { drop: ["ALL"] },
};
