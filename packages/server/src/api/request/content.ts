import type { FastifyInstance, FastifyRequest } from "fastify";
import { Denied } from "../answer/failure.ts";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import { denialOfWork } from "../away/away.ts";
import type { ApiWork, Parsed } from "../away/tasks.ts";
import { parseJson, textOf } from "./body.ts";
import { parseYaml } from "./yaml.ts";

/** What is smaller is read within a millisecond, sooner than another thread could be asked. */
const readHereMax = { json: 64 * 1024, yaml: 4 * 1024 };

/** JSON everywhere, YAML where the route takes it; anything else is refused by its type. */
export function takeBodies(app: FastifyInstance, reading: ApiWork["reading"] | undefined): void {
  app.removeAllContentTypeParsers();
  const reader = (as: "json" | "yaml") => async (request: FastifyRequest, bytes: Buffer) => {
    if (bytes.length === 0) return undefined;
    const here = reading === undefined || bytes.length <= readHereMax[as];
    const parsed = here ? parseHere[as](bytes) : await readAway(reading, as, request, bytes);
    if (isDenied(parsed)) throw new Denied(parsed);
    return (parsed as { value: unknown }).value;
  };
  app.addContentTypeParser(/^application\/(?:[\w.+-]+\+)?json(?:;|$)/i, { parseAs: "buffer" }, reader("json"));
  app.addContentTypeParser(
    /^(?:application\/(?:x-)?yaml|text\/(?:x-)?yaml)(?:;|$)/i,
    { parseAs: "buffer" },
    reader("yaml"),
  );
  // Not read here: the handler reads the stream.
  app.addContentTypeParser(/^application\/octet-stream(?:;|$)/i, (_request, payload, done) => done(null, payload));
}

export function parseJsonBytes(bytes: Uint8Array): Parsed {
  const text = textOf(bytes);
  return typeof text === "string" ? parseJson(text) : text;
}

export function parseYamlBytes(bytes: Uint8Array): Parsed {
  const text = textOf(bytes);
  return typeof text === "string" ? parseYaml(text) : text;
}

const parseHere = { json: parseJsonBytes, yaml: parseYamlBytes };

/** Reads a large body on another thread, for as long as the client waits for it. */
async function readAway(
  reading: ApiWork["reading"],
  as: "json" | "yaml",
  { raw: { socket }, incoming, ip }: FastifyRequest,
  bytes: Buffer,
): Promise<Parsed> {
  const left = new AbortController();
  const leave = () => left.abort();
  socket.once("close", leave);
  try {
    return await reading.run(as, bytes, incoming?.principal.user.id ?? ip, left.signal);
  } catch (error) {
    const denial = denialOfWork(error);
    if (denial === undefined) throw error;
    return denial;
  } finally {
    socket.off("close", leave);
  }
}

/** YAML is for job files and bytes are for content; elsewhere they are refused before they are read. */
export function mediaDenial(
  route: { readonly yaml?: true; readonly upload?: true },
  request: FastifyRequest,
): Denial | undefined {
  const type = request.headers["content-type"];
  const bytes = type !== undefined && /^application\/octet-stream/i.test(type);
  if (route.upload && type !== undefined && !bytes)
    return deny("unsupported-media-type", "Content is sent as bytes.", "Send application/octet-stream.");
  if (bytes && !route.upload)
    return deny("unsupported-media-type", "The content type of the body is not accepted.", "Send application/json.");
  if (type === undefined || route.yaml || !/yaml/i.test(type)) return undefined;
  return deny("unsupported-media-type", "Only jobs can be sent as YAML.", "Send application/json.");
}
