import type { Holding } from "../../flow/activity/holding.ts";
import { escaped, MetricsText } from "./metrics-text.ts";
import { sumsBy, writeSums } from "./sum-metrics.ts";

/** Beyond this many lines of one metric, GPUs are added up by job, and jobs by account. */
const tenantLinesMax = 2_000;

const levels = ["gpu", "job", "account"] as const;
type Level = (typeof levels)[number];

/**
 * What a tenant's own jobs hold and do, as Prometheus text. Everything in it follows from `holdings`, which are the
 * caller's own: there is no total of the fleet from which the load of others would follow.
 */
export function tenantMetrics(holdings: readonly Holding[]): string {
  const out = new MetricsText();
  const level = levelFor(holdings);
  const lines = sumsBy(holdings, (holding) => labelsOf(holding, level));
  writeSums(out, "tessera_tenant", lines);
  if (level !== "account") jobNames(out, holdings);
  out.gauge(
    "tessera_tenant_simulated",
    "1 while there is no hardware behind some of these figures.",
    lines.some(({ sum }) => sum.simulated) ? 1 : 0,
  );
  out.family("tessera_tenant_detail", "gauge", "1 for what one line stands for: many GPUs are added up.");
  for (const each of levels) out.value("tessera_tenant_detail", `level="${each}"`, each === level ? 1 : 0);
  return out.text;
}

function levelFor(holdings: readonly Holding[]): Level {
  if (holdings.length <= tenantLinesMax) return "gpu";
  return new Set(holdings.map(({ job }) => job)).size <= tenantLinesMax ? "job" : "account";
}

function labelsOf({ accountPath, job, gpu }: Holding, level: Level): string {
  const account = `account="${escaped(accountPath)}"`;
  if (level === "account") return account;
  return level === "job" ? `${account},job="${job}"` : `${account},job="${job}",gpu="${escaped(gpu)}"`;
}

function jobNames(out: MetricsText, holdings: readonly Holding[]): void {
  out.family("tessera_tenant_job_info", "gauge", "1 for each job that holds GPUs, with the name that it was given.");
  const jobs = new Map(holdings.map((holding) => [holding.job, holding]));
  for (const { accountPath, job, jobName } of jobs.values()) {
    const labels = `account="${escaped(accountPath)}",job="${job}",name="${escaped(jobName)}"`;
    out.value("tessera_tenant_job_info", labels, 1);
  }
}
