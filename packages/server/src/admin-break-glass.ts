import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeBreakGlass } from "./access/break-glass.ts";
import { signInPath } from "./access/sign-in-links.ts";
import { BadCall } from "./config.ts";

const namePattern = /^[\w.@+-]{1,100}$/;

/** A link for an owner who cannot sign in any more. It is read from the data folder when the browser brings it. */
export function breakGlass(data: string, user: string | undefined): readonly [object, string] {
  if (!existsSync(data)) throw new BadCall(`there is no data folder ${data}; name it with --data DIR`);
  if (user !== undefined && !namePattern.test(user))
    throw new BadCall(`--user ${JSON.stringify(user)} is no login name: letters, digits and . _ - @ +`);
  const { ticket, expiresAt } = makeBreakGlass(data, user, Date.now());
  const url = `${addressIn(data) ?? "http://SERVER"}${signInPath(ticket)}`;
  const until = new Date(expiresAt).toISOString();
  return [
    { url, expiresAt: until },
    `Open ${url}\nOnce, before ${until}. The session lasts 30 minutes, needs no second factor, and is told to every owner by an alarm and in the audit.`,
  ];
}

/** Where the server says that it listens; it may be stopped now and started before the link ends. */
function addressIn(data: string): string | undefined {
  const file = join(data, "endpoint.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { url: string }).url : undefined;
}
