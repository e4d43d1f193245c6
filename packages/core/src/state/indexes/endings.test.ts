import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jobId, World } from "../../testing/world.ts";

describe("GPUs held by jobs with an expected end", () => {
  it("are counted by node while they are held", () => {
    const w = new World().nodes(["n", "H100:4"], ["m", "H100:4"]).account("a");
    w.submit("known", "a", { gpus: 4, max_time: "1h" });
    w.submit("both", "a", { gpus: 1, members: 2, expected_time: "2h" });
    w.submit("open", "a", { gpus: 1 });
    const on = (id: string) => w.state.jobById.get(jobId(id))!.leases.map(({ node }) => node);
    const [known, both] = [on("known")[0]!, on("both")[0]!];
    assert.deepEqual([w.state.endings.gpusOn[known], w.state.endings.gpusOn[both]], [4, 2]);
    w.run("known").exit("known", 0);
    assert.deepEqual([w.state.endings.gpusOn[known], w.state.endings.gpusOn[both]], [0, 2]);
  });
});
