import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { OutpostAnswer, OutpostAsk } from "./outpost.ts";

/**
 * Runs inside the network of a job and opens sockets there for the supervisor, which then has them without being in it.
 * It ends with its supervisor.
 */
process.on("message", (ask: OutpostAsk) => {
  if (ask.kind === "connect") return open(ask);
  if (ask.kind === "datagrams") return bindDatagrams(ask);
  listen(ask);
});
process.on("disconnect", () => process.exit(0));

function open({ number, address, port }: OutpostAsk): void {
  const socket = connect({ host: address, port, allowHalfOpen: true });
  socket.pause(); // nothing of what the other side says may be read here
  socket.once("connect", () => answer({ number }, socket));
  socket.once("error", (error: NodeJS.ErrnoException) => answer({ number, failure: error.code ?? error.message }));
}

function bindDatagrams({ number, address, port }: OutpostAsk): void {
  const socket = createSocket("udp4");
  socket.once("error", (error: NodeJS.ErrnoException) => answer({ number, failure: error.code ?? error.message }));
  socket.bind(port, address, () => answer({ number }, socket));
}

function listen({ number, address, port }: OutpostAsk): void {
  const server = createServer();
  server.once("error", (error: NodeJS.ErrnoException) => answer({ number, failure: error.code ?? error.message }));
  server.listen(port, address, () => answer({ number }, server));
}

function answer(what: OutpostAnswer, handle?: Socket | DatagramSocket | Server): void {
  process.send!(what, handle);
}
