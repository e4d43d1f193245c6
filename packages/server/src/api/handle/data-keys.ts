import { type AccountId, type ReadonlyState, refuse } from "@tessera/core";
import type { DataKeyShape } from "@tessera/wire";
import { ringAt } from "../../access/ring/place.ts";
import { type KeptKey, platform, type Ring } from "../../access/ring/ring.ts";
import { timestamp } from "../../render/quantities.ts";
import { isDenied } from "../answer/problem.ts";
import { type Api, askerOf, type Handler } from "../context.ts";

/** Older keys go within a minute or with the last job that uses them; more of them wait for something. */
const keysPerOwnerMax = 16;

/** The data keys of tenants and of the platform. */
export const dataKeyHandlers: { readonly [Id in "listDataKeys" | "rotateDataKey"]: Handler<Id> } = {
  listDataKeys({ keys, control: { state } }) {
    const ring = ringOf(keys);
    if (ring === undefined) return heldElsewhere();
    return { items: ring.list().map((key) => shapeOf(key, ring, state)) };
  },

  async rotateDataKey({ keys, control }, call) {
    const { account: path } = call.body;
    const ring = ringOf(keys);
    if (ring === undefined) return heldElsewhere();
    const account = path === undefined ? undefined : control.state.accountByPath.get(path);
    if (path !== undefined && (account === undefined || path === "" || path.includes("/"))) {
      const fix = "name an account of the top level, or leave it out for the platform: tess key get";
      return refuse("invalid", "account", path, "is no tenant: only accounts of the top level have a data key", fix);
    }
    const owner = account?.id ?? platform;
    if (ring.of(owner).length >= keysPerOwnerMax) {
      const detail = `has ${keysPerOwnerMax} data keys, which is the most: older ones wait for jobs that use them`;
      return refuse("conflict", "account", path ?? platform, detail, "wait until they are destroyed: tess key get");
    }
    const { id } = await ring.rotate(owner);
    const change = { key: id, of: owner, is: "made" } as const;
    const done = await control.ask({ kind: "keys.note", changes: [change] }, askerOf(call));
    if (isDenied(done)) return done;
    return shapeOf(ring.of(owner).find((key) => key.id === id)!, ring, control.state);
  },
};

function ringOf({ held }: Api["keys"]): Ring | undefined {
  return "helper" in held ? undefined : ringAt(held.ring);
}

function heldElsewhere() {
  const detail = "the keys of this server are held by its root helper";
  return refuse("conflict", "", null, detail, "rotate them on that machine: tess admin key rotate --keys-in FOLDER");
}

function shapeOf({ id, of, version, madeAt }: KeptKey, ring: Ring, state: ReadonlyState): DataKeyShape {
  const account = of === platform ? null : (state.accountById.get(of as AccountId)?.path ?? of);
  return { id, account, version, madeAt: timestamp(madeAt), seals: ring.of(of)[0]?.id === id };
}
