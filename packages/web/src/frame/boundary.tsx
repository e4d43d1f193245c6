import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { Component, type ReactNode, useEffect } from "react";
import { Refused, wordsOf } from "../api/call.ts";
import { isLive, onReturn } from "../api/connection.ts";
import { Button, Empty } from "../design/parts.tsx";
import { inZone } from "../format/times.ts";

interface BoundaryProps {
  /** When it changes, what failed is tried again: another address is another page. */
  readonly at: string;
  readonly children: ReactNode;
}

/** Shows why a page cannot be shown, in place of the page, and tries again. */
export function Boundary({ at, children }: BoundaryProps) {
  const { reset } = useQueryErrorResetBoundary();
  return (
    <Catching at={at} onRetry={reset}>
      {children}
    </Catching>
  );
}

class Catching extends Component<BoundaryProps & { readonly onRetry: () => void }, { readonly error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (before.at !== this.props.at && this.state.error !== undefined) this.#retry();
  }

  #retry = () => {
    this.props.onRetry();
    this.setState({ error: undefined });
  };

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <div className="page">
        <Failed error={error} onRetry={this.#retry} />
      </div>
    );
  }
}

function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const retry = <Button onClick={onRetry}>Try again</Button>;
  if (isMissingFile(error)) return <NotLoaded />;
  if (!(error instanceof Refused)) {
    return (
      <Empty title="This page has a fault">
        <p>{wordsOf(error)}</p>
        {retry}
      </Empty>
    );
  }
  const { status, detail, hint } = error.problem;
  return (
    <Empty title={status === 403 ? "Not for your role" : error.problem.title}>
      <p>{inZone(detail)}</p>
      {hint !== undefined && <p>{inZone(hint)}</p>}
      {status === 403 ? <a href="/">Home</a> : retry}
    </Empty>
  );
}

/** Browsers have words of their own for a module that cannot be fetched. */
function isMissingFile(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|module script failed|preload/i.test(error.message);
}

const reloadedKey = "tessera-reloaded-at";
const reloadEveryMs = 20_000;

/**
 * The file of a page could not be fetched: the server is away, or was replaced by a newer one, whose files have other
 * names. Loading the console again helps with both, as soon as the server answers.
 */
function NotLoaded() {
  useEffect(() => {
    const reload = () => {
      const last = Number(sessionStorage.getItem(reloadedKey) ?? 0);
      if (Date.now() - last < reloadEveryMs) return; // it did not help just now
      sessionStorage.setItem(reloadedKey, String(Date.now()));
      location.reload();
    };
    const look = () =>
      void fetch("/healthz", { cache: "no-store" }).then(
        ({ ok }) => ok && reload(),
        () => {},
      );
    if (isLive()) look();
    return onReturn(look);
  }, []);
  return (
    <Empty title="This page could not be loaded">
      <p>The server does not answer, or is a newer one than this console. It is tried again when the server is back.</p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </Empty>
  );
}
