/** The tables that the contract of the store uses, and writes to them. */

import assert from 'node:assert/strict'
import { jsonKind } from '../../src/definition/kinds/json.ts'
import type { Stored } from '../../src/definition/model.ts'
import { always, type Condition } from '../../src/store/condition.ts'
import type { Schema } from '../../src/store/schema/table-schema.ts'
import type { Store } from '../../src/store/store.ts'
import type { Write } from '../../src/store/write.ts'
import { decimal, integer, LATER, limitsOf, real, ref, row, schema, table, text } from './tables.ts'

export type OpenStore = (schema: Schema) => Promise<Store>

export const library = schema(
  table('authors', [text('name', { required: true, unique: true }), ref('mentor', 'authors')]),
  table('shelves', [text('code', { required: true, unique: true })], { idColumn: 'code' }),
  table('places', [ref('shelf', 'shelves'), integer('number')], {
    uniqueSets: [['shelf', 'number']],
  }),
  table('books', [
    text('title', { required: true }),
    ref('author', 'authors'),
    ref('shelf', 'shelves'),
    integer('pages'),
    decimal('price'),
    real('weight'),
    text('tags'),
  ]),
)

/** With texts that nothing bounds. */
export const letters = schema(
  table('letters', [text('body', { limits: limitsOf(jsonKind, {}) }), ref('answers', 'letters')]),
)

export const byIdentity = [{ column: '_identity', descending: false }]

export function insert(name: string, values: readonly Stored[], result = always): Write {
  return { kind: 'insert', table: name, values, conditionAfter: result }
}

interface ReplaceOptions {
  readonly version?: number
  readonly guard?: Condition
  readonly result?: Condition
  readonly previous?: readonly Stored[]
  readonly action?: string
}

export function replace(name: string, values: readonly Stored[], options: ReplaceOptions = {}): Write {
  const { version = 1, guard = always, result = always, previous = values, action } = options
  const stamped = values.with(1, version + 1).with(3, LATER)
  const identity = String(values[0])
  const change = { table: name, identity, version, values: stamped, previous, action }
  return { kind: 'update', ...change, conditionBefore: guard, conditionAfter: result }
}

function filled(): Write[] {
  return [
    insert('authors', row('a1', 'Ada', null)),
    insert('authors', row('a2', 'Grace', 'a1')),
    insert('shelves', row('s1', 'QA76')),
    insert('books', row('b1', 'Notes', 'a1', 's1', 100, 12345678901234567n, 0.1, '["x","y"]')),
    insert('books', row('b2', 'Compilers', 'a2', null, null, null, null, null)),
  ]
}

type Work = (store: Store) => Promise<void>

/** Ways to run work on a new store, which is closed afterwards. */
export function storeUsers(open: OpenStore) {
  const usingSchema = async (tables: Schema, work: Work) => {
    const store = await open(tables)
    try {
      await work(store)
    } finally {
      await store.close()
    }
  }
  const using = (work: Work) => usingSchema(library, work)
  /** With a few authors, shelves and books. */
  const usingFilled = (work: Work) =>
    using(async (store) => {
      assert.deepEqual(await store.write(filled()), { kind: 'done' })
      await work(store)
    })
  return { using, usingSchema, usingFilled }
}
