/** The browser tests that take longer than `npm test` has time for: `npm run test:console`. */
import "./books.long.ts";
import "./charts.long.ts";
import "./homes.long.ts";
import "./plan.long.ts";
import "./owner-acts.long.ts";
import "./new-job.long.ts";
import "./phone.long.ts";
import "./rows.long.ts";
import "./tables.long.ts";
import "./tasks.long.ts";
import "./windows.long.ts";
