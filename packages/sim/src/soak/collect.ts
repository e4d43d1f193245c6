import { elementIds, type Told, type ToldJob } from "./check.ts";
import type { History } from "./history.ts";
import type { Target } from "./target.ts";

/** Everything that the checker needs from the control plane, read through the API. */
export async function collect(target: Target, histories: readonly History[]): Promise<Told> {
  const get = async (path: string) => {
    const { answer } = await target.insist("GET", path);
    return answer.status === 200 ? answer.body : undefined;
  };
  const jobs = new Map<string, ToldJob>();
  for (const { submissions } of histories) {
    for (const { answered, size } of submissions) {
      for (const id of new Set(answered)) {
        for (const element of elementIds(id, size)) {
          const job = await get(`/v1/jobs/${element}`);
          if (job !== undefined) jobs.set(element, job);
        }
      }
    }
  }
  const listed: { id: string; name: string }[] = [];
  for (let cursor = ""; ; ) {
    const page = await get(`/v1/jobs?state=all&limit=1000${cursor}`);
    listed.push(...page.items.filter((job: { array?: object }) => job.array === undefined));
    if (page.next === undefined) break;
    cursor = `&cursor=${encodeURIComponent(page.next)}`;
  }
  const edits = new Map<string, number>();
  for (const { account } of histories) {
    const { limits } = await get(`/v1/accounts/${account}`);
    edits.set(account, Math.max(0, (limits.waitingJobsPerUser ?? 0) - 1_000_000));
  }
  const report = await get("/v1/usage?by=job&from=1d");
  const usage = new Map<string, number>(
    report.rows.map((row: { key: string; unitMs: string }) => [row.key, Number(row.unitMs)]),
  );
  return { jobs, listed, edits, usage, differenceUnitMs: Number(report.fleet.differenceUnitMs) };
}
