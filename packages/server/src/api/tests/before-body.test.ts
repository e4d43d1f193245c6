import assert from "node:assert/strict";
import net from "node:net";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const yaml = { "content-type": "application/yaml" };

describe("a request whose body should not be read", () => {
  let server: TestServer;
  let ada: TestUser;
  let vera: TestUser;

  before(async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 8));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    ada = await tenancy.user("ada", "tenant-admin", "lab");
    vera = await tenancy.user("vera", "viewer", "lab");
    server = await serveApi(control);
  });
  after(() => server.close());

  /** Sends the head of a request and never its body; resolves with the status line. */
  const headOnly = (token: string, method: string, path: string) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(server.url);
      const socket = net.connect(Number(port), hostname);
      const head = [`${method} ${path} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${token}`];
      socket.write(`${[...head, "Content-Type: application/json", "Content-Length: 900000"].join("\r\n")}\r\n\r\n`);
      socket.once("data", (bytes) => {
        resolve(bytes.toString("latin1").split("\r\n")[0]!);
        socket.destroy();
      });
      socket.once("error", reject);
    });

  it("is refused before the body comes where nobody may do it with any body", async () => {
    for (const [method, path] of [
      ["POST", "/v1/jobs/dry-run"],
      ["POST", "/v1/jobs"],
      ["POST", "/v1/accounts"],
      ["PUT", "/v1/policy"],
      ["PUT", "/v1/accounts/lab/budget"],
    ] as const)
      assert.match(await headOnly(vera.token, method, path), /^HTTP\/1.1 403/, path);
    assert.match(await headOnly(ada.token, "PUT", "/v1/accounts/nowhere/budget"), /^HTTP\/1.1 404/);
  });

  it("is refused for its number of fields, long before they could be compared with each other", async () => {
    const keys = Array.from({ length: 90_000 }, (_, i) => `k${i}: 1`).join("\n");
    const job = await server.call(ada.token, "POST", "/v1/jobs/dry-run", keys, yaml);
    assert.equal(job.status, 400);
    assert.equal(job.json.detail, "The body holds more than 10000 fields and list items.");
    const many = `{"digests":[${Array.from({ length: 60_000 }, () => '""').join()}]}`;
    const json = { "content-type": "application/json" };
    const content = await server.call(ada.token, "POST", "/v1/content/missing", many, json);
    assert.equal(content.json.detail, "The body holds more than 12000 fields and list items.");
  });

  it("names a key that is there twice", async () => {
    const { status, json } = await server.call(ada.token, "POST", "/v1/jobs", "run: a\nenv:\n  A: 1\n  A: 2\n", yaml);
    assert.deepEqual(
      [status, json.detail],
      [400, 'The body is not YAML: Map keys must be unique; "A" is there twice.'],
    );
  });
});
