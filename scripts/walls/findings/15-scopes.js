import { proveScopes } from "../revocation.js";

const at = ({ name }) => name === "root/none" || name === "user/none";

const goodPassword = "seven geese ate my homework";

export const checks = [
  { finding: 15, name: "a token with scopes makes its way to one without", at, prove: climb },
  { finding: 15, name: "the request of another token repeated", at, prove: replay },
  { finding: 15, name: "a browser left open changes credentials", at, prove: leftOpen },
  { finding: 15, name: "1,000 random sets of scopes", at, prove: randomSets },
];

/** Every way from a scope to a credential. */
async function climb({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const me = (await server.api("GET", "/v1/whoami")).json;
    const taken = [];
    for (const scope of ["user.write", "token.write", "role.write"]) {
      const { status } = await server.api("POST", "/v1/tokens", { scopes: [scope] });
      if (status < 300) taken.push(`a token for ${scope}`);
    }
    const narrow = (await server.api("POST", "/v1/tokens", { scopes: ["self.read", "session.write", "user.read"] }))
      .json;
    const tries = [
      ["PUT", `/v1/users/${me.user}/password`, { password: goodPassword }],
      ["POST", "/v1/tokens", {}],
      ["POST", "/v1/tokens", { scopes: ["self.read"] }],
      ["POST", "/v1/users", { name: "x", role: "platform-owner", account: "" }],
      ["POST", "/v1/role-bindings", { user: me.user, role: "auditor", account: "" }],
      ["DELETE", `/v1/tokens/${narrow.id}`],
      ["DELETE", "/v1/sessions"],
    ];
    for (const [method, path, body] of tries) {
      const { status } = await server.api(method, path, body, narrow.token);
      if (status !== 403) taken.push(`${method} ${path}: ${status}`);
    }
    const wide = await throughBrowser(server, narrow.token, "POST", "/v1/tokens", {});
    if (wide !== 403 && wide !== 401) taken.push(`a token through a browser: ${wide}`);
    return { held: taken.length === 0, seen: taken.join("; ") || "every way is refused" };
  } finally {
    await server.close();
  }
}

/** Signs in with a token, and asks with the cookies that the browser got. */
async function throughBrowser(server, token, method, path, body) {
  const own = { origin: server.url, "sec-fetch-site": "same-origin" };
  const entered = await server.api("POST", "/v1/session", { token }, "", own);
  if (entered.status !== 200) return entered.status;
  return (await server.api(method, path, body, "", { ...own, ...halvesOf(entered) })).status;
}

/** What a browser sends once it has signed in. */
function halvesOf({ headers, json }) {
  const cookies = headers.getSetCookie().map((text) => text.split(";")[0]);
  return { cookie: cookies.join("; "), "tessera-proof": json.proof };
}

async function replay({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const key = { "idempotency-key": "made once" };
    const body = { label: "ci" };
    const first = await server.api("POST", "/v1/tokens", body, undefined, key);
    const again = await server.api("POST", "/v1/tokens", body, undefined, key);
    const other = (await server.api("POST", "/v1/tokens", { label: "other" })).json;
    const narrow = (await server.api("POST", "/v1/tokens", { scopes: ["job.read"] })).json;
    const byOther = await server.api("POST", "/v1/tokens", body, other.token, key);
    const byNarrow = await server.api("POST", "/v1/tokens", body, narrow.token, key);
    const told = [byOther, byNarrow].filter(({ text }) => text.includes(first.json.token)).length;
    const held =
      again.json.token === first.json.token && told === 0 && byOther.status === 409 && byNarrow.status === 403;
    return {
      held,
      seen: `to its maker ${again.status}, to another token ${byOther.status}, with scopes ${byNarrow.status}`,
    };
  } finally {
    await server.close();
  }
}

async function leftOpen({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const { name, user } = (await server.api("GET", "/v1/whoami")).json;
    await server.api("PUT", `/v1/users/${user}/password`, { password: goodPassword });
    const own = { origin: server.url, "sec-fetch-site": "same-origin" };
    const entered = await server.api("POST", "/v1/session", { name, password: goodPassword }, "", own);
    const browser = { ...own, ...halvesOf(entered) };
    const password = "another seven geese of mine";
    const ask = async (method, path, body) => (await server.api(method, path, body, "", browser)).status;
    const without = [
      await ask("PUT", `/v1/users/${user}/password`, { password }),
      await ask("POST", "/v1/tokens", {}),
      await ask("POST", "/v1/tokens", { currentPassword: "not the password" }),
    ];
    const proven = await ask("POST", "/v1/tokens", { currentPassword: goodPassword });
    const held = entered.status === 200 && without.every((status) => status === 403) && proven === 201;
    return { held, seen: `without the password ${without.join(", ")}, with it ${proven}` };
  } finally {
    await server.close();
  }
}

async function randomSets() {
  const { held, sets, tried, answered, beyond } = await proveScopes({ sets: 1_000, seed: 14 });
  const seen = `${sets} sets, ${tried} requests beyond them refused, ${answered} within them answered`;
  return { held, seen: held ? seen : `${seen}; not refused: ${beyond.slice(0, 3).join("; ")}` };
}
