import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "@tessera/core";
import { wholeKubeconfig } from "./kubeconfig.ts";

const text = (user: object, cluster: object = {}): string =>
  JSON.stringify({
    "current-context": "one",
    contexts: [
      { name: "one", context: { cluster: "k", user: "u" } },
      { name: "two", context: { cluster: "k", user: "other" } },
      { name: "three", context: { cluster: "gone", user: "u" } },
    ],
    clusters: [{ name: "k", cluster: { server: "https://k.example", ...cluster } }],
    users: [
      { name: "u", user },
      { name: "other", user: { token: "not-to-be-kept" } },
    ],
  });

function refusalOf(given: string, context?: string): string {
  const taken = wholeKubeconfig(given, context);
  assert.ok(isRefusal(taken));
  assert.equal(taken.value, null, "nothing of it is repeated");
  return `${taken.detail} ${taken.hint}`;
}

describe("a kubeconfig from a request", () => {
  it("is kept with its chosen context alone", () => {
    const taken = wholeKubeconfig(text({ token: "t" }), undefined);
    assert.ok(!isRefusal(taken));
    assert.match(taken.text, /"token":"t"/);
    assert.doesNotMatch(taken.text, /not-to-be-kept|two/);
    const other = wholeKubeconfig(text({ token: "t" }), "two");
    assert.ok(!isRefusal(other));
    assert.match(other.text, /"current-context":"two"/);
  });

  it("may be YAML", () => {
    const yaml = "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n";
    const rest = "clusters: [{name: c, cluster: {server: 'https://x'}}]\nusers: [{name: u, user: {token: t}}]\n";
    assert.ok(!isRefusal(wholeKubeconfig(yaml + rest, undefined)));
  });

  it("names no files of this machine and runs no programs here", () => {
    assert.match(refusalOf(text({ "client-key": "/root/.minikube/key" })), /client-key.*kubectl config view --flatten/);
    assert.match(refusalOf(text({ tokenFile: "/etc/shadow" })), /names a file: tokenFile/);
    assert.match(refusalOf(text({}, { "certificate-authority": "ca.crt" })), /certificate-authority/);
    assert.match(refusalOf(text({ exec: { command: "sh" } })), /runs a program.*--engines/);
    assert.match(refusalOf(text({ "auth-provider": { name: "gcp" } })), /runs a program/);
  });

  it("says which contexts there are", () => {
    assert.match(refusalOf(text({ token: "t" }), "four"), /no context four.*one, two, three/);
    assert.match(refusalOf(text({ token: "t" }), "three"), /no cluster gone/);
    assert.match(refusalOf('{"contexts":[{"name":"a"}]}'), /no current context.*--context: a/);
  });

  it("is one", () => {
    assert.match(refusalOf(""), /is empty/);
    assert.match(refusalOf("{"), /neither YAML nor JSON/);
    assert.match(refusalOf("[]"), /is not a kubeconfig/);
    assert.match(refusalOf("a: b"), /has no contexts/);
    assert.match(refusalOf("a: &x [1]\nb: [*x, *x]"), /neither YAML nor JSON/);
  });
});
