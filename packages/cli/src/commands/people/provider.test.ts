import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { ProviderPreview, ProviderShape } from "@tessera/wire";
import { temporaryFolder } from "../../testing/folder.ts";
import { problem, StandIn } from "../../testing/stand-in.ts";
import { runTess } from "../../testing/terminal.ts";

const corp: ProviderShape = {
  name: "corp",
  issuer: "https://id.example.org",
  clientId: "tessera",
  label: "Example Corp",
  scopes: ["profile", "email"],
  groupsClaim: "groups",
  rules: [
    { group: "ml", role: "member", account: "lab" },
    { group: "gpu-admins", role: "platform-owner", account: "" },
  ],
  acr: ["mfa"],
  hasSecret: true,
  redirectPath: "/sign-in/back/corp",
  logoutPath: "/sign-in/logout/corp",
  users: 3,
  scimClaim: "sub",
  scim: {
    path: "/scim/v2",
    tokens: [
      {
        ...{ id: "tok_1", prefix: "scim_abcdef", createdAt: "2026-11-15T10:00:00.000Z" },
        lastUsedAt: "2026-11-16T10:00:00.000Z",
      },
    ],
    ...{ users: 12, activeUsers: 11, groups: 2 },
  },
  createdAt: "2026-11-15T10:00:00.000Z",
};

test("a provider is added with its secret from a file, and what to register there is said", async (t) => {
  const server = await StandIn.start(t);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "secret"), "s3cret-canary\n");
  server.on("putProvider", () => corp);
  const run = (...argv: string[]) => runTess(["provider", "add", "corp", ...argv], { env: server.env, cwd: folder });
  const { code, out, err } = await run(
    ...["--issuer", corp.issuer, "--client-id", "tessera", "--client-secret-file", "secret", "--label", "Example Corp"],
    ...["--scope", "groups", "--scope", "email", "--acr", "mfa", "--rule", "ml=member@lab", "--rule", "a=b@c=viewer"],
  );
  assert.equal(code, 0, err);
  assert.match(out, /^corp is on the sign-in page: Sign in with Example Corp\n/);
  assert.match(out, /redirect URI \/sign-in\/back\/corp\n.*logout URI \/sign-in\/logout\/corp\n/);
  assert.ok(!out.includes("canary"));
  assert.deepEqual(server.requestsTo("putProvider")[0]?.body, {
    ...{ issuer: corp.issuer, clientId: "tessera", clientSecret: "s3cret-canary", label: "Example Corp" },
    ...{ scopes: ["groups", "email"], acr: ["mfa"] },
    rules: [
      { group: "ml", role: "member", account: "lab" },
      { group: "a=b@c", role: "viewer", account: "" },
    ],
  });
  const wrong = await run("--rule", "ml");
  assert.deepEqual([wrong.code, server.requestsTo("putProvider").length], [2, 1]);
  assert.match(wrong.err, /ml is not a rule\n.*GROUP=ROLE@ACCOUNT/);
});

test("what the server refuses of a provider is told with its field", async (t) => {
  const server = await StandIn.start(t);
  const detail = "issuer http://id.example.org does not speak TLS";
  server.on("putProvider", () => ({ status: 422, body: problem(422, "invalid", detail, "give https://") }));
  const argv = ["provider", "add", "corp", "--issuer", "http://id.example.org", "--client-id", "x"];
  const { code, err } = await runTess(argv, { env: server.env });
  assert.notEqual(code, 0);
  assert.match(err, /does not speak TLS\n.*give https:\/\//);
});

test("providers are listed and described, with what their groups get", async (t) => {
  const server = await StandIn.start(t);
  server.on("listProviders", () => ({ items: [corp] }));
  server.on("getProvider", () => corp);
  const list = await runTess(["provider", "get"], { env: server.env });
  assert.match(list.out, /corp +https:\/\/id.example.org +tessera +2 +3/);
  const { out } = await runTess(["provider", "describe", "corp"], { env: server.env });
  for (const line of [
    "tessera, with a secret",
    "ml=member@lab",
    "gpu-admins=platform-owner",
    "acr or amr mfa",
    "11 active of 12 users, 2 groups; last call 2026-11-16T10:00:00.000Z",
  ])
    assert.ok(out.includes(line), `${line} in ${out}`);
});

test("a preview tells who gains and loses what, and changes nothing", async (t) => {
  const server = await StandIn.start(t);
  const preview: ProviderPreview = {
    given: [{ role: "viewer", account: "lab" }],
    users: [
      {
        ...{ user: "usr_1", name: "ana", groups: ["ml", "staff"] },
        gains: [{ role: "viewer", account: "lab" }],
        loses: [{ role: "platform-owner", account: "" }],
      },
    ],
    more: 4,
  };
  server.on("previewProvider", () => preview);
  const argv = ["provider", "preview", "corp", "--rule", "ml=viewer@lab", "--group", "ml"];
  const { out } = await runTess(argv, { env: server.env });
  assert.equal(
    out,
    "Someone in these groups: viewer@lab\nana  +viewer@lab -platform-owner  (groups: ml, staff)\nand 4 more users\n",
  );
  assert.deepEqual(server.requestsTo("previewProvider")[0]?.body, {
    rules: [{ group: "ml", role: "viewer", account: "lab" }],
    groups: ["ml"],
  });
  server.on("previewProvider", () => ({ users: [], more: 0 }));
  const none = await runTess(["provider", "preview", "corp"], { env: server.env });
  assert.equal(none.out, "No user's roles would change.\n");
});

test("a person is linked to a user, and a provider is removed once it was confirmed", async (t) => {
  const server = await StandIn.start(t);
  server.on("linkIdentity", () => ({ status: 204 }));
  server.on("removeProvider", () => ({ status: 204 }));
  const link = await runTess(["provider", "link", "corp", "ana", "248289761001"], { env: server.env });
  assert.equal(link.out, "248289761001 of corp signs in as ana\n");
  const [{ at, body }] = server.requestsTo("linkIdentity") as [ReturnType<typeof server.requestsTo>[number]];
  assert.deepEqual([at, body], [{ provider: "corp" }, { user: "ana", subject: "248289761001" }]);
  const asked = await runTess(["provider", "remove", "corp"], { env: server.env, input: "n\n", columns: 100 });
  assert.match(asked.err, /nothing was changed/);
  assert.equal(server.requestsTo("removeProvider").length, 0);
  assert.equal((await runTess(["provider", "remove", "corp", "--yes"], { env: server.env })).out, "corp removed\n");
});

test("a SCIM token is shown once with where to call, and taken back once that was confirmed", async (t) => {
  const server = await StandIn.start(t);
  const made = {
    id: "tok_1",
    prefix: "scim_abcdef",
    createdAt: corp.createdAt,
    path: "/scim/v2",
    token: "scim_abcdefgh",
  };
  server.on("createScimToken", () => ({ status: 201, body: made }));
  server.on("revokeScimToken", () => ({ status: 204 }));
  const { out } = await runTess(["provider", "scim", "corp"], { env: server.env });
  assert.match(out, /^scim_abcdefgh\n {2}tok_1; it is not shown again.*\n.*\/scim\/v2\n$/);
  const asked = await runTess(["provider", "scim", "corp", "--revoke", "tok_1"], {
    env: server.env,
    input: "n\n",
    columns: 100,
  });
  assert.notEqual(asked.code, 0);
  assert.equal(server.requestsTo("revokeScimToken").length, 0);
  const done = await runTess(["provider", "scim", "corp", "--revoke", "tok_1", "--yes"], { env: server.env });
  assert.deepEqual([done.err, done.out], ["", "tok_1 revoked\n"]);
  assert.deepEqual(server.requestsTo("revokeScimToken")[0]?.at, { provider: "corp", token: "tok_1" });
});
