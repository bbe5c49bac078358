/** How much of a random or repeated test runs: a part by default, all of it with CASES=full (`npm run soak`). */

import { randomInt } from 'node:crypto'

export const isFull = process.env.CASES === 'full'

/** Returns the number of random cases: a tenth by default, or another part; all with CASES=full. */
export function cases(full: number, parts = 10): number {
  if (isFull) return full
  return Math.max(1, Math.ceil(full / parts))
}

/** Yields every whole number from the first on; by default every tenth, from a random one of the first ten on. */
export function* placesFrom(first: number): Generator<number, never> {
  const step = isFull ? 1 : 10
  for (let place = first + randomInt(step); ; place += step) yield place
}
