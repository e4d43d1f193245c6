/** What other packages use of the simulator: past runs on a simulated fleet, and how programs and pages are written. */
export { BadInput, exit, type Terminal, WrongUsage } from "./command/command.ts";
export { parseOptions } from "./command/options.ts";
export { runProgram } from "./command/program.ts";
export { barChart } from "./page/chart.ts";
export { escaped, framed, table, tiles } from "./page/frame.ts";
export { alikeNodes } from "./simulate/alike-nodes.ts";
export { DirectEngine, type OwnEnd } from "./simulate/direct-engine.ts";
export { mean, quantile, sum } from "./simulate/figures.ts";
export { gangSpec } from "./simulate/gang.ts";
export { Kernel } from "./simulate/kernel.ts";
export { textTable } from "./simulate/table.ts";
export { readSacct, type SacctJob } from "./trace/sacct.ts";
export { VirtualControlPlane } from "./virtual/control-plane.ts";
