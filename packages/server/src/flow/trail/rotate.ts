import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Command, isRefusal, type OperationId } from "@tessera/core";
import { systemClock } from "@tessera/engine";
import { keyText } from "@tessera/wire";
import { readKeyFile } from "../../access/key-file.ts";
import { commitSigningKey, stagedSigningKey, stageSigningKey } from "../../access/keys.ts";
import { Signature } from "../../access/signature.ts";
import type { Store } from "../../store/port.ts";
import { recover } from "../write/recover.ts";
import { requestOf, Writer } from "../write/writer.ts";

/**
 * Names a new signing key in the journal, signed by the old one, and puts it in the old one's place. The new key is
 * written beside the old one first: after a crash the next start finds out which of them the journal names. With `lost`
 * the old key signs nothing, and every verifier that pinned it says so.
 */
export async function rotateSigningKey(store: Store, dataFolder: string, lost: boolean): Promise<Signature> {
  const { state, head } = await recover(store);
  const old = lost ? undefined : new Signature(readKeyFile(join(dataFolder, "keys", "signing.key")));
  const named = state.trail.keys.at(-1)?.publicKey;
  if (old !== undefined && named !== undefined && named !== old.publicKey)
    throw new Error(
      "keys/signing.key is not the key that the journal names: put it back, or give --lost if it is gone",
    );
  const next = new Signature(stageSigningKey(dataFolder));
  const { publicKey } = next;
  const signed = old === undefined ? {} : { signature: await old.of(keyText(publicKey)) };
  const writer = new Writer({ store, state, head, clock: systemClock, snapshotEveryEvents: 1, freeBytesMin: 0 });
  // A journal that names no key yet names the old one first: it is the one that verifiers know.
  if (named === undefined && old !== undefined) await write(writer, { kind: "key.name", publicKey: old.publicKey });
  await write(writer, { kind: "key.name", publicKey, ...signed });
  commitSigningKey(dataFolder);
  return next;
}

async function write(writer: Writer, command: Extract<Command, { kind: "key.name" }>): Promise<void> {
  const op = `op_${randomBytes(12).toString("hex")}` as OperationId;
  const input = { kind: "command", v: 1, op, actor: { user: "system" }, request: op, command } as const;
  const [answer] = (await writer.write([requestOf(input)])).answers;
  if (isRefusal(answer)) throw new Error(answer.detail);
}

/** After a rotation that was cut off: the next key takes its place if the journal names it, else it goes. */
export function settleSigningKey(dataFolder: string, named: string | undefined): void {
  const staged = stagedSigningKey(dataFolder);
  if (!existsSync(staged)) return;
  if (new Signature(readKeyFile(staged)).publicKey === named) commitSigningKey(dataFolder);
  else rmSync(staged);
}
