import type { AskedGrant, Command } from "../journal/command.ts";
import type { Decision } from "../journal/outcome.ts";
import { isRefusal, type Refusal, refuse } from "../journal/refusal.ts";
import type { Account } from "../model/account.ts";
import type { Instant } from "../model/units.ts";
import { type DataGrant, kernelFolders, plainPath, type VolumeTerms } from "../model/volume.ts";
import type { State } from "../state/state.ts";
import { existing } from "./existing-account.ts";

type VolumeCommand = Extract<Command, { kind: `volume.${string}` }>;

/**
 * The folder of a volume never changes: what it means to a job that mounts it must not either. It is deleted and made
 * again. Which jobs may mount it does change, and counts for every job that starts from then on.
 */
export function changeVolume(state: State, command: VolumeCommand, now: Instant): Decision {
  const account = existing(state, command.account, undefined);
  if ("refused" in account) return account;
  const { name } = command;
  const known = state.volumes.get(`${account.no}/${name}`);
  const head = { kind: "volume-changed", v: 1, at: now, account: account.no, name } as const;
  if (command.kind === "volume.create") {
    const volume = newVolume(command, known);
    if (isRefusal(volume)) return volume;
    return { events: volume === undefined ? [] : [{ ...head, volume }], result: name };
  }
  if (known === undefined) return refuse("not-found", "volume", name, "does not exist", "see: tess volume get");
  if (command.kind === "volume.delete") return { events: [head] };
  const grants = command.grants === undefined ? undefined : grantsOf(state, command.grants);
  if (isRefusal(grants)) return grants;
  const { path, readOnly } = known;
  return { events: [{ ...head, volume: { path, readOnly, ...(grants !== undefined && { grants }) } }], result: name };
}

/** Undefined where the volume is there already, as it is asked for. */
function newVolume(
  { name, readOnly, path: given }: Extract<VolumeCommand, { kind: "volume.create" }>,
  known: VolumeTerms | undefined,
): VolumeTerms | Refusal | undefined {
  const path = plainPath(given);
  if (path === undefined)
    return refuse("invalid", "path", given, "is not an absolute path", "give a folder such as /data/sets");
  if (kernelFolders.has(path.split("/")[1]!))
    return refuse("invalid", "path", path, "belongs to the kernel", "give a folder such as /data/sets");
  if (known?.path === path && known.readOnly === readOnly) return undefined;
  if (known !== undefined) {
    const what = `exists already with ${known.path}${known.readOnly ? ", read-only" : ""}`;
    return refuse("already-exists", "volume", name, what, "choose another name, or delete it first");
  }
  return { path, readOnly };
}

/** Grants with accounts by number: a path can be given to another account later, and must not bring the data with it. */
function grantsOf(state: State, asked: readonly AskedGrant[]): readonly DataGrant[] | Refusal {
  const grants: DataGrant[] = [];
  for (const [i, { accounts: paths, ...rest }] of asked.entries()) {
    const accounts: Account[] = [];
    for (const [n, path] of (paths ?? []).entries()) {
      const account = path === "" ? undefined : state.accountByPath.get(path);
      if (account === undefined)
        return refuse("invalid", `grants.${i}.accounts.${n}`, path, "is not an account", "see: tess account tree");
      accounts.push(account);
    }
    grants.push({ ...rest, ...(paths !== undefined && { accounts: accounts.map(({ no }) => no) }) });
  }
  return grants;
}
