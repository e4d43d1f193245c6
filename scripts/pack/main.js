import { join } from "node:path";
import { orExplain } from "../launch/launch.js";
import { root } from "../launch/root.js";
import { packCli } from "./pack.js";

const usage = `npm run pack:cli: makes an npm package of tess that needs no clone

It is written to .cache/pack. On another machine: npm install -g tessera-cli-VERSION.tgz`;

if (process.argv.includes("--help")) console.log(usage);
else await orExplain(async () => console.log(await packCli(root, join(root, ".cache", "pack"))));
