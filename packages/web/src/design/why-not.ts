import type { ActNeeds } from "@tessera/wire";

/** The role that an act needs at the account or above it, and the people who can give that role. */
export function whyNotText({ roles, ask }: Pick<ActNeeds, "roles" | "ask">, at: string): string {
  const owner = "platform-owner";
  const below = roles.filter((role) => role !== owner);
  if (at === "" || below.length === 0) return `Needs the role ${owner}; ask one of the platform's owners.`;
  const givers = ask.filter((role) => role !== owner);
  return `Needs the role ${either(below)} at ${at}; ask a ${either(givers)} of ${at}.`;
}

function either(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** The path of the account above; empty for the platform. */
export function above(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
