/** Whatever a column can hold comes through, from SQLite to PostgreSQL and back. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { copyDatabase } from '../../src/store/copy/copy-database.ts'
import { cases } from '../cases.ts'
import { postgres } from '../postgres.ts'
import { folderFor } from '../store/folder.ts'
import { filled, rowsIn, withStore } from '../store/migration-contract.ts'
import { decimal, integer, real, row, schema, table, text } from '../store/tables.ts'

const things = schema(table('things', [text('t'), integer('i'), real('r'), decimal('d')]))

/** PostgreSQL keeps no U+0000; no text of ours has it. */
const anyText = fc.string({ unit: 'binary' }).map((one) => one.replaceAll('\0', ''))
/** SQLite keeps a whole number in a column of reals without the sign of zero. */
const anyReal = fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0)
const orNothing = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })

const values = fc.tuple(
  orNothing(anyText),
  orNothing(fc.maxSafeInteger()),
  orNothing(anyReal),
  orNothing(fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n })),
)
const identities = fc.uniqueArray(anyText, { minLength: 1, maxLength: 150 })

test('rows of any values are the same after two copies', async (t) => {
  const folder = folderFor(t)
  const cluster = await postgres()
  let files = 0
  const property = fc.asyncProperty(identities, fc.infiniteStream(values), async (names, stream) => {
    const [first, last] = [1, 2].map(() => `file:${join(folder, `${files++}.db`)}`) as [string, string]
    const middle = cluster.freshUrl()
    const rows = names.map((name) => row(name, ...(stream.next().value as [])))
    await filled(first, things, 'things', rows)
    const before = await withStore(first, things, (store) => rowsIn(store, 'things'))
    for (const [from, to] of [
      [first, middle],
      [middle, last],
    ] as const) {
      await copyDatabase({ from, to, schema: things, report: () => undefined })
      const after = await withStore(to, things, (store) => rowsIn(store, 'things'))
      assert.deepEqual(after, before)
    }
  })
  await fc.assert(property, { numRuns: cases(100), seed: 20261115 })
})
