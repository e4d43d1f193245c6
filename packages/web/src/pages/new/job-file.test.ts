import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  documentsIn,
  gpusOf,
  jobsIn,
  lineOf,
  listOfGpus,
  partsOfGpus,
  readCount,
  translated,
  withField,
  writeCount,
} from "./job-file.ts";

describe("a job file that is being written", () => {
  it("keeps its comments when the form changes a field", () => {
    const text = "# fine tuning\nname: ft # short\nrun: ./train.sh\n";
    assert.equal(withField(text, "gpus", "H100:8"), "# fine tuning\nname: ft # short\nrun: ./train.sh\ngpus: H100:8\n");
    assert.equal(withField(withField(text, "gpus", 8), "gpus", ""), text);
    assert.equal(withField("", "name", "a"), "name: a\n");
  });

  it("says in which line it cannot be read, and leaves such a text alone", () => {
    const text = "name: a\nrun: [\n";
    assert.ok(documentsIn(text)[0]!.fault!.line >= 2);
    assert.equal(withField(text, "name", "b"), text);
    assert.deepEqual(documentsIn("")[0]!.fields, {});
  });

  it("finds the line of a field and takes GPUs apart", () => {
    assert.equal(lineOf("name: a\nretry:\n  max: 1\n", "retry.max"), 2);
    assert.equal(lineOf("name: a\n", "gpus"), undefined);
    assert.deepEqual(partsOfGpus("H100:8"), { model: "H100", count: "8" });
    assert.deepEqual(partsOfGpus(4), { model: "", count: "4" });
    assert.equal(gpusOf("", "0.5"), 0.5);
    assert.equal(gpusOf("L4", "0.5"), "L4:0.5");
  });

  it("keeps the model while another count is typed, and leaves lists to the file", () => {
    const emptied = gpusOf("H100", "");
    assert.deepEqual(partsOfGpus(emptied), { model: "H100", count: "" });
    assert.deepEqual(documentsIn(withField("gpus: H100:8\n", "gpus", emptied))[0]!.fields.gpus, emptied);
    assert.equal(gpusOf("", ""), undefined);
    assert.equal(listOfGpus(["H100:8", "L40S:4"]), "H100:8, L40S:4");
    assert.equal(listOfGpus({ any: ["H100:8", "L40S:4"] }), "H100:8, L40S:4");
    assert.equal(listOfGpus("H100:8"), undefined);
    assert.equal(listOfGpus(null), undefined);
  });

  it("reads a count of GPUs as the language writes it, and never as another one", () => {
    assert.deepEqual(readCount("0,25", "de"), { count: "0.25" });
    assert.deepEqual(readCount("1.000", "de"), { count: "1000" });
    assert.deepEqual(readCount("1g.10gb", "de"), { count: "1g.10gb" });
    assert.deepEqual(readCount("", "de"), { count: "" });
    assert.ok("wrong" in readCount("0.25", "de"));
    assert.ok("wrong" in readCount("1.000", "en"));
    assert.equal(writeCount("0.25", "de"), "0,25");
    assert.equal(writeCount("1g.10gb", "de"), "1g.10gb");
  });
});

it("a text with several documents is several jobs, with faults at their lines", () => {
  const text = "# first\n---\nname: a\nrun: |\n  echo ---\n---\nname: b\n--- # last\nname: c\n";
  assert.deepEqual(
    jobsIn(text).map((job) => job.text.match(/name: (.)/)?.[1]),
    ["a", "b", "c"],
  );
  assert.equal(documentsIn(text)[0]!.fields.name, "a");
  assert.deepEqual(documentsIn("name: a\n---\nname: b\nrun: [\n")[1]!.fault?.line, 5);
  const renamed = withField("name: a\n---\nname: b\n", "name", "z");
  assert.deepEqual(
    jobsIn(renamed).map((job) => job.text.trim()),
    ["name: z", "name: b"],
  );
  assert.equal(jobsIn("").length, 1);
});

it("a file of another program is said to be one, left alone by the form, and made a job file", () => {
  const script =
    "#!/bin/bash\n#SBATCH -J fine-tune -N 2\n#SBATCH --gpus-per-node=h100:8 -p gpu\nsrun python train.py\n";
  const [sbatch] = documentsIn(script);
  assert.deepEqual(
    [sbatch?.name, sbatch?.fault],
    ["fine-tune", { line: 1, message: "This is an sbatch script (Slurm), not a job file." }],
  );
  assert.equal(withField(script, "name", "other"), script);
  assert.equal(
    translated(sbatch!.foreign!),
    "# From an sbatch script (Slurm). What has no field here:\n" +
      "#   #SBATCH --partition=gpu: not needed, GPUs are named by model\n" +
      "name: fine-tune\nnodes: 2\ngpus: H100:8\nrun: python train.py\n",
  );
  const [pod] = documentsIn("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{command: [x]}]}\n");
  assert.equal(pod?.fault?.message, "This is a Kubernetes Pod, not a job file.");
  assert.match(
    documentsIn("#!/bin/sh\npython3 train.py\n")[0]?.fault?.message ?? "",
    /^This is a script, .*tess run FILE/,
  );
});
