import {
  type Account,
  type AccountNo,
  accountOf,
  type HeldVolume,
  isInside,
  plainPath,
  type ReadonlyState,
  type Refusal,
  refuse,
  type User,
  type Volume,
  volumeFor,
} from "@tessera/core";
import type { Grant, VolumeShape } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import type { Seal } from "../../access/seal.ts";
import { timestamp } from "../../render/quantities.ts";
import { isDenied, notFound } from "../answer/problem.ts";
import { askerOf, type Handler } from "../context.ts";
import { staleUnless } from "../request/if-match.ts";
import { listing, pageOf } from "../request/page.ts";

type VolumeHandlers = {
  listVolumes: Handler<"listVolumes">;
  putVolume: Handler<"putVolume">;
  deleteVolume: Handler<"deleteVolume">;
  putGrants: Handler<"putGrants">;
};

interface Usable extends HeldVolume {
  /** As a job names it. */
  readonly mount: string;
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

export const volumeHandlers: VolumeHandlers = {
  listVolumes({ control: { state }, seal }, { target, query, principal }) {
    const show = ({ holder, name, volume, mount }: Usable) => {
      // Only the accounts that own the data see its folder and its grants.
      const ours = isInside(state, target.no, holder.no);
      const shares = ours && may(state, principal.user, "volume.share", holder.no);
      return {
        account: holder.path,
        name,
        mount,
        ...(ours && { path: volume.path }),
        readOnly: volume.readOnly,
        ...(shares && { ...shownGrants(state, volume), revision: grantsTag(seal, holder.no, name, volume) }),
        createdAt: timestamp(volume.createdAt),
      };
    };
    const keyOf = ({ holder, name }: Usable) => `${name}\n${holder.path}`;
    return pageOf(seal, listing("volumes", usableIn(state, target), keyOf, show), query);
  },

  async putVolume({ control, dataFolder }, call) {
    const name = call.params.volume!;
    if (!namePattern.test(name))
      return refuse(
        "invalid",
        "volume",
        name.slice(0, 100),
        "is not a name for a volume",
        "use letters, digits and . _ -",
      );
    const { path, readOnly = false } = call.body;
    if (dataFolder !== undefined && meets(plainPath(path) ?? "/", dataFolder))
      return refuse("invalid", "path", path, "meets the data folder of the server", "give another folder");
    const command = { kind: "volume.create", account: call.target.path, name, path, readOnly } as const;
    const done = await control.ask(command, askerOf(call));
    return isDenied(done) ? done : {};
  },

  async putGrants({ control, seal }, call) {
    const name = call.params.volume!;
    const volume = control.state.volumes.get(`${call.target.no}/${name}`);
    if (volume === undefined) return notFound("volume");
    const stale = staleUnless(call, grantsTag(seal, call.target.no, name, volume), "grants");
    if (stale !== undefined) return stale;
    const { grants } = call.body;
    const unseen = hiddenAccount(control.state, call.principal.user, grants ?? []);
    if (unseen !== undefined) return unseen;
    const command = {
      kind: "volume.grant",
      account: call.target.path,
      name,
      ...(grants !== null && { grants }),
    } as const;
    const done = await control.ask(command, askerOf(call));
    return isDenied(done) ? done : {};
  },

  async deleteVolume({ control }, call) {
    const { target } = call;
    const name = call.params.volume!;
    if (!control.state.volumes.has(`${target.no}/${name}`)) return notFound("volume");
    const done = await control.ask({ kind: "volume.delete", account: target.path, name }, askerOf(call));
    return isDenied(done) ? done : {};
  },
};

/** The nearest of each name, going up from the account, and those of others that are granted to it. */
function usableIn(state: ReadonlyState, from: Account): Usable[] {
  const usable = new Map<string, Usable>();
  for (const [key, volume] of state.volumes) {
    const cut = key.indexOf("/");
    const [no, name] = [Number(key.slice(0, cut)) as AccountNo, key.slice(cut + 1)];
    const held = { holder: accountOf(state, no), name, volume };
    const near = volumeFor(state, from.no, { volume: name, readOnly: false });
    if (near?.volume === volume) usable.set(name, { ...held, mount: `vol:${name}` });
    else if (
      !isInside(state, from.no, no) &&
      volumeFor(state, from.no, { volume: name, of: held.holder.path, readOnly: false })
    )
      usable.set(key, { ...held, mount: `vol:${held.holder.path}/${name}` });
  }
  return [...usable.values()];
}

/** Refuses to name an account that the caller may not see, like one that is not there. */
function hiddenAccount(state: ReadonlyState, user: User, grants: readonly Grant[]): Refusal | undefined {
  for (const [i, { accounts = [] }] of grants.entries())
    for (const [n, path] of accounts.entries()) {
      const account = state.accountByPath.get(path);
      if (account === undefined || !may(state, user, "account.read", account.no)) {
        const hint = "see: tess account tree; a platform owner grants data to other tenants";
        return refuse("invalid", `grants.${i}.accounts.${n}`, path, "is not an account that you can see", hint);
      }
    }
  return undefined;
}

function shownGrants(state: ReadonlyState, { grants }: Volume): Pick<VolumeShape, "grants"> {
  if (grants === undefined) return {};
  return {
    grants: grants.map(({ accounts, roles, trust, regions, purposes, access }) => ({
      access,
      ...(accounts !== undefined && { accounts: accounts.map((no) => accountOf(state, no).path) }),
      ...(roles !== undefined && { roles: [...roles] }),
      ...(trust !== undefined && { trust: [...trust] }),
      ...(regions !== undefined && { regions: [...regions] }),
      ...(purposes !== undefined && { purposes: [...purposes] }),
    })),
  };
}

function grantsTag(seal: Seal, holder: AccountNo, name: string, { grants, createdAt }: Volume): string {
  return seal.tag(`grants ${holder}/${name} ${JSON.stringify(grants)}`, createdAt);
}

function meets(path: string, folder: string): boolean {
  return `${folder}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${folder}/`);
}
