import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Server as TlsServer } from "node:tls";
import type { ContentStore } from "@tessera/content";
import type { TelemetryStore } from "@tessera/telemetry";
import { type Route, type RouteId, routes, summaryColumnsMax } from "@tessera/wire";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { BrowserAsks } from "../access/browser-asks.ts";
import { Factors } from "../access/factors.ts";
import { signerOf, vaultOf } from "../access/holder.ts";
import { hostCheck } from "../access/hosts.ts";
import { identityOf } from "../access/identity.ts";
import type { Keys } from "../access/keys.ts";
import { isLoopback } from "../access/listen.ts";
import { People } from "../access/people.ts";
import { authenticate } from "../access/principal.ts";
import { RevokedTokens } from "../access/revoked-tokens.ts";
import type { ScimCaller } from "../access/scim-token.ts";
import { Seal } from "../access/seal.ts";
import { SessionNotes } from "../access/session-notes.ts";
import { Sessions } from "../access/sessions.ts";
import { SignInLinks, signInPath } from "../access/sign-in-links.ts";
import { TokenUse } from "../access/token-use.ts";
import { Activity } from "../flow/activity/activity.ts";
import type { Reconciled } from "../flow/activity/reconcile.ts";
import type { Alarms } from "../flow/alarms.ts";
import type { ControlPlane } from "../flow/control.ts";
import { Reasons } from "../flow/count/reasons.ts";
import { Tallies } from "../flow/count/tallies.ts";
import type { Engines } from "../flow/engines/engines.ts";
import { Exchanges } from "../flow/exchange/exchanges.ts";
import { LiveNames } from "../flow/find/live-names.ts";
import type { NodeChecks } from "../flow/health/node-checks.ts";
import { Notices } from "../flow/notice/notices.ts";
import type { AnswerLimits } from "../flow/sso/bounded-fetch.ts";
import { openSso } from "../flow/sso/sso.ts";
import type { Collector } from "../flow/telemetry/collector.ts";
import { Anchors } from "../flow/trail/anchors.ts";
import { Heads, treeFileIn } from "../flow/trail/heads.ts";
import type { IdleWatch } from "../flow/watch/idle-watch.ts";
import type { OutboxStatus } from "../notify/outbox.ts";
import type { JournalSeries } from "../work/series.ts";
import type { WhatIfRuns } from "../work/what-if-runs.ts";
import { answerDenial, unauthenticated } from "./answer/answer.ts";
import { answerUnreadable, failed } from "./answer/failure.ts";
import { addHeaders } from "./answer/headers.ts";
import { type Log, type LogLevel, logTo } from "./answer/log.ts";
import { type Denial, deny } from "./answer/problem.ts";
import type { ApiWork } from "./away/tasks.ts";
import { followCertificate, type TlsFiles } from "./certificates.ts";
import type { Api, Incoming } from "./context.ts";
import { Feed } from "./feed.ts";
import { addBackChannel } from "./guard/back-channel.ts";
import { clearBreakGlassAlarm } from "./guard/break-glass.ts";
import { FactorChanges } from "./guard/factor-changes.ts";
import { FactorChecks } from "./guard/factor-checks.ts";
import { FactorTries } from "./guard/factor-tries.ts";
import { addGate, addRequestIds, type Rates, usualRates } from "./guard/gate.ts";
import { addHostCheck } from "./guard/host.ts";
import { Passwords } from "./guard/passwords.ts";
import { addRecording } from "./guard/record.ts";
import { SecondFactors } from "./guard/second-factors.ts";
import { addSessionRoutes, isSessionRoute } from "./guard/session.ts";
import { StepUps } from "./guard/step-ups.ts";
import { type StreamLimits, Streams, usualStreamLimits } from "./guard/streams.ts";
import { addTokenExchange } from "./guard/token-exchange.ts";
import { type EntranceLimits, Entrances, usualEntranceLimits } from "./inside/entrances.ts";
import { Pages } from "./inside/pages.ts";
import { addUpgrades } from "./inside/upgrade.ts";
import { alsoSpeakTls, strongTls } from "./listen.ts";
import { Metrics } from "./metrics/metrics.ts";
import { addPlainRoutes } from "./plain.ts";
import { bodyBytesMax } from "./request/body.ts";
import { mediaDenial, takeBodies } from "./request/content.ts";
import { withExamples } from "./request/mistakes.ts";
import { authoriseBeforeBody, prepare, routeIds, serve } from "./route.ts";
import { addScim } from "./scim/scim.ts";
import { type AnswerVisit, addConsole } from "./static.ts";
import { SharedStreams } from "./watch/shared.ts";
import { usualWatchLimits, Watches, type WatchLimits } from "./watch/watches.ts";

export interface ApiConfig {
  /** What a provider of sign-ins may send, and how long it may take. */
  readonly providerLimits?: AnswerLimits;
  readonly tls?: TlsFiles;
  readonly logLevel?: LogLevel;
  readonly rates?: Rates;
  readonly watch?: Partial<WatchLimits>;
  readonly streams?: Partial<StreamLimits>;
  readonly inside?: Partial<EntranceLimits>;
  /** A domain of its own for pages of jobs, such as apps.example.com. */
  readonly appsDomain?: string;
  /** The address that it will listen on. */
  readonly host?: string;
  /** Further names under which clients reach it. */
  readonly serverNames?: readonly string[];
  /** The folder of the built console; without one there is none. */
  readonly console?: string;
  /** How long a client may take to send its headers and its whole request, and be silent while it is answered. */
  readonly patience?: { readonly headersMs: number; readonly requestMs: number; readonly silentMs: number };
}

export interface BuiltApi {
  readonly app: FastifyInstance;
  /** What the audit keeps beside commands. */
  readonly notices: Notices;
  /** A path that signs the holder of a token in, once. */
  signInPath(token: string): string | undefined;
  close(): Promise<void>;
}

const flushTokenUseMs = 10_000;
const closeMsMax = 2_000;

const usualPatience = { headersMs: 10_000, requestMs: 30_000, silentMs: 120_000 };

declare module "fastify" {
  interface FastifyRequest {
    incoming: Incoming | undefined;
    tessRequestId: string;
    /** The identity system that calls; of SCIM routes alone. */
    scim: ScimCaller | undefined;
    /** Why it was not answered with what it asked for. */
    denied: Denial | undefined;
  }
}

/** Builds the HTTP API over a control plane. It listens nowhere yet. */
export async function buildApi(built: {
  control: ControlPlane;
  keys: Keys;
  config?: ApiConfig;
  content?: ContentStore;
  dataFolder?: string;
  work?: ApiWork;
  outletsNow?: () => readonly OutboxStatus[];
  alarms?: Alarms;
  engines?: Engines;
  nodeChecks?: NodeChecks;
  telemetry?: TelemetryStore;
  series?: JournalSeries;
  collector?: Collector;
  /** What came of comparing leased with busy time. */
  reconciled?: () => Reconciled | undefined;
  idleWatch?: Pick<IdleWatch, "warningOf">;
  whatIf?: WhatIfRuns;
  /** Other declarations than wire's: how tests see that each one counts. */
  table?: Readonly<Record<RouteId, Route>>;
}): Promise<BuiltApi> {
  const { control, keys, config = {}, table = routes } = built;
  const metrics = new Metrics(built.outletsNow);
  const secure = config.tls !== undefined;
  const tokenUse = await TokenUse.load(control.reader, (writes) => control.notePrivate(writes));
  const ground = { control, tokenUse };
  const reasons = new Reasons(control);
  const streams = new Streams(control, { ...usualStreamLimits, ...config.streams }, (open) => {
    metrics.streams = open;
  });
  const entrances = new Entrances(ground, streams, { ...usualEntranceLimits, ...config.inside }, (open) => {
    metrics.entries = open;
  });
  const pages = new Pages(ground, entrances, {
    secure,
    serverKey: keys.serverKey,
    ...(config.appsDomain !== undefined && { domain: config.appsDomain }),
    local: isLoopback(config.host ?? "127.0.0.1"),
    port: () => (app.server.address() as AddressInfo).port,
  });
  const signature = await signerOf(keys.held);
  const vault = vaultOf(keys.held, control.state);
  const treeFile = built.dataFolder === undefined ? undefined : treeFileIn(built.dataFolder);
  const heads = await Heads.open(control, signature, treeFile);
  const anchors = new Anchors({ control, heads, vault });
  const notices = new Notices(control);
  const people = await People.load(control.reader, control.state);
  const factors = await Factors.load(control.reader, control.state);
  const tries = new FactorTries(control, notices);
  const local = isLoopback(config.host ?? "127.0.0.1");
  const api: Api = {
    control,
    keys,
    seal: new Seal(keys.serverKey),
    signature,
    vault,
    heads,
    anchors,
    people,
    exchanges: await Exchanges.load(control, config.providerLimits),
    sso: openSso(control, people, vault, config.providerLimits),
    passwords: new Passwords(
      { control, people, notices, hasFactor: (user) => factors.has(user) },
      keys.serverKey,
      secure,
    ),
    factors,
    second: new SecondFactors({ control, factors, local }),
    factorChecks: new FactorChecks({ control, factors, vault, tries }),
    factorChanges: new FactorChanges({ control, people, factors, vault, tries }),
    stepUps: new StepUps(),
    revoked: await RevokedTokens.load(control.reader),
    tokenUse,
    sessions: new Sessions(keys.serverKey),
    sessionNotes: await SessionNotes.load(control.reader, (writes) => control.notePrivate(writes)),
    links: new SignInLinks(),
    logins: new BrowserAsks(),
    liveNames: new LiveNames(control),
    reasons,
    tallies: new Tallies(control, reasons, summaryColumnsMax),
    feed: await Feed.load(control),
    entrances,
    pages,
    notices,
    streams,
    shared: new SharedStreams(ground, streams),
    ...(built.content !== undefined && { content: built.content }),
    ...(built.dataFolder !== undefined && { dataFolder: built.dataFolder }),
    ...(built.work !== undefined && { work: built.work }),
    ...(built.alarms !== undefined && { alarms: built.alarms }),
    ...(built.engines !== undefined && { engines: built.engines }),
    ...(built.nodeChecks !== undefined && { nodeChecks: built.nodeChecks }),
    ...(built.telemetry !== undefined && { telemetry: built.telemetry }),
    ...(built.series !== undefined && { series: built.series }),
    ...(built.collector !== undefined && { collector: built.collector }),
    ...(built.reconciled !== undefined && { reconciled: built.reconciled }),
    ...(built.idleWatch !== undefined && { idleWatch: built.idleWatch }),
    ...(built.whatIf !== undefined && { whatIf: built.whatIf }),
    ...(built.outletsNow !== undefined && { outletsNow: built.outletsNow }),
    activity: new Activity(control, built.telemetry),
  };
  built.alarms?.follow(({ kind, text }) =>
    notices.add({ kind: `alarm.${kind}`, account: "", target: "", outcome: "failed", detail: text }),
  );
  const stopMetrics = metrics.follow(control);
  const watches = new Watches(api, { ...usualWatchLimits, ...config.watch });
  const log = logTo((line) => process.stderr.write(line), config.logLevel ?? "error");
  const app = newApp(config, log);
  const { headersMs } = config.patience ?? usualPatience;
  const cutSilent = secure ? () => {} : alsoSpeakTls(app.server, identityOf(keys.serverKey), headersMs);
  takeBodies(app, built.work?.reading);
  recordRequests(app, metrics, log, config.logLevel === "request");
  addRecording(app, api);
  addPages(app, pages);
  addHeaders(app, secure);
  const unfollow =
    config.tls !== undefined && app.server instanceof TlsServer
      ? followCertificate(app.server, config.tls, (message) => console.error(`tessera: ${message}`))
      : () => {};
  const certificate = config.tls && readFileSync(config.tls.cert);
  const isOurs = hostCheck({ host: config.host, certificate, named: config.serverNames });
  addRequestIds(app);
  addHostCheck(app, isOurs);
  addGate(app, api, config.rates ?? usualRates, secure);
  // Before the framework looks at the body: some methods must have one, which would be told first.
  let answerVisit: AnswerVisit = () => false;
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.is404) done();
    else if (!answerVisit(request, reply)) answerNowhere(request, reply);
  });
  addPlainRoutes(app, api, metrics);
  addSessionRoutes(app, api, secure, log);
  addBackChannel(app, api, log);
  addTokenExchange(app, api, log);
  addScim(app, api, log);
  addRoutes(app, api, watches, log, table);
  addUpgrades(app, api, pages, isOurs);
  if (config.console !== undefined) answerVisit = addConsole(app, config.console);
  app.setNotFoundHandler(answerNowhere);
  const flush = setInterval(() => {
    api.tokenUse.flush(control.state, control.now());
    api.sessions.forget(control.state);
    api.exchanges.sweep();
    for (const each of [api.second, api.factorChecks, api.factorChanges]) each.sweep();
    api.stepUps.sweep(control);
    api.sessionNotes.sweep(control.state);
    clearBreakGlassAlarm(api);
  }, flushTokenUseMs);
  flush.unref();
  return {
    app,
    notices,
    signInPath(token) {
      const principal = authenticate(control.state, `Bearer ${token}`, control.now());
      return principal && signInPath(api.links.make(principal.token, control.now()).ticket);
    },
    async close() {
      clearInterval(flush);
      unfollow();
      await anchors.close();
      heads.close();
      stopMetrics();
      watches.close();
      api.shared.close();
      entrances.close();
      streams.close();
      pages.close();
      api.liveNames.stop();
      api.feed.stop();
      // Requests in progress are answered; a client that keeps reading is cut off after `closeMsMax`.
      const enough = setTimeout(() => app.server.closeAllConnections(), closeMsMax);
      cutSilent();
      await app.close();
      clearTimeout(enough);
      await notices.close();
    },
  };
}

function newApp(config: ApiConfig, log: Log): FastifyInstance {
  const { tls } = config;
  const https = tls && { ...strongTls, cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
  const { headersMs, requestMs, silentMs } = config.patience ?? usualPatience;
  const look = {
    connectionsCheckingInterval: Math.min(1_000, headersMs),
    // Whatever else a client would like to speak, it gets HTTP/1.1.
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === "websocket",
  };
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
    clientErrorHandler: answerUnreadable,
  } as never) as unknown as FastifyInstance;
  app.server.headersTimeout = headersMs;
  app.decorateRequest("incoming", undefined);
  app.decorateRequest("tessRequestId", "");
  app.decorateRequest("denied", undefined);
  app.decorateRequest("scim", undefined);
  app.setErrorHandler((error, request, reply) => failed(error as Error, request, reply, log));
  return app;
}

/** Before anything of the console: a page of a job is known by its host and answered from the job alone. */
function addPages(app: FastifyInstance, pages: Pages): void {
  app.addHook("onRequest", (request, reply, done) => {
    const page = pages.at(request.headers.host);
    if (page === undefined) return done();
    reply.hijack();
    request.raw.socket.setTimeout(0); // a page may wait for an answer for as long as it likes
    void pages.answer(page, request.raw, reply.raw);
  });
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

function addRoutes(
  app: FastifyInstance,
  api: Api,
  watches: Watches,
  log: Log,
  table: Readonly<Record<RouteId, Route>>,
): void {
  const underWay = new Map<string, Promise<unknown>>();
  for (const id of routeIds) {
    if (isSessionRoute(id)) continue;
    const prepared = prepare(id, table[id]);
    const { route } = prepared;
    app.route({
      method: route.method,
      url: route.path,
      // Before the body is read: a body that will be refused is neither waited for nor parsed.
      onRequest: async (request, reply) => {
        const denial =
          request.incoming === undefined
            ? unauthenticated(api, request, reply)
            : (mediaDenial(route, request) ?? (await authoriseBeforeBody(api, prepared, request.incoming, request)));
        if (denial !== undefined) return answerDenial(request, reply, denial);
      },
      handler: async (request, reply) => {
        try {
          const denial = await serve(api, watches, underWay, prepared, request.incoming!, request, reply);
          if (denial !== undefined) answerDenial(request, reply, withExamples(denial, route));
        } catch (error) {
          failed(error as Error, request, reply, log);
        }
        return reply;
      },
    });
  }
}

function answerNowhere(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const methods = methodsAt(request.url);
  const hint = "See /openapi.json.";
  if (methods.length === 0)
    return answerDenial(request, reply, deny("no-such-route", "There is nothing at this address.", hint));
  reply.header("allow", methods.join(", "));
  return answerDenial(request, reply, deny("method-not-allowed", `This address takes ${methods.join(", ")}.`, hint));
}

const shapes = Object.values(routes).map(({ method, path }) => ({
  method,
  path,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`),
}));

/** Of an address that is also a name, such as /v1/jobs/apply, only what is said of the address itself. */
function methodsAt(url: string): string[] {
  const asked = url.split("?")[0]!;
  const itself = shapes.filter(({ path }) => path === asked);
  const found = itself.length > 0 ? itself : shapes.filter(({ pattern }) => pattern.test(asked));
  return [...new Set(found.map(({ method }) => method))];
}
