import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { lookOfPlace } from "../chart/colours.ts";
import { type Hue, hues, patternOf } from "./hues.ts";
import { meanings } from "./meanings.ts";

const css = readFileSync(new URL("../../src/design/tokens.css", import.meta.url), "utf8");
const themes = ["light", "dark"] as const;
type Theme = (typeof themes)[number];

/** Linear light of red, green and blue, from 0 to 1. */
type Light = readonly [number, number, number];

function lightOf(token: string, theme: Theme): Light {
  const [, light, dark] = new RegExp(`--${token}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(css) ?? [];
  const text = theme === "light" ? light : dark;
  assert.ok(text, `--${token} has a colour for ${theme} pages`);
  const part = (at: number) => {
    const share = Number.parseInt(text.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

/** As WCAG counts it: 1 to 21. */
function contrast(a: Light, b: Light): number {
  const brightness = ([r, g, blue]: Light) => 0.2126 * r + 0.7152 * g + 0.0722 * blue + 0.05;
  const [dim, bright] = [brightness(a), brightness(b)].sort((x, y) => x - y);
  return bright! / dim!;
}

type Rows = readonly [Light, Light, Light];

function each([first, second, third]: Light, change: (part: number) => number): Light {
  return [change(first), change(second), change(third)];
}

function times([first, second, third]: Rows, [x, y, z]: Light): Light {
  const sum = (row: Light) => row[0] * x + row[1] * y + row[2] * z;
  return [sum(first), sum(second), sum(third)];
}

function clipped(light: Light): Light {
  return each(light, (part) => Math.min(1, Math.max(0, part)));
}

/** What readers without one kind of cone see: Machado, Oliveira and Fernandes, 2009. */
const eyes: Readonly<Record<string, Rows>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

/** Distances in OKLab look equally far everywhere; a hundredth is about the least that is seen. */
function seen(light: Light, eye: Rows): Light {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    clipped(times(eye, light)),
  );
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    each(cones, Math.cbrt),
  );
}

/** How far apart two hues are for the eye that tells them apart least. */
function distance(a: Hue, b: Hue, theme: Theme): number {
  const far = Object.values(eyes).map((eye) => {
    const [one, other] = [a, b].map((hue) => seen(lightOf(`data-${hue}`, theme), eye));
    return Math.hypot(...one!.map((part, no) => part - other![no]!));
  });
  return Math.min(...far);
}

/** Red, green and blue of `oklch(L C H)`, as far as a screen has them. */
function lightOfLch(lightness: number, chroma: number, degrees: number): Light {
  const turn = (degrees * Math.PI) / 180;
  const cones = times(
    [
      [1, 0.3963377774, 0.2158037573],
      [1, -0.1055613458, -0.0638541728],
      [1, -0.0894841775, -1.291485548],
    ],
    [lightness, chroma * Math.cos(turn), chroma * Math.sin(turn)],
  );
  return clipped(
    times(
      [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.707614701],
      ],
      each(cones, (cone) => cone ** 3),
    ),
  );
}

const pairs = hues.flatMap((a, no) => hues.slice(no + 1).map((b) => [a, b] as const));

describe("the colours of data", () => {
  for (const theme of themes) {
    it(`stand out from ${theme} cards as marks must`, () => {
      for (const hue of [...hues.map((each) => `data-${each}`), "line-strong"])
        assert.ok(contrast(lightOf(hue, theme), lightOf("surface", theme)) >= 3, hue);
    });

    it(`are told apart on ${theme} pages by all readers; those near each other also by their patterns`, () => {
      for (const [a, b] of pairs) {
        const apart = distance(a, b, theme);
        assert.ok(apart >= 0.04, `${a} and ${b}: ${apart}`);
        if (patternOf(a) === patternOf(b)) assert.ok(apart >= 0.1, `${a} and ${b} have one pattern: ${apart}`);
      }
    });
  }

  it("stand out from cards too where there are more accounts than hues", () => {
    for (let place = hues.length; place < 100; place++) {
      const { colour } = lookOfPlace(place);
      const found = [...colour.matchAll(/oklch\(([\d.]+) ([\d.]+) (\d+)\)/g)];
      assert.equal(found.length, 2, colour);
      for (const [no, theme] of themes.entries()) {
        const [, l, c, h] = found[no]!;
        assert.ok(contrast(lightOfLch(Number(l), Number(c), Number(h)), lightOf("surface", theme)) >= 3, colour);
      }
    }
  });

  it("mean one thing each in a family, and where two are shown together: the fleet over time, arrays", () => {
    const { guaranteed, burst } = meanings.class;
    const { reserved, down, idle, busy } = meanings.metric;
    const together = [
      { guaranteed, burst, reserved, down, idle, busy },
      { ...meanings.state, ...meanings.outcome },
    ];
    for (const family of [...Object.values(meanings), ...together]) {
      const taken: Hue[] = Object.values(family);
      assert.equal(new Set(taken).size, taken.length, Object.keys(family).join());
    }
  });

  it("are the same where one word is in several families", () => {
    const { outcome, cause, reason, state, waste, mode, metric, charge } = meanings;
    assert.equal(outcome.failed, cause.failed);
    assert.equal(outcome.preempted, cause.preempted);
    assert.equal(cause.budget, reason.budget);
    assert.equal(reason.held, state.held);
    assert.equal(metric.busy, waste.busy);
    assert.deepEqual([waste.down, metric.down], [mode.down, mode.down]);
    assert.equal(metric.lent, charge.lent);
    assert.equal(charge.reserved, meanings.class.guaranteed);
  });
});
