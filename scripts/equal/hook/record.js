import { createHash } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { gzipSync } from "node:zlib";

const charsPerWrite = 1 << 20;

/** The stream that is written now: one line of JSON for each refusal and each event, compressed in blocks. */
let stream;

/** Decisions go into `path` from now on. */
export function beginStream(path) {
  stream = { file: openSync(path, "w"), hash: createHash("sha256"), lines: 0, text: "" };
}

/** Ends the stream. Its hash is that of the text as it was recorded. */
export function endStream() {
  flush();
  closeSync(stream.file);
  const { hash, lines } = stream;
  stream = undefined;
  return { hash: hash.digest("hex"), lines };
}

/** The same function, with what it decides written into the stream. */
export function recorded(decide) {
  return (...args) => {
    if (stream === undefined) throw new Error("the core was asked to decide outside of a stream");
    let outcome;
    try {
      outcome = decide(...args);
    } catch (error) {
      add({ kind: "threw" });
      throw error;
    }
    for (const { refused, field } of outcome.decisions) {
      if (refused !== undefined) add({ kind: "refused", refused, field });
    }
    for (const event of outcome.events) add(event);
    return outcome;
  };
}

function add(decision) {
  stream.lines += 1;
  stream.text += `${JSON.stringify(decision)}\n`;
  if (stream.text.length > charsPerWrite) flush();
}

function flush() {
  stream.hash.update(stream.text);
  writeSync(stream.file, gzipSync(stream.text, { level: 1 }));
  stream.text = "";
}
