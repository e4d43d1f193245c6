import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { request as secureRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { connect, createServer } from "node:tls";
import { hostCheck } from "../../access/hosts.ts";
import { sessionCookie } from "../../access/session.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, testKeys } from "../../testing/tenancy.ts";
import { followCertificate } from "../certificates.ts";
import { type Api, startApi } from "../start.ts";

async function answerOf(asked: ReturnType<typeof request>): Promise<IncomingMessage> {
  asked.end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  answer.resume();
  return answer;
}

describe("names of the server", () => {
  let server: TestServer;
  let tenancy: Tenancy;
  before(async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 1));
    tenancy = new Tenancy(control);
    server = await serveApi(control, { serverNames: ["tessera.example"] });
  });
  after(() => server.close());

  const statusUnder = async (host: string, headers: Record<string, string> = {}) => {
    const { port } = new URL(server.url);
    const where = { host: "127.0.0.1", port, path: "/v1/session", agent: false };
    return (await answerOf(request({ ...where, headers: { host, ...headers } }))).statusCode;
  };

  it("are answered to; a name that another site pointed here is not, whatever it asks for", async () => {
    for (const host of ["localhost:7437", "127.0.0.1", "[::1]:7437", "10.1.2.3:80", hostname(), "Tessera.Example:443"])
      assert.equal(await statusUnder(host), 200, host);
    for (const host of [
      "evil.example",
      "evil.example:7437",
      "localhost.evil.example",
      "x.localhost",
      "a b",
      "evil@127.0.0.1",
    ])
      assert.equal(await statusUnder(host), 421, host);
    const socket = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    assert.equal(
      await statusUnder("evil.example", { ...socket, "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==" }),
      421,
    );
  });

  it("say what to do about one that is missing", async () => {
    const { port } = new URL(server.url);
    const asked = request({ host: "127.0.0.1", port, path: "/", headers: { host: "proxy.example" } });
    asked.end();
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    const text = (await answer.toArray()).join("");
    assert.match(text, /\\"proxy.example\\" is not a name of this server.*--server-name/);
  });

  it("has metrics for holders of a token only, and a scope that reads nothing else", async () => {
    assert.equal((await server.call(undefined, "GET", "/metrics")).status, 401);
    const owner = await tenancy.user("own", "platform-owner");
    const { token } = await tenancy.token(owner.id, ["metrics.read"]);
    const { status, text } = await server.call(token, "GET", "/metrics");
    assert.equal(status, 200);
    assert.match(text, /^tessera_jobs/m);
    assert.equal((await server.call(token, "GET", "/v1/jobs")).status, 403);
    const reader = await tenancy.token(owner.id, ["job.read"]);
    assert.equal((await server.call(reader.token, "GET", "/metrics")).status, 403);
  });
});

async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await look()); tries++) {
    assert.ok(tries < 500, `never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("with a certificate", () => {
  const folder = mkdtempSync(join(tmpdir(), "tess-hosts-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const words =
    "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=any -addext subjectAltName=DNS:tess.example,DNS:*.in.example";
  const made = spawnSync("openssl", [...words.split(" "), "-keyout", key, "-out", cert]);
  const skip = made.status !== 0 && "no openssl to make a certificate with";
  let api: Api;
  before(async () => {
    if (skip) return;
    const control = await TestControl.start();
    api = await startApi({ control, keys: testKeys, config: { host: "127.0.0.1", port: 0, tls: { cert, key } } });
  });
  after(async () => {
    await api?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const headersUnder = async (host: string) => {
    const { port } = new URL(api.url);
    const trust = { rejectUnauthorized: false, agent: false } as const;
    const where = { host: "127.0.0.1", port, path: "/v1/session", headers: { host } };
    const { statusCode, headers } = await answerOf(secureRequest({ ...where, ...trust }));
    return { statusCode, only: headers["strict-transport-security"] };
  };

  it("its names are the server's", { skip }, async () => {
    const isOurs = hostCheck({ certificate: readFileSync(cert) });
    for (const host of ["tess.example:7437", "a.in.example"]) assert.ok(isOurs(host), host);
    for (const host of ["any", "b.a.in.example", "in.example", "example"]) assert.ok(!isOurs(host), host);
    assert.equal((await headersUnder("other.example")).statusCode, 421);
  });

  it("browsers are told to come with TLS only, but not for all that runs on localhost", { skip }, async () => {
    assert.deepEqual(await headersUnder("tess.example"), {
      statusCode: 200,
      only: "max-age=31536000; includeSubDomains",
    });
    assert.deepEqual(await headersUnder("localhost"), { statusCode: 200, only: undefined });
  });

  it("cookies belong to this host alone, and go over TLS only", () => {
    assert.match(sessionCookie("half", true), /^__Host-tessera=half; Path=\/; HttpOnly; SameSite=Strict; .*; Secure$/);
  });

  it("nothing below TLS 1.3 is agreed on", { skip }, async () => {
    const { port } = new URL(api.url);
    const agreed = (options: object) =>
      new Promise<string>((resolve) => {
        const socket = connect({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false, ...options }, () => {
          resolve(`${socket.getProtocol()} ${socket.getCipher().name}`);
          socket.destroy();
        });
        socket.once("error", () => resolve("refused"));
      });
    assert.equal(await agreed({ maxVersion: "TLSv1.2" }), "refused");
    assert.match(await agreed({}), /^TLSv1.3 TLS_AES_256_GCM_SHA384$/);
    assert.equal(await agreed({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL@SECLEVEL=0" }), "refused");
  });

  it("it is read again when it was renewed, and kept while what lies there cannot be used", { skip }, async () => {
    const [own, ownKey] = [join(folder, "own.pem"), join(folder, "own-key.pem")];
    copyFileSync(cert, own);
    copyFileSync(key, ownKey);
    const server = createServer({ cert: readFileSync(own), key: readFileSync(ownKey) });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const said: string[] = [];
    const stop = followCertificate(server, { cert: own, key: ownKey }, (text) => said.push(text), 10);
    const { port } = server.address() as AddressInfo;
    const shown = () =>
      new Promise<string>((resolve) => {
        const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
          resolve(socket.getPeerCertificate().serialNumber);
          socket.destroy();
        });
      });
    const first = await shown();
    writeFileSync(own, "half a certificate");
    await until("it says why", () => said.some((text) => /cannot be used, the one before is/.test(text)));
    assert.equal(await shown(), first);
    spawnSync("openssl", [...words.split(" "), "-keyout", ownKey, "-out", own]);
    await until("the new one is shown", async () => (await shown()) !== first);
    const old = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, maxVersion: "TLSv1.2" });
    const [refused] = await once(old, "error");
    assert.match(refused.message, /protocol version/, "what is read again agrees on no less than before");
    stop();
    server.close();
  });
});
