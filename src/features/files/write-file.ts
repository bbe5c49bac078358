/** POST, PUT and DELETE of files: each changes the item that has them. */

import { fileCountLimits, isFileList } from '../../definition/file-fields.ts'
import type { FieldModel, Stored } from '../../definition/model.ts'
import { formatStoredFiles, type ListedFile, parseStoredFiles } from '../../definition/stored-file.ts'
import type { ResponseFields } from '../../http/message.ts'
import { invalidContent, type Refusal } from '../../refusal.ts'
import type { RequestContent } from '../../requests/context/request-content.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { FileTarget } from '../../requests/context/target.ts'
import type { FoundItem } from '../../requests/read/current-state.ts'
import { fileCacheControl } from '../../requests/respond/cacheability.ts'
import type { ViewResponse } from '../../requests/respond/finish-response.ts'
import type { PlannedChange } from '../../requests/write/planned-change.ts'
import { writeOneField } from '../../requests/write/write-one-field.ts'
import type { Row } from '../../store/row.ts'
import { listedFileUri } from '../../views/file-member.ts'
import { fileTag } from '../../views/file-validators.ts'
import { fileOwner } from './account-file-quota.ts'
import { addedFile, nextColumn, replacedFile, type Storing } from './next-file.ts'

/** PUT: 201 for the first file, else 204. RFC 9110 §9.3.4: with its tag where the content is stored octet for octet. */
export async function putFile(
  context: RequestContext<FileTarget>,
  current: FoundItem,
  content: RequestContent,
): Promise<PlannedChange> {
  const { target, caller } = context
  const { row, file: previous } = current
  const isOwn = previous?.by !== undefined && previous.by === fileOwner(caller)
  const [sent] = await receive(content, isOwn ? previous.size : 0)
  if (!sent) throw new Error('The request has no file')
  const storing = storingOf(context)
  const value = isFileList(target.field)
    ? changedList(target, row, (file) => replacedFile(file, sent, storing))
    : nextColumn(sent, { row, field: target.field, storing })
  const status = previous ? 204 : 201
  const tag = content.file?.isForm === true ? {} : { ETag: `"${fileTag(sent)}"` }
  const fields = { ...tag, 'Accept-Ranges': 'bytes' }
  const respond = (more: ResponseFields) => responseOf(context, status, { ...fields, ...more })
  return write(context, current, { content, value, respond })
}

/**
 * POST to a list: 201. `Location` names the new file; it is absent where a form has sent several (RFC 9110 §15.3.2).
 * Refuses 422 where the list would be too long.
 */
export async function addFiles(
  context: RequestContext<FileTarget>,
  current: FoundItem,
  content: RequestContent,
): Promise<PlannedChange> {
  const { field, resource } = context.target
  const { row } = current
  const present = parseStoredFiles(row[field.index])
  requireCount(field, present.length + 1)
  const sent = await receive(content, 0)
  requireCount(field, present.length + sent.length)
  const added = sent.map((file) => addedFile(file, storingOf(context)))
  const [first, ...others] = added
  const fields: ResponseFields =
    first && others.length === 0
      ? { Location: listedFileUri(resource, field, row, first.id), ETag: `"${fileTag(first)}"` }
      : {}
  const value = formatStoredFiles([...present, ...added])
  const respond = (more: ResponseFields) => responseOf(context, 201, { ...fields, ...more })
  return write(context, current, { content, value, respond })
}

/** DELETE: removes the file from the item. Refuses 422 where a list would be too short. */
export async function deleteFile(
  context: RequestContext<FileTarget>,
  current: FoundItem,
): Promise<PlannedChange> {
  const { target } = context
  const value = isFileList(target.field) ? changedList(target, current.row, () => undefined) : null
  return writeOneField(context, current, { value, response: responseOf(context, 204, {}) })
}

/** `freed` are the octets of the caller's own file that the new one replaces. */
function receive({ file }: RequestContent, freed: number) {
  if (!file) throw new Error('The request has no file')
  return file.receive(freed)
}

function storingOf({ caller, service }: RequestContext): Storing {
  return { caller, now: service.clock.now() }
}

function responseOf(
  context: RequestContext<FileTarget>,
  status: ViewResponse['status'],
  fields: ResponseFields,
): ViewResponse {
  return {
    status,
    view: undefined,
    links: [],
    fields: { ...fields, 'Cache-Control': fileCacheControl(context) },
  }
}

interface FileWrite {
  readonly content: RequestContent
  readonly value: Stored
  /** The response, with the fields of an upload that is complete. */
  respond(more: ResponseFields): ViewResponse
}

async function write(
  context: RequestContext<FileTarget>,
  current: FoundItem,
  { content, value, respond }: FileWrite,
): Promise<PlannedChange> {
  const change = await writeOneField(context, current, { value, response: respond({}) })
  const stored = content.file?.stored
  return stored ? { ...change, afterCommit: async () => respond(await stored()) } : change
}

/** The list in which the file of the target is changed, or removed. */
function changedList(
  { field, fileId }: FileTarget,
  row: Row,
  change: (file: ListedFile) => ListedFile | undefined,
): string {
  const files = parseStoredFiles(row[field.index])
  const changed = files.flatMap((file) => (file.id === fileId ? (change(file) ?? []) : [file]))
  if (changed.length < files.length) requireCount(field, changed.length)
  return formatStoredFiles(changed)
}

function requireCount(field: FieldModel, count: number): void {
  const { min, max } = fileCountLimits(field)
  if (count > max) throw invalidCount(field, 'maxItems', `The list may have at most ${max} files.`)
  if (count < min) throw invalidCount(field, 'minItems', `The list must have at least ${min} files.`)
}

function invalidCount({ name }: FieldModel, rule: string, detail: string): Refusal {
  return invalidContent([{ pointer: `/${name}`, rule, detail }])
}
