import { type Account, pathUp, plainPath, type ReadonlyState, refuse, type Volume } from "@tessera/core";
import { timestamp } from "../../render/quantities.ts";
import { isDenied, notFound } from "../answer/problem.ts";
import { askerOf, type Handler } from "../context.ts";
import { listing, pageOf } from "../request/page.ts";

type VolumeHandlers = {
  listVolumes: Handler<"listVolumes">;
  putVolume: Handler<"putVolume">;
  deleteVolume: Handler<"deleteVolume">;
};

interface Usable {
  readonly account: Account;
  readonly name: string;
  readonly volume: Volume;
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

export const volumeHandlers: VolumeHandlers = {
  listVolumes({ control: { state }, seal }, { target, query }) {
    const show = ({ account, name, volume }: Usable) => ({
      account: account.path,
      name,
      path: volume.path,
      readOnly: volume.readOnly,
      createdAt: timestamp(volume.createdAt),
    });
    const keyOf = ({ account, name }: Usable) => `${name}\n${account.path}`;
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

  async deleteVolume({ control }, call) {
    const { target } = call;
    const name = call.params.volume!;
    if (!control.state.volumes.has(`${target.no}/${name}`)) return notFound("volume");
    const done = await control.ask({ kind: "volume.delete", account: target.path, name }, askerOf(call));
    return isDenied(done) ? done : {};
  },
};

/** The nearest of each name, going up from the account. */
function usableIn(state: ReadonlyState, from: Account): Usable[] {
  const usable = new Map<string, Usable>();
  for (const account of pathUp(state, from.no)) {
    const prefix = `${account.no}/`;
    for (const [key, volume] of state.volumes) {
      const name = key.slice(prefix.length);
      if (key.startsWith(prefix) && !usable.has(name)) usable.set(name, { account, name, volume });
    }
  }
  return [...usable.values()];
}

function meets(path: string, folder: string): boolean {
  return `${folder}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${folder}/`);
}
