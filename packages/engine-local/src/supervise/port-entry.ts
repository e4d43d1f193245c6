import { once } from "node:events";
import type { Socket } from "node:net";
import type { EntryEnd } from "@tessera/engine";
import { type Frame, frameOf, kinds, send } from "@tessera/engine/framed";
import { listenersOf } from "./listeners.ts";
import type { MemberNetwork } from "./network/member-network.ts";

/** A connection to a port of the job, or why there is none. */
export async function connectToPort(
  port: number,
  pids: () => readonly number[],
  network: Pick<MemberNetwork, "connect">,
): Promise<Socket | string> {
  const before = listenersOf(pids()).find((each) => each.port === port);
  if (before === undefined)
    return notListening(
      port,
      listenersOf(pids()).map((each) => each.port),
    );
  const socket = await network.connect(before.address, port).catch(whyNot);
  if (typeof socket === "string") return `port ${port} of the job does not answer (${socket})`;
  // The same socket before and after: in between no other process can have had the port.
  if (listenersOf(pids()).some((each) => each.inode === before.inode)) return socket;
  socket.destroy();
  return notListening(port, []);
}

function whyNot(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message;
}

function notListening(port: number, others: readonly number[]): string {
  const listens = [...new Set(others)].slice(0, 10).join(", ");
  if (listens === "") return `no process of the job listens on port ${port}, or on any other yet`;
  return `no process of the job listens on port ${port}: it listens on ${listens}`;
}

/** Passes bytes both ways until both sides have ended. */
export async function relayPort(socket: Socket, frames: AsyncGenerator<Frame>, client: Socket): Promise<EntryEnd> {
  let broken: string | undefined;
  socket.on("error", (error: NodeJS.ErrnoException) => {
    broken = `the connection to the port broke (${error.code ?? error.message})`;
  });
  const closed = once(socket, "close").catch(() => {});
  void takeInput(socket, frames);
  try {
    for await (const part of socket.iterator({ destroyOnReturn: false })) {
      if (!(await send(client, frameOf(kinds.output, part as Buffer)))) break;
    }
    await send(client, frameOf(kinds.outputEnd));
  } catch {
    // said above
  }
  if (client.destroyed) socket.destroy();
  await closed;
  return broken === undefined ? { code: 0 } : { broken };
}

async function takeInput(socket: Socket, frames: AsyncGenerator<Frame>): Promise<void> {
  try {
    for await (const { kind, bytes } of frames) {
      if (kind === kinds.input) await send(socket, bytes);
      else if (kind === kinds.inputEnd) socket.end();
    }
  } catch {
    // the connection of the one who asked broke
  }
  socket.destroy();
}
