import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { CiIssuer, wrongTokens } from "../../packages/server/dist/testing/exchange-cases.js";
import { HostileProvider } from "../../packages/server/dist/testing/hostile-provider.js";
import { playCases, signInWith } from "../../packages/server/dist/testing/oidc-cases.js";
import { startOidcProvider } from "../../packages/server/dist/testing/oidc-provider.js";
import { visitForms } from "../../packages/server/dist/testing/visit-forms.js";
import { startDex } from "./dex.js";
import { dexBinary } from "./dex-binary.js";
import { startTessera } from "./tessera.js";

/**
 * Signing in with three providers against a real server: one of our own that does wrong, `oidc-provider`, and a real
 * Dex, with which a terminal also logs in by the device flow. Exits with 1 where one was let in wrongly, or kept out.
 */
// `oidc-provider` gives advice there, and what is asked for as JSON must stay JSON.
console.info = console.error;
const root = fileURLToPath(new URL("../..", import.meta.url));
const json = process.argv.includes("--json");
const binary = dexBinary(root);
const tessera = await startTessera(root);
const rows = [];
try {
  await hostile();
  await exchanges();
  const real = startOidcProvider(`${tessera.url}/sign-in/back/real`);
  await ready("oidc-provider", real, "real", (provider, url) => provider.visit(url, "carla"), device);
  if (binary === undefined) console.error("test:oidc: there is no Go here, so Dex was not tried");
  else {
    const dex = startDex(binary, `${tessera.url}/sign-in/back/dex`);
    await ready("Dex", dex, "dex", visitDex, device);
  }
} finally {
  await tessera.close();
}
const wrong = rows.filter(({ entered, mayEnter }) => entered && !mayEnter).length;
const kept = rows.filter(({ entered, mayEnter }) => !entered && mayEnter).length;
if (json)
  console.log(JSON.stringify({ cases: rows.length, acceptedWrongly: wrong, refusedWrongly: kept, rows }, null, 2));
else {
  for (const { provider, name, entered, detail } of rows)
    console.log(`${provider.padEnd(14)} ${name.padEnd(36)} ${entered ? "signed in" : "refused"}  ${detail}`);
  console.log(`\n${rows.length} cases, accepted wrongly ${wrong}, refused wrongly ${kept}`);
}
process.exit(wrong + kept > 0 ? 1 : 0);

async function hostile() {
  const start = async () => {
    const provider = await HostileProvider.start();
    const body = { issuer: provider.issuer, clientId: "tessera", clientSecret: "of the test" };
    const put = await tessera.put("/v1/providers/hostile", body);
    if (put.status !== 200) throw new Error(JSON.stringify(put.json));
    return { provider, name: "hostile" };
  };
  for (const row of await playCases(tessera.post, start)) rows.push({ provider: "hostile", ...row });
}

/** Brings tokens of a CI system, right and wrong ones, to be exchanged. */
async function exchanges() {
  const ci = await CiIssuer.start();
  try {
    const owner = { authorization: `Bearer ${tessera.ownerToken}` };
    await tessera.post("/v1/users", { name: "ci", service: true, account: "local", role: "member" }, owner);
    const rules = ["repository=acme/widget", "ref=refs/heads/main"].map((text) => text.split("="));
    const put = await tessera.put("/v1/exchanges/ci", {
      ...{ issuer: ci.issuer, audience: "tessera", serviceAccount: "ci" },
      rules: rules.map(([claim, value]) => ({ claim, value })),
    });
    if (put.status !== 200) throw new Error(JSON.stringify(put.json));
    const bring = async (name, token, mayEnter) => {
      const kind = "urn:ietf:params:oauth";
      const body = new URLSearchParams({
        ...{ grant_type: `${kind}:grant-type:token-exchange`, subject_token: token },
        subject_token_type: `${kind}:token-type:jwt`,
      });
      const answer = await (await fetch(`${tessera.url}/oauth/token`, { method: "POST", body })).json();
      const entered = answer.access_token !== undefined;
      rows.push({ provider: "exchange", name, entered, mayEnter, detail: answer.error_description ?? "" });
    };
    const right = ci.token();
    await bring("as it should", right, true);
    await bring("again", right, false);
    for (const [name, make] of Object.entries(wrongTokens)) await bring(name, make(ci), false);
  } finally {
    ci.close();
  }
}

/** Signs in with a provider that does right, and tries its answer again. */
async function ready(title, starting, name, visit, then) {
  const provider = await starting;
  try {
    const body = { issuer: provider.issuer, clientId: "tessera", clientSecret: provider.secret };
    const put = await tessera.put(`/v1/providers/${name}`, body);
    if (put.status !== 200) throw new Error(`${title}: ${JSON.stringify(put.json)}`);
    const add = (what, mayEnter, { status, detail }) =>
      rows.push({ provider: title, name: what, mayEnter, entered: status === 200, detail: detail ?? "" });
    const first = await signInWith(tessera.post, name, (url) => visit(provider, url));
    add("name and password on its page", true, first);
    const again = await tessera.post("/v1/session", first.sent.body, first.sent.headers);
    add("the same answer again", false, { status: again.status, detail: again.json.detail });
    const stolen = await signInWith(tessera.post, name, async (url) => {
      const answer = new URLSearchParams(await visit(provider, url));
      answer.set("state", "x".repeat(43));
      return String(answer);
    });
    add("wrong state", false, stolen);
    await then?.(title, name, (url) => visit(provider, url));
  } finally {
    await provider.close();
  }
}

function visitDex({ fields }, url) {
  return visitForms(url, `${tessera.url}/sign-in/back/dex`, fields);
}

/** `tess login URL --device` in a terminal, allowed in a browser that signed in with the provider. */
async function device(title, name, visit) {
  const terminal = tessera.tess("login", tessera.url, "--device");
  for (let i = 0; i < 100 && !/[A-Z]{4}-[A-Z]{4}/.test(terminal.text); i++) await sleep(100);
  const [code] = /[A-Z]{4}-[A-Z]{4}/.exec(terminal.text) ?? [];
  if (code === undefined) throw new Error(`tess login --device printed no code:\n${terminal.text}`);
  const { json: signedIn, cookies } = await signInWith(tessera.post, name, visit);
  const cookie = cookies.map((each) => each.split(";")[0]).join("; ");
  const page = { cookie, origin: tessera.url, "tessera-proof": String(signedIn.proof) };
  const allowed = await tessera.post(`/v1/logins/${code}/allow`, {}, page);
  if (allowed.status !== 200) throw new Error(JSON.stringify(allowed.json));
  const status = await terminal.done;
  const whoami = tessera.tess("whoami");
  await whoami.done;
  if (!json) console.log(`$ tess login ${tessera.url} --device\n${terminal.text}$ tess whoami\n${whoami.text}`);
  const detail = terminal.text.trim().split("\n").at(-1);
  rows.push({ provider: title, name: "tess login --device", mayEnter: true, entered: status === 0, detail });
}
