const paths = {
  home: "M3 9.5 10 4l7 5.5V17h-5v-4H8v4H3z",
  fleet: "M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z",
  queue: "M3 5h14M3 10h10M3 15h6",
  jobs: "M5 3.5 16 10 5 16.5z",
  quota: "M3 16V8M8 16V4M13 16v-6M18 16H2",
  cost: "M14 6.5C13 5 11.5 4.5 10 4.5c-2 0-3.5 1-3.5 2.7C6.500 11 14 9 14 12.700c0 1.800-1.700 2.800-4 2.800-1.800 0-3.300-.6-4.200-2.200M10 2.500v15",
  nodes: "M3 4h14v5H3zM3 11h14v5H3zM6 6.500h.01M6 13.500h.01",
  people:
    "M7 9a2.800 2.800 0 1 0 0-5.600A2.800 2.800 0 0 0 7 9zM2 16.500c.4-3 2.500-4.500 5-4.500s4.600 1.500 5 4.500M13 9a2.300 2.300 0 1 0-.6-4.500M14 12c2.200.2 3.700 1.700 4 4",
  audit: "M5 2.500h7l3.500 3.500v11.500H5zM12 2.500V6h3.500M7.500 10h5M7.500 13h5",
  settings: "M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4",
  search: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.500 13.500 17.500 17.500",
  add: "M10 4v12M4 10h12",
  close: "M5 5l10 10M15 5 5 15",
  more: "M4 10h.01M10 10h.01M16 10h.01",
} as const;
export type IconName = keyof typeof paths;

/** A line drawing; always beside a word, so screen readers skip it. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" fill="none" aria-hidden="true">
      <path d={paths[name]} stroke="currentColor" strokeWidth="1.7" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
