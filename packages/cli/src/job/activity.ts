import type { BusyRow, Job, SeriesView } from "@tessera/wire";
import { Failure } from "../failure.ts";
import { type Field, fieldsText } from "../output/fields.ts";
import { memoryText } from "../output/gpus.ts";
import type { Session } from "../session.ts";
import type { Paint } from "../terminal.ts";

const minutesShown = 15;
const levels = "▁▂▃▄▅▆▇█";

/** What the GPUs of a job did: in the last minutes, and since it started. Empty where that cannot be asked. */
export async function activityText(session: Session, job: Job): Promise<string> {
  if (job.startedAt === undefined || job.gpus === 0) return "";
  const api = await session.api();
  const to = job.endedAt ?? new Date(session.now()).toISOString();
  const from = new Date(Date.parse(to) - minutesShown * 60_000).toISOString();
  try {
    const busy = await api.call("readBusy", { query: { by: "job", job: job.id, from: job.startedAt, to } });
    const minutes = { metric: "activity", job: job.id, from, to, step: "1m" } as const;
    const series = await api.call("readSeries", { query: minutes });
    return textOf(busy.rows[0], series, job, session.paint);
  } catch (error) {
    // What is known of the job is shown all the same.
    if (error instanceof Failure) return "";
    throw error;
  }
}

function textOf(busy: BusyRow | undefined, series: SeriesView, job: Job, paint: Paint): string {
  const measured = busy !== undefined && busy.measuredMs > 0;
  const fields: Field[] = [
    [job.endedAt === undefined ? `Last ${minutesShown} min` : `Final ${minutesShown} min`, minutesText(series)],
    ["Since start", measured ? sinceText(busy) : "not measured"],
    ["Memory peak", busy?.memoryPeakMiB === undefined ? undefined : `${memoryText(busy.memoryPeakMiB)} on one GPU`],
  ];
  const mark = busy?.simulated ? paint("yellow", "  simulated") : "";
  return `\n${paint("bold", "Activity")}${mark}\n${fieldsText(fields, paint, "  ")}`;
}

function sinceText({ busyMs, measuredMs, idleMs }: BusyRow): string {
  const idle = idleMs > 0 ? `, ${percent(idleMs / measuredMs)} of the time idle` : "";
  return `${percent(busyMs / measuredMs)} busy${idle}, over ${(measuredMs / 3_600_000).toFixed(2)} measured GPU-hours`;
}

/** A column for each minute, and the last one in figures; `·` = not measured. */
function minutesText({ series }: SeriesView): string {
  const values = series[0]?.values ?? [];
  if (values.every((value) => value === null)) return "not measured";
  const columns = values.map((value) => (value === null ? "·" : levels[Math.min(7, Math.floor(value / 12.5))]));
  const last = values.findLast((value) => value !== null)!;
  return `${columns.join("")} ${last.toFixed(1)} %${values.includes(null) ? "  (· not measured)" : ""}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
