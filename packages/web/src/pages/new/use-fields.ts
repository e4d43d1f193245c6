import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { FieldHelp } from "./editor.tsx";

/** The fields of the job file, from the schema that checks it. */
export function useFields(): readonly FieldHelp[] {
  const { data } = useQuery({
    queryKey: ["job-schema"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () =>
      (await fetch("/v1/schemas/job.json")).json() as Promise<{ properties: Record<string, Schema> }>,
  });
  return useMemo(
    () =>
      Object.entries(data?.properties ?? {})
        .filter(([, schema]) => !schema.description?.includes("refused, never ignored"))
        .map(([name, schema]) => ({ name, about: schema.description ?? "", values: valuesOf(schema) })),
    [data],
  );
}

interface Schema {
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
}

function valuesOf(schema: Schema): string[] {
  if (schema.type === "boolean") return ["true", "false"];
  return [...(schema.enum ?? []), ...(schema.anyOf ?? []).flatMap((each) => each.enum ?? [])].map(String);
}
