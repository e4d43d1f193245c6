import type { Role } from "@tessera/wire/roles";

const of = (at: string) => (at === "" ? "of the whole platform" : `of ${at} and below`);

/** What a role lets a person do to the work and the money of others; undefined for roles that only look or do their own work. */
export function roleEffect(role: Role, at: string): string | undefined {
  switch (role) {
    case "platform-owner":
      return "stop and read every job, set every quota, price, rule and budget, and give and take every role, yours too";
    case "tenant-admin":
    case "team-admin":
      return `stop, hold and enter every job ${of(at)}, set the quotas and budgets below it, and make users and give roles there`;
    case "finance":
      return `set and delete the budgets ${of(at)}, which can stop its jobs, and read what is spent and owed`;
    case "member":
    case "viewer":
    case "auditor":
      return undefined;
  }
}
