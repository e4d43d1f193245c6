import type { Output } from "@tessera/wire";
import { countText, sizeText } from "../output/bytes.ts";
import type { Column } from "../output/column.ts";

/** What a job kept, a line for each output and rank. */
export const outputColumns: readonly Column<Output>[] = [
  { name: "name", text: ({ name }) => name },
  { name: "rank", text: ({ rank }) => String(rank), raw: ({ rank }) => rank, right: true },
  { name: "files", text: ({ files }) => String(files), raw: ({ files }) => files, right: true },
  { name: "size", text: ({ bytes }) => sizeText(bytes), raw: ({ bytes }) => bytes, right: true },
  { name: "not-kept", text: leftText, hidesEmpty: true, shrinks: true },
];

function leftText({ left }: Output): string {
  if (left === undefined) return "";
  return left.files === 0 ? left.why : `${countText(left.files)} (${sizeText(left.bytes)}): ${left.why}`;
}
