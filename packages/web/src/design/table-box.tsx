import type { ReactNode } from "react";

/** A table that scrolls sideways where there is little room; reachable by keyboard for that. */
export function TableBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className="table-box" tabIndex={0} aria-label={label}>
      <table className="table">{children}</table>
    </section>
  );
}
