import { orExplain } from "../../launch/launch.js";
import { Lab } from "../lab/lab.js";
import { checkWalls } from "./checks.js";

/** The walls alone, on one real node: part of `npm run test:kubernetes`. */
async function main() {
  const say = (text) => console.error(text);
  const lab = await Lab.open({ say });
  try {
    await lab.addNode({ name: "real-1", networkPolicy: true });
    const result = await checkWalls(lab, { say, only: process.argv[2] });
    console.log(JSON.stringify(result, null, 2));
    process.exitCode = result.failed === 0 ? 0 : 1;
  } finally {
    await lab.close();
  }
}

await orExplain(main);
