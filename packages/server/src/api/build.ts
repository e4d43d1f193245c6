import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { type Route, type RouteId, routes } from "@tessera/wire";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Keys } from "../access/keys.ts";
import { People } from "../access/people.ts";
import { authenticate } from "../access/principal.ts";
import { Seal } from "../access/seal.ts";
import { TokenUse } from "../access/token-use.ts";
import { type ControlPlane, Outage } from "../flow/control.ts";
import { newId } from "../flow/ids.ts";
import { LiveNames } from "../flow/live-names.ts";
import { bodyBytesMax, parseJson, textOf } from "./body.ts";
import type { Api } from "./context.ts";
import { Feed } from "./feed.ts";
import { type Log, type LogLevel, logTo } from "./log.ts";
import { Metrics } from "./metrics.ts";
import { addPlainRoutes } from "./plain.ts";
import { type Denial, deny, isDenied, problemOf, statusOf } from "./problem.ts";
import { type Rate, RateLimit } from "./rate-limit.ts";
import { type Incoming, prepare, routeIds, serve } from "./route.ts";
import { usualWatchLimits, Watches, type WatchLimits } from "./watch/watches.ts";
import { parseYaml } from "./yaml.ts";

export interface ApiConfig {
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly logLevel?: LogLevel;
  /** For each user, and for each address that does not say who it is. */
  readonly rates?: { readonly user: Rate; readonly stranger: Rate };
  readonly watch?: Partial<WatchLimits>;
  /** How long a client may take to send its headers and its whole request, and be silent while it is answered. */
  readonly patience?: { readonly headersMs: number; readonly requestMs: number; readonly silentMs: number };
}

export interface BuiltApi {
  readonly app: FastifyInstance;
  close(): Promise<void>;
}

const usualRates = {
  user: { burst: 20_000, perSecond: 20_000 },
  stranger: { burst: 200, perSecond: 50 },
};
const flushTokenUseMs = 10_000;

const usualPatience = { headersMs: 10_000, requestMs: 30_000, silentMs: 120_000 };

declare module "fastify" {
  interface FastifyRequest {
    incoming: Incoming | undefined;
    tessRequestId: string;
  }
}

/** Builds the HTTP API over a control plane. It listens nowhere yet. */
export async function buildApi(built: {
  control: ControlPlane;
  keys: Keys;
  config?: ApiConfig;
  /** Other declarations than wire's: how tests see that each one counts. */
  table?: Readonly<Record<RouteId, Route>>;
}): Promise<BuiltApi> {
  const { control, keys, config = {}, table = routes } = built;
  const api: Api = {
    control,
    keys,
    seal: new Seal(keys.serverKey),
    people: await People.load(control.reader),
    tokenUse: await TokenUse.load(control.reader, (writes) => control.notePrivate(writes)),
    liveNames: new LiveNames(control),
    feed: await Feed.load(control),
  };
  const metrics = new Metrics();
  const stopMetrics = metrics.follow(control);
  const watches = new Watches(api, { ...usualWatchLimits, ...config.watch }, (open) => {
    metrics.streams = open;
  });
  const log = logTo((line) => process.stderr.write(line), config.logLevel ?? "error");
  const app = newApp(config, log);
  takeBodies(app);
  recordRequests(app, metrics, log, config.logLevel === "request");
  addGate(app, api, config.rates ?? usualRates);
  addPlainRoutes(app, api, metrics);
  addRoutes(app, api, watches, log, table);
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsAt(request.url);
    if (methods.length === 0)
      return answerDenial(
        request,
        reply,
        deny("no-such-route", "There is nothing at this address.", "See /openapi.json."),
      );
    reply.header("allow", methods.join(", "));
    return answerDenial(
      request,
      reply,
      deny("method-not-allowed", `This address takes ${methods.join(", ")}.`, "See /openapi.json."),
    );
  });
  const flush = setInterval(() => api.tokenUse.flush(control.state, control.now()), flushTokenUseMs);
  flush.unref();
  return {
    app,
    async close() {
      clearInterval(flush);
      stopMetrics();
      watches.close();
      api.liveNames.stop();
      api.feed.stop();
      app.server.closeIdleConnections();
      const closing = app.close();
      app.server.closeAllConnections();
      await closing;
    },
  };
}

function newApp(config: ApiConfig, log: Log): FastifyInstance {
  const { tls } = config;
  const https = tls && { cert: readFileSync(tls.cert), key: readFileSync(tls.key), minVersion: "TLSv1.2" };
  const { headersMs, requestMs, silentMs } = config.patience ?? usualPatience;
  const look = { connectionsCheckingInterval: Math.min(1_000, headersMs) };
  const app = fastify({
    logger: false,
    ...(https ? { https: { ...https, ...look } } : { http: look }),
    requestTimeout: requestMs,
    connectionTimeout: silentMs,
    keepAliveTimeout: 75_000,
    bodyLimit: bodyBytesMax,
    genReqId: () => "",
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 2048, caseSensitive: true, ignoreTrailingSlash: false },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => failed(error, request, reply, log),
    clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket) {
      if (!socket.writable) return void socket.destroy();
      const denial = clientDenial(error.code ?? "");
      const requestId = newId("req_");
      const body = JSON.stringify(problemOf(denial, requestId));
      const status = statusOf(denial.refused);
      const head = `HTTP/1.1 ${status} Bad Request\r\nContent-Type: application/problem+json\r\nX-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`;
      socket.end(head + body);
    },
  } as never) as unknown as FastifyInstance;
  app.server.headersTimeout = headersMs;
  app.decorateRequest("incoming", undefined);
  app.decorateRequest("tessRequestId", "");
  app.setErrorHandler((error, request, reply) => failed(error as Error, request, reply, log));
  return app;
}

function clientDenial(code: string): Denial {
  if (code === "HPE_HEADER_OVERFLOW")
    return deny("headers-too-large", "The headers are too large.", "Send fewer or shorter headers.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return deny("request-timeout", "The request did not arrive in time.", "Send it faster.");
  return deny("malformed", "This is not an HTTP request.", "Check the address and the client.");
}

/** JSON everywhere, YAML where the route takes it; anything else is refused by its type. */
function takeBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parser =
    (parse: (text: string) => { readonly value: unknown } | Denial) =>
    (_request: FastifyRequest, bytes: Buffer, done: (error: Error | null, body?: unknown) => void) => {
      if (bytes.length === 0) return done(null, undefined);
      const text = textOf(bytes);
      const parsed = isDenied(text) ? text : parse(text as string);
      if (isDenied(parsed)) done(new Denied(parsed));
      else done(null, (parsed as { value: unknown }).value);
    };
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:;|$)/i,
    { parseAs: "buffer" },
    parser(parseJson) as never,
  );
  app.addContentTypeParser(
    /^(?:application\/(?:x-)?yaml|text\/(?:x-)?yaml)(?:;|$)/i,
    { parseAs: "buffer" },
    parser(parseYaml) as never,
  );
}

/** A refusal on its way out of a place that can only throw. */
class Denied extends Error {
  readonly denial: Denial;
  constructor(denial: Denial) {
    super(denial.detail);
    this.denial = denial;
  }
}

function recordRequests(app: FastifyInstance, metrics: Metrics, log: Log, everyRequest: boolean): void {
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "other";
    metrics.request(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
    if (everyRequest) {
      const { tessRequestId: requestId } = request;
      log({
        level: "info",
        requestId,
        route: `${request.method} ${route}`,
        message: "answered",
        status: reply.statusCode,
        ms: reply.elapsedTime,
      });
    }
    done();
  });
}

/** Who is it, and not too often: settled before a body is read. */
function addGate(app: FastifyInstance, api: Api, rates: { user: Rate; stranger: Rate }): void {
  const users = new RateLimit(rates.user);
  const strangers = new RateLimit(rates.stranger);
  app.addHook("onRequest", (request, reply, done) => {
    const requestId = newId("req_");
    request.tessRequestId = requestId;
    reply.raw.setHeader("x-request-id", requestId);
    if (request.url === "/healthz" || request.url === "/readyz") return done();
    const now = api.control.now();
    const principal = authenticate(api.control.state, request.headers.authorization, now);
    const waitMs =
      principal === undefined
        ? strangers.take(request.ip, performance.now())
        : users.take(principal.user.id, performance.now());
    if (waitMs > 0) {
      reply.header("retry-after", String(Math.ceil(waitMs / 1000)));
      const denial = deny(
        "rate-limited",
        "You ask faster than this server answers any one caller.",
        `Wait ${waitMs} ms.`,
      );
      return void answerDenial(request, reply, denial);
    }
    if (principal !== undefined) {
      api.tokenUse.note(principal.token.id, now);
      request.incoming = { principal, requestId };
    }
    done();
  });
}

function addRoutes(
  app: FastifyInstance,
  api: Api,
  watches: Watches,
  log: Log,
  table: Readonly<Record<RouteId, Route>>,
): void {
  const underWay = new Map<string, Promise<unknown>>();
  for (const id of routeIds) {
    const prepared = prepare(id, table[id]);
    const { route } = prepared;
    app.route({
      method: route.method,
      url: route.path,
      // Before the body is read: who may not send one need not be listened to.
      onRequest: (request, reply, done) => {
        const denial = request.incoming === undefined ? unauthenticated(reply) : mediaDenial(route, request);
        if (denial === undefined) done();
        else answerDenial(request, reply, denial);
      },
      handler: async (request, reply) => {
        try {
          const denial = await serve(api, watches, underWay, prepared, request.incoming!, request, reply);
          if (denial !== undefined) answerDenial(request, reply, denial);
        } catch (error) {
          failed(error as Error, request, reply, log);
        }
        return reply;
      },
    });
  }
}

function unauthenticated(reply: FastifyReply): Denial {
  reply.header("www-authenticate", 'Bearer realm="tessera"');
  return deny("unauthenticated", "A valid token is needed.", "Send Authorization: Bearer tess_…; see: tess login.");
}

function mediaDenial(route: { readonly yaml?: true }, request: FastifyRequest): Denial | undefined {
  const type = request.headers["content-type"];
  if (type === undefined || route.yaml || !/yaml/i.test(type)) return undefined;
  return deny("unsupported-media-type", "Only jobs can be sent as YAML.", "Send application/json.");
}

export function answerDenial(request: FastifyRequest, reply: FastifyReply, denial: Denial): FastifyReply {
  const status = statusOf(denial.refused);
  if (status === 503) reply.header("retry-after", "1");
  return reply
    .code(status)
    .header("content-type", "application/problem+json")
    .send(JSON.stringify(problemOf(denial, request.tessRequestId)));
}

/** What went wrong outside of any refusal: mistakes of the client that the framework found, an outage, or a bug. */
function failed(
  error: Error & { code?: string; statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
): void {
  if (request.tessRequestId === "" || request.tessRequestId === undefined) {
    request.tessRequestId = newId("req_");
    reply.raw.setHeader("x-request-id", request.tessRequestId);
  }
  const denial = denialOfError(error);
  if (denial.refused === "internal" || denial.refused === "unavailable") {
    const route = `${request.method} ${request.routeOptions?.url ?? "?"}`;
    log({
      level: "error",
      requestId: request.tessRequestId,
      route,
      message: `${error.stack ?? error.message}${causeOf(error)}`,
    });
  }
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  answerDenial(request, reply, denial);
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? ` (cause: ${error.cause.message})` : "";
}

function denialOfError(error: Error & { code?: string; statusCode?: number }): Denial {
  if (error instanceof Denied) return error.denial;
  if (error instanceof Outage)
    return deny("unavailable", "The control plane cannot answer now.", "Try again in a moment.");
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return deny("too-large", `The body is larger than ${bodyBytesMax} bytes.`, "Send less.");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return deny("unsupported-media-type", "This kind of content is not taken here.", "Send application/json.");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return deny("malformed", "The body is not as long as its length says.", "Check the client.");
    case "FST_ERR_BAD_URL":
      return deny("malformed", "The address is not a valid URL.", "Check how it is encoded.");
  }
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return deny("malformed", "The request cannot be read.", "Check the client.");
  return deny(
    "internal",
    "Something went wrong. It was written down under this request id.",
    "Try again; if it stays, tell the platform owner.",
  );
}

const shapes = Object.values(routes).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`),
}));

function methodsAt(url: string): string[] {
  const path = url.split("?")[0]!;
  return shapes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
}
