import { useQueryClient } from "@tanstack/react-query";
import type { WhoAmI } from "@tessera/wire";
import { type PagePath, pagePaths } from "@tessera/wire/pages";
import { type ComponentType, createElement, useCallback, useEffect, useState } from "react";
import { Redirect, Route, Switch, useLocation, useSearch } from "wouter";
import { call, whenFactorMissing, whenSignedOut, wordsOf } from "./api/call.ts";
import { forgetDrafts } from "./api/draft.ts";
import { beginStreams, forgetStreams } from "./api/live.ts";
import { MeContext } from "./api/me.tsx";
import { forgetProof, onProof } from "./api/proof.ts";
import { useCall } from "./api/use-call.ts";
import { Missing } from "./design/missing.tsx";
import { pageOnDemand } from "./design/on-demand.tsx";
import { Empty } from "./design/parts.tsx";
import { inZone } from "./format/times.ts";
import { Boundary } from "./frame/boundary.tsx";
import { Frame } from "./frame/frame.tsx";
import { HomePage } from "./pages/home/home-page.tsx";
import { JobPage } from "./pages/job/job-page.tsx";
import { JobsPage } from "./pages/jobs/jobs-page.tsx";
import { QueuePage } from "./pages/queue/queue-page.tsx";
import { StepUp } from "./pages/security/step-up.tsx";
import { takeReturn } from "./pages/sign-in/provider-buttons.tsx";
import { SecondStep } from "./pages/sign-in/second-step.tsx";
import { SignInPage } from "./pages/sign-in/sign-in-page.tsx";

// Pages that are rarely opened, or are large, are loaded on demand.
const AllowActPage = pageOnDemand(() => import("./pages/security/allow-act-page.tsx"));
const AllowPage = pageOnDemand(() => import("./pages/sign-in/allow-page.tsx"));
const AuditPage = pageOnDemand(() => import("./pages/audit/audit-page.tsx"));
const BudgetsPage = pageOnDemand(() => import("./pages/cost/budgets-page.tsx"));
const ClosePage = pageOnDemand(() => import("./pages/cost/close-page.tsx"));
const ComparePage = pageOnDemand(() => import("./pages/compare/compare-page.tsx"));
const ContractsPage = pageOnDemand(() => import("./pages/cost/contracts-page.tsx"));
const CostPage = pageOnDemand(() => import("./pages/cost/cost-page.tsx"));
const EnginesPage = pageOnDemand(() => import("./pages/fleet/engines-page.tsx"));
const FleetPage = pageOnDemand(() => import("./pages/fleet/fleet-page.tsx"));
const InvoicePage = pageOnDemand(() => import("./pages/cost/invoice-page.tsx"));
const InvoicesPage = pageOnDemand(() => import("./pages/cost/invoices-page.tsx"));
const LedgerPage = pageOnDemand(() => import("./pages/cost/ledger-page.tsx"));
const MoneyPage = pageOnDemand(() => import("./pages/cost/money-page.tsx"));
const NewJobPage = pageOnDemand(() => import("./pages/new/new-job-page.tsx"));
const NodePage = pageOnDemand(() => import("./pages/nodes/node-page.tsx"));
const NodesPage = pageOnDemand(() => import("./pages/nodes/nodes-page.tsx"));
const PeoplePage = pageOnDemand(() => import("./pages/people/people-page.tsx"));
const PoolsPage = pageOnDemand(() => import("./pages/fleet/pools-page.tsx"));
const QuotaPage = pageOnDemand(() => import("./pages/quota/quota-page.tsx"));
const SettingsPage = pageOnDemand(() => import("./pages/settings/settings-page.tsx"));
const WhatIfPage = pageOnDemand(() => import("./pages/what-if/what-if-page.tsx"));
const WastePage = pageOnDemand(() => import("./pages/waste/waste-page.tsx"));

const retryMs = 3_000;

/** The sign-in page until a user is signed in; then the page of the address. */
export function App() {
  const queries = useQueryClient();
  /** Null: not signed in. Undefined: not known yet. */
  const [me, setMe] = useState<WhoAmI | null>();
  /** Why the person has to sign in again in the middle of work. */
  const [ended, setEnded] = useState<string | undefined>();
  const session = useCall("readSession", {}, { on: me === undefined, everyMs: retryMs, mayFail: true });
  const [path, go] = useLocation();
  const search = useSearch();
  useEffect(() => {
    if (session.data !== undefined) setMe((known) => (known === undefined ? (session.data.me ?? null) : known));
  }, [session.data]);
  const forget = useCallback(() => {
    forgetStreams();
    queries.clear();
    setMe(null);
  }, [queries]);
  useEffect(
    () =>
      whenSignedOut((why) => {
        setEnded(why);
        forget();
      }),
    [forget],
  );
  const isInside = me !== undefined && me !== null && me.second === undefined;
  useEffect(() => {
    if (isInside) beginStreams();
  }, [isInside]);
  const askAgain = useCallback(
    () =>
      void call("readSession").then(
        ({ me: now = null }) => {
          if (now !== null) setEnded(undefined);
          setMe(now);
        },
        () => undefined,
      ),
    [],
  );
  // The rules may have changed while one worked: the session says again what is missing.
  useEffect(() => whenFactorMissing(askAgain), [askAgain]);
  // The session is that of all tabs of the browser: who signs in to another tab is signed in here too.
  useEffect(() => (isInside ? undefined : onProof(askAgain)), [isInside, askAgain]);
  const leave = () => {
    forgetProof();
    forgetDrafts();
    setEnded(undefined);
    forget();
    go("/sign-in");
  };
  if (me === undefined) {
    return session.isError ? (
      <Empty title="The server does not answer">{wordsOf(session.error)} Retrying.</Empty>
    ) : null;
  }
  if (me?.second !== undefined) return <SecondStep me={me} onDone={setMe} onSignOut={leave} />;
  if (me === null) {
    return (
      <SignInPage
        ended={ended === undefined ? undefined : inZone(ended)}
        onSignedIn={(who) => {
          setEnded(undefined);
          setMe(who);
          const asked = takeReturn();
          if (path === "/sign-in" || asked !== undefined) go(asked === "/sign-in" ? "/" : (asked ?? "/"));
        }}
      />
    );
  }
  return (
    <MeContext value={me}>
      <StepUp />
      <Frame onSignOut={leave}>
        <Boundary at={`${path}?${search}`}>
          <Pages />
        </Boundary>
      </Frame>
    </MeContext>
  );
}

const pages: Readonly<Record<PagePath, ComponentType>> = {
  "/": HomePage,
  "/sign-in": () => <Redirect to="/" replace />,
  "/sign-in/tess": AllowPage,
  "/step-up": AllowActPage,
  "/queue": QueuePage,
  "/jobs": JobsPage,
  "/jobs/:id/:tab?": JobPage,
  "/compare": ComparePage,
  "/new": NewJobPage,
  "/fleet": FleetPage,
  "/fleet/engines": EnginesPage,
  "/fleet/pools": PoolsPage,
  "/fleet/what-if": WhatIfPage,
  "/quota": QuotaPage,
  "/quota/*": QuotaPage,
  "/cost": CostPage,
  "/cost/waste": WastePage,
  "/cost/money": MoneyPage,
  "/cost/budgets": BudgetsPage,
  "/cost/invoices": InvoicesPage,
  "/cost/ledger": LedgerPage,
  "/cost/contracts": ContractsPage,
  "/cost/close": ClosePage,
  "/invoices/:account/:period": InvoicePage,
  "/nodes": NodesPage,
  "/nodes/*": NodePage,
  "/people/:user?": PeoplePage,
  "/audit": AuditPage,
  "/settings/:section?": SettingsPage,
};

function NoSuchPage() {
  return <Missing title="There is no such page" why={`Nothing is at ${location.pathname}.`} href="/" go="Home" />;
}

/** Without keys: a page that is at two addresses, such as a list and the list with one of it chosen, stays what it is. */
const routes = [
  ...pagePaths.map((path) => createElement(Route, { path, component: pages[path] })),
  createElement(Route, { component: NoSuchPage }),
];

function Pages() {
  return <Switch>{routes}</Switch>;
}
