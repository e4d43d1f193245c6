import { until } from "../places/server.js";

/** Runs a script as a job with somebody's token, to its end, and gives all that it printed. */
export async function outputOf(server, token, script, { project = "local", name = `attack-${++count}`, ...more } = {}) {
  const id = await submit(server, token, { project, name, run: `exec 2>&1\n${script}\nexit 0`, ...more });
  await server.tessAs(token, "wait", id).catch(() => {});
  return server.tessAs(token, "logs", id);
}

/** Submits a job and gives its id; a job that is not taken is an error. */
export async function submit(server, token, body) {
  const answer = await server.api("POST", "/v1/jobs", { gpus: 1, ...body }, token);
  if (answer.status !== 201) throw new Error(`the job was not taken: ${answer.text}`);
  return answer.json.id;
}

/** Submits a job and waits until it runs. */
export async function running(server, token, body) {
  const id = await submit(server, token, body);
  await until("the job runs", 60_000, async () => (await jobOf(server, token, id)).state === "running");
  return id;
}

/** How a job stands. */
export async function jobOf(server, token, id) {
  return (await server.api("GET", `/v1/jobs/${id}`, undefined, token)).json;
}

let count = 0;

/** The first of these texts that was seen, as the verdict of a check. */
export function verdict(seen, broken, held) {
  const found = Object.entries(broken).filter(([, pattern]) => pattern.test(seen));
  if (found.length > 0) return { held: false, seen: found.map(([what]) => what).join(", ") };
  return { held: true, seen: held };
}
