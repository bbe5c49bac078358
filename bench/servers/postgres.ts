/**
 * A hand-written server on node:http and `pg`: prepared statements, row objects, JSON.stringify; a
 * create is one statement with its log entry.
 */

import { randomUUIDv7 } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import pg from 'pg'
import { type AnswerKind, listen, readContent, send } from './fields.ts'
import { type NoteContent, ownFields, type StoredNote, shown } from './shown.ts'

// 64-bit integers as numbers: all values here are small.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
const pool = new pg.Pool({ connectionString: process.argv[3] as string, max: 10 })

const find = { name: 'find', text: 'select * from bare.notes where id = $1' }
const page = {
  name: 'page',
  text: 'select * from bare.notes where id > $1 order by id limit $2',
}
const range = {
  name: 'range',
  text: 'select * from bare.notes where stars >= $1 and stars < $2 order by stars, id limit $3',
}
const insert = {
  name: 'insert',
  text: `with inserted as (insert into bare.notes values ($1, 1, $2, $3, $4, $5, $6, $6))
    insert into bare.changes (kind, "table", identity, id, version, at)
    values ('inserted', 'notes', $1, $1, 1, $6)`,
}
const update = {
  name: 'update',
  text: `update bare.notes set version = version + 1, stars = $2, "updatedAt" = $3
    where id = $1 returning *`,
}

listen((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const id = url.pathname.split('/')[2]
  if (request.method === 'GET') {
    if (id === undefined) void sendPage(response, url.searchParams)
    else void sendFound(response, id)
    return
  }
  readContent<NoteContent>(request, (content) => {
    if (request.method === 'POST') void create(response, content)
    else if (id !== undefined) void patch(response, id, content)
  })
})

async function sendPage(response: ServerResponse, query: URLSearchParams): Promise<void> {
  const limit = Number(query.get('limit') ?? 50)
  const least = query.get('stars[gte]')
  const asked =
    least === null
      ? pool.query<StoredNote>(page, [query.get('after') ?? '', limit])
      : pool.query<StoredNote>(range, [least, query.get('stars[lt]'), limit])
  const { rows } = await asked
  send(response, 'list', { body: JSON.stringify(rows.map(shown)) })
}

async function sendFound(response: ServerResponse, id: string): Promise<void> {
  const { rows } = await pool.query<StoredNote>(find, [id])
  if (rows[0] === undefined) response.writeHead(404).end()
  else sendNote(response, rows[0], 'item')
}

function sendNote(response: ServerResponse, row: StoredNote, kind: AnswerKind): void {
  send(response, kind, { body: JSON.stringify(shown(row)), own: ownFields(row) })
}

async function create(response: ServerResponse, content: NoteContent): Promise<void> {
  const { title, body, stars } = content
  const id = randomUUIDv7()
  const now = new Date().toISOString()
  const tags = JSON.stringify(content.tags)
  await pool.query(insert, [id, title, body, tags, stars, now])
  const row = { id, version: 1, title, body, tags, stars, createdAt: now, updatedAt: now }
  sendNote(response, row, 'created')
}

async function patch(response: ServerResponse, id: string, { stars }: NoteContent): Promise<void> {
  const changed = [id, stars, new Date().toISOString()]
  const { rows } = await pool.query<StoredNote>(update, changed)
  if (rows[0] !== undefined) sendNote(response, rows[0], 'patched')
}
