import { refuse } from "@tessera/core";
import { TelemetryAway, TelemetryTooWide } from "@tessera/telemetry";
import { type Denial, deny } from "./problem.ts";

/** What samples say, or why they say nothing now. `from` is the begin of the span, as it was asked for. */
export async function fromSamples<Found>(
  read: () => Promise<Found>,
  from: string | undefined,
): Promise<Found | Denial> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TelemetryTooWide) {
      const hint = "ask for a shorter span, or for one account, job or node";
      return refuse("not-allowed", "from", from ?? "", "covers more samples than one answer may read", hint);
    }
    if (!(error instanceof TelemetryAway)) throw error;
    return deny("unavailable", "Samples of GPUs cannot be read now.", "Try again in a moment; jobs are not affected.");
  }
}
