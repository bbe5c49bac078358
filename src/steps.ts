/** Long work in steps: generators that yield often, run so that others have their turn. */

import { setImmediate } from 'node:timers/promises'

/** How long the event loop may be held at a time, in milliseconds. */
const longestTurn = 10

/** Runs all steps at once. */
export function finish<Result>(steps: Generator<unknown, Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Runs the steps, and lets the event loop go on whenever a turn has been long enough. */
export async function finishInTurns<Result>(steps: Generator<unknown, Result>): Promise<Result> {
  const rest = turns()
  let step = steps.next()
  while (!step.done) {
    await rest()
    step = steps.next()
  }
  return step.value
}

/** To be awaited between the steps of long work: lets the event loop go on when it is time. */
export function turns(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < longestTurn) return undefined
    return setImmediate().then(() => {
      began = performance.now()
    })
  }
}

/** Text that is made piece by piece; a step without a piece yields undefined. */
export type Pieces = Generator<string | undefined, void>

/** All the pieces at once. */
export function joinPieces(pieces: Pieces): string {
  return [...pieces].join('')
}

/** The octets of all the pieces, in UTF-8. */
export async function encodeInTurns(pieces: Pieces): Promise<Uint8Array> {
  const rest = turns()
  const octets: Uint8Array[] = []
  for (const piece of pieces) {
    if (piece !== undefined) octets.push(Buffer.from(piece))
    await rest()
  }
  return Buffer.concat(octets)
}
