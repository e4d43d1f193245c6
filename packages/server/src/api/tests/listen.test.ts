import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { request } from "node:https";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { connect as connectTls } from "node:tls";
import { identityOf } from "../../access/identity.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, type TestServer, testKeys } from "../../testing/tenancy.ts";

describe("a server without a certificate", () => {
  let server: TestServer;
  before(async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 1));
    server = await serveApi(control, { patience: { headersMs: 300, requestMs: 1_000, silentMs: 1_000 } });
  });
  after(() => server.close());

  const { cert } = identityOf(testKeys.serverKey);
  const secureStatus = async (): Promise<number | undefined> => {
    const { port } = new URL(server.url);
    const trust = { ca: cert, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
    const asked = request({ host: "127.0.0.1", port, path: "/healthz", agent: false, ...trust });
    asked.end();
    const [answer] = await once(asked, "response");
    answer.resume();
    return answer.statusCode;
  };

  it("speaks TLS under a key of its own on the port on which it speaks HTTP", async () => {
    assert.equal(await secureStatus(), 200);
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
    const { port } = new URL(server.url);
    const old = connectTls({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false, maxVersion: "TLSv1.2" });
    assert.match((await once(old, "error"))[0].message, /protocol version/);
  });

  it("has an identity that follows from its key alone", () => {
    assert.equal(identityOf(testKeys.serverKey).cert, cert);
    assert.notEqual(identityOf(Buffer.alloc(32)).cert, cert);
    const shown = new X509Certificate(cert);
    assert.ok(shown.verify(shown.publicKey));
    assert.equal(shown.publicKey.asymmetricKeyType, "ed25519");
    assert.equal(cert.includes(testKeys.serverKey.toString("base64")), false);
  });

  it("does not wait for clients that say nothing, nor for half a handshake", async () => {
    for (const said of [undefined, Buffer.of(0x16, 3, 1)]) {
      const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
      if (said !== undefined) socket.write(said);
      socket.resume();
      await once(socket, "close");
    }
    assert.equal(await secureStatus(), 200);
  });
});
