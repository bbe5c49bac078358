/** `restwell check` tries the conversions of older versions on random items. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describedModel } from '../../src/commands/described-model.ts'
import { checkDefinition } from '../../src/definition/check-definition.ts'
import { findBrokenLaws } from '../../src/definition/version-laws.ts'
import { clientSource } from '../../src/describe/client-source.ts'
import { choice, date, decimal, integer, json, list, resource, service, text } from '../../src/index.ts'
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
})

type Members = Record<string, unknown>

const lawsOf = (down: (item: Members) => Members, up: (item: Members) => Members) =>
  findBrokenLaws(
    checkDefinition(
      service({
        title: 'Tasks',
        name: 'tasks',
        versions: { v1: { tasks: { down: down as () => object, up } } },
        resources: { tasks },
      }),
    ),
  )

describe('down and up', () => {
  it('hold where nothing is lost', () => {
    const down = ({ deadline, code, ...task }: Members) => {
      const [area, number] = String(code).split('-')
      return { ...task, due: deadline, area, number: Number(number) }
    }
    const up = ({ due, area, number, ...task }: Members) => ({
      ...task,
      deadline: due,
      code: `${area}-${number}`,
    })
    const [law] = lawsOf(down, up)
    // AB-07 comes back as AB-7.
    assert.match(
      String(law),
      /up\(down\(item\)\) is not the item: 'code' is "[A-Z]{2}-0\d*", then "[A-Z]{2}-\d+"/,
    )
    const exact = ({ code, ...task }: Members) => ({ ...task, codes: [code] })
    assert.deepEqual(
      lawsOf(exact, ({ codes, ...task }) => ({ ...task, code: (codes as string[])[0] })),
      [],
    )
  })

  it('are reported with the row where a value is lost on the way', () => {
    const down = ({ progress, ...task }: Members) => ({ ...task, done: progress === 'done' })
    const up = ({ done, ...task }: Members) => ({ ...task, progress: done ? 'done' : 'open' })
    const [law, ...others] = lawsOf(down, up)
    assert.match(
      String(law),
      /^versions\.v1\.tasks: up\(down\(item\)\) is not the item: 'progress' is "doing", then "open", in \{"id":/,
    )
    assert.deepEqual(others, [])
  })

  it('are reported where the old shape does not come back', () => {
    const laws = lawsOf(
      (task) => ({ ...task, shout: String(task.title).toUpperCase() }),
      ({ shout, ...task }) => ({ ...task, title: shout }),
    )
    assert.ok(
      laws.some((law) => /down\(up\(old\)\) is not the old item: 'title' is/.test(law)),
      laws.join('\n'),
    )
  })

  it('are reported where they fail', () => {
    const [law] = lawsOf(
      (task) => ({ ...task, due: (task.deadline as string).slice(0, 4) }),
      (task) => task,
    )
    assert.match(String(law), /it fails \(Cannot read properties of undefined/)
  })

  it('name the fields that a version cannot express', () => {
    const laws = findBrokenLaws(checkDefinition(present))
    assert.match(
      String(laws[0]),
      /^versions\.v1\.tasks cannot express estimate, note\. Writes in v1 keep them\.$/,
    )
    const changed = laws.slice(1).map((law) => /is not the item: '([a-zA-Z]+)'/.exec(law)?.[1])
    // A first name with a space, 'doing', and 01,2 do not come back.
    assert.deepEqual(changed, ['firstName', 'lastName', 'progress', 'place'])
  })
})

describe('restwell client and openapi', () => {
  it('print the description of an older version; an unknown one is named', () => {
    const model = checkDefinition(present)
    const source = clientSource(describedModel(model, 'v1'), 'everyone')
    assert.match(source, /assignee: string/)
    assert.match(source, /apiVersion = 'v1'/)
    assert.doesNotMatch(source, /firstName/)
    assert.equal(describedModel(model, undefined), model)
    assert.throws(() => describedModel(model, 'v9'), /Unknown version 'v9'\. Expected: v1, v2\./)
  })
})
