/** Faults of a definition. They are collected, each with its place, and reported all at once. */

export interface Fault {
  readonly resource?: string
  readonly field?: string
  readonly reason: string
  /** A complete sentence: the name that was probably meant, or what to do. */
  readonly suggestion?: string
}

/** Adds a fault at the place that the report was created for. */
export type FaultReport = (reason: string, suggestion?: string) => void

/** Collects faults; `at` returns the report for a place. */
export interface FaultList {
  readonly list: readonly Fault[]
  at(resource?: string, field?: string): FaultReport
}

/** Returns an empty list, which ignores a fault that it already has. */
export function createFaultList(): FaultList {
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
      // Several parts of one rule may have the same fault.
      const text = formatFault(fault)
      if (!list.some((other) => formatFault(other) === text)) list.push(fault)
    },
  }
}

/** Returns a report that puts `prefix: ` before each reason. */
export function prefixReport(prefix: string, report: FaultReport): FaultReport {
  return (reason, suggestion) => report(`${prefix}: ${reason}`, suggestion)
}

/** Thrown for a definition with faults. The message has a line for each fault. */
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
  const path = [resource, field].filter((part) => part !== undefined).join('.')
  const text = suggestion === undefined ? reason : `${reason} ${suggestion}`
  return path === '' ? `  ${text}` : `  ${path}: ${text}`
}
