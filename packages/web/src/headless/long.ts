/** The browser tests that take longer than `npm test` has time for: `npm run test:console`. */
import "./charts.long.ts";
import "./phone.long.ts";
import "./rows.long.ts";
import "./windows.long.ts";
