import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect, isIPv4, type Socket } from "node:net";
import { allowScript, type Target, targetOf } from "../../limit/network/declared.ts";
import { enterWords } from "../../limit/network/enter.ts";
import { leaveNetwork, type NetworkSheet, type Wall } from "../../limit/network/networks.ts";
import { runScript } from "../../limit/network/programs.ts";
import { Outpost } from "./outpost.ts";
import { NameRelay } from "./relay.ts";

const connectMsMax = 5_000;
/** Names move to other addresses; what a job has resolved itself is let through at that moment. */
const resolveEveryMs = 5 * 60_000;
const dnsPort = 53;
const turnEveryMs = 10_000;

/** The network of one member, as its supervisor serves it: names, declared targets, connections to its ports. */
export class MemberNetwork {
  readonly #sheet: NetworkSheet;
  readonly #lease: string;
  readonly #outpost: Outpost | undefined;
  readonly #targets: readonly Target[];
  #relay: NameRelay | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(sheet: NetworkSheet, lease: string) {
    this.#sheet = sheet;
    this.#lease = lease;
    this.#outpost = sheet.wall === undefined ? undefined : new Outpost(enterWords(sheet.wall));
    this.#targets = (sheet.wall?.order.allow ?? []).map(targetOf);
  }

  /** Lets through what is declared and resolves names. Throws where the job would have neither. */
  async open(): Promise<void> {
    const { wall } = this.#sheet;
    if (wall === undefined || this.#outpost === undefined) return;
    if (wall.order.egress === "declared") {
      await this.#resolveAll(wall);
      this.#timer = setInterval(() => void this.#resolveAll(wall), resolveEveryMs).unref();
    }
    if (wall.relay !== undefined) await this.#answerNames(wall, wall.relay, this.#outpost);
  }

  async #answerNames(wall: Wall, address: string, outpost: Outpost): Promise<void> {
    try {
      const datagrams = await outpost.bindDatagrams(address, dnsPort);
      const server = await outpost.listen(address, dnsPort);
      this.#relay = new NameRelay(datagrams, server, {
        mayAsk: (name) => wall.order.egress === "all" || this.#targets.some(({ host }) => host === name),
        learn: (name, addresses) => this.#allow(wall, name, addresses),
      });
    } catch (error) {
      if ((error as Error).message !== "EADDRINUSE") throw error;
      // Another member on this node answers them; should it end first, it is our turn.
      this.#timer = setTimeout(
        () => void this.#answerNames(wall, address, outpost).catch(() => {}),
        turnEveryMs,
      ).unref();
    } finally {
      outpost.close();
    }
  }

  /** A connection to a port of the member, in its own network. */
  async connect(address: string, port: number): Promise<Socket> {
    if (this.#outpost !== undefined) return this.#outpost.connect(address, port);
    const socket = connect({ host: address, port, allowHalfOpen: true });
    try {
      await once(socket, "connect", { signal: AbortSignal.timeout(connectMsMax) });
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  /** Nothing of the member is left. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    this.#relay?.close();
    this.#outpost?.close();
    // Should this fail, the engine does it.
    await leaveNetwork(this.#sheet.folder, this.#lease).catch(() => {});
  }

  async #resolveAll(wall: Wall): Promise<void> {
    for (const host of new Set(this.#targets.map((target) => target.host))) {
      const found = isIPv4(host) ? [{ address: host }] : await lookup(host, { family: 4, all: true }).catch(() => []); // resolved when it is asked for
      await this.#allow(
        wall,
        host,
        found.map(({ address }) => address),
      );
    }
  }

  async #allow(wall: Wall, host: string, addresses: readonly string[]): Promise<void> {
    const { wayOut, hubNamespace, order } = wall;
    if (order.egress !== "declared" || wayOut === undefined) return;
    const ports = this.#targets.filter((target) => target.host === host).map(({ port }) => port);
    const scripts = addresses.flatMap((address) =>
      ports.map((port) => allowScript(hubNamespace, wayOut, address, port)),
    );
    if (scripts.length > 0) await runScript(scripts.join("\n")).catch(() => {}); // then the job is turned back, and asks again
  }
}
