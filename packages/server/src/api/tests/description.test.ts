import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type RouteId, routes } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";
import { type Dice, textOfPattern } from "../../testing/text-of-pattern.ts";
import { type Schema, valueOfSchema } from "../../testing/value-of-schema.ts";

interface Operation {
  readonly operationId: RouteId;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, object>>;
}

const requestsPerOperation = 8;

describe("the description of the API", () => {
  let server: TestServer;
  let owner: TestUser;
  let operations: readonly Operation[];

  before(async () => {
    const control = await TestControl.start(undefined, fleetOf(2, 8));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    owner = await tenancy.user("own", "platform-owner");
    server = await serveApi(control);
    const { paths } = (await server.call(undefined, "GET", "/openapi.json")).json;
    operations = Object.values<Record<string, Operation>>(paths).flatMap((each) => Object.values(each));
  });
  after(() => server.close());

  it("bounds every value that can be sent, with patterns that all languages read", () => {
    const open: string[] = [];
    for (const { operationId, parameters, requestBody } of operations) {
      for (const { name, schema } of parameters) look(schema, `${operationId} ${name}`, open);
      const schema = requestBody?.content["application/json"]?.schema;
      if (schema !== undefined) look(schema, operationId, open);
    }
    assert.deepEqual(open, []);
  });

  it("allows nothing that is then refused for its shape, and names every answer", async () => {
    const dice = diceOf(13);
    const wrong: string[] = [];
    for (const operation of operations) {
      for (let i = 0; i < requestsPerOperation; i++) {
        const { path, headers, body } = requestFor(operation, dice);
        const { method } = routes[operation.operationId];
        const { status, text } = await server.call(owner.token, method, path, body, headers);
        const named = operation.responses[String(status)] !== undefined;
        if (status === 400 || status >= 500 || !named)
          wrong.push(`${method} ${path} ${JSON.stringify(body)?.slice(0, 300)}: ${text.slice(0, 300)}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
});

/** What is wrong with a schema, and with those inside it. */
function look(schema: Schema, at: string, open: string[]): void {
  const { type, pattern } = schema;
  for (const [i, branch] of (schema.anyOf ?? []).entries()) look(branch, `${at} choice ${i}`, open);
  if (schema.anyOf !== undefined || schema.enum !== undefined || schema.const !== undefined) return;
  if (type === undefined) open.push(`${at}: anything goes`);
  if (type === "string" && schema.maxLength === undefined) open.push(`${at}: no maxLength`);
  const unbounded = schema.maximum === undefined || (schema.minimum ?? schema.exclusiveMinimum) === undefined;
  if ((type === "integer" || type === "number") && unbounded) open.push(`${at}: no minimum or maximum`);
  if (type === "array" && schema.maxItems === undefined) open.push(`${at}: no maxItems`);
  if (schema.patternProperties !== undefined && schema.maxProperties === undefined)
    open.push(`${at}: no maxProperties`);
  // Names that match no pattern would be let through with any value.
  if (type === "object" && schema.additionalProperties !== false) open.push(`${at}: other names are let through`);
  const patterns = [...(pattern === undefined ? [] : [pattern]), ...Object.keys(schema.patternProperties ?? {})];
  for (const each of patterns) {
    try {
      textOfPattern(each);
    } catch (error) {
      open.push(`${at}: ${(error as Error).message}`);
    }
  }
  if (schema.items !== undefined) look(schema.items, `${at}[]`, open);
  for (const [name, inner] of Object.entries({ ...schema.properties, ...schema.patternProperties }))
    look(inner, `${at}.${name}`, open);
}

function requestFor({ operationId, parameters, requestBody }: Operation, dice: Dice) {
  const of = (place: string) => parameters.filter((each) => each.in === place);
  const values = new Map(parameters.map(({ name, schema }) => [name, String(valueOfSchema(schema, dice))]));
  const filled = routes[operationId].path.replaceAll(/:(\w+)/g, (_all, name) => encodeURIComponent(values.get(name)!));
  const query = new URLSearchParams();
  for (const { name, required } of of("query")) if (required || dice(3) === 0) query.set(name, values.get(name)!);
  const headers: Record<string, string> = {};
  for (const { name } of of("header")) if (dice(3) === 0) headers[name.toLowerCase()] = values.get(name)!;
  const schema = requestBody?.content["application/json"]?.schema;
  return {
    path: `${filled}${query.size === 0 ? "" : `?${query}`}`,
    headers,
    body: schema === undefined ? undefined : valueOfSchema(schema, dice),
  };
}

/** The same numbers for the same seed. */
function diceOf(seed: number): Dice {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
