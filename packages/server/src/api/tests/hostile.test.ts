import assert from "node:assert/strict";
import net from "node:net";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";
import { parseJson } from "../request/body.ts";
import { parseYaml } from "../request/yaml.ts";

const yaml = { "content-type": "application/yaml" };
const json = { "content-type": "application/json" };

describe("bad input", () => {
  let server: TestServer;
  let ada: TestUser;
  let owner: TestUser;

  before(async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 8));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    ada = await tenancy.user("ada", "tenant-admin", "lab");
    owner = await tenancy.user("own", "platform-owner");
    server = await serveApi(control);
  });
  after(() => server.close());

  const submit = (body: unknown, headers = {}) => server.call(ada.token, "POST", "/v1/jobs", body, headers);

  it("names the field, the value and the nearest known name", async () => {
    const typo = await submit({ run: "true", gpu: 8 });
    assert.equal(typo.status, 400);
    assert.equal(typo.headers.get("content-type"), "application/problem+json; charset=utf-8");
    const { requestId, ...problem } = typo.json;
    assert.deepEqual(problem, {
      type: "urn:tessera:problem:unknown-field",
      title: "Unknown field",
      status: 400,
      detail: "gpu is not a known field.",
      code: "unknown-field",
      field: "gpu",
      hint: "Did you mean gpus?",
      problems: [{ field: "gpu", message: "gpu is not a known field.", fix: "Did you mean gpus?" }],
    });
    assert.equal(requestId, typo.headers.get("x-request-id"));
    const cases: readonly [object, string, string, unknown][] = [
      [{ run: "true", checkpoint: { singal: "X" } }, "unknown-field", "checkpoint.singal", undefined],
      [{ run: "true", retry: { when: ["often"] } }, "invalid", "retry.when[0]", "often"],
      [{ run: "true", cpus: "4" }, "invalid", "cpus", "4"],
      [{ run: "true", preemptible: "yes" }, "invalid", "preemptible", "yes"],
      [{ run: 7 }, "invalid", "run", 7],
      [{ run: "true", gpus: "many:8:8" }, "invalid", "gpus", "many:8:8"],
      [{ run: "true", memory: "lots" }, "invalid", "memory", "lots"],
      [{ run: "true", priority: 1e9 }, "invalid", "priority", 1e9],
      [{ run: "true", name: "a".repeat(300) }, "invalid", "name", undefined],
      [{ run: "true", schedule: "daily" }, "unsupported", "schedule", "daily"],
      [{ run: "true", env: { "BAD-NAME": "x" } }, "unknown-field", "env.BAD-NAME", undefined],
    ];
    for (const [body, code, field, value] of cases) {
      const { status, json: told } = await submit(body);
      assert.equal(status, code === "unsupported" ? 422 : 400, JSON.stringify(told));
      assert.deepEqual([told.code, told.field], [code, field], JSON.stringify(told));
      if (value !== undefined) assert.deepEqual(told.value, value);
    }
    // A notebook needs none, so the shape of a job without one is right and its meaning is not.
    const idle = await submit({});
    assert.deepEqual([idle.status, idle.json.code, idle.json.field], [422, "invalid", "run"]);
    assert.equal((await submit({ type: "notebook" })).status, 201);
    const long = await submit({ run: "true", name: "a".repeat(300) });
    assert.equal(long.json.value.length, 200);
  });

  it("takes no text for a number in a body, and does in a query", async () => {
    assert.equal((await server.call(ada.token, "GET", "/v1/jobs?limit=5")).status, 200);
    assert.equal((await server.call(ada.token, "GET", "/v1/jobs?limit=5000")).json.field, "limit");
    assert.equal((await server.call(ada.token, "GET", "/v1/jobs?limit=abc")).status, 400);
    assert.equal((await server.call(ada.token, "GET", "/v1/jobs?limt=5")).json.hint, "Did you mean limit?");
    assert.equal((await server.call(ada.token, "GET", "/v1/whoami?x=1")).status, 400);
    assert.equal((await server.call(ada.token, "GET", "/v1/jobs?limit=5&limit=6")).status, 400);
  });

  it("has a problem for what is not even a request", async () => {
    const all: readonly [Promise<{ status: number; json: { code: string } }>, number, string][] = [
      [submit("{", json), 400, "malformed"],
      [submit('{"run":"true"', json), 400, "malformed"],
      [submit("run: [", yaml), 400, "malformed"],
      [submit("a: 1\na: 2", yaml), 400, "malformed"],
      [submit("run: x\n---\nrun: y", yaml), 400, "malformed"],
      [submit("run=x", { "content-type": "application/x-www-form-urlencoded" }), 415, "unsupported-media-type"],
      [submit("x", { "content-type": "text/plain" }), 415, "unsupported-media-type"],
      [submit(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) as never, json), 400, "malformed"],
      [submit({ run: "x".repeat(2_000_000) }), 413, "too-large"],
      [server.call(ada.token, "GET", "/v1/nothing"), 404, "no-such-route"],
      [server.call(ada.token, "GET", "/nothing"), 404, "no-such-route"],
      [server.call(ada.token, "PUT", "/v1/jobs", {}), 405, "method-not-allowed"],
      [server.call(ada.token, "DELETE", "/v1/whoami"), 405, "method-not-allowed"],
      [server.call(ada.token, "GET", "/v1/jobs/%E0%A4%A"), 400, "malformed"],
      [server.call(undefined, "GET", "/v1/whoami"), 401, "unauthenticated"],
      [server.call("tess_x", "GET", "/v1/whoami"), 401, "unauthenticated"],
      [server.call(`tess_${"A".repeat(43)}`, "GET", "/v1/whoami"), 401, "unauthenticated"],
      [server.call(ada.token, "PUT", "/v1/accounts/lab/secrets/X", "value: x", yaml), 415, "unsupported-media-type"],
    ];
    for (const [answering, status, code] of all) {
      const answer = await answering;
      assert.deepEqual([answer.status, answer.json.code], [status, code]);
    }
    assert.equal((await server.call(ada.token, "PUT", "/v1/jobs", {})).headers.get("allow"), "POST, GET");
    assert.match((await server.call(undefined, "GET", "/v1/whoami")).headers.get("www-authenticate")!, /Bearer/);
  });

  it("takes jobs as YAML 1.2, in which yes is a word", async () => {
    const made = await submit("name: shot-12\nrun: |\n  echo yes\n  echo 2\nenv:\n  ANSWER: yes\ngpus: 1\n", yaml);
    assert.equal(made.status, 201, made.text);
    const { spec } = (await server.call(ada.token, "GET", `/v1/jobs/${made.json.id}`)).json;
    assert.deepEqual([spec.env, spec.run], [{ ANSWER: "yes" }, "echo yes\necho 2\n"]);
  });

  it("stops at nesting, aliases and keys that would do harm", async () => {
    const deepJson = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`;
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\nrun: x`;
    const hostile: readonly [string, object][] = [
      [deepJson, json],
      ["[".repeat(500_000), json],
      ["[".repeat(500_000), yaml],
      ["- ".repeat(400_000), yaml],
      [
        Array.from({ length: 2000 }, (_, i) => `${" ".repeat(i)}a:`)
          .join("\n")
          .slice(0, 1_000_000),
        yaml,
      ],
      [bomb, yaml],
      ["&a [*a]", yaml],
      ["run: &a {b: *a}", yaml],
      [`run: &x true\n${Array.from({ length: 40 }, (_, i) => `k${i}: *x`).join("\n")}`, yaml],
      ['{"run":"x","env":{"__proto__":"y"}}', json],
      ['{"run":"x","env":{"constructor":"y"}}', json],
      ['{"run":"x","env":{"\\u005f_proto__":"y"}}', json],
      ["run: x\nenv:\n  __proto__: y", yaml],
      ['{"run":"\\ud800"}', json],
      ['run: "\\ud800"', yaml],
      ['{"run":"a\\u0000b"}', json],
      ['{"run":"x","name":"a\\u001b[31m"}', json],
      ['{"run":"x","image":"a\\u202eb"}', json],
      ['{"run":"x","cpus":1e400}', json],
      ['{"run":"x","gpus":99999999999999999999}', json],
      ['{"run":"x","after":"\\u001b]0;pwned\\u0007"}', json],
    ];
    for (const [body, headers] of hostile) {
      const answer = await submit(body, headers as Record<string, string>);
      assert.ok(
        [400, 422].includes(answer.status),
        `${body.slice(0, 60)}: ${answer.status} ${answer.text.slice(0, 200)}`,
      );
      // biome-ignore lint/suspicious/noControlCharactersInRegex: this is the point of the test
      assert.doesNotMatch(answer.text, /[\u0000-\u0008\u000b-\u001f]/);
    }
    assert.equal(({} as Record<string, unknown>).y, undefined);
  });

  it("reads JSON and YAML up to the depth limit", () => {
    const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    assert.ok("value" in parseJson(deep(32)));
    assert.ok("refused" in parseJson(deep(33)));
    assert.ok("value" in parseJson(JSON.stringify({ run: "[".repeat(1000) })));
    assert.ok("value" in parseYaml(`run: ${JSON.stringify("[".repeat(1000))}`));
    assert.ok("value" in parseYaml("run: |\n  [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n"));
    assert.ok("value" in parseYaml(deep(30)));
    assert.ok("refused" in parseYaml(deep(40)));
  });

  it("[S28] never tells a secret or a password back", async () => {
    const canary = "CANARY-hunter2";
    const answers = [
      await server.call(ada.token, "PUT", "/v1/accounts/lab/secrets/TOKEN", { valeu: canary }),
      await server.call(ada.token, "PUT", "/v1/accounts/lab/secrets/TOKEN", { value: [canary] }),
      await server.call(ada.token, "PUT", `/v1/users/${ada.id}/password`, { password: "CANARY-hun" }),
      await server.call(ada.token, "PUT", "/v1/accounts/lab/secrets/bad-name", { value: canary }),
      await submit({ run: "true", env: { X: [canary] } }),
      await submit({ run: "true", env: { X: canary.repeat(10_000) } }),
    ];
    for (const { status, text } of answers) {
      assert.ok([400, 413, 422].includes(status), text);
      assert.doesNotMatch(text, /CANARY/);
    }
  });

  it("refuses headers that are not what they must be", async () => {
    for (const key of ["", " ", "x".repeat(201), "a\tb"]) {
      const answer = await submit({ run: "true" }, { "idempotency-key": key });
      assert.equal(answer.status, 400, `${JSON.stringify(key)} ${answer.text}`);
    }
    const cursor = await server.call(ada.token, "GET", "/v1/jobs?cursor=AAAA");
    assert.deepEqual([cursor.status, cursor.json.field], [404, "cursor"]);
    const etag = await server.call(
      owner.token,
      "PATCH",
      "/v1/accounts/lab",
      { weight: 2 },
      { "if-match": '"nonsense"' },
    );
    assert.equal(etag.status, 412);
  });

  it("answers garbage on the socket with a problem and goes on", async () => {
    const { port } = new URL(server.url);
    const send = (text: string) =>
      new Promise<string>((resolve) => {
        const socket = net.connect(Number(port), "127.0.0.1", () => socket.write(text));
        let heard = "";
        socket.on("data", (part) => {
          heard += part;
        });
        socket.on("close", () => resolve(heard));
        socket.on("error", () => resolve(heard));
      });
    assert.match(await send("\u0000\u0001\u0002 garbage\r\n\r\n"), /^HTTP\/1.1 400 [\s\S]*"code":"malformed"/);
    assert.match(
      await send(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"y".repeat(40_000)}\r\n\r\n`),
      /^HTTP\/1.1 431 /,
    );
    assert.match(
      await send(
        "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
      ),
      /^HTTP\/1.1 400 /,
    );
    assert.equal((await server.call(ada.token, "GET", "/v1/whoami")).status, 200);
  });
});
