#!/usr/bin/env node
import { launch } from "../scripts/launch/launch.js";

await launch("packages/verifier/dist/main.js");
