import type { Grant } from "@tessera/wire";

/** A grant in words: `read: jobs of lab/vision, for training`. */
export function grantWords({ access, accounts, roles, trust, regions, purposes }: Grant): string {
  const parts = [
    accounts === undefined ? "jobs of its account" : `jobs of ${accounts.join(", ")}`,
    ...(roles === undefined ? [] : [`users with ${roles.join(" or ")}`]),
    ...(trust === undefined ? [] : [`${trust.join(" or ")} tenants`]),
    ...(regions === undefined ? [] : [`in ${regions.join(" or ")}`]),
    ...(purposes === undefined ? [] : [`for ${purposes.join(" or ")}`]),
  ];
  return `${access}: ${parts.join(", ")}`;
}

/** What is typed for a grant; lists are words with commas or spaces between. */
export interface GrantDraft {
  readonly access: Grant["access"];
  readonly accounts: string;
  readonly roles: string;
  readonly trust: string;
  readonly regions: string;
  readonly purposes: string;
}

export const noGrant: GrantDraft = { access: "read", accounts: "", roles: "", trust: "", regions: "", purposes: "" };

/** The grant that was typed; the server checks the words. */
export function readGrant({ access, ...lists }: GrantDraft): Grant {
  const given = Object.entries(lists)
    .map(([name, text]) => [name, text.split(/[\s,]+/).filter((word) => word !== "")] as const)
    .filter(([, words]) => words.length > 0);
  return { access, ...Object.fromEntries(given) } as Grant;
}
