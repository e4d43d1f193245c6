import { NotRun } from "../lab.js";

/** A job that asks for 20 GiB of a GPU shared by MPS and takes 40 gets no more than it asked for. */
export const mpsMemory = {
  name: "memory limit by MPS",
  async prove(lab) {
    if (!(await lab.offers("mps"))) throw new NotRun("this engine offers no MPS");
    const id = await lab.submit("ben", 0.25, ["grow", "40960"], { isolation: "mps", gpu_memory: "20GiB" });
    const { gotMiB } = await lab.said(id, "what it got", (line) => line.gotMiB !== undefined && line);
    await lab.reaches(id, ["ended"]);
    return { passed: gotMiB > 10_000 && gotMiB <= 20_480, seen: { askedMiB: 40_960, limitMiB: 20_480, gotMiB } };
  },
};
