/** Which lists need a check of the octets of their rows: those whose rows may be large. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { anyone, integer, json, list, resource, service, text } from 'restwell'
import type { Field } from '../../src/definition/field.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { always } from '../../src/store/condition.ts'
import { findOctetLimit } from '../../src/store/row-size.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { knownTable } from '../../src/store/sql/sql-text.ts'

const octets = 4_000_000

/** The limit for a list of 100 rows with the field. */
function limitFor(field: Field): number | undefined {
  const things = resource({ field }, { access: { read: anyone } })
  const schema = schemaOf(checkDefinition(service({ title: 'Things', resources: { things } })))
  const table = knownTable(schema, 'things')
  const query = { table: 'things', condition: always, order: [], after: undefined, evaluated: [] }
  return findOctetLimit(table, { ...query, limit: 100, octets })
}

it('rows of short texts and of short lists of them need no check', () => {
  for (const field of [integer(), text({ max: 30_000 }), list(text({ max: 30 }), { max: 20 })]) {
    assert.equal(limitFor(field), undefined)
  }
})

it('rows that may be large are checked: long texts, long lists, lists of numbers, any JSON', () => {
  const long = list(text({ max: 3000 }), { max: 10_000 })
  for (const field of [text({ max: 100_000 }), long, list(integer()), json()]) {
    assert.equal(limitFor(field), octets)
  }
})
