import type { PagePath } from "@tessera/wire/pages";

/** What the walk finds on its server. */
export interface Things {
  readonly jobs: Readonly<Record<"runs" | "waits" | "held" | "ended" | "failed" | "array", string>>;
  readonly node: string;
  readonly user: string;
  /** An instant at which the jobs were there. */
  readonly at: string;
}

/** Addresses of one page: those of things that exist, and those of things that do not. */
interface Places {
  readonly real: readonly string[];
  readonly unreal?: readonly string[];
}

const tabs = ["logs", "why", "activity", "placement", "usage", "files", "spec", "events"] as const;

/** Addresses of every page of the console; one without any does not compile. */
function placesOf({ jobs, node, user, at }: Things): Readonly<Record<PagePath, Places>> {
  const { runs, waits, held, ended, failed, array } = jobs;
  return {
    "/": { real: ["/", ...["overview", "teams", "work", "oversight", "spending"].map((home) => `/?home=${home}`)] },
    "/sign-in": { real: ["/sign-in"] },
    "/sign-in/tess": { real: [], unreal: ["/sign-in/tess?login=none"] },
    "/step-up": { real: [], unreal: ["/step-up?code=none"] },
    "/queue": { real: ["/queue", `/queue?job=${waits}`, `/queue?at=${at}`, "/queue?account=acme/team"] },
    "/jobs": { real: ["/jobs", "/jobs?state=all", "/jobs?state=failed&account=acme"] },
    "/jobs/:id/:tab?": {
      real: [
        ...Object.values(jobs).map((job) => `/jobs/${job}`),
        ...[runs, ended, failed].flatMap((job) =>
          tabs.filter((tab) => tab !== "why").map((tab) => `/jobs/${job}/${tab}`),
        ),
        ...[waits, held, array].map((job) => `/jobs/${job}/why`),
        ...["spec", "events", "usage"].map((tab) => `/jobs/${array}/${tab}`),
        `/jobs/${array}.1`,
        `/jobs/${failed}/logs?rank=columns&find=x&only=found`,
      ],
      unreal: ["/jobs/job_none", "/jobs/job_none/why", `/jobs/${ended}/why`, `/jobs/${array}.99`],
    },
    "/compare": {
      real: ["/compare", `/compare?b=${failed}`, `/compare?a=${ended}&b=${failed}`, `/compare?a=${runs}&b=${waits}`],
      unreal: ["/compare?a=job_none&b=job_none"],
    },
    "/new": { real: ["/new", `/new?from=${runs}`, `/new?from=${array}.1`], unreal: ["/new?from=none"] },
    "/fleet": { real: ["/fleet", "/fleet?colour=tenant", "/fleet?colour=activity", `/fleet?at=${at}`] },
    "/fleet/engines": { real: ["/fleet/engines"] },
    "/fleet/pools": { real: ["/fleet/pools"] },
    "/fleet/what-if": { real: ["/fleet/what-if"] },
    "/quota": { real: ["/quota"] },
    "/quota/*": { real: ["/quota/acme", "/quota/acme/team"], unreal: ["/quota/none"] },
    "/cost": { real: ["/cost", "/cost?by=job&range=30d"] },
    "/cost/waste": { real: ["/cost/waste"] },
    "/cost/money": { real: ["/cost/money"] },
    "/cost/budgets": { real: ["/cost/budgets"] },
    "/cost/invoices": { real: ["/cost/invoices"] },
    "/cost/ledger": { real: ["/cost/ledger"] },
    "/cost/contracts": { real: ["/cost/contracts"] },
    "/cost/close": { real: ["/cost/close"] },
    "/invoices/:account/:period": { real: ["/invoices/acme/open"], unreal: ["/invoices/none/open"] },
    "/nodes": { real: ["/nodes", "/nodes?mode=up"] },
    "/nodes/*": { real: [`/nodes/${node}`], unreal: ["/nodes/none"] },
    "/people/:user?": { real: ["/people", `/people/${user}`, "/people/me"], unreal: ["/people/none"] },
    "/audit": { real: ["/audit", "/audit?action=user.create"] },
    "/settings/:section?": {
      real: [
        "/settings",
        ...["prices", "providers", "anchors", "keys", "outlets", "api"].map((name) => `/settings/${name}`),
      ],
    },
  };
}

/** An address to visit, and whether there is something at it. */
export interface Visit {
  readonly path: string;
  readonly exists: boolean;
}

/** Every address of the console, with things that exist and things that do not. */
export function allVisits(things: Things): Visit[] {
  const places = Object.values(placesOf(things));
  return [
    ...places.flatMap(({ real }) => real.map((path) => ({ path, exists: true }))),
    ...places.flatMap(({ unreal = [] }) => unreal.map((path) => ({ path, exists: false }))),
    { path: "/nothing", exists: false },
  ];
}

/** What the rail leads to, a job, a node and a new job. */
const mainPages: readonly PagePath[] = [
  ...(["/", "/queue", "/jobs", "/jobs/:id/:tab?", "/new", "/fleet", "/quota", "/cost"] as const),
  ...(["/nodes", "/nodes/*", "/people/:user?", "/audit", "/settings/:section?"] as const),
];

/** The first address of each main page. */
export function mainVisits(things: Things): Visit[] {
  const places = placesOf(things);
  return mainPages.map((page) => ({ path: places[page].real[0]!, exists: true }));
}
