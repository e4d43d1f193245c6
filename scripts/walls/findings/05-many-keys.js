import { Worker } from "node:worker_threads";

const delayMsMax = 200;
const yaml = { "content-type": "application/yaml" };

/** The worst delay of /healthz while `act` goes on, from a thread of its own. */
export async function worstDelay(server, act) {
  const pulse = new Worker(new URL("../health-pulse.js", import.meta.url), { workerData: server.url });
  const ask = () =>
    new Promise((resolve) => {
      pulse.once("message", ({ worst }) => resolve(worst));
      pulse.postMessage("worst");
    });
  try {
    while ((await ask()) === 0); // until it has begun
    await ask();
    await act();
    return Math.round(await ask());
  } finally {
    await pulse.terminate();
  }
}

async function manyKeys({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const viewer = await server.person("vera", "viewer", "local");
    const statuses = new Set();
    const send = async (body, token, headers = yaml) => {
      const { status } = await server.api("POST", "/v1/jobs/dry-run", body, token, headers);
      statuses.add(status);
    };
    const keys = (count) => Array.from({ length: count }, (_, i) => `k${i}: 1\n`).join("");
    const json = { "content-type": "application/json" };
    const worst = await worstDelay(server, async () => {
      for (const count of [10_000, 50_000, 90_000]) await send(keys(count), viewer);
      for (const count of [9_000, 50_000, 90_000]) await send(keys(count), server.owner);
      await send(`{"a":${"[".repeat(20)}${"{},".repeat(300_000)}{}${"]".repeat(20)}}`, server.owner, json);
      await send(`a: &a [${"x,".repeat(4_000)}]\nb: [${"*a,".repeat(15)}]\n`, server.owner);
    });
    const held = worst < delayMsMax && statuses.has(403) && !statuses.has(200);
    return { held, seen: `/healthz at most ${worst} ms late; answered ${[...statuses].sort().join(", ")}` };
  } finally {
    await server.close();
  }
}

const onOne = ({ name }) => name === "root/unshare" || name === "user/none";

export const checks = [
  { finding: 5, name: "job files of 10,000 to 90,000 keys, as viewer and as owner", at: onOne, prove: manyKeys },
];
