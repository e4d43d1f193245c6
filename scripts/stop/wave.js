import { until } from "../places/server.js";
import { judge, valuesOf } from "./judge.js";
import { ownGraceMs, policyGraceMs, ways } from "./ways.js";

const patienceMs = 120_000;
const usualUpMs = 10_000;
/** A machine that is busy starting command lines is late with everything else. */
const submitsAtOnce = 3;

/** Starts a job of every form, stops them all in one way, brings them back where they return, and judges each. */
export async function stopAll(server, wayName, forms) {
  const way = ways[wayName];
  const jobs = Object.entries(forms).map(([form, { saves }]) => ({ form, saves, name: `${wayName}-${form}` }));
  const names = jobs.map(({ name }) => name);
  for (let i = 0; i < jobs.length; i += submitsAtOnce) {
    const few = jobs.slice(i, i + submitsAtOnce);
    await Promise.all(few.map(({ form, name }) => submit(server, name, forms[form], way)));
  }
  for (const job of jobs) job.id = (await jobOf(server, job.name)).id;

  for (const job of jobs) await untilUp(server, job, 1);
  await way.stop?.(server, names);
  for (const job of jobs) await until(`${job.name} has left`, patienceMs, () => hasLeft(server, job));
  if (way.returns) {
    await way.back?.(server, names);
    for (const job of jobs) await untilUp(server, job, 2);
  }
  const verdicts = [];
  for (const job of jobs) {
    const first = await linesOf(server, job, 1);
    const second = way.returns ? await linesOf(server, job, 2) : undefined;
    const verdict = judge(job.saves, way.returns ? ownGraceMs : policyGraceMs, first, second);
    verdicts.push({ way: wayName, form: job.form, ...verdict });
  }
  if (way.returns) await server.tess("cancel", ...names);
  await way.clean?.(server);
  await until("everything has ended", patienceMs, async () => (await liveJobs(server)).length === 0);
  return verdicts;
}

async function submit({ tess, file, work }, name, { words, block, env = {}, upMs = usualUpMs }, way) {
  const fields = { ...(block && { run: block }), ...way.fields?.(upMs) };
  const checkpoint = { grace: `${ownGraceMs}ms` };
  const path = file(`${name}.json`, { name, gpus: 1, workdir: work, env, checkpoint, ...fields });
  await tess("-p", "guest", "run", "-d", path, ...(words ? ["--", ...words] : []));
}

async function untilUp(server, job, attempt) {
  const isUp = async () => valuesOf(await linesOf(server, job, attempt), "up at").size >= Math.max(1, job.saves.length);
  await until(`${job.name} is up`, patienceMs, isUp).catch(async (error) => {
    const said = (await linesOf(server, job, attempt)).map(({ text }) => `  ${text}\n`);
    throw new Error(`${error.message}; its log:\n${said.slice(-20).join("")}`);
  });
}

async function hasLeft(server, { id }) {
  const { state, attempt } = await jobOf(server, id);
  return attempt > 1 || state === "ended";
}

async function jobOf({ get }, name) {
  return JSON.parse(await get(`/v1/jobs/${name}`));
}

async function liveJobs({ get }) {
  return JSON.parse(await get("/v1/jobs")).items;
}

/** The log of one attempt; empty while there is no such attempt. */
async function linesOf({ get }, { id }, attempt) {
  const text = await get(`/v1/jobs/${id}/logs?attempt=${attempt}`, [422]);
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
