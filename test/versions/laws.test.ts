/** `restwell check` tries the conversions of older versions on the sample and on example items. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describedModel } from '../../src/commands/described-model.ts'
import { findBrokenLaws } from '../../src/definition/version-laws.ts'
import { clientSource } from '../../src/describe/client-source.ts'
import {
  boolean,
  choice,
  date,
  decimal,
  integer,
  json,
  list,
  ref,
  resource,
  service,
  text,
} from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { present } from './tracker.ts'

const tasks = resource({
  title: text(),
  code: text({ pattern: '^[A-Z]{2}-[0-9]+$' }),
  deadline: date().optional(),
  progress: choice(['open', 'doing', 'done']),
  hours: integer({ min: 1, max: 9 }),
  price: decimal({ scale: 2 }),
  labels: list(text()),
  settings: json().optional(),
  parent: ref('tasks').optional(),
})

const row = {
  title: 'Paint',
  code: 'AB-07',
  progress: 'doing',
  hours: 2,
  price: '9.50',
  labels: ['a', 'b'],
  parent: 0,
}

type Members = Record<string, unknown>
type Shape = Record<'down' | 'up', (item: Members) => Members> & Record<string, unknown>

const lawsOf = (shape: Shape) =>
  findBrokenLaws(
    checkDefinition(
      service({ title: 'Tasks', name: 'tasks', versions: { v1: { tasks: shape } }, resources: { tasks } }),
    ),
    { tasks: [row] },
  )

describe('down and up', () => {
  it('hold where nothing is lost', () => {
    const down = ({ code }: Members) => {
      const [area, number] = String(code).split('-')
      return { area, number: Number(number) }
    }
    const up = ({ area, number }: Members) => ({ code: `${area}-${number}` })
    const laws = lawsOf({ fields: { area: text(), number: integer() }, without: ['code'], down, up })
    assert.equal(laws.length, 1, laws.join('\n'))
    // AB-07 comes back as AB-7.
    assert.match(
      String(laws[0]),
      /^versions\.v1\.tasks: up\(down\(item\)\) changes code from "AB-07" to "AB-7", for \{"id":/,
    )
    const exact = {
      fields: { codes: list(text()) },
      without: ['code'],
      down: ({ code }: Members) => ({ codes: [code] }),
      up: ({ codes }: Members) => ({ code: (codes as string[])[0] }),
    }
    assert.deepEqual(lawsOf(exact), [])
  })

  it('are reported with the row where a value is lost on the way', () => {
    const down = ({ progress }: Members) => ({ done: progress === 'done' })
    const up = ({ done }: Members) => ({ progress: done ? 'done' : 'open' })
    const [law, ...others] = lawsOf({ fields: { done: boolean() }, without: ['progress'], down, up })
    assert.match(
      String(law),
      /^versions\.v1\.tasks: up\(down\(item\)\) changes progress from "doing" to "open", for \{"id":/,
    )
    assert.deepEqual(others, [])
  })

  it('are reported where they change a field of both shapes', () => {
    const down = ({ title }: Members) => ({ shout: String(title).toUpperCase() })
    const up = ({ shout }: Members) => ({ title: shout })
    const [law] = lawsOf({ fields: { shout: text() }, down, up })
    assert.match(String(law), /up\(down\(item\)\) changes title from "Paint" to "PAINT"/)
  })

  it('are reported where they fail', () => {
    const down = ({ deadline }: Members) => ({ due: (deadline as string).slice(0, 4) })
    const [law] = lawsOf({ fields: { due: text() }, down, up: () => ({}) })
    assert.match(String(law), /it fails \(Cannot read properties of undefined/)
  })

  it('are reported where a value does not fit its declaration', () => {
    const down = ({ code }: Members) => ({ area: code, due: 5 })
    const fields = { area: integer(), due: date().optional(), owner: text() }
    const laws = lawsOf({ fields, without: ['code'], down, up: () => ({}) })
    assert.deepEqual(
      laws.map((law) => law.replace(/, for \{.*/, '')),
      [
        'versions.v1.tasks.down gives no owner, which is required',
        'versions.v1.tasks.down gives area "AB-07". Must be a whole number.',
        'versions.v1.tasks.down gives due 5. Must be a string.',
      ],
    )
  })

  it('may lack fields that up does not give: writes keep them', () => {
    const rows = [
      { title: 'A', firstName: 'Ada Maria', lastName: 'King', progress: 'doing', place: '01,2', estimate: 5 },
    ]
    const laws = findBrokenLaws(checkDefinition(present), { tasks: rows })
    const changed = laws.map((law) => /changes ([a-zA-Z]+) from/.exec(law)?.[1])
    // A first name with a space, 'doing', and 01,2 do not come back; the estimate is kept.
    assert.deepEqual(changed, ['firstName', 'lastName', 'progress', 'place'])
  })
})

describe('restwell client and openapi', () => {
  it('print the description of an older version; an unknown one is named', () => {
    const model = checkDefinition(present)
    const source = clientSource(describedModel(model, 'v1'), 'everyone')
    assert.match(source, /assignee: string/)
    assert.match(source, /^const served = \{"apiVersion":"v1"/m)
    assert.doesNotMatch(source, /firstName/)
    assert.equal(describedModel(model, undefined), model)
    assert.throws(() => describedModel(model, 'v9'), /Unknown version 'v9'\. Expected: v1, v2\./)
  })
})
