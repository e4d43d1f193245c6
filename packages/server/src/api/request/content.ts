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
}

/** YAML is for job files; elsewhere it is refused before it is read. */
export function mediaDenial(route: { readonly yaml?: true }, request: FastifyRequest): Denial | undefined {
  const type = request.headers["content-type"];
  if (type === undefined || route.yaml || !/yaml/i.test(type)) return undefined;
  return deny("unsupported-media-type", "Only jobs can be sent as YAML.", "Send application/json.");
}
