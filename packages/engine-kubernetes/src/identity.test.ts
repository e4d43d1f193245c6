import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { it } from "node:test";
import { identifyCluster } from "./identity.ts";

it("a cluster is known by the uid of its first namespace, whatever its address", async (t) => {
  const server = createServer((ask, answer) => {
    const found = ask.url === "/api/v1/namespaces/kube-system";
    answer.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    answer.end(JSON.stringify(found ? { metadata: { name: "kube-system", uid: "u-1" } } : { message: "not found" }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  for (const host of ["127.0.0.1", "localhost"]) {
    const kubeconfig = JSON.stringify({
      ...{ "current-context": "c", contexts: [{ name: "c", context: { cluster: "k", user: "u" } }] },
      clusters: [{ name: "k", cluster: { server: `http://${host}:${port}`, "insecure-skip-tls-verify": true } }],
      users: [{ name: "u", user: {} }],
    });
    assert.equal(await identifyCluster({ kubeconfig, settings: {} }), "u-1");
  }
});
