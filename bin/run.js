#!/usr/bin/env node
// Runs a built program: `run.js packages/sim/dist/bench/recover.js --json`. What the npm scripts go through.
import { launch } from "../scripts/launch/launch.js";

const [program] = process.argv.splice(2, 1);
await launch(program);
