const at = ({ name }) => name === "root/none" || name === "user/none";
/** A heap in which the store of the first release did not start again. */
const env = { NODE_OPTIONS: "--max-old-space-size=700" };
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

export const checks = [
  { finding: 7, name: "66 requests for 660,000 waiting elements", at, prove: manyElements },
  { finding: 7, name: "the same where the owner allows ten million", at, prove: allowedElements },
  { finding: 7, name: "243 fat jobs", at, prove: fatJobs },
];

async function withMember({ place, openServer }, act) {
  const server = await openServer({ place, env });
  try {
    return await act(server, await server.person("mallory", "member", "local"));
  } finally {
    await server.close();
  }
}

/** Sends equal jobs, and tells how many were taken and why the first other one was not. */
async function send(server, token, count, body) {
  const answers = [];
  for (let i = 0; i < count; i++) answers.push(await server.api("POST", "/v1/jobs", body, token));
  const refused = answers.filter(({ status }) => status !== 201);
  return {
    taken: count - refused.length,
    refused: refused[0]?.json,
    statuses: new Set(refused.map((each) => each.status)),
  };
}

/** Milliseconds until a server that is started again takes commands. */
async function restart(server) {
  await server.stop();
  const startedAt = performance.now();
  await server.start();
  return Math.round(performance.now() - startedAt);
}

const elements = () => ({ run: "true", gpus: 1, array: "1-10000", not_before: tomorrow() });

function manyElements(around) {
  return withMember(around, async (server, token) => {
    const { taken, refused, statuses } = await send(server, token, 66, elements());
    const ms = await restart(server);
    const held = taken <= 2 && [...statuses].join() === "403" && /limit 20000/.test(refused.detail);
    return { held, seen: `${taken} of 66 taken: ${refused?.detail}; ready again after ${ms} ms` };
  });
}

function allowedElements(around) {
  return withMember(around, async (server, token) => {
    const most = ["waitingJobsPerUser", "waitingJobsPerTenant"].flatMap((name) => ["--max", `${name}=10000000`]);
    await server.tess("policy", "set", ...most);
    const { taken, refused } = await send(server, token, 66, elements());
    const ms = await restart(server);
    const { json } = await server.api("GET", "/v1/jobs?limit=100", undefined, token);
    const waiting = json.items.reduce((sum, job) => sum + job.elements.waiting, 0);
    const seen = `${taken} of 66 taken${refused === undefined ? "" : `: ${refused.detail}`}, ${waiting} wait; ready again after ${ms} ms with a heap of 700 MB`;
    await server.stop(); // to cancel all of them one by one would take a minute, and none runs
    return { held: taken === 66 && waiting === 660_000, seen };
  });
}

function fatJobs(around) {
  return withMember(around, async (server, token) => {
    // As large as a body may be, in values that are as long as one may be.
    const env = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`FAT${i}`, "x".repeat(32_000)]));
    const body = { run: "true", gpus: 1, env, not_before: tomorrow() };
    const { taken, refused, statuses } = await send(server, token, 243, body);
    const ms = await restart(server);
    const held = taken > 0 && taken < 40 && [...statuses].every((status) => status === 403 || status === 429);
    return { held, seen: `${taken} of 243 taken: ${refused?.detail}; ready again after ${ms} ms` };
  });
}
