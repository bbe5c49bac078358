/** Gives each decision its name: a journey that ends early leaves behind which decision ended it. */

export interface Trail {
  /** The last decision that was begun. */
  decision: string | undefined
}

/** With four parameters at most: passing them by name costs no array for each request. */
type Decision = (a: never, b: never, c: never, d: never) => unknown

/**
 * The same functions for one journey, each of which first writes its name on the trail. Made for
 * every request, so the functions stand on a prototype.
 */
export function named<T extends Record<string, Decision>>(decisions: T): (trail: Trail) => T {
  class Decisions {
    readonly trail: Trail
    constructor(trail: Trail) {
      this.trail = trail
    }
  }
  for (const [name, decide] of Object.entries(decisions)) {
    const signed = function (this: Decisions, a: never, b: never, c: never, d: never) {
      this.trail.decision = name
      return decide(a, b, c, d)
    }
    Object.defineProperty(Decisions.prototype, name, { value: signed })
  }
  // It has all of the functions: they were just defined on its prototype.
  return (trail) => new Decisions(trail) as unknown as T
}
