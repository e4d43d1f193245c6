import { once } from "node:events";
import { connect as connectTo, type Socket } from "node:net";
import { pipeline } from "node:stream/promises";

/** Joins the standard streams to a port of the pod, each direction to its own end. */
export async function connect(port: number): Promise<void> {
  const socket = await connected(port, ["127.0.0.1", "::1"]);
  const sent = pipeline(process.stdin, socket).catch(() => {}); // the other side may close first
  await pipeline(socket, process.stdout);
  await Promise.race([sent, once(socket, "close")]);
}

/** A program listens on one of the two addresses of its own machine, or on both. */
async function connected(port: number, [host, ...others]: readonly string[]): Promise<Socket> {
  const socket = connectTo({ port, host: host!, allowHalfOpen: true });
  try {
    await once(socket, "connect");
    return socket;
  } catch (error) {
    if (others.length === 0) throw error;
    return connected(port, others);
  }
}
