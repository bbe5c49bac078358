/** The page of a refused import: the form again, with the faults of the file by line and column. */

import { csv } from '../../formats/csv.ts'
import { findCsvPlaces } from '../../formats/csv-reader.ts'
import { findNdjsonLines } from '../../formats/ndjson.ts'
import type { HttpRequest } from '../../http/message.ts'
import type { ContentFault, Refusal } from '../../refusal.ts'
import type { RequestContent } from '../../requests/context/request-content.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import { findCreateAction } from '../../views/create-action.ts'
import type { RefusedImport } from '../page-view.ts'
import { isImport } from './import-form.ts'
import {
  type ImportedFile,
  type ImportFault,
  isImportUri,
  mayImport,
  writableColumns,
} from './import-view.ts'

/** The statuses after which the person can correct the file, or choose another one. */
const correctable: ReadonlySet<number> = new Set([400, 409, 413, 415, 422])

/** The refused import; undefined for other requests, and where the caller cannot send it again. */
export async function findRefusedImport(
  { service, caller, target }: RequestContext,
  refusal: Refusal,
  { request, content }: { readonly request: HttpRequest; readonly content: RequestContent | undefined },
): Promise<RefusedImport | undefined> {
  if (target.kind !== 'collection' || !correctable.has(refusal.status)) return undefined
  if (!isImportUri(request.target)) return undefined
  const { resource } = target
  const action = findCreateAction(service.model, resource, caller)
  if (!mayImport(resource, action)) return undefined
  const faults = await placeFaults(refusal, content)
  return { resource, columns: writableColumns(action), faults }
}

/** The faults of rows; none where the file as a whole is refused. */
async function placeFaults(refusal: Refusal, content: RequestContent | undefined) {
  const faults = faultsIn(refusal).filter(({ pointer }) => pointer !== '')
  if (faults.length === 0 || !isImport(content)) return []
  return locateFaults(await content.imported(), faults)
}

/** A hook or check that refuses one item names its index. */
function faultsIn({ message, options }: Refusal): readonly ContentFault[] {
  const { errors = [], members } = options
  const index = members?.index
  if (typeof index !== 'number') return errors
  const own = errors.length > 0 ? errors : [{ pointer: '', rule: 'check', detail: options.detail ?? message }]
  return own.map((fault) => ({ ...fault, pointer: `/${index}${fault.pointer}` }))
}

/** The faults with their places, in the order of the lines. The file was read before: it is well-formed. */
function locateFaults(
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
