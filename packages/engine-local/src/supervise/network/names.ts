/** The name that a DNS query asks for, in lower case without the last dot; undefined where it is not one plain question. */
export function nameAsked(query: Buffer): string | undefined {
  if (query.length < 17 || (query[2]! & 0xf8) !== 0 || query.readUInt16BE(4) !== 1) return undefined;
  const read = readName(query, headBytes);
  return read !== undefined && read.next + 4 <= query.length ? read.name : undefined;
}

/** The IPv4 addresses in an answer. */
export function addressesIn(answer: Buffer): string[] {
  const found: string[] = [];
  const question = readName(answer, headBytes);
  if (question === undefined) return found;
  let at = question.next + 4;
  for (let left = answer.readUInt16BE(6); left > 0; left -= 1) {
    const name = readName(answer, at);
    if (name === undefined || name.next + 10 > answer.length) break;
    const kind = answer.readUInt16BE(name.next);
    const bytes = answer.readUInt16BE(name.next + 8);
    const data = answer.subarray(name.next + 10, name.next + 10 + bytes);
    if (kind === kindAddress && data.length === 4) found.push([...data].join("."));
    at = name.next + 10 + bytes;
  }
  return found;
}

/** The answer that a server gives which will not answer. */
export function refusalOf(query: Buffer): Buffer {
  const answer = Buffer.from(query);
  answer[2] = (answer[2]! | 0x80) & 0xfd;
  answer[3] = refused;
  return answer;
}

const headBytes = 12;
const kindAddress = 1;
const refused = 5;
const pointer = 0xc0;

function readName(message: Buffer, start: number): { readonly name: string; readonly next: number } | undefined {
  const labels: string[] = [];
  let next: number | undefined;
  // Each pointer leads back, so a name ends; a message that says otherwise is not read to its end.
  for (let at = start, steps = 0; steps < 128; steps += 1) {
    const length = message[at];
    if (length === undefined) return undefined;
    if (length === 0) return { name: labels.join(".").toLowerCase(), next: next ?? at + 1 };
    if ((length & pointer) === pointer) {
      if (at + 1 >= message.length) return undefined;
      next ??= at + 2;
      at = message.readUInt16BE(at) & 0x3fff;
    } else {
      labels.push(message.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
  }
  return undefined;
}
