import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { nameOfCommand, shellLine } from "./quote.ts";

const runInShell = (line: string) =>
  execFileSync("/bin/sh", ["-c", line], { encoding: "utf8", env: { X: "from shell" } });

test("several words reach the program exactly as they were typed", () => {
  for (const words of [
    ["plain", "--a=b"],
    ["it's", 'a "b"', "$X", "`id`", "", "a\nb", "*", "~", "\\"],
    ["é ü", "!x", "#", "a;b"],
  ]) {
    const line = shellLine(["printf", "%s\\0", ...words]);
    assert.deepEqual(runInShell(line).split("\0").slice(0, -1), words, line);
  }
});

test("one word is a shell line as it stands", () => {
  assert.equal(runInShell(shellLine(["echo $X; echo again"])), "from shell\nagain\n");
});

test("words that need no quotes are left readable", () => {
  assert.equal(shellLine(["torchrun", "--nproc-per-node", "8", "train.py"]), "torchrun --nproc-per-node 8 train.py");
  assert.equal(shellLine(["sh", "-c", "exit 7"]), "sh -c 'exit 7'");
});

test("a job without a name is called after the program it runs", () => {
  assert.equal(nameOfCommand(["/usr/bin/torchrun", "train.py"]), "torchrun");
  assert.equal(nameOfCommand(["python3 train.py --lr 1"]), "python3");
  assert.equal(nameOfCommand(["$CMD x"]), undefined);
  assert.equal(nameOfCommand(["(cd x; make)"]), undefined);
});
