import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { TLSSocket } from "node:tls";
import { Authority, type Signed } from "@tessera/engine/suite";
import { ApiClient } from "./client.ts";
import { readConfig } from "./config.ts";

describe("an API server that asks for a client certificate", { skip: Authority.missing }, () => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-api-tls-"));
  const [cert, key] = [join(folder, "client.pem"), join(folder, "client.key")];
  let ours: Authority;
  let other: Authority;
  let server: Server;
  /** Certificates with these serial numbers are not believed any more. */
  const refused = new Set<string>();

  before(async () => {
    ours = new Authority("ours");
    other = new Authority("other");
    server = await listen({});
  });
  after(() => {
    server.close();
    for (const authority of [ours, other]) authority.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Answers the name and the number of the certificate that it was shown. */
  async function listen(more: object): Promise<Server> {
    const own = ours.server("IP:127.0.0.1");
    const asks = { ca: readFileSync(ours.cert), requestCert: true, rejectUnauthorized: true };
    const made = createServer(
      { cert: readFileSync(own.cert), key: readFileSync(own.key), ...asks, ...more },
      (request, response) => {
        const { subject, serialNumber } = (request.socket as TLSSocket).getPeerCertificate();
        response.writeHead(refused.has(serialNumber) ? 401 : 200, { "content-type": "application/json" });
        response.end(JSON.stringify({ name: subject.CN, serial: serialNumber }));
      },
    );
    await new Promise<void>((listening) => made.listen(0, "127.0.0.1", listening));
    return made;
  }

  function use(client: Signed): void {
    copyFileSync(client.key, key);
    copyFileSync(client.cert, cert);
  }

  function clientOf({ port }: AddressInfo, authority = ours.cert): ApiClient {
    const cluster = { server: `https://127.0.0.1:${port}`, "certificate-authority": authority };
    const text = JSON.stringify({
      ...{ apiVersion: "v1", kind: "Config", "current-context": "c" },
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: { "client-certificate": cert, "client-key": key } }],
    });
    return new ApiClient(readConfig(text, undefined));
  }

  const shown = (client: ApiClient) => client.get<{ name: string; serial: string }>("/version");

  it("is shown the one of the kubeconfig, and a renewed one as soon as the old one is refused", async () => {
    use(ours.client("tessera"));
    const client = clientOf(server.address() as AddressInfo);
    const first = await shown(client);
    assert.equal(first.name, "tessera");
    use(ours.client("tessera"));
    assert.deepEqual(await shown(client), first, "the connection that is open stays");
    refused.add(first.serial);
    const second = await shown(client);
    assert.notEqual(second.serial, first.serial);
    client.close();
  });

  it("is shown the renewed one also where the handshake refuses the old one", async () => {
    use(other.client("tessera"));
    const client = clientOf(server.address() as AddressInfo);
    await assert.rejects(client.post("/version", {}), /cannot be reached/);
    use(ours.client("tessera"));
    assert.equal((await shown(client)).name, "tessera");
    client.close();
  });

  it("is not believed where its authority is another, nor below TLS 1.3", async () => {
    use(ours.client("tessera"));
    const stranger = clientOf(server.address() as AddressInfo, other.cert);
    await assert.rejects(stranger.post("/version", {}), /self-signed|unable to/);
    const old = await listen({ maxVersion: "TLSv1.2" });
    const client = clientOf(old.address() as AddressInfo);
    await assert.rejects(client.post("/version", {}), /protocol version|unsupported protocol|alert/i);
    for (const each of [stranger, client]) each.close();
    old.close();
  });
});
