import { accountOf, type Refusal, rootAccount, type UserId } from "@tessera/core";
import type { People } from "../../access/people.ts";
import type { PrivateWrite } from "../../store/port.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { createUser } from "../people/access.ts";

const namesTried = 20;

/** Makes a user for someone of a provider. A name that is taken belongs to another person, so this one gets an ending. */
export async function makeUser(
  control: ControlPlane,
  people: People,
  by: Asker,
  { name: called, email, provider }: { readonly name: string; readonly email?: string; readonly provider: string },
  rowsOf: (id: UserId) => readonly PrivateWrite[],
): Promise<UserId | Refusal> {
  const root = accountOf(control.state, rootAccount);
  for (let no = 0; ; no++) {
    const name = loginNameOf(called, no === 0 ? "" : no === 1 ? `.${provider}` : `.${provider}.${no}`);
    if (people.idOf(name) !== undefined && no < namesTried) continue;
    const person = { name, ...(email !== undefined && email.length <= 254 && { email }) };
    return createUser(control, people, by, person, root, rowsOf);
  }
}

/** A login name from what the provider calls someone: before the @, in letters that login names have. */
export function loginNameOf(text: string, ending: string): string {
  const plain = text
    .split("@")[0]!
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .replace(/-+$/, "");
  return `${(plain === "" ? "user" : plain).slice(0, 63 - ending.length)}${ending}`;
}
