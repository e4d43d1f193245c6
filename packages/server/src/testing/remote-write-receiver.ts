import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedSample {
  readonly labels: { readonly [name: string]: string };
  readonly value: number;
  readonly at: number;
}

/** Takes remote writes and reads them by the published formats, sharing no code with what wrote them. */
export async function openReceiver(statusOf: (request: number) => number = () => 204) {
  const samples: ReceivedSample[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    headers.push(request.headers);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const status = statusOf(headers.length);
    if (status < 300) samples.push(...seriesIn(unsnappy(Buffer.concat(parts))));
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${port}/api/v1/write`, samples, headers, close };
}

function varintAt(bytes: Buffer, at: number): readonly [value: number, next: number] {
  let [value, scale, next] = [0, 1, at];
  for (; bytes[next]! >= 0x80; next++, scale *= 0x80) value += (bytes[next]! - 0x80) * scale;
  return [value + bytes[next]! * scale, next + 1];
}

/** Literals of a block; copies are not expected here. */
function unsnappy(block: Buffer): Buffer {
  let [length, at] = varintAt(block, 0);
  const parts: Buffer[] = [];
  while (at < block.length) {
    const tag = block[at++]!;
    if ((tag & 3) !== 0) throw new Error("not a literal");
    let size = tag >> 2;
    if (size >= 60) {
      const bytes = size - 59;
      size = block.readUIntLE(at, bytes);
      at += bytes;
    }
    parts.push(block.subarray(at, at + size + 1));
    at += size + 1;
  }
  const whole = Buffer.concat(parts);
  if (whole.length !== length) throw new Error(`${whole.length} bytes of ${length}`);
  return whole;
}

type Field = readonly [number: number, value: number | Buffer];

function fieldsIn(message: Buffer): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < message.length; ) {
    const [tag, next] = varintAt(message, at);
    const [number, kind] = [tag >> 3, tag & 7];
    const [value, after] = kind === 1 ? [0, next] : varintAt(message, next);
    if (kind === 0) fields.push([number, value]);
    else if (kind === 1) fields.push([number, message.readDoubleLE(next)]);
    else fields.push([number, message.subarray(after, after + value)]);
    at = kind === 0 ? after : kind === 1 ? next + 8 : after + value;
  }
  return fields;
}

function seriesIn(request: Buffer): ReceivedSample[] {
  return fieldsIn(request).map(([, series]) => {
    const fields = fieldsIn(series as Buffer);
    const texts = (label: Buffer) => fieldsIn(label).map(([, text]) => String(text));
    const labels = fields
      .filter(([number]) => number === 1)
      .map(([, label]) => texts(label as Buffer) as [string, string]);
    const names = labels.map(([name]) => name);
    if (String(names) !== String(names.toSorted())) throw new Error(`labels are not sorted: ${names}`);
    const sample = new Map(fieldsIn(fields.find(([number]) => number === 2)![1] as Buffer));
    return { labels: Object.fromEntries(labels), value: sample.get(1) as number, at: sample.get(2) as number };
  });
}
