import { NotRun } from "../lab.js";

/** A job whose GPU does nothing is stopped once it was idle for as long as it may be. */
export const idle = {
  name: "a job idle for its limit is stopped",
  async prove(lab) {
    const rule = { gpu_below: "5%", for: "1m", do: "stop" };
    const words = ["duty", "0", "300"];
    const tried = await lab.submit("cyd", "H200:1g.18gb", words, { idle: rule }).catch((error) => error);
    if (tried instanceof Error && /idle/.test(tried.message)) throw new NotRun(tried.message.slice(0, 300));
    if (tried instanceof Error) throw tried;
    try {
      return await watch(lab, tried);
    } finally {
      await lab.end(tried);
    }
  },
};

async function watch(lab, id) {
  await lab.said(id, "its load", (line) => line.ready);
  const begunAt = Date.now();
  const ended = await lab.reaches(id, ["ended", "suspended"], 150_000);
  const { state, outcome, detail } = ended;
  return {
    passed: outcome === "timed-out" && /below 5%/.test(detail),
    seen: { state, outcome, detail, afterS: Math.round((Date.now() - begunAt) / 1000) },
  };
}
