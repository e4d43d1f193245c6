/**
 * A head of the journal, signed, as one line of text:
 *
 *   tessera-head/1 server=… row=… hash=… tree=… at=… epoch=… key=… sig=…
 *
 * `hash` ends the chain of rows, `tree` is the root over the hashes of all rows. The signature is over the line up to
 * ` sig=`. It travels in the header `Tessera-Head` of each answer and lies in anchors.
 */
export interface HeadLine {
  /** The id of the server's first signing key. */
  readonly server: string;
  readonly row: number;
  readonly hash: string;
  readonly tree: string;
  readonly at: string;
  readonly epoch: number;
  /** The id of the key that signed. */
  readonly key: string;
  readonly signature: string;
  /** What is signed. */
  readonly text: string;
  readonly line: string;
}

const pattern =
  /^(tessera-head\/1 server=([0-9a-f]{16}) row=(\d{1,15}) hash=([0-9a-f]{64}) tree=([0-9a-f]{64}) at=(\S{20,30}) epoch=(\d{1,10}) key=([0-9a-f]{16})) sig=([A-Za-z0-9+/]{86}==)$/;

/** Undefined when it is no head. */
export function parseHead(line: string): HeadLine | undefined {
  const match = pattern.exec(line);
  if (match === null) return undefined;
  const [, text = "", server = "", row, hash = "", tree = "", at = "", epoch, key = "", signature = ""] = match;
  return { server, row: Number(row), hash, tree, at, epoch: Number(epoch), key, signature, text, line };
}

/** What is signed for a head. */
export function headText(head: Pick<HeadLine, "server" | "row" | "hash" | "tree" | "at" | "epoch" | "key">): string {
  const { server, row, hash, tree, at, epoch, key } = head;
  return `tessera-head/1 server=${server} row=${row} hash=${hash} tree=${tree} at=${at} epoch=${epoch} key=${key}`;
}
