/**
 * What is wrong with a definition: all of it at once, each fault with its place, for the person
 * who wrote the definition to read.
 */

export interface Fault {
  readonly resource?: string
  readonly field?: string
  readonly reason: string
  /** A whole sentence: what was probably meant, or what to do. */
  readonly suggestion?: string
}

/** Notes one fault at the place the report was made for. */
export type FaultReport = (reason: string, suggestion?: string) => void

/** Gathers faults; `at` gives the report for a place. */
export interface Faults {
  readonly list: readonly Fault[]
  at(resource?: string, field?: string): FaultReport
}

export function gatherFaults(): Faults {
  const list: Fault[] = []
  return {
    list,
    at: (resource, field) => (reason, suggestion) => {
      const fault: Fault = {
        ...(resource !== undefined && { resource }),
        ...(field !== undefined && { field }),
        reason,
        ...(suggestion !== undefined && { suggestion }),
      }
      // The parts of one rule may have the same fault.
      const text = formatFault(fault)
      if (!list.some((other) => formatFault(other) === text)) list.push(fault)
    },
  }
}

/** The definition is refused; the message names every fault on a line of its own. */
export class DefinitionFault extends Error {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`
    super([`The definition has ${count}:`, ...faults.map(formatFault)].join('\n'))
    this.name = 'DefinitionFault'
    this.faults = Object.freeze([...faults])
  }
}

function formatFault({ resource, field, reason, suggestion }: Fault): string {
  const place = [resource, field].filter((part) => part !== undefined).join('.')
  const text = suggestion === undefined ? reason : `${reason} ${suggestion}`
  return place === '' ? `  ${text}` : `  ${place}: ${text}`
}
