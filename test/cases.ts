/** How much of a random or repeated test runs: a part by default, all of it with CASES=full (`npm run soak`). */

import { randomInt } from 'node:crypto'

export const isFull = process.env.CASES === 'full'

/** Returns the number of random cases: a twentieth by default, or another part; all with CASES=full. */
export function cases(full: number, parts = 20): number {
  if (isFull) return full
  return Math.max(1, Math.ceil(full / parts))
}

/**
 * Returns so many random elements of a list, in its order; all with CASES=full. Titles or messages of tests name the
 * elements, so that a failure can be found again.
 */
export function someOf<Element>(list: readonly Element[], count: number): readonly Element[] {
  const left = [...list]
  while (!isFull && left.length > count) left.splice(randomInt(left.length), 1)
  return left
}

/** Yields every whole number from the first on; by default every tenth, or another part, from a random one on. */
export function* placesFrom(first: number, parts = 10): Generator<number, never> {
  const step = isFull ? 1 : parts
  for (let place = first + randomInt(step); ; place += step) yield place
}

/** Yields every element; by default one of so many, from a random one on. */
export function* partOf<Element>(elements: Iterable<Element>, parts: number): Generator<Element> {
  const places = placesFrom(0, parts)
  let next = places.next().value
  let place = 0
  for (const element of elements) {
    if (place === next) {
      next = places.next().value
      yield element
    }
    place += 1
  }
}
