import { type ButtonHTMLAttributes, type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Link } from "wouter";
import { spell, spellFull, spellSpan } from "../format/times.ts";
import { useTick } from "./tick.ts";

type Kind = "primary" | "danger" | "plain" | "usual";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Which route it calls, for tests that press everything. */
  readonly "data-act"?: string;
  readonly kind?: Kind;
  readonly small?: boolean;
}

export function Button({ kind = "usual", small, type = "button", className = "", ...rest }: ButtonProps) {
  return <button type={type} className={`button ${kind} ${small ? "small" : ""} ${className}`} {...rest} />;
}

/** A link that looks like a button: it goes somewhere, so it can be opened in another tab. */
export function ButtonLink({ href, kind = "usual", children }: { href: string; kind?: Kind; children: ReactNode }) {
  return (
    <Link href={href} className={`button ${kind}`}>
      {children}
    </Link>
  );
}

interface CardProps {
  readonly title?: ReactNode;
  readonly beside?: ReactNode;
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Card({ title, beside, flush, className = "", children }: CardProps) {
  return (
    <section className={`card ${className}`}>
      {title !== undefined && (
        <header>
          <h2>{title}</h2>
          {beside}
        </header>
      )}
      <div className={`body ${flush ? "flush" : ""}`}>{children}</div>
    </section>
  );
}

/** A number with its unit and what it is to be compared with. */
export function Figure(props: {
  label: string;
  value: ReactNode;
  unit?: string;
  beside?: ReactNode;
  below?: ReactNode;
}) {
  return (
    <div className="card figure">
      <span className="label">{props.label}</span>
      <span className="value">
        {props.value} {props.unit !== undefined && <small>{props.unit}</small>}
      </span>
      <span className="beside">{props.beside}</span>
      {props.below}
    </div>
  );
}

export function Notice(props: { kind?: "bad" | "warn" | "good" | "plain"; children: ReactNode; action?: ReactNode }) {
  const { kind = "plain" } = props;
  return (
    <div className={`notice ${kind}`} role={kind === "bad" ? "alert" : "status"}>
      <div className="grow">{props.children}</div>
      {props.action}
    </div>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly wrong?: string | undefined;
  readonly children: (props: { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean }) => ReactNode;
}

/** A label, its input, and the error of its value. */
export function Field({ label, hint, wrong, children }: FieldProps) {
  const id = useId();
  const about = wrong !== undefined || hint !== undefined ? { "aria-describedby": `${id}-about` } : {};
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, ...about, ...(wrong !== undefined && { "aria-invalid": true }) })}
      {wrong !== undefined ? (
        <span className="wrong" id={`${id}-about`}>
          {wrong}
        </span>
      ) : (
        hint !== undefined && (
          <span className="hint" id={`${id}-about`}>
            {hint}
          </span>
        )
      )}
    </div>
  );
}

/** For an empty page or list: how to fill it, by a click and on the command line. */
export function Empty(props: { title: string; children?: ReactNode; command?: string }) {
  return (
    <div className="empty">
      <strong>{props.title}</strong>
      {props.children}
      {props.command !== undefined && <code>{props.command}</code>}
    </div>
  );
}

export function Tabs(props: { label: string; tabs: readonly { href: string; label: string; here: boolean }[] }) {
  const bar = useRef<HTMLElement>(null);
  const current = props.tabs.find(({ here }) => here)?.href;
  // Where there is no room for all, the current one comes into sight, and nothing but the bar is scrolled for it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is current
  useLayoutEffect(() => {
    const tab = bar.current?.querySelector<HTMLElement>("[aria-current]");
    if (!bar.current || !tab) return;
    const { offsetLeft, clientWidth } = bar.current;
    bar.current.scrollLeft = tab.offsetLeft - offsetLeft - (clientWidth - tab.offsetWidth) / 2;
  }, [current]);
  return (
    <nav className="tabs" aria-label={props.label} ref={bar}>
      {props.tabs.map(({ href, label, here }) => (
        <Link key={href} href={href} replace {...(here && { "aria-current": "page" })}>
          {label}
        </Link>
      ))}
    </nav>
  );
}

/** Relative times are at most this old. */
const timeEveryMs = 5_000;

/** An instant in the chosen zone, with UTC on hover. */
export function Time({ at }: { at: string }) {
  useTick(timeEveryMs);
  return (
    <time dateTime={at} title={spellFull(at)} className="nowrap">
      {spell(at)}
    </time>
  );
}

/** How long something took; it goes on while there is no end. */
export function Span({ from, to }: { from: string; to?: string | undefined }) {
  return to === undefined ? <SpanSoFar from={from} /> : spellSpan(Date.parse(to) - Date.parse(from));
}

function SpanSoFar({ from }: { from: string }) {
  useTick(1_000);
  return spellSpan(Date.now() - Date.parse(from));
}

export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div className="stack tight skeletons" aria-hidden="true">
      {Array.from({ length: lines }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike
        <div key={i} className="skeleton" />
      ))}
    </div>
  );
}
