import { createSocket, type Socket as DatagramSocket, type RemoteInfo } from "node:dgram";
import { connect, isIPv6, type Server, type Socket } from "node:net";
import { nameservers } from "../../limit/network/resolver.ts";
import { addressesIn, nameAsked, refusalOf } from "./names.ts";

const dnsPort = 53;
const answerMsMax = 5_000;
/** A job that asks faster than names are resolved loses questions, and repeats them. */
const waitingMax = 256;
const connectionsMax = 32;

/** Which names may be asked for, and what to do with the addresses before they are told. */
export interface NamePolicy {
  mayAsk(name: string): boolean;
  learn(name: string, addresses: readonly string[]): Promise<void>;
}

/**
 * Resolves names for a member whose network does not reach the resolver of the machine: questions come from sockets inside
 * its network and are asked again outside.
 */
export class NameRelay {
  readonly #datagrams: DatagramSocket;
  readonly #server: Server;
  readonly #policy: NamePolicy;
  readonly #connections = new Set<Socket>();
  #waiting = 0;

  constructor(datagrams: DatagramSocket, server: Server, policy: NamePolicy) {
    this.#datagrams = datagrams;
    this.#server = server;
    this.#policy = policy;
    datagrams.on("message", (query, from) => void this.#relay(query, from));
    datagrams.on("error", () => {}); // one answer that could not be sent
    server.on("connection", (socket) => this.#relayStream(socket));
    server.on("error", () => {});
    datagrams.unref();
    server.unref();
  }

  close(): void {
    this.#datagrams.close();
    this.#server.close();
    for (const socket of this.#connections) socket.destroy();
  }

  async #relay(query: Buffer, from: RemoteInfo): Promise<void> {
    const name = nameAsked(query);
    if (name === undefined || this.#waiting >= waitingMax) return;
    this.#waiting += 1;
    try {
      const answer = this.#policy.mayAsk(name) ? await askOutside(query) : refusalOf(query);
      if (answer === undefined) return;
      await this.#policy.learn(name, addressesIn(answer));
      this.#datagrams.send(answer, from.port, from.address);
    } catch {
      // The one who asked asks again.
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Long answers come over TCP. Only where every name may be asked for: what passes is not read. */
  #relayStream(socket: Socket): void {
    const [server] = nameservers();
    if (server === undefined || !this.#policy.mayAsk("") || this.#connections.size >= connectionsMax) {
      socket.destroy();
      return;
    }
    this.#connections.add(socket);
    const outside = connect({ host: server, port: dnsPort });
    for (const [one, other] of [
      [socket, outside],
      [outside, socket],
    ] as const) {
      one.setTimeout(answerMsMax, () => one.destroy());
      one.on("error", () => {});
      one.once("close", () => {
        other.destroy();
        this.#connections.delete(socket);
      });
      one.pipe(other);
    }
  }
}

/** Asks the resolvers of the machine, one after the other; undefined when none answers. */
async function askOutside(query: Buffer): Promise<Buffer | undefined> {
  for (const server of nameservers()) {
    const answer = await askServer(query, server);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

function askServer(query: Buffer, server: string): Promise<Buffer | undefined> {
  const socket = createSocket(isIPv6(server) ? "udp6" : "udp4");
  return new Promise<Buffer | undefined>((resolve) => {
    const impatience = setTimeout(() => resolve(undefined), answerMsMax);
    socket.once("error", () => resolve(undefined));
    socket.on("message", (answer, { address, port }) => {
      // Anyone can send to this port; the number of the question is what a stranger does not know.
      if (port !== dnsPort || address !== server || answer.readUInt16BE(0) !== query.readUInt16BE(0)) return;
      clearTimeout(impatience);
      resolve(answer);
    });
    socket.send(query, dnsPort, server);
  }).finally(() => socket.close());
}
