/** PUT and DELETE of a file: both change the item that has it. */

import type { RequestContent } from '../context/request-content.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { FileTarget } from '../context/target.ts'
import type { FoundItem } from '../read/current-state.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { fileTag } from '../view/file-validators.ts'
import { writeOneField } from '../write/write-one-field.ts'
import { emptyResponse } from '../write/written-response.ts'
import { nextColumn } from './next-file.ts'

/** PUT: 201 for the first file, else 204. RFC 9110 §9.3.4: with its tag, because it is stored octet for octet. */
export async function putFile(
  context: RequestContext<FileTarget>,
  current: FoundItem,
  { file: content }: RequestContent,
): Promise<ViewResponse> {
  if (!content) throw new Error('The request has no file')
  const { field } = context.target
  const { row } = current
  const sent = await content.receive()
  const response: ViewResponse = {
    status: row[field.index] === null ? 201 : 204,
    view: undefined,
    links: [],
    fields: { ETag: `"${fileTag(sent)}"`, 'Accept-Ranges': 'bytes' },
  }
  const value = nextColumn(sent, { row, field, now: context.service.clock.now() })
  const stored = await writeOneField(context, current, { value, response })
  return content.stored ? { ...stored, fields: { ...stored.fields, ...(await content.stored()) } } : stored
}

/** DELETE: removes the file from the item. */
export function deleteFile(context: RequestContext<FileTarget>, current: FoundItem): Promise<ViewResponse> {
  return writeOneField(context, current, { value: null, response: emptyResponse })
}
