import { setImmediate } from 'node:timers/promises';

/** How long one caller may keep the thread by awaiting call after call, in milliseconds. */
const longestStretchMs = 10;

let lastGaveWay = 0;

/**
 * Lets timers and sockets have their turn if it has been a while. Stores of this process answer at once, so a loop of
 * awaited calls would never leave the microtask queue by itself.
 */
export async function giveWay(): Promise<void> {
  const now = performance.now();
  if (now - lastGaveWay < longestStretchMs) return;
  await setImmediate();
  lastGaveWay = performance.now();
}
