import { headerShapes, type JobCreated, parametersOf, type Route, type RouteId, routes } from "@tessera/wire";
import type { FastifyReply, FastifyRequest } from "fastify";
import { mayAnywhere } from "../access/policy.ts";
import type { Principal } from "../access/principal.ts";
import { unauthenticated } from "./answer/answer.ts";
import { type Denial, deny, forbidden, isDenied } from "./answer/problem.ts";
import { answerAway, isAway, whenLeft } from "./away/away.ts";
import type { AwayAnswer } from "./away/tasks.ts";
import type { Api, Call, Handler, Incoming } from "./context.ts";
import { type Asked, authorise, checkMounts, checkScope } from "./guard/authorise.ts";
import { noteRead } from "./guard/record.ts";
import { actOf } from "./guard/step-ups.ts";
import { stillMay, stillThere } from "./guard/streams.ts";
import { sendFile, sendFiles } from "./handle/files.ts";
import { handlers } from "./handle/index.ts";
import { sendLogs } from "./handle/logs.ts";
import { headersOf } from "./openapi.ts";
import { withAllMistakes } from "./request/mistakes.ts";
import { idempotencyOf } from "./request/repeat.ts";
import { type Check, checkOfBody, checkOfQuery } from "./request/validate.ts";
import type { Watches } from "./watch/watches.ts";

/** Bodies whose values are never told back, not even to the one who sent them. */
const sensitive: ReadonlySet<RouteId> = new Set<RouteId>([
  "putSecret",
  "setPassword",
  "createToken",
  "putProvider",
  "previewExchange",
  "addFactor",
  "allowLogin",
  "allowStepUp",
]);

export const routeIds = Object.keys(routes) as RouteId[];

interface Prepared {
  readonly id: RouteId;
  readonly route: Route;
  readonly checkParams: Check;
  readonly checkHeaders: Check;
  readonly checkQuery: Check | undefined;
  readonly checkBody: Check | undefined;
  readonly handler: Handler<RouteId> | undefined;
}

/** Everything about a route that can be settled before the first request. A route that declares nothing cannot be made. */
export function prepare(id: RouteId, route: Route): Prepared {
  if (route.action === undefined || route.resource === undefined) {
    throw new Error(`route ${id} declares no action and resource: nobody could say who may call it`);
  }
  const handler = (handlers as Partial<Record<RouteId, unknown>>)[id] as Handler<RouteId> | undefined;
  if (handler === undefined && !(id in senders)) throw new Error(`route ${id} has no handler`);
  return {
    id,
    route,
    checkParams: checkOfQuery({ type: "object", properties: Object.fromEntries(parametersOf(route.path)) }),
    checkHeaders: checkOfQuery({ type: "object", properties: shapesOfHeaders(route) }),
    checkQuery: route.query && checkOfQuery(route.query),
    checkBody: route.body && checkOfBody(route.body, sensitive.has(id)),
    handler,
  };
}

/** By the names in which requests carry them. */
function shapesOfHeaders(route: Route): object {
  return Object.fromEntries(headersOf(route).map((name) => [name.toLowerCase(), headerShapes[name]]));
}
/** Routes whose answer is a stream. */
const senders = { readLogs: sendLogs, listFiles: sendFiles, readFile: sendFile } as const;

const noBody = Object.freeze({});
/** Creates that are under way, by user and key: the same request again waits for the first one's answer. */
type UnderWay = Map<string, Promise<unknown>>;

/**
 * What can be said before the body is read: whether the caller may do this to what the address names or, where only
 * the body names it, anywhere at all. Asked again once the body is here, which may take a while.
 */
export async function authoriseBeforeBody(
  api: Api,
  { id, route, checkParams }: Prepared,
  { principal }: Incoming,
  request: FastifyRequest,
): Promise<Denial | undefined> {
  if (route.body === undefined && !route.upload) return undefined;
  const params = request.params as Record<string, string>;
  const bad = checkScope(principal, route) ?? checkParams(params);
  if (bad !== undefined) return bad;
  if (route.resource === "in-project" || route.resource === "in-account")
    return mayAnywhere(principal.user, route.action) ? undefined : forbidden(route.action);
  const target = await authorise(api, { id, route, principal, params, query: {}, body: undefined });
  return isDenied(target) ? target : undefined;
}

/** Parse, authorise, call one flow, answer. */
export async function serve(
  api: Api,
  watches: Watches,
  underWay: UnderWay,
  prepared: Prepared,
  incoming: Incoming,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Denial | undefined> {
  const { id, route } = prepared;
  const { principal, requestId, address, host } = incoming;
  const params = request.params as Record<string, string>;
  const query = (request.query ?? {}) as Record<string, unknown>;
  const body = bodyOf(prepared, request.body);
  const bad =
    checkScope(principal, route) ??
    checkMounts(principal, body) ??
    prepared.checkParams(params) ??
    prepared.checkHeaders(request.headers) ??
    (prepared.checkQuery === undefined ? unknownQuery(query) : prepared.checkQuery(query));
  if (bad !== undefined) return bad;
  const asked = { id, route, principal, params, query, body };
  const misshapen = prepared.checkBody?.(body);
  if (misshapen !== undefined) return withAllMistakes(api, asked, misshapen);
  const allowing = authorise(api, asked);
  const target = allowing instanceof Promise ? await allowing : allowing;
  if (isDenied(target)) return withAllMistakes(api, asked, target);
  const stepUp = api.second.stepUp(principal, route, body);
  if (stepUp !== undefined) {
    api.stepUps.noteRefused(principal.token, requestId, actOf(route, request.url, body));
    return stepUp;
  }
  const key = route.creates ? (request.headers["idempotency-key"] as string | undefined) : undefined;
  const idempotency = key === undefined ? undefined : idempotencyOf(key, id, body, principal.token);
  const ifMatch = route.edits ? request.headers["if-match"] : undefined;
  const ifNone = route.edits === "or-makes" && request.headers["if-none-match"] !== undefined;
  const whence = { principal, requestId, address, host, idempotency, ifMatch, ifNone };
  const call = { ...whence, params, query, body, target } as unknown as Call<RouteId>;
  noteRead(api, id, call);
  const wantsEvents = request.headers.accept?.includes("text/event-stream") ?? false;
  if (route.stream === "events") {
    if (wantsEvents) return api.shared.open(call, reply);
  } else if (route.stream !== undefined) return senders[id as keyof typeof senders](api, call as never, reply);
  if (route.watch && wantsEvents) {
    return watches.open(id, call, request.headers, reply);
  }
  const began = performance.now();
  if (route.upload) {
    const full = followUpload(api, call as unknown as Call<"putContent">, request);
    if (full !== undefined) return full;
  }
  const isDoneAway = api.work !== undefined && isAway(id, api.control.state, query);
  const answer = await once(underWay, principal, idempotency?.key, () =>
    isDoneAway ? answerAway(api, id, call, whenLeft(reply)) : prepared.handler!(api, call),
  );
  if (isDenied(answer)) return answer;
  if (route.method === "GET" && performance.now() - began > slowMs) {
    const ended = await endedMeanwhile(api, asked, request, reply);
    if (ended !== undefined) return ended;
  }
  if (isDoneAway) sendAway(route, answer as AwayAnswer, reply);
  else send(id, route, answer as object, reply);
  return undefined;
}

/** An answer that took longer than this is given only to a caller who may still have it. */
const slowMs = 1_000;

async function endedMeanwhile(
  api: Api,
  asked: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Denial | undefined> {
  const principal = stillThere(api, asked.principal);
  if (principal === undefined) return unauthenticated(api, request, reply);
  const target = await authorise(api, { ...asked, principal });
  return isDenied(target) ? target : undefined;
}

/** Counts an upload and cuts it off once its right is gone. */
function followUpload(api: Api, call: Call<"putContent">, { raw }: FastifyRequest): Denial | undefined {
  const { principal, target } = call;
  const full = api.streams.full(principal);
  if (full !== undefined) return full;
  const over = () => !stillMay(api, principal, "job.submit", target, false);
  const uncount = api.streams.add({ principal, over, end: () => raw.destroy() });
  raw.once("close", uncount);
  return undefined;
}

/** An upload stays a stream; its handler reads it. */
function bodyOf({ route, checkBody }: Prepared, body: unknown): Record<string, unknown> | undefined {
  if (route.upload) return body as Record<string, unknown> | undefined;
  return checkBody === undefined ? undefined : ((body === undefined ? noBody : body) as Record<string, unknown>);
}

function unknownQuery(query: Record<string, unknown>): Denial | undefined {
  const [name] = Object.keys(query);
  return name === undefined
    ? undefined
    : {
        ...deny("unknown-field", "is not a query parameter of this address", "Leave it out.", name.slice(0, 100)),
        misshapen: "first",
      };
}

async function once<Answer>(
  underWay: UnderWay,
  { user }: Principal,
  key: string | undefined,
  act: () => Answer | Promise<Answer>,
): Promise<Answer> {
  if (key === undefined) return act();
  const name = `${user.id}/${key}`;
  const earlier = underWay.get(name);
  const turn = earlier === undefined ? act() : earlier.catch(() => {}).then(act);
  if (!(turn instanceof Promise)) return turn;
  underWay.set(name, turn);
  try {
    return await turn;
  } finally {
    if (underWay.get(name) === turn) underWay.delete(name);
  }
}

function send(id: RouteId, route: Route, answer: object, reply: FastifyReply): void {
  reply.code(route.status);
  if (route.status === 204) {
    reply.send();
    return;
  }
  const { revision } = answer as { revision?: unknown };
  if (typeof revision === "string") reply.header("etag", `"${revision}"`);
  reply.header("content-type", "application/json; charset=utf-8");
  reply.send(id === "submitJob" ? jobCreatedJson(answer as JobCreated) : JSON.stringify(answer));
}

/** An answer that another thread has put into words. */
function sendAway(route: Route, { json, revision }: AwayAnswer, reply: FastifyReply): void {
  reply.code(route.status);
  if (revision !== undefined) reply.header("etag", `"${revision}"`);
  reply.header("content-type", "application/json; charset=utf-8");
  reply.send(Buffer.from(json.buffer, json.byteOffset, json.byteLength));
}

/** The answer that is given most often. Everything in it but the name and the project is made by us and needs no escape. */
function jobCreatedJson({ id, name, project, user, state, size, gpus, submittedAt }: JobCreated): string {
  return `{"id":"${id}","name":${JSON.stringify(name)},"project":${JSON.stringify(project)},"user":"${user}","state":"${state}","size":${size},"gpus":${gpus},"submittedAt":"${submittedAt}"}`;
}
