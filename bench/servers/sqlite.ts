/**
 * What one would write by hand on node:http and node:sqlite: row objects, JSON.stringify, one
 * commit for each write, as durable as the service's.
 */

import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import type { note } from '../scenario.ts'
import { listen, send } from './fields.ts'

interface Note {
  readonly id: string
  readonly version: number
  readonly title: string
  readonly body: string
  readonly tags: string
  readonly stars: number
  readonly createdAt: string
  readonly updatedAt: string
}

const database = new DatabaseSync(process.argv[3] as string)
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table notes (id text primary key, version integer not null, title text not null,
    body text not null, tags text not null, stars integer not null,
    createdAt text not null, updatedAt text not null) without rowid`)
const find = database.prepare('select * from notes where id = ?')
const page = database.prepare('select * from notes order by id limit ?')
const insert = database.prepare('insert into notes values (?, ?, ?, ?, ?, ?, ?, ?)')
const update = database.prepare(
  'update notes set version = ?, title = ?, body = ?, tags = ?, stars = ?, updatedAt = ? where id = ?',
)

listen((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const id = url.pathname.split('/')[2]
  if (request.method === 'GET') {
    if (id === undefined) return sendPage(response, Number(url.searchParams.get('limit') ?? 50))
    return sendNote(response, id, 'item GET')
  }
  readContent(request, (content) => {
    if (request.method === 'POST') create(response, content)
    else if (id !== undefined) patch(response, id, content)
  })
})

function sendPage(response: ServerResponse, limit: number): void {
  const rows = page.all(limit) as unknown as Note[]
  send(response, { scenario: 'list of 20', status: 200, body: JSON.stringify(rows.map(shown)) })
}

function sendNote(response: ServerResponse, id: string, scenario: string): void {
  const row = find.get(id) as unknown as Note | undefined
  if (row === undefined) {
    response.writeHead(404).end()
    return
  }
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
  return { id, title, body, tags: JSON.parse(tags), stars, createdAt, updatedAt }
}

type Content = Partial<typeof note>

function readContent(request: IncomingMessage, next: (content: Content) => void): void {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => next(JSON.parse(Buffer.concat(parts).toString()) as Content))
}

function create(response: ServerResponse, content: Content): void {
  const { title = '', body = '', tags = [], stars = 0 } = content
  const id = randomUUIDv7()
  const now = new Date().toISOString()
  insert.run(id, 1, title, body, JSON.stringify(tags), stars, now, now)
  sendNote(response, id, 'create')
}

function patch(response: ServerResponse, id: string, content: Content): void {
  const row = find.get(id) as unknown as Note
  const { title, body, tags, stars } = { ...shown(row), ...content }
  const now = new Date().toISOString()
  update.run(row.version + 1, title, body, JSON.stringify(tags), stars, now, id)
  sendNote(response, id, 'patch')
}
