import type { FastifyInstance, FastifyRequest } from "fastify";
import { Denied } from "../answer/failure.ts";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import { parseJson, textOf } from "./body.ts";
import { parseYaml } from "./yaml.ts";

/** JSON everywhere, YAML where the route takes it; anything else is refused by its type. */
export function takeBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parser =
    (parse: (text: string) => { readonly value: unknown } | Denial) =>
    (_request: FastifyRequest, bytes: Buffer, done: (error: Error | null, body?: unknown) => void) => {
      if (bytes.length === 0) return done(null, undefined);
      const text = textOf(bytes);
      const parsed = isDenied(text) ? text : parse(text as string);
      if (isDenied(parsed)) done(new Denied(parsed));
      else done(null, (parsed as { value: unknown }).value);
    };
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:;|$)/i,
    { parseAs: "buffer" },
    parser(parseJson) as never,
  );
  app.addContentTypeParser(
    /^(?:application\/(?:x-)?yaml|text\/(?:x-)?yaml)(?:;|$)/i,
    { parseAs: "buffer" },
    parser(parseYaml) as never,
  );
  // Not read here: the handler reads the stream.
  app.addContentTypeParser(/^application\/octet-stream(?:;|$)/i, (_request, payload, done) => done(null, payload));
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
