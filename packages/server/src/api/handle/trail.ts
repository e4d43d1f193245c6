import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { type Refusal, refuse, type TrailCommand, type WitnessedHead } from "@tessera/core";
import { type AnchorAdd, type HeadLine, isSigned, keysFrom, keyWithId, type NamedKey, parseHead } from "@tessera/wire";
import { newId } from "../../flow/ids.ts";
import { anchorTokenRow } from "../../flow/trail/anchors.ts";
import { timestamp } from "../../render/quantities.ts";
import { isDenied, notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Handler } from "../context.ts";

type Trail =
  | "getHead"
  | "proveConsistency"
  | "listAnchors"
  | "addAnchor"
  | "removeAnchor"
  | "listWitnessed"
  | "witnessHead";

/** Signed heads, the proofs between them, where they are kept, and heads of others that are kept here. */
export const trailHandlers: { readonly [Id in Trail]: Handler<Id> } = {
  async getHead({ heads, signature }) {
    const { line, server, row, hash, tree, at, epoch, signature: signed } = await heads.current();
    const { publicKey } = signature;
    return { line, server, row, hash, tree, at, epoch, publicKey, signature: signed, keys: heads.keys() };
  },

  async proveConsistency({ heads }, { query: { from, to } }) {
    const { row } = await heads.current();
    const last = Math.max(from, to);
    if (last > row)
      return refuse("invalid", "to", last, `is not written yet: the journal ends at row ${row}`, "give an earlier row");
    if (from > to) return { from: to, to: from, path: await heads.consistency(to, from) };
    return { from, to, path: await heads.consistency(from, to) };
  },

  listAnchors: (api) => ({ items: [...api.control.state.trail.anchors.keys()].map((id) => anchorShape(api, id)) }),

  async addAnchor(api, call) {
    const { kind, to, token } = call.body;
    const wrong = wrongAnchor(call.body, api.dataFolder);
    if (wrong !== undefined) return wrong;
    const id = newId("anc_");
    const rows = token === undefined ? [] : [await anchorTokenRow(api.vault, id, token)];
    const done = await api.control.ask({ kind: "anchor.set", id, anchor: { kind, to } }, askerOf(call), rows);
    return isDenied(done) ? done : anchorShape(api, id);
  },

  async removeAnchor({ control }, call) {
    const id = call.params.anchor!;
    if (!control.state.trail.anchors.has(id)) return notFound("anchor", id);
    const done = await control.ask({ kind: "anchor.drop", id }, askerOf(call), [
      { kind: "anchor", key: id, value: null },
    ]);
    return isDenied(done) ? done : {};
  },

  listWitnessed: ({ control: { state } }) => ({
    items: [...state.trail.witnessed].map(([origin, { row, line: head, publicKey, at }]) => ({
      ...{ origin, row, head, publicKey },
      at: timestamp(at),
    })),
  }),

  async witnessHead({ control }, call) {
    const checked = await witnessCommand(control.state.trail.witnessed, call.body);
    if (checked === "known") return {};
    if (isDenied(checked)) return checked;
    const done = await control.ask(checked, askerOf(call));
    return isDenied(done) ? done : {};
  },
};

function anchorShape({ control: { state }, anchors }: Api, id: string) {
  const { row, at, failure } = anchors.statusOf(id);
  return {
    id,
    ...state.trail.anchors.get(id)!,
    ...(row !== undefined && { row }),
    ...(at !== undefined && { writtenAt: timestamp(at) }),
    ...(failure !== undefined && { failure }),
  };
}

/** The head must be signed by a key that the first of this origin's keys leads to. */
async function witnessCommand(
  witnessed: ReadonlyMap<string, WitnessedHead>,
  { head: line, keys }: { readonly head: string; readonly keys: readonly NamedKey[] },
): Promise<TrailCommand | Refusal | "known"> {
  const head = parseHead(line);
  if (head === undefined)
    return refuse("invalid", "head", line, "is not a head of a journal", "send one as GET /v1/journal/head answers it");
  const known = witnessed.get(head.server);
  // What is pinned: the key of the newest head that is kept here; of a new origin, its first key.
  const pinned = known?.publicKey ?? keys[0]!.publicKey;
  const publicKey = await keyWithId(head.key, await keysFrom(pinned, keys));
  if (publicKey === undefined || !(await originIs(head, known, keys)))
    return refuse(
      "invalid",
      "keys",
      head.key,
      "is not a key that the known key of this server leads to",
      "send all keys",
    );
  if (!(await isSigned(head.text, head.signature, publicKey)))
    return refuse("invalid", "head", line, "is not signed by its key", "send the head as the server gave it");
  // A server that was started again signs the same row once more.
  if (known?.row === head.row && parseHead(known.line)?.tree === head.tree) return "known";
  return { kind: "head.witness", origin: head.server, publicKey, row: head.row, line };
}

/** A new origin is named after its first key, so that nobody takes the name of another. */
async function originIs(head: HeadLine, known: object | undefined, keys: readonly NamedKey[]): Promise<boolean> {
  return known !== undefined || (await keyWithId(head.server, [keys[0]!.publicKey])) !== undefined;
}

function wrongAnchor({ kind, to, token }: AnchorAdd, dataFolder: string | undefined): Refusal | undefined {
  if (kind === "folder") return wrongFolder(to, dataFolder);
  if (!URL.canParse(to) || !/^https?:$/.test(new URL(to).protocol))
    return refuse("invalid", "to", to, "is not an address", "such as https://other.example:7070");
  if (kind === "tessera" && token === undefined)
    return refuse("invalid", "token", null, "is needed", "make one there: tess token create --scope witness.write");
  const { protocol, hostname } = new URL(to);
  if (token !== undefined && protocol === "http:" && !/^(localhost|127\.|\[::1\])/.test(hostname))
    return refuse("invalid", "to", to, "would carry the token in clear text", "use https");
  return undefined;
}

function wrongFolder(to: string, dataFolder: string | undefined): Refusal | undefined {
  if (!isAbsolute(to)) return refuse("invalid", "to", to, "is not an absolute path", "such as /mnt/heads");
  const folder = resolve(to);
  if (dataFolder !== undefined && `${folder}/`.startsWith(`${dataFolder}/`))
    return refuse("invalid", "to", to, "is in the data folder", "use another mount: it must outlive the store");
  try {
    if (!statSync(folder).isDirectory()) throw new Error("it is not a folder");
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const fix = "make the folder on the server's machine, writable for the server";
    return refuse("invalid", "to", to, `cannot be used: ${(error as Error).message}`, fix);
  }
  return undefined;
}
