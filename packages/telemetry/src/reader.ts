import { busyOf } from "./busy.ts";
import { TelemetryFile } from "./file.ts";
import { TelemetryAway, type TelemetryReader, TelemetryTooWide } from "./port.ts";
import type { Kept } from "./select.ts";
import { seriesOf } from "./series.ts";

/** Answers from the folder of a store that another thread writes: up to the last minute. Opens it for each question. */
export function readTelemetry(dir: string): TelemetryReader {
  const ask = async <Answer>(answer: (kept: Kept) => Answer): Promise<Answer> => {
    let file: TelemetryFile | undefined;
    try {
      file = new TelemetryFile(dir, () => {}, true);
      return answer({ file, buffers: [] });
    } catch (error) {
      if (error instanceof TelemetryTooWide) throw error;
      throw new TelemetryAway((error as Error).message);
    } finally {
      file?.close();
    }
  };
  return {
    series: (query) => ask((kept) => seriesOf(kept, query)),
    busy: (query) => ask((kept) => busyOf(kept, query)),
    close: async () => {},
  };
}
