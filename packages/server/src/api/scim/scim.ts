import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ScimCaller } from "../../access/scim-token.ts";
import type { Asker } from "../../flow/control.ts";
import { noResource, ScimFault } from "../../flow/scim/fault.ts";
import { denialOfError } from "../answer/failure.ts";
import type { Log } from "../answer/log.ts";
import { statusOf } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { about, serviceProviderConfig } from "./about.ts";
import { listGroups, listPeople, type ScimQuery } from "./find.ts";
import { chosen, type Resource, scimPath, showGroup, showPerson } from "./show.ts";

const mediaType = "application/scim+json; charset=utf-8";
/** No query of theirs is longer than a filter and a few names. */
const queryCharsMax = 4_000;

interface Call {
  readonly caller: ScimCaller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: ScimQuery;
  readonly by: Asker;
  /** What follows the address of the resource type. */
  readonly id: string;
}

type Answer = { readonly status: number; readonly body?: object; readonly headers?: Record<string, string> };
type Handler = (api: Api, call: Call) => Answer | Promise<Answer>;

/** SCIM 2.0 (RFC 7644): every route of it, each for the holder of a SCIM token alone. */
export const scimRoutes: Readonly<Record<string, Handler>> = {
  "GET /ServiceProviderConfig": () => ({ status: 200, body: serviceProviderConfig }),
  "GET /ResourceTypes": () => ({ status: 200, body: about.list(about.resourceTypes) }),
  "GET /ResourceTypes/:id": (_api, { id }) => one(about.resourceTypes, id),
  "GET /Schemas": () => ({ status: 200, body: about.list(about.schemas) }),
  "GET /Schemas/:id": (_api, { id }) => one(about.schemas, id),
  "GET /Users": ({ control, people }, { caller, query }) => ({
    ...{ status: 200, body: listPeople(control.state, people.directory, caller.provider.name, query) },
  }),
  "GET /Users/:id": (api, call) => shown(call, person(api, call)),
  "POST /Users": async (api, { caller, request, by, query }) => {
    const made = await api.sso.scim.people.create(caller.provider, request.body, by);
    return written(201, showPerson(api.control.state, api.people.directory, made), query);
  },
  "PUT /Users/:id": async (api, call) => {
    const { caller, request, by, id } = call;
    const done = await api.sso.scim.people.replace(caller.provider, id, request.body, by, unchanged(api, call));
    return written(200, showPerson(api.control.state, api.people.directory, done), call.query);
  },
  "PATCH /Users/:id": async (api, call) => {
    const { caller, request, by, id } = call;
    const done = await api.sso.scim.people.patch(caller.provider, id, request.body, by, unchanged(api, call));
    return written(200, showPerson(api.control.state, api.people.directory, done), call.query);
  },
  "DELETE /Users/:id": async (api, call) => {
    await api.sso.scim.people.remove(call.caller.provider, call.id, call.by, unchanged(api, call));
    return { status: 204 };
  },
  "GET /Groups": ({ people }, { caller, query }) => ({
    ...{ status: 200, body: listGroups(people.directory, caller.provider.name, query) },
  }),
  "GET /Groups/:id": (api, call) => shown(call, group(api, call)),
  "POST /Groups": async (api, { caller, request, by, query }) => {
    const made = await api.sso.scim.groups.create(caller.provider, request.body, by);
    return written(201, showGroup(api.people.directory, made), query);
  },
  "PUT /Groups/:id": async (api, call) => {
    const { caller, request, by, id } = call;
    const done = await api.sso.scim.groups.replace(caller.provider, id, request.body, by, unchangedGroup(api, call));
    return written(200, showGroup(api.people.directory, done), call.query);
  },
  // Without the group: it may have thousands of members, and the caller knows what it changed.
  "PATCH /Groups/:id": async (api, call) => {
    const { caller, request, by, id } = call;
    await api.sso.scim.groups.patch(caller.provider, id, request.body, by, unchangedGroup(api, call));
    return { status: 204 };
  },
  "DELETE /Groups/:id": async (api, call) => {
    await api.sso.scim.groups.remove(call.caller.provider, call.id, call.by, unchangedGroup(api, call));
    return { status: 204 };
  },
};

export function addScim(app: FastifyInstance, api: Api, log: Log): void {
  app.register(async (scope) => {
    scope.addHook("onRequest", async (request, reply) => {
      if (request.scim === undefined) return refuseStranger(api, request, reply);
    });
    scope.setErrorHandler((error: Error, request, reply) => {
      answerFault(reply, faultOf(error, request, log));
    });
    for (const [address, handler] of Object.entries(scimRoutes)) {
      const [method, path] = address.split(" ") as [string, string];
      scope.route({
        method,
        url: `${scimPath}${path}`,
        handler: (request, reply) => serve(api, handler, request, reply),
      });
    }
    scope.all(`${scimPath}/*`, () => {
      throw new ScimFault(404, undefined, "there is nothing at this address for this method");
    });
  });
}

async function serve(api: Api, handler: Handler, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const caller = request.scim!;
  if (request.url.length > queryCharsMax) throw new ScimFault(400, "tooMany", "the address is too long");
  const { ip: address, tessRequestId } = request;
  const answer = await handler(api, {
    ...{ caller, request, reply, query: queryOf(request.query) },
    by: { actor: { user: "system", token: caller.token.id }, request: tessRequestId, address },
    id: (request.params as { id?: string }).id ?? "",
  });
  reply.code(answer.status).headers({ ...answer.headers, "cache-control": "no-store" });
  return answer.body === undefined
    ? reply.send()
    : reply.header("content-type", mediaType).send(JSON.stringify(answer.body));
}

/** Names are the same in small and capital letters here too; of what is given twice the first counts. */
function queryOf(query: unknown): ScimQuery {
  const known = ["filter", "startIndex", "count", "attributes", "excludedAttributes"] as const;
  const given = Object.entries((query ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    known.flatMap((name) => {
      const [, value] = given.find(([key]) => key.toLowerCase() === name.toLowerCase()) ?? [];
      const text = Array.isArray(value) ? value[0] : value;
      return typeof text === "string" ? [[name, text]] : [];
    }),
  );
}

function one<Each extends { readonly id: string }>(list: readonly Each[], id: string): Answer {
  const found = list.find((each) => each.id === id);
  if (found === undefined) throw noResource(id);
  return { status: 200, body: found };
}

function person({ control: { state }, people: { directory } }: Api, { caller, id }: Call): Resource {
  const found = directory.person(caller.provider.name, id);
  if (found === undefined) throw noResource(id);
  return showPerson(state, directory, found);
}

function group({ people: { directory } }: Api, { caller, id }: Call): Resource {
  const found = directory.group(caller.provider.name, id);
  if (found === undefined) throw noResource(id);
  return showGroup(directory, found);
}

function shown({ request, query }: Call, resource: Resource): Answer {
  const etag = resource.meta.version;
  if (request.headers["if-none-match"] === etag) return { status: 304, headers: { etag } };
  return { status: 200, body: chosen(resource, query), headers: { etag } };
}

function written(status: number, resource: Resource, query: ScimQuery): Answer {
  const { version, location } = resource.meta;
  return { status, body: chosen(resource, query), headers: { etag: version, ...(status === 201 && { location }) } };
}

/** Looked at when its turn has come, so that of two changes of one version only one is made. */
function unchanged(api: Api, call: Call): () => void {
  return () => compare(call, () => person(api, call));
}

function unchangedGroup(api: Api, call: Call): () => void {
  return () => compare(call, () => group(api, call));
}

function compare({ request }: Call, now: () => Resource): void {
  const seen = request.headers["if-match"];
  if (seen === undefined || seen === "*" || seen === now().meta.version) return;
  throw new ScimFault(412, undefined, "it was changed since; read it again");
}

function refuseStranger(api: Api, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { ip, tessRequestId } = request;
  const given = request.headers.authorization !== undefined;
  if (given) api.passwords.noteFailure(ip, tessRequestId, undefined, "a SCIM call with a token that is not valid");
  reply.header("www-authenticate", `Bearer realm="tessera"${given ? ', error="invalid_token"' : ""}`);
  return answerFault(reply, new ScimFault(401, undefined, "the request has no valid SCIM token"));
}

function faultOf(error: Error, request: FastifyRequest, log: Log): ScimFault {
  if (error instanceof ScimFault) return error;
  const denial = denialOfError(error, request, log);
  const status = statusOf(denial);
  const isBad = status === 400 || status === 422;
  return new ScimFault(isBad ? 400 : status, isBad ? "invalidSyntax" : undefined, denial.detail);
}

function answerFault(reply: FastifyReply, { status, scimType, message }: ScimFault): FastifyReply {
  if (status === 503) reply.header("retry-after", "1");
  const body = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: message,
  };
  return reply
    .code(status)
    .header("cache-control", "no-store")
    .header("content-type", mediaType)
    .send(JSON.stringify(body));
}
