import type { Report } from "@tessera/core";
import type { Clock } from "@tessera/engine";

/** A report in the server's time. An engine's own clock may have been set; how long its machine was up cannot be. */
export function placed(clock: Pick<Clock, "whenUp">, { upMs, ...report }: Report): Report {
  const at = upMs === undefined ? undefined : clock.whenUp?.(report.bootId, upMs);
  return at === undefined ? report : { ...report, at };
}
