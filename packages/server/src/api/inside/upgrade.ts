import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { EntryRefused } from "@tessera/engine";
import { routes } from "@tessera/wire";
import { closeCodes, messageBytesMax } from "@tessera/wire/entrance";
import type { FastifyInstance } from "fastify";
import { WebSocketServer } from "ws";
import { authenticate, type Principal } from "../../access/principal.ts";
import { newId } from "../../flow/ids.ts";
import { type Denial, deny, notFound, problemOf, statusOf } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { checkNetwork, checkScope } from "../guard/authorise.ts";
import { wrongHost } from "../guard/host.ts";
import { RateLimit } from "../guard/rate-limit.ts";
import { noteDenial } from "../guard/record.ts";
import type { Granted, Open } from "./entrances.ts";
import type { Pages } from "./pages.ts";
import { relay } from "./relay.ts";
import { leaseOf, visitOver } from "./visit.ts";

const address = /^\/v1\/entrances\/([^/?]{1,100})$/;
/** Each connection costs a little work in the node too. */
const rate = { burst: 500, perSecond: 100 };
/** Of every so many looks one also pings a client that is being read. */
const looksPerPing = 5;

/** WebSockets: entrances of the API, and those of pages of jobs. */
export function addUpgrades(
  app: FastifyInstance,
  api: Api,
  pages: Pages,
  isOurs: (host: string | undefined) => boolean,
): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    clientTracking: false,
  });
  const callers = new RateLimit(rate);
  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    (socket as Duplex & { setTimeout?(ms: number): void }).setTimeout?.(0);
    const page = pages.at(request.headers.host);
    if (page !== undefined) return void pages.upgrade(page, request, socket, head);
    let principal: Principal | undefined;
    const refuse = (denial: Denial) => {
      const tessRequestId = newId("req_");
      answer(socket, denial, tessRequestId);
      const from = request.socket.remoteAddress ?? "";
      noteDenial(api, routes.openEntrance, { principal, address: from, tessRequestId, target: () => "" }, denial);
    };
    if (!isOurs(request.headers.host)) return refuse(wrongHost(request.headers.host));
    const asked = address.exec(request.url ?? "")?.[1];
    if (asked === undefined) {
      return refuse(deny("no-such-route", "There is nothing at this address.", "See /openapi.json."));
    }
    // With a token alone: the page of a browser cannot show its half of a session here, and the cookie is not enough.
    principal = authenticate(api.control.state, request.headers.authorization, api.control.now());
    if (principal === undefined) {
      return refuse(deny("unauthenticated", "The request has no valid token.", "Log in with tess login."));
    }
    const waitMs = callers.take(principal.user.id, performance.now());
    if (waitMs > 0) return refuse(deny("rate-limited", "Rate limit exceeded.", "Retry in a second."));
    const granted =
      checkNetwork(principal, request.socket.remoteAddress ?? "") ??
      checkScope(principal, routes.openEntrance) ??
      api.entrances.take(asked, principal.user.id);
    if (granted === undefined) return refuse(notFound("entrance"));
    if ("refused" in granted) return refuse(granted);
    openEntrance(api, sockets, granted, request, socket, head).then(
      (denial) => denial !== undefined && refuse(denial),
      (error: Error) =>
        refuse(
          error instanceof EntryRefused
            ? deny("conflict", `${error.message.slice(0, 1).toUpperCase()}${error.message.slice(1)}.`)
            : deny("internal", "The entrance could not be opened."),
        ),
    );
  });
}

async function openEntrance(
  api: Api,
  sockets: WebSocketServer,
  granted: Granted,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<Denial | undefined> {
  const kind = granted.ask.kind;
  const full = visitOver(api, granted) === undefined ? api.entrances.mayOpen(granted, kind) : notFound("entrance");
  if (full !== undefined) return full;
  const { principal, job, attempt, rank } = granted;
  // Counted before it is open, so that many at once are not all below the limit.
  let end: Open["end"] = () => socket.destroy();
  let looks = 0;
  const open: Open = {
    ...{ principal, job, attempt, rank, kind },
    end: (why) => end(why),
    look: () => ping(),
  };
  let ping = () => {};
  api.entrances.opened(open);
  try {
    const entry = await api.control.open(leaseOf(granted), granted.ask);
    if (socket.destroyed) {
      entry.close();
      return undefined;
    }
    const client = await new Promise<import("ws").WebSocket>((resolve) =>
      sockets.handleUpgrade(request, socket, head, resolve),
    );
    let used = false;
    const relayed = relay(client, entry, () => {
      used = true;
    });
    ping = () => {
      if (used) api.tokenUse.note(principal.token.id, api.control.now());
      used = false;
      if (client.isPaused || looks++ % looksPerPing === 0) relayed.ping();
    };
    end = (why) => relayed.end(endings[why].code, endings[why].words);
    await relayed.over;
    return undefined;
  } finally {
    api.entrances.closed(open);
  }
}

const endings = {
  "not-allowed": { code: closeCodes.notAllowed, words: "you may not be inside this job any more" },
  "job-over": { code: closeCodes.broken, words: "the job has ended" },
  stopping: { code: closeCodes.goingAway, words: "the server is stopping" },
} as const;

/** An answer before the connection became a WebSocket. */
function answer(socket: Duplex, denial: Denial, requestId: string): void {
  if (socket.destroyed || !socket.writable) return;
  const body = Buffer.from(JSON.stringify(problemOf(denial, requestId)));
  socket.end(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 ${statusOf(denial)} Refused\r\ncontent-type: application/problem+json\r\n` +
          `content-length: ${body.length}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n`,
      ),
      body,
    ]),
  );
}
