/**
 * Creates and caches databases with a number of rows: the service's own through its store, and a
 * plain one with the same rows for the hand-written servers.
 */

import { hash } from 'node:crypto'
import {
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sealAudit } from '../src/operation/audit-sealing.ts'
import { checkDefinition } from '../src/service/check-definition.ts'
import { createFirstAccount } from '../src/service/first-start.ts'
import { always } from '../src/store/condition.ts'
import { openStore } from '../src/store/open-store.ts'
import { schemaOf } from '../src/store/schema/model-schema.ts'
import type { Store } from '../src/store/store.ts'
import { cacheFolder } from './cache.ts'
import { account, idOf, momentOf, note, plainToken, starsOf } from './note.ts'
import definition from './notes.ts'

const model = checkDefinition(definition)

/** json-server writes its whole file for each change, so it always has few rows. */
export const jsonRows = 10_000

interface Filled {
  /** The service's own database. */
  readonly service: string
  readonly plain: string
}

/** Returns a copy, because a server changes its database. */
export async function copyFilled(kind: keyof Filled, rows: number, file: string): Promise<void> {
  const kept = await keptFilled(rows)
  copyFileSync(kept[kind], file, constants.COPYFILE_FICLONE)
}

async function keptFilled(rows: number): Promise<Filled> {
  const folder = cacheFolder(`rows-${await keyOf()}`)
  const filled = { service: join(folder, `${rows}.db`), plain: join(folder, `${rows}-plain.db`) }
  if (existsSync(filled.plain)) return filled
  process.stderr.write(`Making ${rows} rows, kept in ${folder}\n`)
  for (const file of [filled.service, `${filled.plain}.unfinished`]) rmSync(file, { force: true })
  await fillDatabase(`file:${filled.service}`, rows)
  makePlainFile(`${filled.plain}.unfinished`, filled.service)
  // Renamed last, so that an interrupted run leaves no incomplete database.
  renameSync(`${filled.plain}.unfinished`, filled.plain)
  return filled
}

let key: Promise<string> | undefined

function keyOf(): Promise<string> {
  key ??= makeKey()
  return key
}

/** A digest of the table definitions and of the filling code. */
async function makeKey(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-bench-'))
  const file = join(folder, 'empty.db')
  const store = await openStore(`file:${file}`, schemaOf(model), () => undefined)
  await store.close()
  const database = new DatabaseSync(file)
  const tables = database.prepare('select sql from sqlite_schema order by name').all()
  database.close()
  rmSync(folder, { recursive: true })
  const sources = ['fill.ts', 'note.ts'].map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
  return hash('sha256', JSON.stringify([tables, sources])).slice(0, 12)
}

/** Inserts the rows into a store of either driver. */
async function fillStore(store: Store, rows: number): Promise<void> {
  await createFirstAccount(model, store, account)
  const tags = JSON.stringify(note.tags)
  for (let made = 0; made < rows; made += 5000) {
    const count = Math.min(5000, rows - made)
    const writes = Array.from({ length: count }, (_, at) => {
      const n = made + at
      const system = [idOf(n), 1, momentOf(n), momentOf(n)]
      const values = [...system, note.title, note.body, tags, starsOf(n, rows)]
      return { kind: 'insert', table: 'notes', values, conditionAfter: always } as const
    })
    const written = await store.write(writes)
    if (written.kind === 'refused') throw new Error(`Row ${made + written.index} is refused`)
  }
}

/** Creates a database and fills it through the store. Its audit is complete, as that of a service soon is. */
export async function fillDatabase(url: string, rows: number): Promise<void> {
  const store = await openStore(url, schemaOf(model), () => undefined)
  await fillStore(store, rows)
  await sealAudit(store.audit, model)
  await store.close()
}

function makePlainFile(file: string, service: string): void {
  const database = new DatabaseSync(file)
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = off;
    create table notes (id text primary key, version integer not null, title text not null,
      body text not null, tags text not null, stars integer not null,
      createdAt text not null, updatedAt text not null) without rowid;
    create table tokens (digest text primary key, account text not null, expiresAt text not null)
      without rowid;
    attach '${service}' as service;
    insert into notes select _identity, _version, title, body, tags, stars, createdAt, updatedAt
      from service.notes order by _identity;
    create index notes_stars on notes (stars, id);
    insert into tokens select '${hash('sha256', plainToken)}', _identity, '2099-01-01T00:00:00.000Z'
      from service.users`)
  database.exec('detach service')
  database.close()
}

/** The file that json-server serves. */
export function writeJson(file: string): void {
  const notes = Array.from({ length: jsonRows }, (_, n) => ({
    id: idOf(n),
    ...note,
    stars: starsOf(n, jsonRows),
    createdAt: momentOf(n),
    updatedAt: momentOf(n),
  }))
  writeFileSync(file, JSON.stringify({ notes }))
}
