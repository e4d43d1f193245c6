#!/usr/bin/env node
import { launch } from "../scripts/launch/launch.js";

await launch("packages/cli/dist/main.js");
