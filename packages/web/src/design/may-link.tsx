import type { ReactNode } from "react";
import { Link } from "wouter";
import { useMay } from "../api/me.tsx";

interface MayLinkProps {
  /** What a person must be allowed to do for the page to be theirs. */
  readonly needs: string;
  readonly href: string;
  readonly title?: string;
  readonly children: ReactNode;
}

/** A link for users who may open its page; plain text for others, who would be refused there. */
export function MayLink({ needs, href, title, children }: MayLinkProps) {
  const may = useMay();
  if (!may(needs)) return <span title={title}>{children}</span>;
  return (
    <Link href={href} title={title}>
      {children}
    </Link>
  );
}
