/**
 * The end of a turn of the event loop. By then every packet that came in it is parsed to its end,
 * and what came together is dealt with together: what is done for many in a row, and looked up once
 * for all of them, costs each of them less (docs/decisions/0163).
 */

/** How many go on at once; the next when these have come as far as they can. */
const TOGETHER = 16

let ending: Promise<void> | undefined
/** How many wait for it. */
let waiting = 0

/** Resolves at the end of the present turn; of a crowd, for one group after another. */
export function endOfTurn(): Promise<void> {
  if (ending === undefined || waiting === TOGETHER) {
    waiting = 0
    ending = new Promise((resolve) => {
      setImmediate(() => {
        ending = undefined
        resolve()
      })
    })
  }
  waiting += 1
  return ending
}
