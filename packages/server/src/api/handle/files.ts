import { isRefusal, refuse } from "@tessera/core";
import type { FastifyReply } from "fastify";
import { filesOf, openFileOf, outputsOf, sourcesOf } from "../../flow/keep/files.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Api, Call, Handler } from "../context.ts";
import { taken } from "../watch/shared.ts";
import { followRights } from "./log-rights.ts";

export const fileHandlers: { listOutputs: Handler<"listOutputs"> } = {
  listOutputs: (api, { target }) => outputsOf(api.control, target),
};

/** Streams what there is to fetch, one JSON object a line. */
export async function sendFiles(api: Api, call: Call<"listFiles">, reply: FastifyReply): Promise<Denial | undefined> {
  const sources = await sourcesOf(api.control, api.content, call.target, call.query);
  if (isRefusal(sources)) return sources;
  async function* lines() {
    for await (const file of filesOf(api.control, sources as Exclude<typeof sources, Denial>))
      yield Buffer.from(`${JSON.stringify(file)}\n`);
  }
  return stream(api, call, reply, { "content-type": "application/x-ndjson" }, lines());
}

/** Streams the bytes of one file. Never shown by a browser: what is in it is the tenant's. */
export async function sendFile(api: Api, call: Call<"readFile">, reply: FastifyReply): Promise<Denial | undefined> {
  const { path, start = 0, ...ask } = call.query;
  const sources = await sourcesOf(api.control, api.content, call.target, ask);
  if (isRefusal(sources)) return sources;
  const file = await openFileOf(api.control, sources, path, start);
  if (file === undefined) {
    return refuse("not-found", "path", path, "is not a file of this job", "see what there is with: tess outputs JOB");
  }
  if (start > file.bytes) {
    for await (const _ of file.content) break; // lets go of it
    return deny("invalid", `is beyond the end of the file, which has ${file.bytes} bytes`, "", "start", start);
  }
  const headers = {
    "content-type": "application/octet-stream",
    "content-length": String(file.bytes - start),
    "content-disposition": "attachment",
    "x-content-type-options": "nosniff",
  };
  return stream(api, call, reply, headers, file.content);
}

async function stream(
  api: Api,
  call: Call<"listFiles" | "readFile">,
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  parts: AsyncIterable<Uint8Array>,
): Promise<Denial | undefined> {
  const full = api.streams.full(call.principal);
  if (full !== undefined) return full;
  // What cannot be read at all, such as from an engine that is away, is still answered as such.
  const reading = parts[Symbol.asyncIterator]();
  const first = await reading.next();
  const { raw } = reply;
  const gone = new AbortController();
  raw.on("close", () => gone.abort());
  raw.on("error", () => gone.abort());
  const uncount = followRights(api, call, gone, raw);
  reply.hijack();
  raw.writeHead(200, { ...headers, "cache-control": "no-store", "x-request-id": call.requestId });
  try {
    for (let part = first; !part.done && !gone.signal.aborted; part = await reading.next()) {
      if (!raw.write(part.value)) await taken(raw, gone.signal);
    }
    raw.end();
  } catch {
    // What was sent stands; that it is not all is seen by its length, or by a line that is cut off.
    raw.destroy();
  } finally {
    uncount();
    await reading.return?.();
  }
  return undefined;
}
