import { type Account, type Refusal, refuse, tenantOf } from "@tessera/core";
import type { ControlPlane } from "../control.ts";

/** Where tenants cannot be kept apart, the first that runs a job is the only one; before that, the first that has a job. */
export function secondTenant({ capabilities, state }: ControlPlane, account: Account): Refusal | undefined {
  const { oneTenant } = capabilities;
  if (oneTenant === undefined) return undefined;
  const tenant = tenantOf(state, account.no);
  const only = oneTenant.tenant ?? firstWithJob(state);
  if (only === undefined || only === tenant.id) return undefined;
  const why = `is of another tenant than the jobs here, and ${oneTenant.why}`;
  return refuse("unsupported", "project", account.path, why, oneTenant.hint);
}

function firstWithJob(state: ControlPlane["state"]): string | undefined {
  for (const job of state.jobs.values()) return tenantOf(state, job.account).id;
  return undefined;
}
