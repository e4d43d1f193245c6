import { type Account, isRefusal, type ReadonlyState, type Refusal } from "@tessera/core";
import { secretKey } from "../../access/secrets.ts";
import type { Vault } from "../../access/vault.ts";
import type { PrivateWrite } from "../../store/port.ts";
import type { Asker, ControlPlane } from "../control.ts";

/** Sets a secret: the journal learns that it changed, the value goes encrypted into the same commit. */
export async function putSecret(
  control: ControlPlane,
  vault: Pick<Vault, "seal">,
  by: Asker,
  account: Account,
  name: string,
  value: string,
): Promise<Refusal | undefined> {
  const key = secretKey(account, name);
  const row = { kind: "secret", key, value: await vault.seal(key, value) };
  const done = await control.ask({ kind: "secret.set", account: account.path, name }, by, [row]);
  return isRefusal(done) ? done : undefined;
}

export async function deleteSecret(
  control: ControlPlane,
  by: Asker,
  account: Account,
  name: string,
): Promise<Refusal | undefined> {
  const row = { kind: "secret", key: secretKey(account, name), value: null };
  const done = await control.ask({ kind: "secret.delete", account: account.path, name }, by, [row]);
  return isRefusal(done) ? done : undefined;
}

/** Deletes the secrets of all accounts, whose values nobody can open any more; returns how many. */
export async function deleteAllSecrets(control: ControlPlane, by: Asker): Promise<number> {
  let count = 0;
  for (const account of control.state.accounts) {
    if (account === undefined) continue;
    for (const name of secretNames(control.state, account)) {
      const refusal = await deleteSecret(control, by, account, name);
      if (refusal !== undefined) throw new Error(`secret ${name} of ${account.path}: ${refusal.detail}`);
      count++;
    }
  }
  return count;
}

/** The names of the secrets set on this very account. */
export function secretNames(state: ReadonlyState, account: Account): string[] {
  const prefix = `${account.no}/`;
  return [...state.secrets.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
}

/** An account that goes takes its secret values with it. */
export function secretRowsOf(state: ReadonlyState, account: Account): PrivateWrite[] {
  return secretNames(state, account).map((name) => ({ kind: "secret", key: secretKey(account, name), value: null }));
}
