import { isRefusal, type UserId } from "@tessera/core";
import { type Person, personRow } from "../../access/people.ts";
import type { Signer } from "../../access/signature.ts";
import type { PrivateWrite } from "../../store/port.ts";
import type { Asker, ControlPlane } from "../control.ts";

const by: Asker = { actor: { user: "system" }, request: "signing-key" };
/** Private rows from before they were covered by the journal. */
const coveredKinds = ["password", "secret", "revoked-token"];
const rowsPerCommand = 500;

/**
 * Names the signing key in the journal. The first start with one also covers the private rows that are there: what was
 * done to them before cannot be told any more. Throws where the key is not the one that the journal names.
 */
export async function beginTrail(control: ControlPlane, signature: Signer, say: (text: string) => void): Promise<void> {
  const named = control.state.trail.keys.at(-1)?.publicKey;
  if (named === signature.publicKey) return;
  if (named !== undefined) {
    throw new Error(
      `keys/signing.key holds another key (${signature.publicKey}) than the one that the journal names (${named}). ` +
        "Put the right file back from a copy; if it is lost, name a new key with tess admin rotate-key --lost: " +
        "everyone who remembers the old one will be warned",
    );
  }
  const rows = await uncoveredRows(control);
  for (let from = 0; from < rows.length; from += rowsPerCommand) {
    const noted = await control.ask({ kind: "privates.note" }, by, rows.slice(from, from + rowsPerCommand));
    if (isRefusal(noted)) return say(`the next start covers private rows and names the signing key: ${noted.detail}`);
  }
  const done = await control.ask({ kind: "key.name", publicKey: signature.publicKey }, by);
  if (isRefusal(done)) say(`the next start names the signing key in the journal: ${done.detail}`); // on a full disk
}

/** The private rows as they are, names with a salt. */
async function uncoveredRows({ reader }: ControlPlane): Promise<PrivateWrite[]> {
  const rows: PrivateWrite[] = [];
  for (const [id, value] of await reader.privates("person"))
    rows.push(personRow(id as UserId, JSON.parse(Buffer.from(value).toString("utf8")) as Person));
  for (const kind of coveredKinds)
    for (const [key, value] of await reader.privates(kind)) rows.push({ kind, key, value });
  return rows;
}
