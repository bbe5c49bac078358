/** The end of the present turn of the event loop: by then the packet at hand is parsed to its end. */

let ending: Promise<void> | undefined

/** One for all that wait in a turn. */
export function endOfTurn(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined
      resolve()
    })
  })
  return ending
}
