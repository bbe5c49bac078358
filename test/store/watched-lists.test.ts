/** Lists that are not watched: only those that an index gives row by row, however many rows there are. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { anyone, integer, resource, service, text } from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { all, always, type Condition, type Operator } from '../../src/store/condition.ts'
import { openStore } from '../../src/store/open-store.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { createQueries } from '../../src/store/sql/query-sql.ts'
import { sqliteDialect } from '../../src/store/sqlite/sqlite-dialect.ts'
import type { Order } from '../../src/store/store.ts'

const schema = schemaOf(
  checkDefinition(
    service({
      title: 'Things',
      resources: {
        things: resource(
          { size: integer(), code: text({ max: 9 }).unique(), note: text({ max: 9 }) },
          { access: { read: anyone }, index: ['size', ['note', 'size']] },
        ),
      },
    }),
  ),
)

const by = (...terms: string[]): readonly Order[] =>
  terms.map((term) => ({ column: term.replace('-', ''), descending: term.startsWith('-') }))
const compare = (column: string, operator: Operator): Condition => ({
  kind: 'compare',
  path: [column],
  operator,
  values: [1],
})
const range = all([compare('size', 'gte'), compare('size', 'lt')])

/** By whether they are watched. */
const lists: readonly (readonly [watched: boolean, Condition, readonly Order[]])[] = [
  [false, always, by('_identity')],
  [false, always, by('-_identity')],
  [false, range, by('size', '_identity')],
  [false, range, by('-size', '-_identity')],
  [false, always, by('size', '_identity')],
  [false, compare('code', 'gt'), by('code')],
  [true, range, by('-size', '_identity')],
  [true, range, by('_identity')],
  [true, compare('size', 'ne'), by('size', '_identity')],
  [true, compare('size', 'in'), by('size', '_identity')],
  [true, always, by('note', '_identity')],
  [true, compare('note', 'gte'), by('size', '_identity')],
  [true, all([range, compare('note', 'eq')]), by('size', '_identity')],
]

test('a list is unwatched only where an index gives its rows in order, and nothing else', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'things.db')
  await (await openStore(`file:${file}`, schema, () => {})).close()
  using database = new DatabaseSync(file)
  const { list } = createQueries(schema, sqliteDialect)
  for (const [watched, condition, order] of lists) {
    const question = {
      table: 'things',
      condition,
      order,
      after: undefined,
      limit: 20,
      evaluated: [],
    }
    const { sql, values } = list(question)
    assert.equal(sql.includes('tick()'), watched, sql)
    if (watched) continue
    const plan = database.prepare(`explain query plan ${sql}`).all(...(values as number[]))
    const steps = plan.map(({ detail }) => String(detail))
    assert.match(steps.join(), /^(SCAN|SEARCH) \w+ USING INDEX /, sql)
    assert.doesNotMatch(steps.join(), /TEMP B-TREE/, sql)
  }
})
