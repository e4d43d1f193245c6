import "./design/tokens.css";
import "./design/base.css";
import "./design/components.css";
import "./design/frame.css";
import "./design/pages.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Refused, Unreachable, whenHead } from "./api/call.ts";
import { onReturn } from "./api/connection.ts";
import { noteHead } from "./api/heads.ts";
import { App } from "./app.tsx";
import { Boundary } from "./frame/boundary.tsx";
import { nameEntries } from "./frame/entries.ts";
import { applyTheme } from "./frame/theme.ts";

applyTheme();
nameEntries();
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      retry: (_, error) => error instanceof Unreachable,
      retryDelay: (failures) => Math.min(3_000, 300 * 2 ** failures),
    },
  },
});
whenHead((line) => void noteHead(line));
onReturn(() => void queries.invalidateQueries());

/** A refusal is told to the person; only faults of the console itself are for its makers. */
function noteFault(error: unknown): void {
  if (!(error instanceof Refused)) console.error(error);
}

createRoot(document.getElementById("root")!, { onCaughtError: noteFault }).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Boundary at="">
        <App />
      </Boundary>
    </QueryClientProvider>
  </StrictMode>,
);
