/**
 * Groups the records of a file into batches that are written in one transaction each, and leaves out
 * those that an earlier run has imported. Each record has a mark: the digest of all records up to it. The
 * mark of the last record of a batch is stored with the batch, so a later run finds how far the
 * earlier one came, even where the file was moved, extended, or corrected behind that place.
 */

import { createHash } from 'node:crypto'
import type { ResourceModel } from '../../definition/model.ts'
import type { SourceRecord } from './source-record.ts'

export interface MarkedRecord extends SourceRecord {
  readonly mark: string
}

export interface BatchOptions {
  readonly resource: ResourceModel
  /** Distinguishes imports of the same records. */
  readonly label: string
  /** Records that are written in one transaction. */
  readonly maxRecords: number
  /** Whether an earlier run has stored this mark. */
  isStored(mark: string): Promise<boolean>
  /** Called with the number of records that an earlier run has imported. */
  onSkipped(records: number): void
}

const maxBatchRecords = 1000
/** Characters of the records in a batch. */
const maxBatchLength = 1024 * 1024

/** The batches that are still to be imported. */
export async function* pendingBatches(
  records: AsyncIterable<SourceRecord>,
  options: BatchOptions,
): AsyncGenerator<readonly MarkedRecord[]> {
  let isResuming = true
  for await (const batch of createBatches(records, options)) {
    const done: number = isResuming ? await countStored(batch, options) : 0
    if (done > 0) options.onSkipped(done)
    // The marks of later records follow this one.
    isResuming = done === batch.length
    const { maxRecords } = options
    for (let from = done; from < batch.length; from += maxRecords) yield batch.slice(from, from + maxRecords)
  }
}

/** How many of the records are imported: fewer than all at the end of the earlier run. */
async function countStored(batch: readonly MarkedRecord[], { isStored }: BatchOptions): Promise<number> {
  for (let count = batch.length; count > 0; count -= 1) {
    if (await isStored((batch[count - 1] as MarkedRecord).mark)) return count
  }
  return 0
}

/** The boundaries depend on the records only: a run with other options has the same batches. */
async function* createBatches(
  records: AsyncIterable<SourceRecord>,
  { resource, label }: BatchOptions,
): AsyncGenerator<readonly MarkedRecord[]> {
  const refersInto = createSelfReferenceTest(resource)
  let mark = digest(resource.name, label)
  let batch: MarkedRecord[] = []
  let length = 0
  for await (const record of records) {
    const text = JSON.stringify(record.body)
    mark = digest(mark, text)
    const isFull = batch.length === maxBatchRecords || length + text.length > maxBatchLength
    if (batch.length > 0 && (isFull || refersInto(batch, record))) {
      yield batch
      batch = []
      length = 0
    }
    batch.push({ ...record, mark })
    length += text.length
  }
  if (batch.length > 0) yield batch
}

function digest(...texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('base64url')
}

/** Whether a record refers to one of a batch, which must then be stored before it. */
function createSelfReferenceTest(resource: ResourceModel) {
  const references = resource.fields.filter(({ ref, refs }) => (ref ?? refs)?.resource === resource)
  if (references.length === 0) return () => false
  const idNames = ['id', ...(resource.keyField ? [resource.keyField.name] : [])]
  return (batch: readonly SourceRecord[], { body }: SourceRecord) => {
    const named = references.flatMap(({ name }) => memberOf(body, name)).map(String)
    if (named.length === 0) return false
    const ids = new Set(batch.flatMap((one) => idNames.map((name) => String(memberOf(one.body, name)))))
    return named.some((id) => ids.has(id))
  }
}

/** An empty list where there is no such member. */
function memberOf(body: unknown, name: string): unknown {
  const isObject = typeof body === 'object' && body !== null && Object.hasOwn(body, name)
  return isObject ? (body as Readonly<Record<string, unknown>>)[name] : []
}
