import { scimRoutes } from "../../packages/server/dist/api/scim/scim.js";
import { HostileProvider } from "../../packages/server/dist/testing/hostile-provider.js";
import { hostileBody, hostileHeaders, hostileText, hostileValue } from "./hostile.js";

/** Two providers whose identity systems speak SCIM: one attacks, and the other one told of someone with the canary. */
export async function makeScimWorld(ask, canary) {
  const tokens = [];
  for (const name of ["fz-idp", "victim-idp"]) {
    const provider = await HostileProvider.start();
    await ask("PUT", `/v1/providers/${name}`, { issuer: provider.issuer, clientId: "tessera" });
    tokens.push((await ask("POST", `/v1/providers/${name}/scim`)).token);
    await provider.close();
  }
  const [token, victims] = tokens;
  const person = await ask("POST", "/scim/v2/Users", { userName: canary, displayName: canary }, victims);
  const group = await ask("POST", "/scim/v2/Groups", { displayName: canary, members: [{ value: person.id }] }, victims);
  const own = await ask("POST", "/scim/v2/Users", { userName: "fz" }, token);
  const ours = await ask("POST", "/scim/v2/Groups", { displayName: "fz" }, token);
  return { token, ids: [person.id, group.id, own.id, ours.id, "per_0000000000000000"] };
}

/** A request for one of the SCIM routes: right, slightly wrong, or hostile. */
export function makeScimRequest(random, { scim, bait }) {
  const id = random.pick(Object.keys(scimRoutes));
  const [method, path] = id.split(" ");
  const text = () => hostileText(random, bait);
  const at = path.replace(":id", () =>
    encodeURIComponent(random.chance(0.8) ? random.pick(scim.ids) : text().slice(0, 500)),
  );
  const value = () => (random.chance(0.5) ? hostileValue(random, bait) : random.pick([...scim.ids, true, "False"]));
  const attribute = random.pick([
    "userName",
    "displayName",
    "externalId",
    "active",
    "members",
    "emails",
    text().slice(0, 60),
  ]);
  const filter = `${attribute} eq ${JSON.stringify(random.chance(0.7) ? random.pick(scim.ids) : text().slice(0, 300))}`;
  const query =
    method === "GET" && random.chance(0.6) ? `?${new URLSearchParams({ filter, count: text().slice(0, 9) })}` : "";
  const headers = { "content-type": "application/scim+json", ...(random.chance(0.2) && hostileHeaders(random, bait)) };
  const request = { id, method, path: `/scim/v2${at}${query}`, headers, body: undefined };
  if (method === "GET" || method === "DELETE") return request;
  if (random.chance(0.15)) {
    const [type, body] = hostileBody(random);
    return { ...request, headers: { ...headers, "content-type": type }, body };
  }
  const operation = { op: random.pick(["add", "Replace", "remove", "move"]), path: attribute, value: value() };
  const whole = { userName: `fz${random.below(200)}`, displayName: `fz${random.below(200)}`, [attribute]: value() };
  const body = method === "PATCH" ? { Operations: [operation] } : whole;
  return { ...request, body: JSON.stringify(body) };
}
