/** The files that rows name. A backup, a restore and a copy compare them with the content that is there. */

import { holdsFiles } from '../../definition/field-limits.ts'
import { parseStoredFile, parseStoredFiles, type StoredFile } from '../../definition/stored-file.ts'
import type { FileStore } from '../file-store.ts'
import type { Schema, Table } from '../schema/table-schema.ts'
import { type CopiedTable, listCopiedTables } from './copied-table.ts'
import type { CopySide } from './copy-interfaces.ts'
import { readBatches } from './row-batch.ts'

export interface NamedFile {
  readonly digest: string
  /** The item, the field and the name, for messages. */
  readonly place: string
}

/** Why content is damaged or missing, by digest. */
export type ContentDamage = ReadonlyMap<string, string>

/** All files of all rows. */
export async function* listNamedFiles(side: CopySide, schema: Schema): AsyncGenerator<NamedFile> {
  for (const table of listCopiedTables(schema)) {
    const defined = schema.tables[table.name]
    if (defined) yield* namedIn(side, table, defined)
  }
}

async function* namedIn(
  side: CopySide,
  copied: CopiedTable,
  { name, columns, idColumn }: Table,
): AsyncGenerator<NamedFile> {
  const fields = columns.flatMap((column, index) =>
    column.limits && holdsFiles(column.limits) ? [{ field: column.name, index }] : [],
  )
  if (fields.length === 0) return
  const id = columns.findIndex((column) => column.name === idColumn)
  for await (const { rows } of readBatches(side, copied, undefined)) {
    for (const row of rows) {
      for (const { field, index } of fields) {
        // Columns of files are text.
        for (const file of filesOf(row[index] as string | null)) {
          yield { digest: file.digest, place: `${name}/${row[id]}: the file '${file.name}' (${field})` }
        }
      }
    }
  }
}

/** A column has one file, or a list of them. */
function filesOf(stored: string | null): readonly StoredFile[] {
  if (stored?.startsWith('[')) return parseStoredFiles(stored)
  const file = parseStoredFile(stored)
  return file ? [file] : []
}

/** The digests of all content of the store, and of all files that rows name, whether they are there or not. */
export async function listDigests(
  store: Pick<FileStore, 'unusedSince'>,
  named: AsyncIterable<NamedFile>,
): Promise<{ readonly present: ReadonlySet<string>; readonly all: ReadonlySet<string> }> {
  // Listed at once: content that arrives meanwhile would make it take longer and longer.
  const present = new Set(await Array.fromAsync(store.unusedSince(Number.POSITIVE_INFINITY)))
  const all = new Set(present)
  for await (const { digest } of named) all.add(digest)
  return { present, all }
}

/** The reason for content that is not there. */
export const missing = 'is missing'

const maxLines = 20

/** Lines that name the damaged content with the items that name it; undefined where nothing is damaged. */
export async function describeDamage(
  damage: ContentDamage,
  named: AsyncIterable<NamedFile>,
): Promise<string | undefined> {
  if (damage.size === 0) return undefined
  const lines: string[] = []
  let more = 0
  const add = (line: string) => {
    if (lines.length < maxLines) lines.push(`  ${line}`)
    else more += 1
  }
  const unnamed = new Map(damage)
  for await (const { digest, place } of named) {
    const reason = damage.get(digest)
    if (reason === undefined) continue
    unnamed.delete(digest)
    add(`${place} ${reason}`)
  }
  for (const [digest, reason] of unnamed) {
    // Content that nothing names may be removed at any time.
    if (reason === missing) continue
    const name = Buffer.from(digest, 'base64').toString('hex')
    add(`the content ${name} ${reason}; no item names it, but an earlier version may`)
  }
  if (lines.length === 0) return undefined
  return [...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n')
}
