import { ContentPart, JobSpecBody, Problem, type Route, routes } from "@tessera/wire";

const json = "application/json";

/** The job file's schema, to check against in an editor. */
export function jobSchema(): object {
  return { $schema: "https://json-schema.org/draft/2020-12/schema", $id: "/v1/schemas/job.json", ...JobSpecBody };
}

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
      schemas: { Problem, Job: JobSpecBody },
      responses: {
        Problem: {
          description: "RFC 9457 problem details with a stable code",
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
    },
  };
}

function operation(id: string, route: Route): object {
  return {
    operationId: id,
    summary: route.summary,
    tags: [route.path.split("/")[2]],
    "x-action": route.action,
    "x-resource": route.resource,
    parameters: parametersOf(route),
    ...(route.body !== undefined && { requestBody: requestBody(route) }),
    ...(route.upload && { requestBody: uploadBody }),
    responses: { [route.status]: success(route), default: { $ref: "#/components/responses/Problem" } },
  };
}

function parametersOf(route: Route): object[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const query = (route.query ?? {}) as { properties?: Record<string, object>; required?: string[] };
  const inQuery = Object.entries(query.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: query.required?.includes(name) ?? false,
    schema,
  }));
  const header = (name: string, description: string) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  });
  const inHeader = [
    ...(route.creates ? [header("Idempotency-Key", "Repeating the request with the same key answers the same")] : []),
    ...(route.edits ? [header("If-Match", "The revision that the edit is based on")] : []),
    ...(route.watch ? [header("Last-Event-ID", "Goes on after this event")] : []),
  ];
  return [...inPath, ...inQuery, ...inHeader];
}

/** Parts as they come: a line of JSON that says what follows, then its bytes. */
const uploadBody = {
  required: false,
  description: `For each part a line of JSON, then its bytes: ${JSON.stringify(ContentPart)}`,
  content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
};

function requestBody(route: Route): object {
  const schema = route.body;
  const content = { [json]: { schema }, ...(route.yaml && { "application/yaml": { schema } }) };
  return { required: ((schema as { required?: string[] }).required?.length ?? 0) > 0, content };
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
  return { description: "Done", content: { [json]: { schema: route.answer }, ...(route.watch && events) } };
}
