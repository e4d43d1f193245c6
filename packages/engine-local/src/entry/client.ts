import { connect, type Socket } from "node:net";
import { type Entry, type EntryAsk, EntryRefused } from "@tessera/engine";
import { FramedEntry, framesOf, jsonFrame, jsonIn, kinds } from "@tessera/engine/framed";
import { leaseFile } from "../lease/folder.ts";
import { socketAt } from "./place.ts";

/** What a supervisor can be asked at its entrance. */
export type EntranceAsk = EntryAsk | { readonly kind: "ports" };

/** A supervisor opens at once, or says why not; only a machine that stands still takes longer. */
const answerMsMax = 30_000;

/** Asks the supervisor of a lease for a way in. */
export async function openEntry(leaseFolder: string, ask: EntryAsk): Promise<Entry> {
  const { socket, frames } = await knock(leaseFolder, ask);
  return new FramedEntry(socket, frames);
}

/** The ports that the member listens on. */
export async function readPorts(leaseFolder: string): Promise<readonly number[]> {
  const { socket, opened } = await knock(leaseFolder, { kind: "ports" });
  socket.destroy();
  return jsonIn<{ readonly ports: readonly number[] }>(opened).ports;
}

async function knock(leaseFolder: string, ask: EntranceAsk) {
  const socket = await reach(leaseFolder);
  const impatience = setTimeout(() => socket.destroy(), answerMsMax).unref();
  try {
    socket.write(jsonFrame(kinds.ask, ask));
    const frames = framesOf(socket);
    const { value: opened } = await frames.next();
    if (opened === undefined) throw new EntryRefused("the job has ended, or its supervisor does not answer");
    if (opened.kind !== kinds.opened) throw new EntryRefused(jsonIn<{ readonly reason: string }>(opened).reason);
    return { socket, frames, opened };
  } catch (error) {
    socket.destroy();
    throw error instanceof EntryRefused
      ? error
      : new EntryRefused("the connection to the supervisor broke", { cause: error });
  } finally {
    clearTimeout(impatience);
  }
}

function reach(leaseFolder: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: unknown) =>
      reject(
        new EntryRefused("nothing runs that could be entered: the job has ended, or was started by an older version", {
          cause,
        }),
      );
    try {
      const { path, release } = socketAt(leaseFolder, leaseFile.entrance);
      const socket = connect({ path });
      socket.once("connect", () => {
        release();
        resolve(socket);
      });
      socket.once("error", (error) => {
        release();
        refuse(error);
      });
    } catch (error) {
      refuse(error); // the folder of the lease is gone
    }
  });
}
