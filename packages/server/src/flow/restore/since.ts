import type { Account, ReadonlyState, Role, TokenId, UserId } from "@tessera/core";
import { checkChain } from "../../journal/chain.ts";
import { headOf } from "../../journal/row.ts";
import type { StoreConfig } from "../../store/config.ts";
import { openFrozenReader } from "../../store/index.ts";
import type { StoreReader } from "../../store/port.ts";
import { credentialsKind } from "../engines/credentials.ts";
import { secretNames } from "../people/secrets.ts";
import { recover } from "../write/recover.ts";

/** What may not come back to life with a backup. */
export interface Ended {
  readonly tokens: readonly TokenId[];
  /** Users whose password is not the one of the backup any more, or has to be set again. */
  readonly passwords: readonly UserId[];
  readonly disabled: readonly UserId[];
  readonly erased: readonly UserId[];
  readonly roles: readonly { readonly user: UserId; readonly role: Role; readonly account: string }[];
  readonly secrets: readonly { readonly account: Account; readonly name: string }[];
  /** Engines whose credentials are not those of the backup any more: they must be given again. */
  readonly engines: readonly string[];
  /** Addresses that were erased. */
  readonly origins: readonly string[];
}

type Backup = Pick<StoreReader, "head" | "privates" | "rows">;

/** Where nothing is known of the time since the backup, every token, session and password ends. */
export async function endedAll(state: ReadonlyState, backup: Backup): Promise<Ended> {
  const passwords = [...(await backup.privates("password")).keys()] as UserId[];
  const nothing = { disabled: [], erased: [], roles: [], secrets: [], engines: [], origins: [] };
  return { tokens: [...state.tokens.keys()], passwords, ...nothing };
}

/**
 * What ended since the backup, from the store that went on after it. Its journal must hold the last row of the backup and
 * be sound from there on. What was made since is not in the backup and needs no end.
 */
export async function endedSince(place: StoreConfig, state: ReadonlyState, backup: Backup): Promise<Ended> {
  const later = await openFrozenReader(place);
  try {
    await mustContinue(later, backup);
    const now = (await recover(later)).state;
    const [before, after] = [await backup.privates("password"), await later.privates("password")];
    const users = [...state.users.values()];
    return {
      tokens: [...state.tokens.keys()].filter((id) => !now.tokens.has(id)),
      passwords: users.map(({ id }) => id).filter((id) => isChanged(before.get(id), after.get(id))),
      disabled: users
        .filter(({ id, disabled }) => !disabled && now.users.get(id)?.disabled === true)
        .map(({ id }) => id),
      erased: (await keysGone("person", backup, later)) as UserId[],
      roles: users.flatMap((user) => rolesLost(user.id, state, now)),
      secrets: secretsGone(state, now),
      engines: await keysChanged(credentialsKind, backup, later),
      origins: await keysGone("origin", backup, later),
    };
  } finally {
    await later.close();
  }
}

async function mustContinue(later: StoreReader, backup: Backup): Promise<void> {
  const head = await backup.head();
  const [row] = head.seq === 0 ? [] : await later.rows(head.seq, 1);
  const instead = "Leave --since out to go on without it: every token and password of the backup then ends.";
  if (row === undefined || Buffer.compare(row.hash, head.hash) !== 0)
    throw new Error(
      `The store named with --since did not go on from this backup: it has no such row ${head.seq}. ${instead}`,
    );
  const check = await checkChain(later, 200, headOf(row));
  if (!check.sound)
    throw new Error(`The store named with --since is not sound after the backup: ${check.fault}. ${instead}`);
}

/** Private rows of a kind that are there no more. */
async function keysGone(kind: string, backup: Backup, later: StoreReader): Promise<string[]> {
  const kept = await later.privates(kind);
  return [...(await backup.privates(kind)).keys()].filter((key) => !kept.has(key));
}

/** Private rows of a kind that are there no more, or hold something else. */
async function keysChanged(kind: string, backup: Backup, later: StoreReader): Promise<string[]> {
  const now = await later.privates(kind);
  return [...(await backup.privates(kind))]
    .filter(([key, value]) => isChanged(value, now.get(key)))
    .map(([key]) => key);
}

function secretsGone(state: ReadonlyState, now: ReadonlyState): Ended["secrets"] {
  return state.accounts
    .filter((account) => account !== undefined)
    .flatMap((account) =>
      secretNames(state, account)
        .filter((name) => !now.secrets.has(`${account.no}/${name}`))
        .map((name) => ({ account, name })),
    );
}

function isChanged(before: Uint8Array | undefined, after: Uint8Array | undefined): boolean {
  return before !== undefined && (after === undefined || Buffer.compare(before, after) !== 0);
}

function rolesLost(id: UserId, state: ReadonlyState, now: ReadonlyState): Ended["roles"] {
  const kept = new Set((now.users.get(id)?.bindings ?? []).map(({ role, account }) => `${role} ${account}`));
  return (state.users.get(id)?.bindings ?? [])
    .filter(({ role, account }) => !kept.has(`${role} ${account}`))
    .map(({ role, account }) => ({ user: id, role, account: state.accounts[account]?.path ?? "" }));
}
