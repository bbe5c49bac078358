/** The option `history` of a resource: what it accepts, and its faults. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count, nobody, ref, text, where } from '../../../src/index.ts'
import { faultsOf, loose, modelOf } from '../../definition/sample.ts'

const historyOf = (history: unknown) =>
  modelOf({ things: loose({ name: text() }, { history }) }).resources.get('things')?.history

test('a history is kept as long as the log, or for its own time, and has a rule', () => {
  assert.equal(historyOf(undefined), undefined)
  assert.deepEqual(historyOf({}), { keep: undefined, read: undefined })
  assert.deepEqual(historyOf({ keep: '1 year', read: nobody }), { keep: 365 * 86_400, read: nobody })
})

test('a bad duration, an unknown option and a rule with a fault are refused with their place', () => {
  const faults = faultsOf({
    things: loose(
      { name: text() },
      { history: { keep: 'forever', reed: nobody, read: where({ nmae: 'x' }) } },
    ),
    others: loose({ name: text() }, { history: true }),
  })
  assert.deepEqual(
    faults.map(({ resource, reason, suggestion }) => [resource, reason, suggestion]),
    [
      [
        'things',
        "History: The option 'keep' must be a duration from '1 hour' to '100 years', not \"forever\".",
        undefined,
      ],
      ['things', "History: Unknown option 'reed'.", "Did you mean 'read'?"],
      ['things', "History: Unknown field 'nmae' in things.", "Did you mean 'name'?"],
      ['others', "The option 'history' must be an object, not true.", undefined],
    ],
  )
})

test('the name of the history collides with fields, derived fields and inverses', () => {
  const taken = faultsOf({ things: loose({ history: text() }, { history: {} }) })
  assert.deepEqual(
    taken.map(({ field, suggestion }) => [field, suggestion]),
    [['history', 'Choose another name.']],
  )
  const derived = faultsOf({
    things: loose({ name: text() }, { history: {}, derived: { history: count('parts') } }),
    parts: loose({ of: ref('things', { inverse: 'parts' }) }),
  })
  assert.deepEqual(
    derived.map(({ field }) => field),
    ['history'],
  )
  const [inverse] = faultsOf({
    things: loose({ name: text() }, { history: {} }),
    parts: loose({ of: ref('things', { inverse: 'history' }) }),
  })
  assert.match(inverse?.reason ?? '', /reserved/)
})

test('items with a history can be read', () => {
  const [fault] = faultsOf({ things: loose({ name: text() }, { history: {}, methods: ['POST'] }) })
  assert.equal(fault?.reason, "The option 'history' needs items that can be read.")
})
