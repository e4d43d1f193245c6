import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { architectureOf } from "../../gpu/architecture.ts";
import { smallestProfile } from "../../gpu/mig.ts";
import { migModelOf } from "../../gpu/mig-models.ts";
import { deviceMiB, inferenceFootprint, trainingFootprint, trainingGpusMin, usableMiB } from "./footprint.ts";

describe("the architecture of a model", () => {
  const nameOf = (text: string) => architectureOf(text)?.name;

  it("is found by its name, by the name of a variant, or by its size", () => {
    assert.equal(nameOf("7B"), "llama-2-7b");
    assert.equal(nameOf("70b"), "llama-3-70b");
    assert.equal(nameOf("meta-llama/Llama-3.1-8B-Instruct"), "llama-3.1-8b");
    assert.equal(nameOf("Mixtral_8x7B"), "mixtral-8x7b");
    assert.equal(nameOf("falcon 7b instruct"), "llama-2-7b");
    assert.equal(nameOf("1.5B"), "1.5B");
    assert.equal(architectureOf("0.5b")?.parameters, 500_000_000);
    assert.equal(architectureOf("new-8x3b")?.parameters, 24_000_000_000);
    for (const text of ["", "gpt", "0b", "99999b", "7 bananas"]) assert.equal(architectureOf(text), undefined, text);
  });

  it("is estimated from its size if only that is known", () => {
    let before = architectureOf("0.1B")!;
    for (const size of ["1B", "3B", "9B", "20B", "40B", "65B", "71B", "120B", "1000B"]) {
      const next = architectureOf(size)!;
      assert.ok(next.kvBytesPerToken > before.kvBytesPerToken, size);
      assert.ok(next.layers > before.layers && next.hidden > before.hidden, size);
      before = next;
    }
    assert.equal(architectureOf("8.0001B"), undefined, "finer than a million parameters");
    assert.equal(architectureOf("120B")!.kvBytesPerToken, 120 * 5 * 1024);
  });
});

describe("the memory of a model", () => {
  it("is its weights, the tokens in flight, the context and the workspace", () => {
    const { weightsMiB, kvMiB, needMiB } = inferenceFootprint(architectureOf("8B")!, "fp16", 4096, 16);
    assert.equal(kvMiB, 8 * 1024);
    assert.equal(weightsMiB, Math.ceil((2 * 8_030_000_000) / 1_048_576));
    assert.equal(needMiB, weightsMiB + kvMiB + 1024 + Math.ceil((7 * weightsMiB) / 100));
    assert.equal(inferenceFootprint(architectureOf("8B")!, "int4", 1, 1).needMiB, 4212 + 1 + 1024 + 512);
  });

  it("fits exactly the devices whose usable 92 % hold it", () => {
    for (const needMiB of [1, 91, 92, 93, 5000, 75_366, 75_367, 140_001]) {
      const least = deviceMiB(needMiB);
      assert.ok(usableMiB(least) >= needMiB && usableMiB(least - 1) < needMiB, `${needMiB}`);
    }
  });

  it("cannot be trained on any number of GPUs if activations leave no room", () => {
    const footprint = trainingFootprint(architectureOf("70B")!, "full", 32_768, 4);
    assert.equal(trainingGpusMin(footprint, 81_559), 0);
  });

  const path = fileURLToPath(new URL("../../../../../shared/facts/model-footprints.json", import.meta.url));
  const catalogue = fileURLToPath(new URL("../../../../../shared/facts/gpu-models.json", import.meta.url));
  const skip = existsSync(path) && existsSync(catalogue) ? false : "the published footprints are not beside this clone";

  it("[U1] agrees with published footprints, and so do the profile and the GPUs derived from it", { skip }, () => {
    const { models, assumptions } = JSON.parse(readFileSync(path, "utf8")) as Published;
    const gpus = (JSON.parse(readFileSync(catalogue, "utf8")) as { models: Gpu[] }).models;
    /** Published to a tenth of a GiB, or to a whole one. */
    const near = (mib: number, gib: number, what: string) =>
      assert.ok(Math.abs(mib / 1024 - gib) <= (gib >= 100 ? 0.51 : 0.06), `${what}: ${mib / 1024} is not ${gib}`);
    for (const each of models) {
      const model = architectureOf(each.architecture)!;
      assert.equal(architectureOf(each.size), model, each.size);
      assert.equal(model.parameters, each.params, each.size);
      assert.equal(model.kvBytesPerToken, each.kvBytesPerTokenFp16, each.size);
      for (const precision of ["fp16", "int8", "int4"] as const) {
        const { contextTokens, concurrency } = assumptions;
        const { weightsMiB, needMiB } = inferenceFootprint(model, precision, contextTokens, concurrency);
        const published = each.inference[precision];
        const what = `${each.size} ${precision}`;
        near(weightsMiB, published.weightsGiB, what);
        near(needMiB, published.needGiB, what);
        for (const [key, profile] of Object.entries(published.smallestMig)) {
          const smallest = smallestProfile(migModelOf(key)!, 0, 0, deviceMiB(needMiB));
          assert.equal(smallest?.name ?? null, profile, `${what} on ${key}`);
        }
        const whole = gpus.find(({ key }) => key === published.smallestWhole)!;
        assert.ok(usableMiB(whole.memoryMiB!) >= needMiB, `${what} on ${whole.key}`);
      }
      const full = trainingFootprint(model, "full", 2048, 1);
      near(full.statesMiB, each.training.statesGiB, each.size);
      near(full.activationMiB, each.training.activationGiB, each.size);
      near(trainingFootprint(model, "lora", 2048, 1).statesMiB, each.training.loraStatesGiB, each.size);
      near(trainingFootprint(model, "qlora", 2048, 1).statesMiB, each.training.qlora4StatesGiB, each.size);
      for (const [key, least] of Object.entries(each.training.minGpus)) {
        assert.equal(trainingGpusMin(full, migModelOf(key)!.memoryMiB), least, `${each.size} on ${key}`);
      }
    }
  });
});

interface Gpu {
  key: string;
  memoryMiB: number | null;
}

interface Published {
  assumptions: { contextTokens: number; concurrency: number };
  models: {
    size: string;
    architecture: string;
    params: number;
    kvBytesPerTokenFp16: number;
    inference: { [precision in "fp16" | "int8" | "int4"]: PublishedNeed };
    training: {
      statesGiB: number;
      activationGiB: number;
      loraStatesGiB: number;
      qlora4StatesGiB: number;
      minGpus: { [key: string]: number };
    };
  }[];
}

interface PublishedNeed {
  weightsGiB: number;
  needGiB: number;
  smallestMig: { [key: string]: string | null };
  smallestWhole: string;
}
