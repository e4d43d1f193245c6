import { request } from "node:http";
import { until } from "../../places/server.js";

const at = ({ name }) => name === "root/none" || name === "user/none";
const password = "seven geese ate my homework";
const name = "victim";

export const checks = [
  { finding: 16, name: "60 guesses from 60 loopback addresses", at, prove: guess },
  { finding: 16, name: "a flood of guesses against one name", at, prove: flood },
  { finding: 16, name: "passwords that are guessed first", at, prove: weak },
];

async function withVictim({ place, openServer }, act) {
  const server = await openServer({ place });
  try {
    const { json } = await server.api("POST", "/v1/users", { name, role: "member", account: "local" });
    const set = await server.api("PUT", `/v1/users/${json.id}/password`, { password });
    if (set.status !== 204) throw new Error(`setting the password: ${set.status} ${set.text}`);
    return await act(server, json.id);
  } finally {
    await server.close();
  }
}

/** The statuses of guesses; 401 is one that was compared with the password. */
function guess(around) {
  return withVictim(around, async (server, id) => {
    const answers = [];
    for (let i = 1; i <= 60; i++) answers.push(await signIn(server.url, `wrong ${i}`, { from: `127.0.0.${i}` }));
    const [compared, refused] = [401, 429].map((code) => answers.filter(({ status }) => status === code).length);
    const found = await until("the failures are in the audit", 10_000, async () => {
      const { json } = await server.api("GET", "/v1/audit?action=session.fail");
      const own = json.items.filter(({ target }) => target === id);
      return own.length > 0 && own;
    });
    const counted = found.reduce((sum, { count }) => sum + count, 0);
    const held =
      compared <= 10 && compared + refused === 60 && found.every(({ address }) => address.startsWith("127."));
    return {
      held,
      seen: `${compared} of 60 compared, ${refused} refused; ${counted} failures in ${found.length} rows`,
    };
  });
}

/** From the same machine, so that address and name are those of the victim. */
function flood(around) {
  return withVictim(around, async (server) => {
    const { json } = await server.api("POST", "/v1/tokens", { user: name });
    const first = await signIn(server.url, password);
    const guesses = Array.from({ length: 200 }, (_, i) => signIn(server.url, `guess ${i}`));
    const during = signIn(server.url, password, { cookie: first.cookie });
    const byToken = await server.api("GET", "/v1/whoami", undefined, json.token);
    await Promise.all(guesses);
    const [known, later] = [await during, await signIn(server.url, password, { cookie: first.cookie })];
    const held = [first, known, later, byToken].every(({ status }) => status === 200);
    const seen = `the known browser: ${known.status} during and ${later.status} after; the token: ${byToken.status}`;
    return { held, seen };
  });
}

function weak(around) {
  return withVictim(around, async (server, id) => {
    const list = ["passwordpassword", "P@ssw0rd1234", "qwertyuiop12", "123456789012", "abcabcabcabc", "victim123456"];
    const taken = [];
    for (const each of list) {
      const { status } = await server.api("PUT", `/v1/users/${id}/password`, { password: each });
      if (status !== 422) taken.push(`${each}: ${status}`);
    }
    return { held: taken.length === 0, seen: taken.join(", ") || `${list.length} refused` };
  });
}

function signIn(url, guessed, { from, cookie } = {}) {
  const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin", ...(cookie && { cookie }) };
  return new Promise((resolve, reject) => {
    const options = { method: "POST", headers, agent: false, ...(from && { localAddress: from }) };
    const sent = request(new URL("/v1/session", url), options, (answer) => {
      answer.resume();
      const cookies = (answer.headers["set-cookie"] ?? []).map((each) => each.split(";")[0]);
      resolve({ status: answer.statusCode, cookie: cookies.join("; ") });
    });
    sent.once("error", reject);
    sent.end(JSON.stringify({ name, password: guessed }));
  });
}
