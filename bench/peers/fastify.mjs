/**
 * A hand-written service on Fastify 5 and node:sqlite: bodies and queries validated by JSON schemas,
 * prepared statements, ETag from a version column, tokens looked up by digest. It has no response
 * schemas: on Node 26 they are slower than JSON.stringify.
 */

import { hash, randomUUIDv7 } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'

const database = new DatabaseSync(process.argv[2])
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma cache_size = -65536;
  pragma mmap_size = 268435456`)
const find = database.prepare('select * from notes where id = ?')
const page = database.prepare('select * from notes where id > ? order by id limit ?')
const range = database.prepare(
  'select * from notes where stars >= ? and stars < ? order by stars, id limit ?',
)
const insert = database.prepare('insert into notes values (?, ?, ?, ?, ?, ?, ?, ?)')
const update = database.prepare(
  'update notes set version = ?, title = ?, body = ?, tags = ?, stars = ?, updatedAt = ? where id = ? and version = ?',
)
const remove = database.prepare('delete from notes where id = ?')
const findToken = database.prepare('select account, expiresAt from tokens where digest = ?')

const properties = {
  title: { type: 'string', maxLength: 200 },
  body: { type: 'string', maxLength: 10_000 },
  tags: { type: 'array', items: { type: 'string', maxLength: 30 }, maxItems: 20, default: [] },
  stars: { type: 'integer', minimum: 0, default: 0 },
}
const note = {
  type: 'object',
  properties,
  required: ['title', 'body'],
  additionalProperties: false,
}
const { tags, stars, ...plain } = properties
const change = {
  type: 'object',
  properties: {
    ...plain,
    tags: { ...tags, default: undefined },
    stars: { type: 'integer', minimum: 0 },
  },
  minProperties: 1,
  additionalProperties: false,
}
const query = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 1000, default: 50 },
    after: { type: 'string' },
    'stars[gte]': { type: 'integer' },
    'stars[lt]': { type: 'integer' },
    sort: { enum: ['stars'] },
  },
  additionalProperties: false,
}

const app = Fastify({ logger: false, bodyLimit: 4 * 1024 * 1024 })

app.addHook('onRequest', async (request, reply) => {
  const { authorization } = request.headers
  if (authorization === undefined) return
  const token = findToken.get(hash('sha256', authorization.slice('Bearer '.length)))
  if (token === undefined || token.expiresAt < new Date().toISOString()) {
    return reply.code(401).header('www-authenticate', 'Bearer').send({ error: 'Unauthorized' })
  }
  request.account = token.account
})

app.get('/notes/:id', (request, reply) => {
  const row = find.get(request.params.id)
  if (row === undefined) return reply.code(404).send({ error: 'Not Found' })
  const tag = tagOf(row)
  reply.header('etag', tag).header('last-modified', new Date(row.updatedAt).toUTCString())
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  return reply.send(shown(row))
})

app.get('/notes', { schema: { querystring: query } }, (request, reply) => {
  const { limit, after = '', ...filters } = request.query
  const least = filters['stars[gte]']
  const rows = least === undefined ? page.all(after, limit) : range.all(least, filters['stars[lt]'], limit)
  const text = JSON.stringify(rows.map(shown))
  const tag = `"${hash('sha1', text, 'base64')}"`
  reply.header('etag', tag).type('application/json; charset=utf-8')
  if (rows.length === limit) reply.header('link', `</notes?after=${rows.at(-1).id}>; rel="next"`)
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  return reply.send(text)
})

app.post('/notes', { schema: { body: note } }, (request, reply) => {
  const row = add(request.body)
  reply.code(201).header('location', `/notes/${row.id}`).header('etag', tagOf(row))
  return reply.send(shown(row))
})

// Bulk creation of the items that are deleted later.
app.post('/bulk', (request, reply) => {
  database.exec('begin')
  const rows = request.body.map(add)
  database.exec('commit')
  return reply.code(201).send(rows.map(({ id }) => ({ id })))
})

app.patch('/notes/:id', { schema: { body: change } }, (request, reply) => {
  const { id } = request.params
  const row = find.get(id)
  if (row === undefined) return reply.code(404).send({ error: 'Not Found' })
  const { title, body, tags, stars } = { ...shown(row), ...request.body }
  const updatedAt = new Date().toISOString()
  const version = row.version + 1
  const text = JSON.stringify(tags)
  const { changes } = update.run(version, title, body, text, stars, updatedAt, id, row.version)
  if (changes === 0) return reply.code(409).send({ error: 'Conflict' })
  const changed = { ...row, version, title, body, tags: text, stars, updatedAt }
  reply.header('etag', tagOf(changed)).header('last-modified', new Date(updatedAt).toUTCString())
  return reply.send(shown(changed))
})

app.delete('/notes/:id', (request, reply) => {
  const { changes } = remove.run(request.params.id)
  if (changes === 0) return reply.code(404).send({ error: 'Not Found' })
  return reply.code(204).send()
})

process.once('SIGTERM', () => process.exit(0))
process.stdout.write(`Listening on ${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)

function tagOf({ id, version }) {
  return `"${version}.${id}"`
}

function shown({ id, title, body, tags, stars, createdAt, updatedAt }) {
  return { id, title, body, tags: JSON.parse(tags), stars, createdAt, updatedAt }
}

function add({ title, body, tags, stars }) {
  const id = randomUUIDv7()
  const now = new Date().toISOString()
  const row = { id, version: 1, title, body, tags: JSON.stringify(tags), stars }
  insert.run(id, 1, title, body, row.tags, stars, now, now)
  return { ...row, createdAt: now, updatedAt: now }
}
