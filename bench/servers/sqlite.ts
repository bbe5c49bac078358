/**
 * A hand-written server on node:http and node:sqlite: row objects, JSON.stringify, one commit per
 * write, with the durability and memory of the service.
 */

import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { type AnswerKind, listen, readContent, send } from './fields.ts'
import { entityTag, type NoteContent, ownFields, type StoredNote, shown } from './shown.ts'

const database = new DatabaseSync(process.argv[3] as string)
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma cache_size = -65536;
  pragma mmap_size = 268435456`)
const find = database.prepare('select * from notes where id = ?')
const findVersion = database.prepare('select version from notes where id = ?')
const page = database.prepare('select * from notes where id > ? order by id limit ?')
const range = database.prepare(
  'select * from notes where stars >= ? and stars < ? order by stars, id limit ?',
)
const insert = database.prepare('insert into notes values (?, ?, ?, ?, ?, ?, ?, ?)')
const update = database.prepare(
  'update notes set version = ?, title = ?, body = ?, tags = ?, stars = ?, updatedAt = ? where id = ?',
)
const remove = database.prepare('delete from notes where id = ?')
let revision = 0

listen((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const id = url.pathname.split('/')[2]
  if (request.method === 'GET') {
    if (id === undefined) sendPage(request, response, url.searchParams)
    else sendItem(request, response, id)
    return
  }
  if (request.method === 'DELETE') {
    removeNote(response, id as string)
    return
  }
  if (url.pathname === '/bulk') {
    readContent<readonly NoteContent[]>(request, (contents) => createMany(response, contents))
    return
  }
  readContent<NoteContent>(request, (content) => {
    if (request.method === 'PATCH') patch(response, id as string, content)
    else create(response, content)
  })
})

function sendPage({ headers }: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
  const own = { ETag: `"r${revision}"` }
  if (headers['if-none-match'] === own.ETag) send(response, 'list unchanged', { own })
  else send(response, 'list', { body: JSON.stringify(rowsOf(query).map(shown)), own })
}

function rowsOf(query: URLSearchParams): readonly StoredNote[] {
  const limit = Number(query.get('limit') ?? 50)
  const least = query.get('stars[gte]')
  const rows =
    least === null
      ? page.all(query.get('after') ?? '', limit)
      : range.all(Number(least), Number(query.get('stars[lt]')), limit)
  return rows.map((row) => row as StoredNote)
}

function sendItem({ headers }: IncomingMessage, response: ServerResponse, id: string): void {
  const given = headers['if-none-match']
  const own = given === undefined ? undefined : { ETag: currentTag(id) }
  if (own && given === own.ETag) send(response, 'item unchanged', { own })
  else sendNote(response, id, 'item')
}

function currentTag(id: string): string {
  const row = findVersion.get(id) as { version: number } | undefined
  return row === undefined ? '' : entityTag({ id, version: row.version })
}

function sendNote(response: ServerResponse, id: string, kind: AnswerKind): void {
  const row = find.get(id) as StoredNote | undefined
  if (row === undefined) {
    response.writeHead(404).end()
    return
  }
  send(response, kind, { body: JSON.stringify(shown(row)), own: ownFields(row) })
}

function create(response: ServerResponse, content: NoteContent): void {
  sendNote(response, add(content), 'created')
}

function add({ title, body, tags, stars }: NoteContent): string {
  const id = randomUUIDv7()
  const now = new Date().toISOString()
  insert.run(id, 1, title, body, JSON.stringify(tags), stars, now, now)
  revision += 1
  return id
}

/** Creates the items that are deleted later. */
function createMany(response: ServerResponse, contents: readonly NoteContent[]): void {
  database.exec('begin')
  const ids = contents.map(add)
  database.exec('commit')
  send(response, 'created', { body: JSON.stringify(ids.map((id) => ({ id }))) })
}

function patch(response: ServerResponse, id: string, content: Partial<NoteContent>): void {
  const row = find.get(id) as StoredNote
  const { title, body, tags, stars } = { ...shown(row), ...content }
  const now = new Date().toISOString()
  update.run(row.version + 1, title, body, JSON.stringify(tags), stars, now, id)
  revision += 1
  sendNote(response, id, 'patched')
}

function removeNote(response: ServerResponse, id: string): void {
  const { changes } = remove.run(id)
  revision += 1
  if (changes === 1) send(response, 'deleted', {})
  else response.writeHead(404).end()
}
