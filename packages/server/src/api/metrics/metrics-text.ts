/** A value inside the quotes of a label. */
export function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** Lines of the Prometheus text format. */
export class MetricsText {
  text = "";

  family(name: string, type: "counter" | "gauge" | "histogram", help: string): void {
    this.text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  }

  value(name: string, labels: string, value: number): void {
    this.text += labels === "" ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`;
  }

  gauge(name: string, help: string, value: number): void {
    this.family(name, "gauge", help);
    this.value(name, "", value);
  }

  counter(name: string, help: string, value: number): void {
    this.family(name, "counter", help);
    this.value(name, "", value);
  }
}
