/**
 * What one would write by hand on node:http and `pg`: prepared statements, row objects,
 * JSON.stringify; a creation is the one statement that the service sends, log entry included.
 */

import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import pg from 'pg'
import type { note } from '../scenario.ts'
import { listen, send } from './fields.ts'

interface Note {
  readonly id: string
  readonly version: number
  readonly title: string
  readonly body: string
  readonly tags: string
  readonly stars: string
  readonly createdAt: string
  readonly updatedAt: string
}

const pool = new pg.Pool({
  connectionString: (process.argv[3] as string).replace(/\?.*/, ''),
  max: 10,
})
await pool.query(`
  create schema bare;
  create table bare.notes (id text primary key, version bigint not null, title text not null,
    body text not null, tags text not null, stars bigint not null,
    "createdAt" text not null, "updatedAt" text not null);
  create table bare.changes (entry bigserial primary key, kind text not null, "table" text not null,
    identity text not null, id text not null, version bigint not null, at text not null)`)

const find = { name: 'find', text: 'select * from bare.notes where id = $1' }
const page = { name: 'page', text: 'select * from bare.notes order by id limit $1' }
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
    if (id === undefined) void sendPage(response, Number(url.searchParams.get('limit') ?? 50))
    else void sendFound(response, id)
    return
  }
  readContent(request, (content) => {
    if (request.method === 'POST') void create(response, content)
    else if (id !== undefined) void patch(response, id, content)
  })
})

async function sendPage(response: ServerResponse, limit: number): Promise<void> {
  const { rows } = await pool.query<Note>(page, [limit])
  send(response, { scenario: 'list of 20', status: 200, body: JSON.stringify(rows.map(shown)) })
}

async function sendFound(response: ServerResponse, id: string): Promise<void> {
  const { rows } = await pool.query<Note>(find, [id])
  if (rows[0] === undefined) response.writeHead(404).end()
  else sendNote(response, rows[0], 'item GET')
}

function sendNote(response: ServerResponse, row: Note, scenario: string): void {
  const own = {
    ETag: `"${row.version}.${row.id}"`,
    'Last-Modified': new Date(row.updatedAt).toUTCString(),
    Location: `/notes/${row.id}`,
    'Content-Location': `/notes/${row.id}`,
  }
  const status = scenario === 'create' ? 201 : 200
  send(response, { scenario, status, body: JSON.stringify(shown(row)), own })
}

function shown({ id, title, body, tags, stars, createdAt, updatedAt }: Note) {
  return { id, title, body, tags: JSON.parse(tags), stars: Number(stars), createdAt, updatedAt }
}

type Content = Partial<typeof note>

function readContent(request: IncomingMessage, next: (content: Content) => void): void {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => next(JSON.parse(Buffer.concat(parts).toString()) as Content))
}

async function create(response: ServerResponse, content: Content): Promise<void> {
  const { title = '', body = '', tags = [], stars = 0 } = content
  const id = randomUUIDv7()
  const now = new Date().toISOString()
  const text = JSON.stringify(tags)
  await pool.query(insert, [id, title, body, text, stars, now])
  const row = { id, version: 1, title, body, tags: text, stars: String(stars) }
  sendNote(response, { ...row, createdAt: now, updatedAt: now }, 'create')
}

async function patch(response: ServerResponse, id: string, content: Content): Promise<void> {
  const { rows } = await pool.query<Note>(update, [id, content.stars, new Date().toISOString()])
  if (rows[0] !== undefined) sendNote(response, rows[0], 'patch')
}
