import { NotRun } from "../lab.js";

/** A tenth of the 143,771 MiB of an H200. */
const limitMiB = 14_377;

/** A job that has a tenth of a GPU by MPS and takes 40 GiB gets no more than a tenth of its memory. */
export const mpsMemory = {
  name: "memory limit by MPS",
  async prove(lab) {
    if (!(await lab.offers("mps"))) throw new NotRun("this engine offers no MPS");
    const id = await lab.submit("ben", 0.1, ["grow", "40960"], { isolation: "mps" });
    const { gotMiB } = await lab.said(id, "what it got", (line) => line.gotMiB !== undefined && line);
    await lab.reaches(id, ["ended"]);
    return { passed: gotMiB > 10_000 && gotMiB <= limitMiB, seen: { askedMiB: 40_960, limitMiB, gotMiB } };
  },
};
