import type { CommandInput, TickInput } from "./command.ts";
import type { ReportInput } from "./report.ts";

/** Everything that can change the state: commands of users, reports of engines, and the passing of time. */
export type Input = CommandInput | ReportInput | TickInput;
