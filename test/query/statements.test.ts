/** Requests cannot add to the SQL: every statement consists of texts that the model determines. */

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import fc from 'fast-check'
import { cases } from '../cases.ts'
import { onPostgres } from '../database.ts'
import { handling } from '../handling.ts'
import library, { words } from './library.ts'

const schemaNames = new Set(
  [
    ['books', 'people', 'shelves', '_collections', '_search:books', '_documents:books'],
    [
      '_identity',
      '_version',
      'createdAt',
      'updatedAt',
      'name',
      'revision',
      'doc',
      'rowid',
      'seq',
      'position',
    ],
    ['title', 'pages', 'price', 'weight', 'lent', 'genre', 'due', 'tags', 'author', 'shelf'],
    ['code', 'floor', 'identity', 'editors', 'copies', 'item', 'target'],
    ['_members:books.editors', '_members:books.copies'],
  ].flat(),
)
/** Keywords, functions and aliases of statements; none comes from a client. */
const language = new Set(
  'select from where and or not is null true false in exists order by desc limit union all as cast text count tick glob json_each value join on match with values concat case when then else end json_quote left cross string_agg _p parent _c _t sqlite_sequence r1 r2 r3 r4 k m s d'.split(
    ' ',
  ),
)
const token = /"((?:[^"]|"")*)"|'([^']*)'|([A-Za-z_][A-Za-z0-9_]*)|(\d+)|[?(),.=<>*\s]/gy
/** The punctuation of sets of references, and the name of the sequence of the change log. */
const literals: ReadonlySet<string> = new Set(['[', ',', ']', '_changes'])

function assertMade(sql: string): void {
  // The limit is a number that was parsed from the request and formatted again.
  const text = sql.replaceAll(/ limit \d{1,4}(?=$|\))/g, ' limit 1')
  let end = 0
  for (const [match, name, literal, word, digits] of text.matchAll(token)) {
    end += match.length
    if (name !== undefined) assert.ok(schemaNames.has(name), `${name} in ${sql}`)
    if (literal !== undefined) assert.ok(literals.has(literal), `'${literal}' in ${sql}`)
    if (word !== undefined) assert.ok(language.has(word) || /^_o\d_\d$/.test(word), `${word} in ${sql}`)
    if (digits !== undefined) assert.ok(digits === '1' || digits === '0', `${digits} in ${sql}`)
  }
  assert.equal(end, text.length, `nothing else in ${sql}`)
}

const hostile = [...words, "' or 1=1 --", '"; drop table books; --', '?1', ':x', '$x', '[eq]', '\u{1F4A9}']
const names = fc.oneof(
  fc.constantFrom('title', 'pages', 'price', 'tags', 'author', 'author.name', 'shelf', 'shelf.floor'),
  fc.constantFrom(
    'author.books',
    'author.books.title',
    'shelf.volumes',
    'editors.name',
    'copies',
    'copies.floor',
  ),
  fc.constantFrom('author.shelf.code', 'lent', 'due', 'id', 'createdAt', 'genre', 'weight'),
  fc.constantFrom(...hostile, 'books', '_version', 'rowid', 'title" or "1'),
)
const operators = fc.constantFrom(
  '',
  '[eq]',
  '[ne]',
  '[lt]',
  '[gte]',
  '[in]',
  '[contains]',
  '[starts]',
  '[has]',
  '[missing]',
  '["]',
)
const values = fc.oneof(
  fc.constantFrom(...hostile, 'true', '1', '-1.5', 'A', '2026-01-01T00:00:00Z', 'a,b,c', '1,2,3'),
  fc.string({ unit: 'grapheme' }),
)
const filter = fc.tuple(names, operators, values).map(([n, o, v]) => [n + o, v] as const)
const control = fc.oneof(
  fc.tuple(fc.constantFrom('sort', 'fields', 'embed'), names),
  fc.tuple(
    fc.constant('sort'),
    fc.tuple(names, names).map(([a, b]) => `-${a},${b}`),
  ),
  fc.tuple(fc.constantFrom('q', 'after', 'before', 'limit'), values),
)
const queries = fc.array(fc.oneof(filter, filter, control), { maxLength: 4 })

const skip = onPostgres ? 'It reads the statements of SQLite.' : false

it('the SQL of a fuzz of requests has only names of the schema, words of SQL and parameters', {
  skip,
}, async () => {
  await using s = await handling(library)
  await s.handle('POST /shelves', {}, { code: 'A' })
  const texts = new Set<string>()
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    texts.add(sql)
    return prepare.call(this, sql, ...rest)
  }
  const statuses = new Map<number, number>()
  try {
    const property = fc.asyncProperty(queries, fc.boolean(), async (parameters, viaQuery) => {
      const text = parameters
        .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
        .join('&')
      const { status } = viaQuery
        ? await s.handle('QUERY /books', {}, Object.fromEntries(parameters))
        : await s.handle(`GET /books?${text}`, { prefer: 'count=exact' })
      assert.ok([200, 400, 422].includes(status), `${status} ${text}`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    })
    await fc.assert(property, { numRuns: cases(20_000), seed: 20260104 })
  } finally {
    DatabaseSync.prototype.prepare = prepare
  }
  assert.ok((statuses.get(200) ?? 0) > cases(20_000) / 20, 'some succeeded')
  assert.ok(texts.size > 20, 'and brought statements')
  // The audit is sealed at the same time, by no request.
  for (const sql of texts) if (!/"_(?:audit|meta)"/.test(sql)) assertMade(sql)
})
