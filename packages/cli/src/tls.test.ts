import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { certificate, privateKey } from "./testing/certificate.ts";
import { temporaryFolder } from "./testing/folder.ts";
import { runTess } from "./testing/terminal.ts";

async function secureServer(t: TestContext): Promise<string> {
  const server = createServer({ cert: certificate, key: privateKey }, (_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ items: [] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("an untrusted certificate is named as the reason, not the absence of a server", async (t) => {
  const url = await secureServer(t);
  const { code, err } = await runTess(["ps", "--server", url, "--token", "x", "-o", "json"]);
  assert.equal(code, 69);
  const { error } = JSON.parse(err);
  assert.equal(error.code, "certificate");
  assert.match(error.message, /signed by an authority that this machine does not trust/);
  assert.match(error.hint, /NODE_EXTRA_CA_CERTS/);
});

test("the server of this clone is believed by the certificate in its own files", async (t) => {
  const url = await secureServer(t);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "cert.pem"), certificate);
  writeFileSync(join(folder, "owner.token"), "token");
  const endpoint = { url, pid: 1, tokenFile: "owner.token", certificateFile: "cert.pem" };
  writeFileSync(join(folder, "endpoint.json"), JSON.stringify(endpoint));
  const { code, err } = await runTess(["ps", "-o", "json"], { env: { HOME: folder, TESSERA_DATA: folder } });
  assert.equal(err, "");
  assert.equal(code, 0);
});
