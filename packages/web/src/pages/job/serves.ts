import type { Job } from "@tessera/wire";

type About = Pick<Job, "state" | "type" | "elements" | "spec">;

/**
 * Whether there is a page of it to open: services and notebooks have one, and what serves a page in another job does so
 * on the port that the job is given. Which ports are listened on is known only inside.
 */
export function servesPage({ state, type, elements, spec }: About): boolean {
  if (state !== "running" || elements !== undefined) return false;
  return type === "service" || type === "notebook" || /\bTESS_PORT\b/.test(String(spec.run));
}
