/** Finds the lines and columns of a file at which the faults of its items are. */

import { csv } from '../../formats/csv.ts'
import { findCsvPlaces } from '../../formats/csv-reader.ts'
import { findNdjsonLines } from '../../formats/ndjson-reader.ts'
import type { ContentFault } from '../../refusal.ts'
import type { ImportedFile, ImportFault } from './import-view.ts'

/** The faults with their places, in the order of the lines. The file was read before: it is well-formed. */
export function locateFaults(
  { mediaType, octets }: ImportedFile,
  faults: readonly ContentFault[],
): readonly ImportFault[] {
  const { header, lines } =
    mediaType === csv.mediaType ? findCsvPlaces(octets) : { header: [], lines: findNdjsonLines(octets) }
  return faults.map(({ pointer, detail }) => {
    // A pointer is `/{row}`, or `/{row}/{member}` and what is below it (RFC 6901).
    const [, row, ...below] = pointer.split('/').map(unescapeToken)
    const column = header.indexOf(below[0] ?? '') + 1
    return {
      line: row === undefined ? undefined : lines[Number(row)],
      column: column === 0 || below.length === 0 ? undefined : column,
      member: below.length === 0 ? undefined : below.join('/'),
      detail,
    }
  })
}

function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}
