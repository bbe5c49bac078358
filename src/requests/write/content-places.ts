/** Faults of a part of the content, with pointers from the whole content. */

import { type ContentFault, Refusal, refuse } from '../../refusal.ts'

/** The refusal of the part at the place, a JSON Pointer. */
export function refusalAt(place: string, { type, options }: Refusal): Refusal {
  const errors = options.errors && faultsAt(place, options.errors)
  return refuse(type, { ...options, ...(errors && { errors }) })
}

function faultsAt(place: string, faults: readonly ContentFault[]): readonly ContentFault[] {
  return faults.map((fault) => ({ ...fault, pointer: place + fault.pointer }))
}

/** The result of the work on the part, or undefined after adding its faults, so that those of all parts are reported. */
export async function collectFaults<Result>(
  faults: ContentFault[],
  place: string,
  work: () => Result | Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.type !== 'invalid-content') throw error
    faults.push(...faultsAt(place, error.options.errors ?? []))
    return undefined
  }
}
