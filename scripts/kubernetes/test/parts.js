import { testChart } from "../chart/dry-run.js";
import { testInstall } from "../chart/install.js";
import { testRights } from "../rights/rights.js";
import { testWalls } from "../walls/checks.js";
import { testBadInput } from "./bad-input-part.js";
import { runClusterFiles } from "./cluster-files.js";
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
  rights: { real: 1, run: testRights },
  chart: { real: 0, run: testChart },
  install: { real: 1, run: testInstall },
  gang: { real: 2, run: testGang },
  "bad-input": { real: 0, run: testBadInput },
};
