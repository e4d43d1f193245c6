import { Agent, request } from "node:http";
import { proveRevocation } from "../revocation.js";

const at = ({ name }) => name === "root/none" || name === "user/none";
const asked = 700;

export const checks = [
  { finding: 14, name: "rights taken away while streams are open", at, prove: takeAway },
  { finding: 14, name: `${asked} streams of one user`, at, prove: openMany },
];

async function takeAway({ place, openServer }) {
  const { held, worstSeconds, seen } = await proveRevocation({ place, openServer });
  const streams = seen.filter(({ stream }) => stream !== "routes").length;
  const loud = seen.filter(({ seconds }) => seconds === null);
  const named = loud.map(({ way, stream, answered = [] }) => `; ${way}: ${stream} ${answered.join(", ")}`).join("");
  return { held, seen: `${streams} streams and every route silent after ${worstSeconds} s at most${named}` };
}

/** With two tokens: what one token may not open, the other should not add. */
async function openMany({ place, openServer }) {
  const server = await openServer({ place });
  const agent = new Agent({ keepAlive: false, maxSockets: asked });
  try {
    const tokens = [];
    for (const name of ["a", "b", "c"]) {
      const { json } = await server.api("POST", "/v1/tokens", { label: name });
      tokens.push(json.token);
    }
    const opened = await Promise.all(
      Array.from({ length: asked }, (_, i) => status(server.url, tokens[i % tokens.length], agent)),
    );
    const [accepted, refused] = [200, 429].map((code) => opened.filter((each) => each.status === code).length);
    const named = opened.find((each) => each.status === 429)?.detail ?? "none refused";
    const held = accepted <= 256 && refused === asked - accepted && /limit \d+/.test(named);
    return { held, seen: `${accepted} opened, ${refused} refused: ${named}` };
  } finally {
    agent.destroy();
    await server.close();
  }
}

/** The stream stays open until its agent is destroyed. */
function status(url, token, agent) {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
    const sent = request(new URL("/v1/events", url), { agent, headers }, (answer) => {
      answer.on("error", () => {});
      if (answer.statusCode === 200) return answer.resume() && resolve({ status: 200 });
      let text = "";
      answer.on("data", (part) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode, detail: JSON.parse(text).detail }));
    });
    sent.on("error", (error) => resolve({ status: 0, detail: error.message }));
    sent.end();
  });
}
