import assert from "node:assert/strict";
import { it } from "node:test";
import { textOfFiles } from "./dropped.ts";
import { documentsIn } from "./job-file.ts";

const file = (name: string, text: string, size = text.length) => ({ name, size, text: async () => text });

it("files become documents of one text in the order of their names, and each keeps its own fault and line", async () => {
  const read = await textOfFiles([
    file("b.yaml", "name: b\nrun: [\n"),
    file("a.yaml", "name: a\nrun: x\n---\nname: a2"),
  ]);
  assert.ok("text" in read);
  const documents = documentsIn(read.text);
  assert.deepEqual(
    documents.map(({ name, before, fault }) => [name, before + 1, fault?.line]),
    [
      ["a", 1, undefined],
      ["a2", 4, undefined],
      ["b", 6, 8],
    ],
  );
});

it("what is no job file is named, with what to do", async () => {
  const wrong = async (...files: ReturnType<typeof file>[]) => {
    const read = await textOfFiles(files);
    return "wrong" in read ? read.wrong : "";
  };
  assert.match(await wrong(file("a.bin", "a\0b")), /a\.bin is not a text/);
  assert.match(await wrong(file("big.yaml", "", 300_000)), /big\.yaml has 293 KiB/);
  assert.match(await wrong(file("job.sh", "#!/bin/sh\npython3 train.py\n")), /tess run job\.sh/);
  assert.equal(await wrong(file("job.sbatch", "#!/bin/sh\n#SBATCH -N 1\nsrun x\n")), "");
  assert.match(await wrong(file("none.yaml", " \n")), /empty/);
  assert.match(await wrong(...Array.from({ length: 21 }, (_, i) => file(`${i}`, "run: x"))), /21 files/);
});
