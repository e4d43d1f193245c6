import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Serious and critical violations of WCAG 2.2 A and AA on the page as it is, each in a line. */
export async function seriousViolations(page: Page): Promise<string[]> {
  // Run by the test's own channel, which the page's policy does not concern.
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run(
          on: Document,
          options: object,
        ): Promise<{
          violations: { id: string; impact: string; help: string; nodes: { html: string; failureSummary: string }[] }[];
        }>;
      };
    };
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const { violations } = await axe.run(document, { runOnly: { type: "tag", values: tags } });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary}`);
  });
}
