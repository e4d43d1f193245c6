import { Link } from "wouter";
import { Empty } from "./parts.tsx";

/** In place of a page whose address names nothing. */
export function Missing({ title, why, href, go }: { title: string; why?: string; href: string; go: string }) {
  return (
    <div className="page">
      <h1 className="hidden-text">{title}</h1>
      <Empty title={title}>
        {why !== undefined && <p>{why}</p>}
        <Link href={href}>{go}</Link>
      </Empty>
    </div>
  );
}
