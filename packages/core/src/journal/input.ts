import type { CommandInput, TickInput } from "./command.ts";
import type { ReportInput } from "./report.ts";

/** Everything that can move the state: what people ask, what engines tell, and that time has passed. */
export type Input = CommandInput | ReportInput | TickInput;
