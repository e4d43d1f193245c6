import { ContentPart, uploadBytesMax } from "@tessera/wire";
import type { ArrivingPart } from "../../flow/content/receive.ts";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import { parseJson } from "./body.ts";
import { checkOfBody } from "./validate.ts";

const headBytesMax = 4_096;
const check = checkOfBody(ContentPart, false);
const newline = 0x0a;

/** Cuts an upload into its parts while it arrives: a line of JSON, then as many bytes as it says, and so on. */
export async function* partsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<ArrivingPart | Denial> {
  const source = body[Symbol.asyncIterator]();
  let rest: Uint8Array = Buffer.alloc(0);
  let total = 0;
  const more = async (): Promise<boolean> => {
    const { value, done } = await source.next();
    if (done) return false;
    total += value.length;
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
    return true;
  };
  for (;;) {
    let end = rest.indexOf(newline);
    while (end === -1 && rest.length <= headBytesMax && (await more())) end = rest.indexOf(newline);
    if (end === -1 && rest.length === 0) return;
    const part = end === -1 || end > headBytesMax ? noHead() : headOf(rest.subarray(0, end));
    if (isDenied(part)) return yield part;
    if (total - rest.length + end + 1 + part.length > uploadBytesMax) return yield tooLarge();
    rest = rest.subarray(end + 1);
    let left = part.length;
    async function* bytes(): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        if (rest.length === 0 && !(await more())) return;
        const piece = rest.subarray(0, left);
        rest = rest.subarray(piece.length);
        left -= piece.length;
        yield piece;
      }
    }
    const arriving = bytes();
    yield { part, bytes: arriving };
    for await (const _ of arriving); // what the receiver left over
    if (left > 0) return yield cutOff(part);
  }
}

function headOf(line: Uint8Array): ContentPart | Denial {
  const parsed = parseJson(Buffer.from(line).toString("utf8"));
  if (isDenied(parsed)) return parsed as Denial;
  const { value } = parsed as { value: unknown };
  const bad = check(value as never);
  if (bad !== undefined) return bad;
  const part = value as ContentPart;
  if (part.offset + part.length <= part.bytes) return part;
  return deny(
    "invalid",
    "ends beyond the content it is a part of",
    "Give offset, length and bytes of one content.",
    "length",
    part.length,
  );
}

function noHead(): Denial {
  const form = '{"sha256":"…","bytes":5,"offset":0,"length":5}';
  return deny(
    "malformed",
    "The body does not begin a part with a line of JSON.",
    `Begin each part with a line such as ${form}.`,
  );
}

function cutOff({ path, sha256, length }: ContentPart): Denial {
  return deny("malformed", `The body ends before the ${length} bytes of ${path ?? sha256}.`, "Send it again.");
}

function tooLarge(): Denial {
  return deny("too-large", `The body is larger than ${uploadBytesMax} bytes.`, "Send fewer parts in one request.");
}
