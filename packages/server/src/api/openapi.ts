import { fieldsNotYet } from "@tessera/core";
import { ContentPart, headerShapes, JobSpecBody, Problem, parametersOf, type Route, routes } from "@tessera/wire";

const json = "application/json";

/** The job file's schema, to check against in an editor. */
export function jobSchema(): object {
  return { $schema: "https://json-schema.org/draft/2020-12/schema", $id: "/v1/schemas/job.json", ...jobFile };
}

/** Fields that nothing here honours yet are known only to refuse them in words: a description does not offer them. */
const jobFile = withoutNotYet(JobSpecBody);

function withoutNotYet<Described extends { readonly properties: object }>(schema: Described): Described {
  const offered = Object.entries(schema.properties).filter(
    ([field]) => !(fieldsNotYet as readonly string[]).includes(field),
  );
  return { ...schema, properties: Object.fromEntries(offered) };
}

/** What each refusal means. One that is well-formed but means nothing here is 422, apart from what is not there. */
const refusals: Readonly<Record<number, string>> = {
  400: "The request is not what this document describes",
  401: "No valid token",
  403: "The caller may see this, but not do it",
  404: "Something that the request names does not exist, or may not be seen by the caller",
  408: "The request took too long to arrive",
  409: "The present state of a thing does not allow it, or it exists already",
  412: "The thing was changed since the revision in If-Match",
  413: "The body is too large",
  415: "The content type of the body is not accepted",
  422: "The request is well-formed, but means nothing here: values contradict each other, or the fleet or account rules it out",
  429: "Too many requests",
  431: "The headers are too large",
  500: "Error in the server",
  503: "Temporarily unavailable",
  507: "The disk is nearly full: nothing new is taken",
};

/** OpenAPI 3.1 from the same schemas that check the requests. */
export function openApi(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [id, route] of Object.entries(routes) as [string, Route][]) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operation(id, route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tessera",
      version,
      description: "The control plane with which many teams share one fleet of GPUs.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "A token that begins with tess_" } },
      schemas: { Problem, Job: jobFile },
      responses: Object.fromEntries(
        Object.entries(refusals).map(([status, description]) => [
          `Problem${status}`,
          {
            description,
            content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
          },
        ]),
      ),
    },
  };
}

function operation(id: string, route: Route): object {
  const refused = refusalsOf(route).map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]);
  return {
    operationId: id,
    summary: route.summary,
    tags: [route.path.split("/")[2]],
    "x-action": route.action,
    "x-resource": route.resource,
    ...(route.resource === "anyone" && { security: [{}, { token: [] }] }),
    parameters: parameters(route),
    ...(route.body !== undefined && { requestBody: requestBody(route) }),
    ...(route.upload && { requestBody: uploadBody }),
    responses: { [route.status]: { ...success(route), ...linksFrom(id) }, ...Object.fromEntries(refused) },
  };
}

/** What can be done next with a thing that was made, by the id in the answer. */
function linksFrom(id: string): object {
  const name = made[id];
  if (name === undefined) return {};
  const uses = (Object.entries(routes) as [string, Route][]).filter(([, { path }]) => path.includes(`/:${name}`));
  const parameters = { [name]: "$response.body#/id" };
  return { links: Object.fromEntries(uses.map(([operationId]) => [operationId, { operationId, parameters }])) };
}

/** Requests that make something, and the name that it has in paths. */
const made: Readonly<Record<string, string>> = {
  bindRole: "binding",
  createAccount: "account",
  createToken: "token",
  createUser: "user",
  submitJob: "job",
};

/** Every status with which a route can refuse. */
function refusalsOf(route: Route): number[] {
  const changes = route.method !== "GET";
  const query = Object.keys((route.query as Shape | undefined)?.properties ?? {});
  const names =
    route.path.includes(":") || query.some((name) => namesThings.has(name)) || takes(route.body, namesThings);
  return [
    ...[400, 401, 403],
    ...(names || route.resource.startsWith("in-") ? [404] : []),
    408,
    ...(changes ? [409] : []),
    ...(route.edits ? [412] : []),
    ...(route.body !== undefined || route.upload ? [413, 415] : []),
    ...(route.judges || route.upload || takesAnything(route.body) ? [422] : []),
    ...[429, 431, 500, 503],
    ...(changes ? [507] : []),
  ];
}

interface Shape {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Shape[];
}

/** Parameters whose value is the name of something. */
const namesThings: ReadonlySet<string> = new Set(["account", "cursor", "job", "project", "under", "user"]);

function takes(body: Shape | undefined, names: ReadonlySet<string>): boolean {
  return Object.keys(body?.properties ?? {}).some((name) => names.has(name));
}

function takesAnything(body: Shape | undefined): boolean {
  return body !== undefined && (body.anyOf !== undefined || Object.keys(body.properties ?? {}).length > 0);
}

function parameters(route: Route): object[] {
  const inPath = parametersOf(route.path).map(([name, schema]) => ({ name, in: "path", required: true, schema }));
  const query = (route.query ?? {}) as Shape;
  const inQuery = Object.entries(query.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: query.required?.includes(name) ?? false,
    schema,
  }));
  const inHeader = headersOf(route).map((name) => ({
    name,
    in: "header",
    required: false,
    schema: headerShapes[name],
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

/** The headers that a route reads, beside those of every request. */
export function headersOf(route: Route): (keyof typeof headerShapes)[] {
  return [
    ...(route.creates ? (["Idempotency-Key"] as const) : []),
    ...(route.edits ? (["If-Match"] as const) : []),
    ...(route.edits === "or-makes" ? (["If-None-Match"] as const) : []),
    ...(route.watch ? (["Last-Event-ID"] as const) : []),
    ...(route.watch || route.shares ? (["Tessera-Stream"] as const) : []),
  ];
}
/** Parts as they come: a line of JSON that says what follows, then its bytes. */
const uploadBody = {
  required: false,
  description: `For each part a line of JSON, then its bytes: ${JSON.stringify(ContentPart)}`,
  content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
};

function requestBody(route: Route): object {
  const schema = describedBody(route.body as Shape);
  const content = { [json]: { schema }, ...(route.yaml && { "application/yaml": { schema } }) };
  return { required: isNeeded(route.body as Shape), content };
}

/** A body that is a job file, or the part of one that an edit sets, offers no field that is only refused. */
function describedBody(body: Shape): object {
  if (body === JobSpecBody) return jobFile;
  const set = body.properties?.set as { readonly properties?: object } | undefined;
  if (set?.properties === undefined || !("gpus" in set.properties)) return body;
  return { ...body, properties: { ...body.properties, set: withoutNotYet({ ...set, properties: set.properties }) } };
}

/** Whether an empty object would not do. */
function isNeeded({ required = [], anyOf }: Shape): boolean {
  return anyOf === undefined ? required.length > 0 : anyOf.every(isNeeded);
}

function success(route: Route): object {
  if (route.status === 204) return { description: "Done" };
  if (route.stream === "ndjson") {
    return { description: "One JSON object a line", content: { "application/x-ndjson": { schema: route.answer } } };
  }
  if (route.stream === "bytes") {
    const schema = { type: "string", format: "binary" };
    return { description: "The bytes", content: { "application/octet-stream": { schema } } };
  }
  const events = { "text/event-stream": { schema: { type: "string" } } };
  return {
    description: "Done",
    content: { [json]: { schema: route.answer }, ...((route.watch || route.stream === "events") && events) },
  };
}
