/**
 * A common service on Express 5: Drizzle on better-sqlite3, bodies validated by zod, pages by offset,
 * the ETag of Express.
 */

import { hash, randomUUIDv7 } from 'node:crypto'
import Database from 'better-sqlite3'
import { and, asc, eq, gte, lt } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import express from 'express'
import { z } from 'zod'

const notes = sqliteTable('notes', {
  id: text('id')
    .primaryKey()
    .$defaultFn(() => randomUUIDv7()),
  version: integer('version').notNull().default(1),
  title: text('title').notNull(),
  body: text('body').notNull(),
  tags: text('tags', { mode: 'json' }).notNull(),
  stars: integer('stars').notNull(),
  createdAt: text('createdAt').notNull(),
  updatedAt: text('updatedAt').notNull(),
})
const tokens = sqliteTable('tokens', {
  digest: text('digest').primaryKey(),
  account: text('account').notNull(),
  expiresAt: text('expiresAt').notNull(),
})

const note = z.strictObject({
  title: z.string().max(200),
  body: z.string().max(10_000),
  tags: z.array(z.string().max(30)).max(20).default([]),
  stars: z.int().min(0).default(0),
})
const change = z.strictObject({
  title: note.shape.title.optional(),
  body: note.shape.body.optional(),
  tags: z.array(z.string().max(30)).max(20).optional(),
  stars: z.int().min(0).optional(),
})

const connection = new Database(process.argv[2])
connection.pragma('journal_mode = wal')
connection.pragma('synchronous = full')
connection.pragma('cache_size = -65536')
connection.pragma('mmap_size = 268435456')
const database = drizzle(connection)

const app = express()
app.use(express.json({ limit: '4mb' }))

app.use((request, response, next) => {
  const { authorization } = request.headers
  if (authorization === undefined) return next()
  const digest = hash('sha256', authorization.slice('Bearer '.length))
  const token = database.select().from(tokens).where(eq(tokens.digest, digest)).get()
  if (!token || token.expiresAt < new Date().toISOString()) {
    return response.status(401).json({ error: 'Unauthorized' })
  }
  request.account = token.account
  next()
})

app.get('/notes/:id', (request, response) => {
  const row = database.select().from(notes).where(eq(notes.id, request.params.id)).get()
  if (!row) return response.status(404).json({ error: 'Not Found' })
  response.json(shown(row))
})

app.get('/notes', (request, response) => {
  const { limit = 50, offset = 0, sort } = request.query
  const [least, most] = [request.query['stars[gte]'], request.query['stars[lt]']]
  const conditions = []
  if (least !== undefined) conditions.push(gte(notes.stars, Number(least)))
  if (most !== undefined) conditions.push(lt(notes.stars, Number(most)))
  const rows = database
    .select()
    .from(notes)
    .where(and(...conditions))
    .orderBy(...(sort === 'stars' ? [asc(notes.stars), asc(notes.id)] : [asc(notes.id)]))
    .limit(Math.min(Number(limit), 1000))
    .offset(Number(offset))
    .all()
  response.json(rows.map(shown))
})

app.post('/notes', (request, response) => {
  const { success, data, error } = note.safeParse(request.body)
  if (!success) return response.status(400).json({ error: error.issues })
  const now = new Date().toISOString()
  const values = { ...data, createdAt: now, updatedAt: now }
  const row = database.insert(notes).values(values).returning().get()
  response.status(201).location(`/notes/${row.id}`).json(shown(row))
})

// Bulk creation of the items that are deleted later.
app.post('/bulk', (request, response) => {
  const now = new Date().toISOString()
  const rows = request.body.map((one) => ({ ...one, createdAt: now, updatedAt: now }))
  const made = database.insert(notes).values(rows).returning({ id: notes.id }).all()
  response.status(201).json(made)
})

app.patch('/notes/:id', (request, response) => {
  const { success, data, error } = change.safeParse(request.body)
  if (!success) return response.status(400).json({ error: error.issues })
  const found = database.select().from(notes).where(eq(notes.id, request.params.id)).get()
  if (!found) return response.status(404).json({ error: 'Not Found' })
  const row = database
    .update(notes)
    .set({ ...data, version: found.version + 1, updatedAt: new Date().toISOString() })
    .where(and(eq(notes.id, found.id), eq(notes.version, found.version)))
    .returning()
    .get()
  if (!row) return response.status(409).json({ error: 'Conflict' })
  response.json(shown(row))
})

app.delete('/notes/:id', (request, response) => {
  const { changes } = database.delete(notes).where(eq(notes.id, request.params.id)).run()
  if (changes === 0) return response.status(404).json({ error: 'Not Found' })
  response.status(204).end()
})

process.once('SIGTERM', () => process.exit(0))
const server = app.listen(0, '127.0.0.1', () =>
  process.stdout.write(`Listening on http://127.0.0.1:${server.address().port}\n`),
)

function shown({ version, ...visible }) {
  return visible
}
