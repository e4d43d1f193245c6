import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createServer, type TlsOptions } from "node:tls";
import type { Identity } from "../access/identity.ts";

/** TLS 1.3: forward secrecy and authenticated encryption are all that it has. */
export const strongTls: TlsOptions = {
  minVersion: "TLSv1.3",
  honorCipherOrder: true,
  ciphers: ["TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"].join(":"),
};

/** The first byte of a TLS connection: a handshake record. No request of HTTP begins with it. */
const handshake = 0x16;

/**
 * Lets a server of plain HTTP speak TLS on the same port to clients that begin with it, under its own identity: browsers
 * and Prometheus go on as before, and `tess` knows its server. Returns what cuts off clients that have said
 * nothing yet.
 */
export function alsoSpeakTls(server: Server, identity: Identity, silentMsMax: number): () => void {
  const plain = server.listeners("connection") as ((socket: Socket) => void)[];
  const take = (socket: Socket) => {
    for (const listener of plain) listener.call(server, socket);
  };
  const tls = createServer({ ...identity, minVersion: "TLSv1.3", handshakeTimeout: silentMsMax });
  tls.on("secureConnection", take);
  tls.on("tlsClientError", (_error, socket) => socket.destroy());
  const silent = new Set<Socket>();
  server.removeAllListeners("connection");
  server.on("connection", (socket) => {
    const leave = () => socket.destroy();
    silent.add(socket);
    socket.setTimeout(silentMsMax, leave);
    socket.once("error", leave);
    socket.once("close", () => silent.delete(socket));
    socket.once("readable", () => {
      const first: Buffer | null = socket.read();
      if (first === null) return leave();
      silent.delete(socket);
      socket.setTimeout(0);
      socket.off("timeout", leave).off("error", leave);
      socket.unshift(first);
      if (first[0] === handshake) tls.emit("connection", socket);
      else take(socket);
    });
  });
  return () => {
    for (const socket of silent) socket.destroy();
  };
}
