/** Account paths in the tables that answer questions: `org/team/project`, or empty for the platform itself. */

/** The path itself and all above it, topmost first. The platform stands alone. */
export function ancestorsOf(account: string): string[] {
  const above: string[] = [];
  for (let slash = account.indexOf("/"); slash !== -1; slash = account.indexOf("/", slash + 1)) {
    above.push(account.slice(0, slash));
  }
  above.push(account);
  return above;
}

export function tenantOf(account: string): string {
  const slash = account.indexOf("/");
  return slash === -1 ? account : account.slice(0, slash);
}

/** Whether `account` is `root` or below it: `a` holds `a` and `a/b`, not `ab`. */
export function isWithin(account: string, root: string): boolean {
  return account === root || account.startsWith(`${root}/`);
}

/** Drops every path that another one of the list already holds, so that no row is found twice. */
export function topmost(accounts: readonly string[]): string[] {
  const asked = new Set(accounts);
  return [...asked].filter((account) => !ancestorsOf(account).some((above) => above !== account && asked.has(above)));
}

/**
 * With a slash at its end, a path and all below it are one range of text, in byte order: from `root/` up to, but
 * without, `root0`, since `0` is the character after the slash.
 */
export function rangeOf(root: string): readonly [from: string, to: string] {
  return [`${root}/`, `${root}0`];
}
