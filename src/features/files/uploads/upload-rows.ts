/** The rows of resumable uploads and their parts. An append is one transaction: the part, and the new offset. */

import { randomBytes } from 'node:crypto'
import { IDENTITY, type Model, type Stored } from '../../../definition/model.ts'
import type { Fields } from '../../../http/message.ts'
import { maxUploadAge } from '../../../http/upload-fields.ts'
import type { Clock } from '../../../requests/context/service-context.ts'
import { currentTimestamp } from '../../../requests/write/prepare-insert.ts'
import { all, type Condition, compares, equals } from '../../../store/condition.ts'
import type { Row } from '../../../store/row.ts'
import { deleteRow, readField, updateFields } from '../../../store/row-fields.ts'
import type { Store } from '../../../store/store.ts'
import { findRow, insertFields, listRows } from '../../../store/table-rows.ts'
import { uploadPartsName, uploadsName } from '../uploads-resource.ts'

/** An upload as it was read. */
export interface Upload {
  readonly id: string
  readonly uploader: string
  readonly method: string
  readonly target: string
  readonly fields: Fields
  readonly offset: number
  readonly length: number | undefined
  readonly maxSize: number
  readonly parts: number
  readonly isComplete: boolean
  /** Seconds until it expires. */
  readonly secondsLeft: number
  readonly row: Row
}

export interface UploadPart {
  readonly size: number
  readonly digest: string
}

export interface NewUpload
  extends Pick<Upload, 'uploader' | 'method' | 'target' | 'fields' | 'length' | 'maxSize'> {
  readonly holder: string
}

interface RowsContext {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
}

/** Parts and uploads of one read. */
const readLimit = 500

export async function createUpload(context: RowsContext, created: NewUpload): Promise<Upload> {
  const { uploads } = tablesOf(context)
  const { fields, length, ...values } = created
  // 128 bits: the id of an anonymous upload is all that its uploader has.
  const id = randomBytes(16).toString('base64url')
  const stored = {
    ...values,
    requestFields: JSON.stringify(fields),
    offset: 0,
    length: length ?? null,
    parts: 0,
    complete: 0,
    expiresAt: new Date(context.clock.now() + 1000 * maxUploadAge).toISOString(),
  }
  await context.store.write([insertFields(uploads, currentTimestamp(context), stored, id)])
  const upload = await findUpload(context, id)
  if (!upload) throw new Error('The upload was not stored')
  return upload
}

/** The upload; undefined where there is none, or it has expired. */
export async function findUpload(context: RowsContext, id: string): Promise<Upload | undefined> {
  const { uploads } = tablesOf(context)
  const row = await findRow(context.store, uploads, id)
  if (!row) return undefined
  const upload = parseUploadRow(context, row)
  return upload.secondsLeft > 0 ? upload : undefined
}

function parseUploadRow(context: RowsContext, row: Row): Upload {
  const { uploads } = tablesOf(context)
  const read = (name: string) => readField(uploads, row, name)
  const length = read('length')
  return {
    id: String(row[IDENTITY]),
    uploader: String(read('uploader')),
    method: String(read('method') ?? 'PUT'),
    target: String(read('target')),
    fields: JSON.parse(String(read('requestFields'))),
    offset: Number(read('offset')),
    length: length === null ? undefined : Number(length),
    maxSize: Number(read('maxSize')),
    parts: Number(read('parts')),
    isComplete: Number(read('complete')) === 1,
    secondsLeft: Math.ceil((Date.parse(String(read('expiresAt'))) - context.clock.now()) / 1000),
    row,
  }
}

/** The number of uploads of a holder that are not complete. */
export async function countUploads(context: RowsContext, holder: string): Promise<number> {
  return context.store.count(tablesOf(context).uploads.name, isIncomplete(context, holder))
}

/** The octets of these uploads: of the whole files where their length is known, else those that have arrived. */
export async function countWaitingOctets(context: RowsContext, holder: string): Promise<number> {
  const { uploads } = tablesOf(context)
  const rows = await listRows(context.store, uploads, {
    condition: isIncomplete(context, holder),
    limit: readLimit,
  })
  const found = rows.map((row) => parseUploadRow(context, row))
  return found.reduce((sum, { length, offset }) => sum + (length ?? offset), 0)
}

function isIncomplete(context: RowsContext, holder: string): Condition {
  const unexpired = compares(['expiresAt'], 'gt', currentTimestamp(context))
  return all([equals(['holder'], holder), equals(['complete'], 0), unexpired])
}

/** The upload with one more part; undefined where another request has changed it. */
export async function appendPart(
  context: RowsContext,
  upload: Upload,
  part: UploadPart,
): Promise<Upload | undefined> {
  const { uploads, parts } = tablesOf(context)
  const at = currentTimestamp(context)
  const changed = { offset: upload.offset + part.size, parts: upload.parts + 1 }
  const outcome = await context.store.write([
    updateFields(uploads, upload.row, at, changed),
    insertFields(parts, at, { ...part, upload: upload.id, position: upload.offset }),
  ])
  return outcome.kind === 'done' ? findUpload(context, upload.id) : undefined
}

/** The upload with its length, which a later request said. */
export async function setLength(
  context: RowsContext,
  upload: Upload,
  length: number,
): Promise<Upload | undefined> {
  const { uploads } = tablesOf(context)
  const write = updateFields(uploads, upload.row, currentTimestamp(context), { length })
  const outcome = await context.store.write([write])
  return outcome.kind === 'done' ? findUpload(context, upload.id) : undefined
}

/** All parts, in order. */
export async function* partsOf(context: RowsContext, { id }: Upload): AsyncGenerator<UploadPart> {
  const { parts } = tablesOf(context)
  for await (const row of partRows(context, id)) {
    yield { size: Number(readField(parts, row, 'size')), digest: String(readField(parts, row, 'digest')) }
  }
}

async function* partRows(context: RowsContext, id: string): AsyncGenerator<Row> {
  const { parts } = tablesOf(context)
  let after: readonly [Stored, Stored] | undefined
  for (;;) {
    const rows = await context.store.list({
      table: parts.name,
      condition: equals(['upload'], id),
      order: [
        { column: 'position', descending: false },
        { column: '_identity', descending: false },
      ],
      after,
      limit: readLimit,
      evaluated: [],
    })
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = [readField(parts, last, 'position'), last[IDENTITY] ?? null]
  }
}

/** Marks the upload as complete, and removes its parts: their content is in the file. */
export async function finishUpload(context: RowsContext, { id }: Upload): Promise<void> {
  const { uploads } = tablesOf(context)
  const upload = await findUpload(context, id)
  if (!upload) return
  const completed = { complete: 1, length: upload.offset }
  await context.store.write([updateFields(uploads, upload.row, currentTimestamp(context), completed)])
  await removeParts(context, id)
}

/** Removes the upload. Another request may have removed it. */
export async function removeUpload(context: RowsContext, { row, id }: Upload): Promise<void> {
  const { uploads } = tablesOf(context)
  await context.store.write([deleteRow(uploads, row, currentTimestamp(context))])
  await removeParts(context, id)
}

async function removeParts(context: RowsContext, id: string): Promise<void> {
  const { parts } = tablesOf(context)
  const rows = await Array.fromAsync(partRows(context, id))
  for (const row of rows) await context.store.write([deleteRow(parts, row, currentTimestamp(context))])
}

function tablesOf({ model }: Pick<RowsContext, 'model'>) {
  const uploads = model.ownTables.get(uploadsName)
  const parts = model.ownTables.get(uploadPartsName)
  if (!uploads || !parts) throw new Error('The definition has no files')
  return { uploads, parts }
}
