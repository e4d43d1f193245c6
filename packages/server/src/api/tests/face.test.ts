import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { routes } from "@tessera/wire";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser, testKeys } from "../../testing/tenancy.ts";
import { logTo } from "../answer/log.ts";
import { RateLimit } from "../guard/rate-limit.ts";
import { startApi } from "../start.ts";

describe("the face of the server", () => {
  let control: TestControl;
  let server: TestServer;
  let owner: TestUser;
  let ada: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 4));
    const tenancy = new Tenancy(control);
    await tenancy.account("secretlab");
    owner = await tenancy.user("own", "platform-owner");
    ada = await tenancy.user("ada", "member", "secretlab");
    await tenancy.job("secretlab", ada.id, { gpus: 2 });
    server = await serveApi(control);
  });
  after(() => server.close());

  it("says whether it lives and whether it is ready", async () => {
    assert.deepEqual((await server.call(undefined, "GET", "/healthz")).json, { ok: true });
    assert.deepEqual((await server.call(undefined, "GET", "/readyz")).json, { ready: true, why: "" });
    control.outage = "adopting";
    assert.equal((await server.call(undefined, "GET", "/readyz")).status, 503);
    assert.equal((await server.call(undefined, "GET", "/healthz")).status, 200);
    control.outage = undefined;
  });

  it("has metrics in Prometheus text, with tenants named only for the platform owner", async () => {
    await server.call(ada.token, "GET", "/v1/jobs/job_0000000000000000");
    const { text, headers } = await server.call(ada.token, "GET", "/metrics");
    assert.match(headers.get("content-type")!, /^text\/plain; version=0\.0\.4/);
    for (const line of text.trimEnd().split("\n")) {
      assert.match(line, /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[\d.e+-]+)$/);
    }
    assert.match(text, /^tessera_http_requests_total\{route="\/v1\/jobs\/:job",method="GET",code="404"\} 1$/m);
    assert.match(text, /^tessera_gpus\{model="H100",state="leased"\} 2$/m);
    assert.match(text, /^tessera_gpus\{model="H100",state="idle"\} 6$/m);
    assert.match(text, /^tessera_jobs\{state="starting"\} 1$/m);
    assert.match(text, /^tessera_http_request_duration_seconds_bucket\{route="\/v1\/jobs\/:job",le="\+Inf"\} 1$/m);
    assert.doesNotMatch(text, /secretlab/);
    assert.match(
      (await server.call(owner.token, "GET", "/metrics")).text,
      /^tessera_account_gpus\{account="secretlab"\} 2$/m,
    );
  });

  it("describes every route in OpenAPI 3.1, from the schemas that check", async () => {
    const api = (await server.call(undefined, "GET", "/openapi.json")).json;
    assert.equal(api.openapi, "3.1.0");
    assert.ok(api.info.title && api.info.version);
    assert.deepEqual(api.security, [{ token: [] }]);
    assert.equal(api.components.securitySchemes.token.scheme, "bearer");
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const seen = new Set<string>();
    for (const [path, operations] of Object.entries<Record<string, { operationId: keyof typeof routes }>>(api.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const id = operation.operationId;
        seen.add(id);
        assert.equal(routes[id].path.replaceAll(/:(\w+)/g, "{$1}"), path);
        assert.equal(routes[id].method.toLowerCase(), method);
        const { parameters, responses, requestBody } = operation as unknown as {
          parameters: { name: string; in: string; required: boolean; schema: object }[];
          responses: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }>;
          requestBody?: { content: Record<string, { schema: object }> };
        };
        for (const name of path.matchAll(/\{(\w+)\}/g)) {
          assert.ok(
            parameters.some((each) => each.name === name[1] && each.in === "path" && each.required),
            path,
          );
        }
        for (const [status, answer] of Object.entries(responses))
          if (Number(status) >= 400) assert.equal(answer.$ref, `#/components/responses/Problem${status}`);
        for (const status of ["400", "403", "429", "500"])
          assert.ok(responses[status] !== undefined, `${id} ${status}`);
        const schemas = [
          ...parameters.map((each) => each.schema),
          ...Object.values(requestBody?.content ?? {}).map((each) => each.schema),
        ];
        const success = responses[routes[id].status];
        assert.ok(success !== undefined, id);
        schemas.push(...Object.values(success.content ?? {}).map((each) => each.schema));
        for (const schema of schemas) assert.doesNotThrow(() => ajv.compile(schema), id);
      }
    }
    assert.deepEqual([...seen].sort(), Object.keys(routes).sort());
  });

  it("publishes the schema of the job file", async () => {
    const { json, headers } = await server.call(undefined, "GET", "/v1/schemas/job.json");
    assert.match(headers.get("content-type")!, /^application\/schema\+json/);
    assert.equal(json.$schema, "https://json-schema.org/draft/2020-12/schema");
    const check = new Ajv2020({ strict: false, validateFormats: false }).compile(json);
    assert.equal(check({ run: "true", gpus: "H100:8" }), true);
    assert.equal(check({ run: "true", gpu: 1 }), false);
  });

  it("answers with what its schemas say", async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const fits = async (id: keyof typeof routes, path: string, method = "GET", body?: object) => {
      const answer = await server.call(owner.token, method, path, body);
      assert.equal(answer.status, routes[id].status, answer.text);
      const check = ajv.compile(routes[id].answer);
      assert.ok(check(answer.json), `${id}: ${JSON.stringify(check.errors)} ${answer.text}`);
      return answer.json;
    };
    const job = await fits("submitJob", "/v1/jobs", "POST", {
      run: "x",
      project: "secretlab",
      retry: 1,
      nodes: 2,
      gpus: 1,
      memory: "1GiB",
    });
    await fits("getJob", `/v1/jobs/${job.id}`);
    await control.run(job.id);
    await fits("getJob", `/v1/jobs/${job.id}`);
    await fits("listJobs", "/v1/jobs");
    await fits("explainJob", `/v1/jobs/${job.id}/explain`);
    await control.finish(job.id, 0);
    await fits("getJob", `/v1/jobs/${job.id}`);
    await fits("listJobs", "/v1/jobs?state=all");
    await fits("dryRunJob", "/v1/jobs/dry-run", "POST", { run: "x", project: "secretlab", gpus: 4 });
    await fits("whoAmI", "/v1/whoami");
    await fits("createAccount", "/v1/accounts", "POST", {
      path: "secretlab/a",
      max: 4,
      limits: { gpusPerJob: 2 },
      allowed: { models: ["H100"] },
      cpus: { max: 4 },
    });
    await fits("getAccount", "/v1/accounts/secretlab%2Fa");
    await fits("listAccounts", "/v1/accounts");
    await server.call(owner.token, "PUT", "/v1/accounts/secretlab/secrets/S", { value: "v" });
    await fits("listSecrets", "/v1/accounts/secretlab/secrets");
    await fits("listNodes", "/v1/nodes");
    await fits("drainNode", "/v1/nodes/n1/drain", "POST", { within: "1h", reason: "fan" });
    const window = { from: "2099-03-28T22:00", to: "2099-03-29T04:00", tz: "Europe/Berlin", reason: "new driver" };
    const planned = await fits("maintainNode", "/v1/nodes/n2/maintenance", "POST", window);
    const [night] = (planned as never as { maintenance: [{ from: string; to: string }] }).maintenance; // the clocks go forward in it: five hours
    assert.deepEqual([night.from, night.to], ["2099-03-28T21:00:00.000Z", "2099-03-29T02:00:00.000Z"]);
    await fits("getNode", "/v1/nodes/n1");
    await fits("listGpus", "/v1/gpus");
    await fits("getPolicy", "/v1/policy");
    const policy = {
      rebalance: "on",
      minRuntime: "0s",
      grace: "1m30s",
      graceMax: "20m",
      backfill: false,
      movesPerHourMax: 0,
      scrub: "off",
      reshape: "off",
      snapshotFilesMax: 100,
      snapshotMiBMax: 10,
      contentMiBMax: 1_000,
      acceptance: "off",
      checkEvery: "off",
      sessionIdle: "30m",
      sessionLife: "12h",
      passwords: "on",
      tokenLife: "off",
    };
    const { revision: _, ...set } = await fits("setPolicy", "/v1/policy", "PUT", policy);
    const { max, lostWork, ...rest } = set as typeof set & { max: Record<string, number>; lostWork: string };
    assert.deepEqual([rest, lostWork, max.arrayElements, max.streamsPerUser], [policy, "grace", 10_000, 256]);
    await fits("createUser", "/v1/users", "POST", {
      name: "zed",
      email: "z@x.y",
      role: "viewer",
      account: "secretlab",
    });
    await fits("getUser", "/v1/users/zed");
    await fits("listUsers", "/v1/users");
    await fits("listRoles", "/v1/role-bindings");
    await fits("createToken", "/v1/tokens", "POST", { label: "x", expiresIn: "1d" });
    await fits("listTokens", "/v1/tokens");
    await fits("readUsage", "/v1/usage?by=node");
    await fits("listAudit", "/v1/audit");
    await fits("listEvents", "/v1/events");
  });

  it("gives each request an id of its own", async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () =>
        (await server.call(ada.token, "GET", "/v1/whoami")).headers.get("x-request-id"),
      ),
    );
    assert.equal(new Set(ids).size, 5);
    for (const id of ids) assert.match(id!, /^req_[a-z0-9]{16}$/);
  });
});

describe("limits", () => {
  it("let a burst through and then as many as come back each second", () => {
    const limit = new RateLimit({ burst: 3, perSecond: 2 });
    assert.deepEqual(
      [0, 0, 0, 0].map(() => limit.take("a", 1000)),
      [0, 0, 0, 500],
    );
    assert.equal(limit.take("b", 1000), 0);
    assert.equal(limit.take("a", 1500), 0);
    assert.equal(limit.take("a", 1500), 500);
    for (let i = 0; i < 100; i++) limit.take(`stranger-${i}`, 2000);
    limit.take("a", 100_000);
    assert.equal(limit.size, 1, "callers who are not seen any more are forgotten");
  });

  it("answer 429 with the time to wait, strangers sooner than users", async () => {
    const control = await TestControl.start();
    const ada = await new Tenancy(control).user("ada");
    const server = await serveApi(control, {
      rates: { user: { burst: 4, perSecond: 0.1 }, stranger: { burst: 2, perSecond: 0.1 } },
    });
    try {
      const ask = async (token?: string) => {
        const answer = await server.call(token, "GET", "/v1/whoami");
        return [answer.status, answer.json.code, answer.headers.get("retry-after")];
      };
      for (let i = 0; i < 4; i++) assert.equal((await ask(ada.token))[0], 200);
      assert.deepEqual(await ask(ada.token), [429, "rate-limited", "10"]);
      for (let i = 0; i < 2; i++) assert.equal((await ask())[0], 401);
      assert.deepEqual(await ask(), [429, "rate-limited", "10"]);
      for (let i = 0; i < 9; i++) assert.equal((await server.call(undefined, "GET", "/healthz")).status, 200);
    } finally {
      await server.close();
    }
  });

  it("cut a client that begins a request and does not end it", async () => {
    const control = await TestControl.start();
    const ada = await new Tenancy(control).user("ada", "platform-owner");
    const server = await serveApi(control, { patience: { headersMs: 300, requestMs: 600, silentMs: 10_000 } });
    const heard = (text: string) =>
      new Promise<string>((resolve) => {
        let answer = "";
        const socket = net.connect(Number(new URL(server.url).port), "127.0.0.1", () => socket.write(text));
        socket.on("data", (part) => {
          answer += part;
        });
        socket.on("close", () => resolve(answer));
      });
    const head = `POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n`;
    try {
      assert.match(await heard(head), /^HTTP\/1.1 408 [\s\S]*request-timeout/);
      assert.match(await heard(`${head}Authorization: Bearer ${ada.token}\r\n\r\n{`), /^HTTP\/1.1 408 /);
      // The body of a caller without a token is not waited for.
      assert.match(await heard(`${head}\r\n{`), /^HTTP\/1.1 401 /);
      assert.match(await heard(""), /^$|^HTTP\/1.1 408 /);
    } finally {
      await server.close();
    }
  });
});

describe("logs of the server", () => {
  it("[S28] hold no tokens, bodies or queries, and nothing at all while all is well", async () => {
    const control = await TestControl.start();
    const ada = await new Tenancy(control).user("ada", "platform-owner");
    const lines: string[] = [];
    const write = process.stderr.write;
    process.stderr.write = ((text: string) => lines.push(text) > 0) as never;
    const server = await serveApi(control, { logLevel: "error" });
    try {
      await server.call(ada.token, "GET", "/v1/whoami");
      await server.call(ada.token, "POST", "/v1/jobs", { run: "canary-run" });
      assert.deepEqual(lines, []);
      control.outage = "no disk";
      await server.call(ada.token, "POST", "/v1/accounts", { path: "canary-path" });
      assert.equal(lines.length, 1);
      const entry = JSON.parse(lines[0]!);
      assert.deepEqual([entry.level, entry.route], ["error", "POST /v1/accounts"]);
      assert.match(entry.message, /no disk/);
      assert.doesNotMatch(lines[0]!, /tess_|canary/);
    } finally {
      process.stderr.write = write;
      await server.close();
    }
  });

  it("are one JSON object a line", () => {
    const lines: string[] = [];
    logTo((line) => lines.push(line), "request")({ level: "info", requestId: "r", route: "GET /", message: "a\nb" });
    assert.equal(lines[0]!.split("\n").length, 2);
    assert.equal(JSON.parse(lines[0]!).message, "a\nb");
  });
});

describe("TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "tess-tls-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const made = spawnSync("openssl", [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "1",
    "-subj",
    "/CN=localhost",
    "-keyout",
    key,
    "-out",
    cert,
  ]);
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("is spoken when there are files for it", {
    skip: made.status !== 0 && "no openssl to make a certificate with",
  }, async () => {
    const control = await TestControl.start();
    const api = await startApi({ control, keys: testKeys, config: { host: "127.0.0.1", port: 0, tls: { cert, key } } });
    try {
      assert.match(api.url, /^https:/);
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const asked = get(`${api.url}/healthz`, { rejectUnauthorized: false, agent: false }, resolve);
        asked.on("error", reject);
      });
      assert.equal(answer.resume().statusCode, 200);
      assert.match(answer.headers["strict-transport-security"]!, /^max-age=31536000; includeSubDomains$/);
    } finally {
      await api.close();
    }
  });
});
