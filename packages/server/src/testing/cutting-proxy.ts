import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A connection through the proxy. */
interface Wire {
  readonly client: Socket;
  readonly server: Socket;
  /** What the client said first, by which tests tell connections apart. */
  greeting: string;
}

/** Passes bytes between clients and a server until it is told to cut a connection at a chosen moment. */
export interface CuttingProxy {
  readonly port: number;
  /** Cuts the connections whose greeting holds `word`: now, or when the next request or answer comes by. */
  cut(word: string, when: "now" | "before-request" | "before-answer"): void;
  close(): Promise<void>;
}

export async function startCuttingProxy(host: string, port: number): Promise<CuttingProxy> {
  const wires = new Set<Wire>();
  let armed: { word: string; when: string } | undefined;
  const cutWire = ({ client, server }: Wire) => {
    client.destroy();
    server.destroy();
  };
  const mustCut = (wire: Wire, when: string) => armed?.when === when && wire.greeting.includes(armed.word);

  const proxy = createServer((client) => {
    const wire: Wire = { client, server: connect(port, host), greeting: "" };
    wires.add(wire);
    client.on("data", (bytes) => {
      if (mustCut(wire, "before-request")) return cutWire(wire);
      if (wire.greeting.length < 1_000) wire.greeting += bytes.toString("latin1");
      wire.server.write(bytes);
    });
    wire.server.on("data", (bytes) => {
      if (mustCut(wire, "before-answer")) return cutWire(wire);
      client.write(bytes);
    });
    for (const [end, other] of [
      [client, wire.server],
      [wire.server, client],
    ] as const) {
      end.on("error", () => {});
      end.on("close", () => {
        other.destroy();
        wires.delete(wire);
      });
    }
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");

  return {
    port: address.port,
    cut(word, when) {
      armed = when === "now" ? undefined : { word, when };
      if (when === "now") for (const wire of wires) if (wire.greeting.includes(word)) cutWire(wire);
    },
    async close() {
      for (const wire of wires) cutWire(wire);
      proxy.close();
      await once(proxy, "close");
    },
  };
}
