import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useConnection } from "../api/connection.ts";
import { hasDrafts } from "../api/draft.ts";
import { forgetHead, useHistoryFault } from "../api/heads.ts";
import { useMe } from "../api/me.tsx";
import { Confirm } from "../design/confirm.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Icon } from "../design/icon.tsx";
import { onDemand } from "../design/on-demand.tsx";
import { Button, ButtonLink, Notice } from "../design/parts.tsx";
import { spellClock } from "../format/times.ts";
import { chooseZone, zoneChosen } from "../format/zone.ts";
import { NewDeviceBanner } from "../pages/security/new-device.tsx";
import { useCarried } from "./carried.ts";
import { KnownAccount } from "./known-account.tsx";
import { isAt, linksFor, pageAt } from "./pages.ts";
import type { Command } from "./palette/entries.ts";
import { type Doing, Palette } from "./palette/palette.tsx";
import { useScrollPlace } from "./scroll-places.ts";
import { useShortcuts } from "./shortcuts.ts";
import { useSignOut } from "./sign-out.ts";
import { Switcher } from "./switcher.tsx";
import { chooseTheme, switchTheme, type Theme, themeChosen } from "./theme.ts";
import { Toasts } from "./toasts.tsx";
import { InZone, ZoneChoice } from "./zone.tsx";

const Deeds = onDemand(() => import("./palette/deeds.tsx"), null);

/** Where the key beside the letters is called otherwise. */
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Pages that put the name of what they show into the title. */
const namesItself = /^\/jobs\/[^/]/;

/** Rail, top bar, and the page in between; the same around every page. */
export function Frame({ children, onSignOut }: { children: ReactNode; onSignOut: () => void }) {
  const me = useMe();
  const links = linksFor(me);
  const [path, go] = useLocation();
  const carry = useCarried();
  const [open, setOpen] = useState<"palette" | "help" | undefined>();
  const [doing, setDoing] = useState<Doing>();
  const leave = useSignOut(onSignOut);
  const main = useRef<HTMLElement>(null);
  const chords = Object.fromEntries(links.map(({ key, href }) => [`g ${key}`, () => go(carry(href))]));
  useShortcuts({
    ...chords,
    "/": () => setOpen("palette"),
    "mod+k": () => setOpen("palette"),
    "?": () => setOpen("help"),
    ...(me.may.includes("job.submit") && { c: () => go("/new") }),
  });
  const run = (command: Command) => {
    if (command === "theme") switchTheme();
    else if (command === "zone") chooseZone(zoneChosen() === "utc" ? "local" : "utc");
    else if (command === "help") setOpen("help");
    else void leave(false);
  };
  useScrollPlace(main, `page ${pageAt(path)}`, true);
  useEffect(() => {
    if (namesItself.test(path)) return;
    const label = links.find(({ href }) => isAt(href, path))?.label;
    document.title = label === undefined ? "Tessera" : `${label} · Tessera`;
  }, [path, links]);
  const here = (href: string) => (isAt(href, path) ? { "aria-current": "page" as const } : {});
  const onPhone = links.filter(({ label }) => ["Home", "Queue", "Jobs", "Cost"].includes(label));
  return (
    <div className="frame">
      <nav className="rail" aria-label="Pages">
        <Link href="/" className="home">
          <img src="/favicon.svg" width="20" height="20" alt="" />
          <span className="word">Tessera</span>
        </Link>
        {links.map(({ href, label, icon }) => (
          <Link key={href} href={carry(href)} {...here(href)} title={label}>
            <Icon name={icon} />
            <span className="word">{label}</span>
          </Link>
        ))}
      </nav>
      <header className="top">
        <button type="button" className="search" onClick={() => setOpen("palette")}>
          <span className="row">
            <Icon name="search" size={15} /> <span className="word">Search</span>
          </span>
          <kbd className="wide">{isMac ? "⌘" : "Ctrl"} K</kbd>
        </button>
        <Switcher />
        <span className="grow" />
        <LiveDot />
        {me.may.includes("job.submit") && (
          <ButtonLink href="/new" kind="primary">
            <Icon name="add" size={14} /> New job
          </ButtonLink>
        )}
        <UserMenu onSignOut={onSignOut} onHelp={() => setOpen("help")} />
      </header>
      <main className="main" id="main" tabIndex={-1} ref={main}>
        <div className="no-print">
          <LostBanner />
          <HistoryBanner />
          <NewDeviceBanner />
        </div>
        <InZone>
          <KnownAccount>{children}</KnownAccount>
        </InZone>
      </main>
      <nav className="bottom" aria-label="Main pages">
        {onPhone.map(({ href, label, icon }) => (
          <Link key={href} href={carry(href)} {...here(href)}>
            <Icon name={icon} size={20} />
            {label}
          </Link>
        ))}
      </nav>
      {open === "palette" && <Palette onClose={() => setOpen(undefined)} onRun={run} onDeed={setDoing} />}
      {doing !== undefined && <Deeds {...doing} onClose={() => setDoing(undefined)} />}
      {open === "help" && <Help onClose={() => setOpen(undefined)} />}
      <Toasts />
    </div>
  );
}

function LiveDot() {
  const { live } = useConnection();
  return (
    <span className={`live wide ${live ? "" : "lost"}`}>
      <i />
      {live ? "Live" : "Not live"}
    </span>
  );
}

function LostBanner() {
  const { live, lostAt } = useConnection();
  if (live) return null;
  return (
    <div style={{ padding: "12px 20px 0" }}>
      <Notice kind="warn">
        The server does not answer. Retrying; this page is from {spellClock(new Date(lostAt).toISOString())}.
      </Notice>
    </div>
  );
}

/** The server shows another history than the one that this browser remembers. */
function HistoryBanner() {
  const found = useHistoryFault();
  if (found === undefined) return null;
  const believe = <Button onClick={forgetHead}>Believe it from now on</Button>;
  return (
    <div style={{ padding: "12px 20px 0" }}>
      <Notice kind="bad" action={believe}>
        <strong>The history of this server was changed: {found.fault}.</strong> Ask its owner why, and keep both lines.
        <pre className="small" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {`remembered: ${found.before}\nshown now:  ${found.now}`}
        </pre>
      </Notice>
    </div>
  );
}

/** The browser's own popover: a click beside it or Escape closes it, and the focus goes back to the button. */
function UserMenu({ onSignOut, onHelp }: { onSignOut: () => void; onHelp: () => void }) {
  const me = useMe();
  const leave = useSignOut(onSignOut);
  const [theme, setTheme] = useState(themeChosen);
  const [asking, setAsking] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const pick = (next: Theme) => {
    chooseTheme(next);
    setTheme(next);
  };
  const links = linksFor(me);
  const carry = useCarried();
  return (
    <>
      <button type="button" className="button plain" popoverTarget={id}>
        {me.name || me.user}
      </button>
      <div className="menu" id={id} popover="auto" ref={list}>
        <div className="who">
          <strong>{me.name}</strong>
          {me.bindings.map(({ role, account }) => (
            <div key={`${role} ${account}`} className="quiet small">
              {role} of {account === "" ? "the platform" : account}
            </div>
          ))}
        </div>
        <fieldset className="row wrap" style={{ border: 0, padding: "6px 10px", margin: 0 }}>
          <legend className="hidden-text">Colours</legend>
          {(["system", "light", "dark"] as const).map((each) => (
            <button key={each} type="button" className="chip" aria-pressed={theme === each} onClick={() => pick(each)}>
              {each}
            </button>
          ))}
        </fieldset>
        <ZoneChoice />
        {links
          .filter(({ label }) => !["Home", "Queue", "Jobs", "Cost"].includes(label))
          .map(({ href, label }) => (
            <Link key={href} href={carry(href)} onClick={() => list.current?.hidePopover()}>
              {label}
            </Link>
          ))}
        <button type="button" onClick={onHelp}>
          Keyboard
        </button>
        <button type="button" onClick={() => void leave(false)}>
          Sign out
        </button>
        <button
          type="button"
          onClick={() => {
            list.current?.hidePopover();
            setAsking(true);
          }}
        >
          Sign out everywhere
        </button>
      </div>
      {asking && (
        <Confirm
          title="Sign out everywhere?"
          act="Sign out everywhere"
          busy={false}
          onAct={() => void leave(true)}
          onClose={() => setAsking(false)}
        >
          <p>
            Every browser and terminal in which you are signed in has to sign in again, this one too. Tokens of programs
            stay.
            {hasDrafts(me.user) && " What you are writing in this tab is thrown away."}
          </p>
        </Confirm>
      )}
    </>
  );
}

function Help({ onClose }: { onClose: () => void }) {
  const links = linksFor(useMe());
  const keys = [
    [isMac ? "⌘ K" : "Ctrl K", "find or do anything; also /"],
    ["c", "new job"],
    ["?", "this help"],
    ["j k", "the next row of a list, the row before"],
    ["x", "choose the row"],
    ["Shift J K", "choose through"],
    ["Enter", "open the row"],
    ["Escape", "choose none"],
    ...links.map(({ key, label }) => [`g ${key}`, label] as const),
  ] as const;
  return (
    <Dialog title="Keyboard" onClose={onClose} light>
      <dl style={{ display: "grid", gridTemplateColumns: "80px 1fr", rowGap: 8 }}>
        {keys.map(([key, what]) => (
          <div key={key} style={{ display: "contents" }}>
            <dt>
              {key.split(" ").map((each) => (
                <kbd key={each} style={{ marginRight: 4 }}>
                  {each}
                </kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p className="quiet small" style={{ marginTop: 12 }}>
        On the fleet map: arrows move, + and − zoom, Enter opens.
      </p>
    </Dialog>
  );
}
