import type { LogLine } from "@tessera/engine";
import type { FastifyReply } from "fastify";
import { timestamp } from "../../render/quantities.ts";
import { type Denial, isDenied } from "../answer/problem.ts";
import type { Api, Call } from "../context.ts";
import { answerTold, type Place } from "../watch/shared.ts";
import { entryOf } from "./log-lines.ts";
import { mayStillRead } from "./log-rights.ts";
import type { Run } from "./log-run.ts";
import { inParts } from "./parts.ts";

export interface Told {
  readonly run: Run | undefined;
  lines(gone: AbortSignal): AsyncIterable<LogLine>;
}

/**
 * Tells a log on a stream that all windows of a browser share: `begin` with the attempt and the time, `lines` with some
 * lines at a time, and `end` when there will be no more. Lines are read no faster than the stream is.
 */
export function tellLog(
  api: Api,
  call: Call<"readLogs">,
  name: string,
  told: Told,
  reply: FastifyReply,
): Denial | undefined {
  const gone = new AbortController();
  const topic = { over: () => !mayStillRead(api, call), forget: () => gone.abort() };
  const place = api.shared.join(name, call.principal, topic);
  if (isDenied(place)) return place;
  const begin = { at: timestamp(api.control.now()), ...(told.run && { attempt: told.run.attempt }) };
  answerTold(reply);
  void tellParts(place, begin, told.lines(gone.signal), gone.signal)
    .catch(() => {
      // A stream that takes nothing more is of no use to what else it carries either: its reader opens another.
      if (!gone.signal.aborted) place.stream.reply.raw.destroy();
    })
    .finally(() => place.stream.leave(place.number, topic));
  return undefined;
}

async function tellParts(
  { stream, number }: Place,
  begin: object,
  lines: AsyncIterable<LogLine>,
  gone: AbortSignal,
): Promise<void> {
  await stream.tell(number, "begin", JSON.stringify(begin), gone);
  const parts = inParts(lines, (line) => JSON.stringify(entryOf(line)));
  try {
    for (;;) {
      // What cannot be read is told as such; what cannot be told ends the stream.
      const part = await parts.next().catch(() => undefined);
      if (part === undefined || part.done) {
        await stream.tell(number, "end", JSON.stringify({ whole: part !== undefined }), gone);
        return;
      }
      await stream.tell(number, "lines", `[${part.value.join(",")}]`, gone);
    }
  } finally {
    void parts.return(undefined);
  }
}
