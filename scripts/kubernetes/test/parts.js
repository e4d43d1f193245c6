import { checkWalls } from "../walls/checks.js";
import { testBadInput } from "./bad-input-part.js";
import { runClusterFiles } from "./cluster-files.js";
import { testFencing } from "./fencing-part.js";
import { testGang } from "./gang-part.js";
import { testLab } from "./lab-part.js";

/**
 * The parts in the order in which they run. `real`: how many real nodes it needs. Each takes the lab and gives how many
 * checks passed and failed, and what failed.
 */
export const parts = {
  lab: { real: 2, run: testLab },
  "suite-kwok": { real: 0, run: (lab, { say }) => runClusterFiles(lab, { say, nodes: "kwok" }) },
  "suite-real": { real: 1, run: (lab, { say }) => runClusterFiles(lab, { say, nodes: "real" }) },
  walls: { real: 1, run: testWalls },
  fencing: { real: 0, run: testFencing },
  gang: { real: 2, run: testGang },
  "bad-input": { real: 0, run: testBadInput },
};

/** Each wall holds, and falls when its object is taken away. */
async function testWalls(lab, { say }) {
  const { checked, failed, results } = await checkWalls(lab, { say });
  return { passed: checked - failed, failed, faults: results.filter(({ passed }) => !passed) };
}
