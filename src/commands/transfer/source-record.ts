/** The records of a file to import, and the faults that they can have. */

import { CommandFault } from '../../operation/command-frame/command.ts'

export interface SourceRecord {
  /** The line of the file at which it begins. */
  readonly line: number
  /** The members of the item, as parsed. */
  readonly body: unknown
}

/** The records of a file, in order. */
export interface RecordSource {
  readonly records: AsyncIterable<SourceRecord>
  /** About how many octets the lines up to this one have. More were read already. */
  octetsUntil(line: number): number
  /** The number of the column with that name; undefined where the file has no columns. */
  columnOf(name: string): number | undefined
}

/** A fault at a place of the file. */
export interface RecordFault {
  readonly line: number
  /** The column of a CSV file, or a JSON Pointer; undefined: the whole record. */
  readonly place?: string | undefined
  readonly detail: string
}

/** The faults of the file; nothing of the records that they are in was imported. */
export class RecordFaults extends Error {
  readonly faults: readonly RecordFault[]

  constructor(faults: readonly RecordFault[]) {
    super(faults[0]?.detail ?? 'The file has faults.')
    this.name = 'RecordFaults'
    this.faults = faults
  }
}

/** The longest record, in characters or octets. */
export const maxRecordLength = 1024 * 1024

export function tooLong(line: number): RecordFaults {
  return new RecordFaults([{ line, detail: `A record has at most ${maxRecordLength} characters.` }])
}

/** How many faults are shown. */
const maxShown = 20

/** All faults by line, as text for the operator. */
export function formatFaults(file: string, faults: readonly RecordFault[]): string {
  const lines = faults.slice(0, maxShown).map(({ line, place, detail }) => {
    const where = place === undefined || place === '' ? '' : `, ${place}`
    return `${file}, line ${line}${where}: ${detail}`
  })
  if (faults.length > maxShown) lines.push(`There are ${faults.length - maxShown} more.`)
  return lines.join('\n')
}

/** The format of a file by the end of its name. Throws a CommandFault for others. */
export function formatOf(file: string): 'csv' | 'ndjson' {
  if (/\.csv$/i.test(file)) return 'csv'
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson'
  throw new CommandFault(`Expected a file that ends in .csv or .ndjson, not '${file}'.`)
}
