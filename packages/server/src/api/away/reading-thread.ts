import { TaskThread, yieldToOthers } from "../../work/thread.ts";
import { parseJsonBytes, parseYamlBytes } from "../request/content.ts";
import type { ReadingTasks } from "./tasks.ts";

/** The thread that reads large bodies. */
yieldToOthers();
new TaskThread().serve<ReadingTasks>({ json: parseJsonBytes, yaml: parseYamlBytes });
