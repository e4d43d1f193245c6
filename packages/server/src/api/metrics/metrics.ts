import { accountOf, isStranded, type ReadonlyState, rootAccount, unheldAs, unmadeCount } from "@tessera/core";
import { type Alarm, alarmKinds } from "../../flow/alarms.ts";
import type { ControlPlane } from "../../flow/control.ts";
import type { OutboxStatus } from "../../notify/outbox.ts";
import { gpusOf } from "../../render/quantities.ts";
import { escaped, MetricsText } from "./metrics-text.ts";

const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Durations {
  readonly counts: number[];
  count: number;
  sum: number;
}

/** Counts requests and commits, and writes them with the state of the fleet as Prometheus text. */
export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, Durations>();
  readonly #outletsNow: () => readonly OutboxStatus[];
  readonly #startedAt = Date.now() / 1000;
  #commits = 0;
  #events = 0;
  streams = 0;
  /** Commands, terminals and connections into jobs that are open. */
  entries = 0;

  /** `outletsNow`: how what is told to other systems stands. */
  constructor(outletsNow: () => readonly OutboxStatus[] = () => []) {
    this.#outletsNow = outletsNow;
  }

  follow(control: ControlPlane): () => void {
    return control.follow({
      after: (batch) => {
        this.#commits++;
        this.#events += batch.events.length;
      },
    });
  }

  request(route: string, method: string, code: number, seconds: number): void {
    const key = `route="${route}",method="${method}",code="${code}"`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    let durations = this.#durations.get(route);
    if (durations === undefined) {
      durations = { counts: durationBuckets.map(() => 0), count: 0, sum: 0 };
      this.#durations.set(route, durations);
    }
    durations.count++;
    durations.sum += seconds;
    for (let i = 0; i < durationBuckets.length; i++) if (seconds <= durationBuckets[i]!) durations.counts[i]!++;
  }

  /** `named`: also by account, for one who may see them all. */
  text(control: ControlPlane, named: boolean, alarms: readonly Alarm[]): string {
    const out = new MetricsText();
    out.family("tessera_http_requests_total", "counter", "Requests answered.");
    for (const [labels, count] of this.#requests) out.value("tessera_http_requests_total", labels, count);
    out.family("tessera_http_request_duration_seconds", "histogram", "Time from request to answer.");
    for (const [route, { counts, count, sum }] of this.#durations) {
      const name = "tessera_http_request_duration_seconds";
      for (const [i, bound] of durationBuckets.entries())
        out.value(`${name}_bucket`, `route="${route}",le="${bound}"`, counts[i]!);
      out.value(`${name}_bucket`, `route="${route}",le="+Inf"`, count);
      out.value(`${name}_sum`, `route="${route}"`, sum);
      out.value(`${name}_count`, `route="${route}"`, count);
    }
    out.gauge("tessera_http_streams", "Open event and log streams.", this.streams);
    out.gauge("tessera_entries", "Open commands, terminals and connections into jobs.", this.entries);
    out.counter("tessera_commits_total", "Batches committed since start.", this.#commits);
    out.counter("tessera_commit_events_total", "Events committed since start.", this.#events);
    out.gauge("tessera_ready", "1 when commands are taken.", control.readiness().ready ? 1 : 0);
    outletMetrics(out, this.#outletsNow());
    out.family("tessera_alarm", "gauge", "1 while something is wrong with the machine of the control plane.");
    for (const kind of alarmKinds) {
      out.value("tessera_alarm", `kind="${kind}"`, alarms.some((alarm) => alarm.kind === kind) ? 1 : 0);
    }
    stateMetrics(out, control.state);
    if (named) accountMetrics(out, control.state);
    processMetrics(out, this.#startedAt);
    return out.text;
  }
}

function outletMetrics(out: MetricsText, outlets: readonly OutboxStatus[]): void {
  if (outlets.length === 0) return;
  const families = [
    [
      "tessera_outlet_failing",
      "gauge",
      "1 while what is sent there is not taken.",
      (s: OutboxStatus) => Number(s.isFailing),
    ],
    ["tessera_outlet_delivered_total", "counter", "Messages and records taken.", (s: OutboxStatus) => s.delivered],
    ["tessera_outlet_failed_total", "counter", "Attempts that failed.", (s: OutboxStatus) => s.failed],
  ] as const;
  for (const [name, type, help, value] of families) {
    out.family(name, type, help);
    for (const status of outlets) out.value(name, `outlet="${escaped(status.name)}"`, value(status));
  }
}

function stateMetrics(out: MetricsText, state: ReadonlyState): void {
  const jobs: Record<string, number> = { waiting: 0, starting: 0, running: 0, stopping: 0 };
  for (const job of state.jobs.values()) jobs[job.state]!++;
  for (const array of state.arrays.values()) jobs.waiting! += unmadeCount(array);
  out.family("tessera_jobs", "gauge", "Live jobs.");
  for (const [name, count] of Object.entries(jobs)) out.value("tessera_jobs", `state="${name}"`, count);
  const gpus = new Map<string, number>();
  const add = (model: string, as: string, units: number) => {
    const labels = `model="${escaped(model)}",state="${as}"`;
    gpus.set(labels, (gpus.get(labels) ?? 0) + gpusOf(units));
  };
  for (const node of state.fleet.nodes) {
    if (node === undefined) continue;
    const words = {
      idle: isStranded(node) ? "stranded" : "idle",
      reserved: "reserved",
      down: node.mode === "up" ? "withheld" : node.mode,
    };
    for (const [i, { model }] of node.facts.gpus.entries()) {
      const gpu = node.firstGpu + i;
      const freeUnits = state.fleet.gpuFree[gpu]!;
      add(model, "leased", state.fleet.gpuCapacity[gpu]! - freeUnits);
      add(model, words[unheldAs(state.fleet, node, gpu)], freeUnits);
    }
  }
  out.family("tessera_gpus", "gauge", "GPUs by what is done with them.");
  for (const [labels, count] of gpus) out.value("tessera_gpus", labels, count);
}

function accountMetrics(out: MetricsText, state: ReadonlyState): void {
  out.family("tessera_account_gpus", "gauge", "GPUs held by each tenant.");
  for (const no of accountOf(state, rootAccount).children) {
    const { path } = accountOf(state, no);
    out.value("tessera_account_gpus", `account="${escaped(path)}"`, gpusOf(state.usage[no]!.units));
  }
}

function processMetrics(out: MetricsText, startedAt: number): void {
  const { user, system } = process.cpuUsage();
  out.counter("process_cpu_seconds_total", "CPU time used.", (user + system) / 1e6);
  out.gauge("process_resident_memory_bytes", "Memory held.", process.memoryUsage.rss());
  out.gauge("process_start_time_seconds", "Start, in seconds since 1970.", startedAt);
}
