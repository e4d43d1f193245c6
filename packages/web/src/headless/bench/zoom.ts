import type { Browser } from "playwright-core";
import type { OwnServer } from "../server.ts";
import { WatchedPage } from "../watched-page.ts";
import { spreadOf } from "./spread.ts";

const zoomFrames = 300;

/** Frame times on the map while the wheel zooms in and out over the middle of the fleet. */
export async function measureZoom(browser: Browser, server: OwnServer) {
  const watched = await WatchedPage.open(browser, server.url);
  await watched.signInWithToken(server.ownerToken);
  await watched.go("/fleet");
  await watched.page.locator(".fleet-map").waitFor();
  await watched.page.waitForTimeout(1_000);
  const frames = await watched.page.evaluate(zoomInPage, zoomFrames);
  await watched.close();
  return spreadOf(frames);
}

/** Runs in the page: a wheel event before each frame, and the time between frames. */
function zoomInPage(count: number): Promise<number[]> {
  const canvas = document.querySelector<HTMLCanvasElement>(".fleet-map")!;
  const { width, height } = canvas.getBoundingClientRect();
  return new Promise((resolve) => {
    const times: number[] = [];
    let last = 0;
    const frame = (now: number) => {
      if (last > 0) times.push(now - last);
      last = now;
      if (times.length >= count) return resolve(times);
      const deltaY = Math.floor(times.length / 60) % 2 === 0 ? -60 : 60;
      const at = { clientX: width * 0.6, clientY: height * 0.6 + 120 };
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY, ...at, ctrlKey: true, bubbles: true, cancelable: true }));
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}
