/** What `tess` itself answers when something is wrong. Job codes below 100 pass through untouched. */
export const exit = {
  ok: 0,
  usage: 2,
  badSpec: 65,
  notFound: 66,
  serverDown: 69,
  conflict: 73,
  tryLater: 75,
  notAllowed: 77,
  badConfig: 78,
  interrupted: 130,
} as const;

/** How the platform ended a job, for jobs that did not end by themselves. */
export const platformEnd = {
  infraFailed: 100,
  cancelled: 103,
  preempted: 104,
  timeLimit: 105,
  policy: 106,
} as const;

/** The exit code for an answer that is not a success. */
export function exitCodeOfStatus(status: number): number {
  if (status === 401 || status === 403) return exit.notAllowed;
  if (status === 404 || status === 410) return exit.notFound;
  if (status === 409 || status === 412) return exit.conflict;
  if (status === 408 || status === 429 || status === 503 || status === 507) return exit.tryLater;
  if (status >= 500) return exit.serverDown;
  return exit.badSpec;
}
