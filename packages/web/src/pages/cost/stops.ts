/** What happens once a budget is spent. */
export const stops = {
  alert: "only alert",
  "refuse-new": "refuse new jobs",
  "stop-burst": "stop burst jobs",
  "stop-all": "stop all jobs",
} as const;
export type Stop = keyof typeof stops;

/** What a budget that is spent already would do at once. */
export const stopsNow: Readonly<Record<Stop, string>> = {
  alert: "an alert is sent now, nothing stops",
  "refuse-new": "new jobs are refused from now on",
  "stop-burst": "its burst jobs stop now",
  "stop-all": "all its jobs stop now",
};
