import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Failure } from "../failure.ts";
import { Session } from "../session.ts";
import { temporaryFolder } from "../testing/folder.ts";
import { FakeTerminal } from "../testing/terminal.ts";
import { flattenKubeconfig, type ReadReferred } from "./kubeconfig.ts";
import { readKubeconfig } from "./read-kubeconfig.ts";

const nothing: ReadReferred = (path) => assert.fail(`${path} must not be read`);
const data = Buffer.from("-----BEGIN").toString("base64");

/** Two clusters: `one` by certificates, `two` by a token. */
function configOf(changes: object = {}) {
  return {
    "current-context": "one",
    contexts: [
      { name: "one", context: { cluster: "c1", user: "u1", namespace: "x" } },
      { name: "two", context: { cluster: "c2", user: "u2" } },
    ],
    clusters: [
      { name: "c1", cluster: { server: "https://10.0.0.1:6443", "certificate-authority": "pki/ca.crt" } },
      { name: "c2", cluster: { server: "https://10.0.0.2:6443", "certificate-authority-data": data } },
    ],
    users: [
      { name: "u1", user: { "client-certificate": "pki/a.crt", "client-key": "/keys/a.key" } },
      { name: "u2", user: { token: "t0ken" } },
    ],
    ...changes,
  };
}

test("files become data, and only the chosen context is kept", () => {
  const read: string[] = [];
  const { text, context, address } = flattenKubeconfig(configOf(), "kc", undefined, (path) => {
    read.push(path);
    return Buffer.from(path);
  });
  assert.deepEqual([context, address], ["one", "https://10.0.0.1:6443"]);
  assert.deepEqual(read, ["pki/ca.crt", "pki/a.crt", "/keys/a.key"]);
  assert.doesNotMatch(text, /t0ken|10\.0\.0\.2/);
  const base64 = (path: string) => Buffer.from(path).toString("base64");
  assert.deepEqual(JSON.parse(text), {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "one",
    contexts: [{ name: "one", context: { cluster: "c1", user: "u1" } }],
    clusters: [
      { name: "c1", cluster: { server: "https://10.0.0.1:6443", "certificate-authority-data": base64("pki/ca.crt") } },
    ],
    users: [
      {
        name: "u1",
        user: { "client-certificate-data": base64("pki/a.crt"), "client-key-data": base64("/keys/a.key") },
      },
    ],
  });
});

test("another context is chosen by name; data stays as it is and wins over a file", () => {
  const { text } = flattenKubeconfig(configOf(), "kc", "two", nothing);
  const { clusters, users } = JSON.parse(text);
  assert.deepEqual(clusters[0].cluster, { server: "https://10.0.0.2:6443", "certificate-authority-data": data });
  assert.deepEqual(users, [{ name: "u2", user: { token: "t0ken" } }]);
  const both = { server: "https://a:6443", "certificate-authority": "ca.crt", "certificate-authority-data": data };
  const won = flattenKubeconfig(configOf({ clusters: [{ name: "c2", cluster: both }] }), "kc", "two", nothing);
  assert.equal(JSON.parse(won.text).clusters[0].cluster["certificate-authority-data"], data);
});

test("a file with a token becomes the token", () => {
  const users = [{ name: "u2", user: { tokenFile: "token" } }];
  const { text } = flattenKubeconfig(configOf({ users }), "kc", "two", () => Buffer.from("abc\n"));
  assert.deepEqual(JSON.parse(text).users[0].user, { token: "abc" });
});

test("what cannot be used is refused with its place, its value and the fix", () => {
  const context = (changes: object) => ({ contexts: [{ name: "one", context: changes }] });
  const user = (changes: object) => ({ users: [{ name: "u1", user: changes }] });
  const cluster = (changes: object) => ({ clusters: [{ name: "c1", cluster: changes }] });
  const wrong: [unknown, string | undefined, RegExp, RegExp][] = [
    ["text", undefined, /^kc is not a kubeconfig/, /kubectl config view --raw/],
    [[1], undefined, /not a kubeconfig/, /./],
    [{ kind: "Pod" }, undefined, /not a kubeconfig/, /./],
    [configOf({ "current-context": "" }), undefined, /no current-context/, /--context: one, two/],
    [configOf(), "three", /kc has no context "three"/, /contexts of the file: one, two/],
    [configOf({ "current-context": "old" }), undefined, /no context "old"/, /choose with --context: one, two/],
    [configOf({ contexts: [] }), undefined, /no context "one"/, /none/],
    [configOf({ contexts: [{ name: "one" }] }), undefined, /context "one" is empty/, /\{name: …/],
    [configOf(context({ user: "u1" })), undefined, /context "one" names no cluster/, /cluster: NAME/],
    [configOf(context({ cluster: "c9", user: "u1" })), undefined, /the cluster "c9", which is not there/, /c1, c2/],
    [configOf(context({ cluster: "c1", user: "u9" })), undefined, /the user "u9", which is not there/, /u1, u2/],
    [configOf(cluster({ server: "10.0.0.1" })), undefined, /cluster "c1" has the server "10.0.0.1"/, /https:/],
    [
      configOf(cluster({ server: "https://a", "certificate-authority-data": "not base64!" })),
      undefined,
      /certificate-authority-data that is not base64/,
      /base64 -w0/,
    ],
    [configOf(user({})), undefined, /user "u1" has no credentials/, /token/],
    [configOf(user({ exec: { command: "aws" } })), undefined, /program \(exec: aws\)/, /service account/],
  ];
  for (const [value, asked, message, hint] of wrong)
    assert.throws(
      () => flattenKubeconfig(value, "kc", asked, (path) => Buffer.from(path)),
      (error) => error instanceof Failure && message.test(error.message) && hint.test(error.hint ?? ""),
      String(message),
    );
});

test("paths are relative to the kubeconfig, and a file that is missing is named", async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, "config");
  writeFileSync(file, JSON.stringify(configOf()));
  writeFileSync(join(folder, "ca.crt"), "CA");
  const session = new Session(new FakeTerminal());
  await assert.rejects(readKubeconfig(session, file), /cluster "c1": certificate-authority refers to pki\/ca.crt/);
  const clusters = [{ name: "c2", cluster: { server: "https://a:1", "certificate-authority": "ca.crt" } }];
  writeFileSync(file, JSON.stringify(configOf({ clusters })));
  const { text } = await readKubeconfig(session, file, "two");
  assert.equal(
    JSON.parse(text).clusters[0].cluster["certificate-authority-data"],
    Buffer.from("CA").toString("base64"),
  );
  await assert.rejects(readKubeconfig(session, join(folder, "nowhere")), /there is no file/);
  writeFileSync(file, "a: [");
  await assert.rejects(readKubeconfig(session, file), /is not valid YAML/);
});
