import { proveBombs } from "./bombs.js";
import { proveLeastPrivilege } from "./least-privilege.js";
import { proveLimits, proveRevocation, proveScopes } from "./revocation.js";
import { proveStolenBackup } from "./stolen-backup.js";
import { proveTampering } from "./tampering.js";
import { proveRoutes } from "./worst-requests.js";

/** What is proven beyond single findings: each once, at the first place that it can be tried at. */
export const proofs = {
  tampering: { needs: () => true, prove: proveTampering },
  revocation: { needs: () => true, prove: proveRevocation },
  scopes: { needs: () => true, prove: () => proveScopes() },
  limits: { needs: () => true, prove: () => proveLimits() },
  "stolen-backup": { needs: () => true, prove: proveStolenBackup },
  "least-privilege": { needs: ({ root }) => root, prove: proveLeastPrivilege },
  "worst-requests": { needs: () => true, prove: proveRoutes },
  bombs: {
    needs: ({ root }) => root,
    async prove(around) {
      const results = await proveBombs(around);
      return { held: results.every((result) => result.held), results };
    },
  },
};
