/** Time slices: long work that yields to the event loop, so that other requests are served. */

import { setImmediate } from 'node:timers/promises'

/** The longest time slice, in milliseconds. */
const maxSliceTime = 10

/** Runs all steps at once. */
export function runToEnd<Result>(steps: Generator<unknown, Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Runs the steps in slices of at most `maxSliceTime`, and yields to the event loop between them. */
export async function runInSlices<Result>(steps: Generator<unknown, Result>): Promise<Result> {
  const rest = createYield()
  let step = steps.next()
  while (!step.done) {
    await rest()
    step = steps.next()
  }
  return step.value
}

/** Returns a function to await between the steps of long work: it yields when the slice is used up. */
export function createYield(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < maxSliceTime) return undefined
    return setImmediate().then(() => {
      began = performance.now()
    })
  }
}

/** Text in pieces; a step without a piece yields undefined. */
export type Pieces = Generator<string | undefined, void>

/** Joins the pieces without yielding to the event loop. */
export function joinPieces(pieces: Pieces): string {
  return [...pieces].join('')
}

/** Encodes the pieces in UTF-8, in time slices. */
export async function encodeInSlices(pieces: Pieces): Promise<Uint8Array> {
  const rest = createYield()
  const octets: Uint8Array[] = []
  for (const piece of pieces) {
    if (piece !== undefined) octets.push(Buffer.from(piece))
    await rest()
  }
  return Buffer.concat(octets)
}
