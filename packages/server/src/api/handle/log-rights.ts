import type { ServerResponse } from "node:http";
import type { Api, Call } from "../context.ts";
import { stillMay } from "../guard/streams.ts";

type Reading = Pick<Call<"readLogs">, "principal" | "target">;

/** Cuts the answer off once the caller may no longer read it; what it waits for is cancelled. */
export function followRights(api: Api, reading: Reading, gone: AbortController, raw: ServerResponse): () => void {
  return api.streams.add({
    principal: reading.principal,
    over: () => !mayStillRead(api, reading),
    end() {
      gone.abort();
      raw.destroy();
    },
  });
}

/** Whether the caller may still read the log and the files of a job. */
export function mayStillRead(api: Api, { principal, target: { account, own } }: Reading): boolean {
  return stillMay(api, principal, "job.logs", account, own);
}
