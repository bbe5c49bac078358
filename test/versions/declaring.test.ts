/** The options `name` and `versions` of a definition: each fault has its place and says what to do. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyone, boolean, choice, date, list, password, ref, text } from '../../src/index.ts'
import { faultsOf, loose, modelOf } from '../definition/sample.ts'

const tasks = loose({ title: text(), deadline: date().optional() }, { access: { create: anyone } })
const same = (item: object) => item
const code = { down: same, up: same }
const fields = { done: boolean() }

const systemNames = ['id', 'createdAt', 'updatedAt']

const messages = (v1: unknown, options: object = { name: 'tracker' }) =>
  faultsOf({ tasks }, { ...options, versions: { v1 } }).map(({ reason, suggestion }) =>
    suggestion === undefined ? reason : `${reason} ${suggestion}`,
  )

describe('versions in a definition', () => {
  it('become media types with the name of the service', () => {
    const renamed = { due: 'deadline' }
    const v1 = { tasks: { renamed }, deprecated: '2027-01-01', sunset: '2027-07-01T12:00:00Z' }
    const version = modelOf({ tasks }, { name: 'tracker', versions: { v1 } }).versions.get('v1')
    assert.equal(version?.mediaType, 'application/x.tracker.v1+json')
    assert.equal(version?.deprecated, Date.UTC(2027, 0, 1))
    assert.equal(version?.sunset, Date.UTC(2027, 6, 1, 12))
    assert.deepEqual([...(version?.resources.get('tasks')?.presentNames ?? [])].slice(-1), [
      ['due', 'deadline'],
    ])
  })

  const faults: readonly (readonly [unknown, RegExp, object?])[] = [
    [{ tasks: { renamed: { due: 'deadline' } } }, /^The option 'versions' needs the option 'name'\./, {}],
    [
      { tasks: { renamed: { due: 'deadline' } } },
      /^The option 'name' must be a name in lower case/,
      { name: 'A b' },
    ],
    [{ taks: {} }, /^versions\.v1: Unknown resource 'taks'\. Did you mean 'tasks'\?$/],
    [{ tokens: {} }, /^versions\.v1: Unknown resource 'tokens'\./],
    [
      { tasks: { renamed: { due: 'dedline' } } },
      /renamed\.due: Unknown field 'dedline'\. Did you mean 'deadline'\?/,
    ],
    [{ tasks: { renamed: { due: 5 } } }, /renamed\.due: Unknown field '5'\./],
    [{ tasks: { renamed: { title: 'deadline' } } }, /renamed\.title: The field 'title' has this name now\./],
    [{ tasks: { renamed: { a: 'title', b: 'title' } } }, /renamed\.b: The field 'title' has two old names\./],
    [
      { tasks: { renamed: { id: 'title' } } },
      /renamed\.id: The old name is reserved: every item has this field\./,
    ],
    [{ tasks: { renamed: { 'a-b': 'title' } } }, /renamed\.a-b: The old name must be letters and digits\./],
    [{ tasks: { down: same } }, /tasks: It has 'down' and not 'up'\. Declare both, or neither\./],
    [{ tasks: { up: same } }, /tasks: It has 'up' and not 'down'\./],
    [{ tasks: { up: 5, down: same } }, /tasks: The option 'up' must be a function, not 5\./],
    [{ tasks: {} }, /tasks: It declares no difference\./],
    [
      { tasks: { fields } },
      /tasks: It has 'fields' and no code that gives their values\. Declare down and up\./,
    ],
    [
      { tasks: { without: ['title'] } },
      /without: A new item needs 'title', and no code gives it\. Declare down and up, or give the field a default\./,
    ],
    [{ tasks: { without: ['dedline'] } }, /without: Unknown field 'dedline'\. Did you mean 'deadline'\?/],
    [{ tasks: { without: ['createdAt'] } }, /without: Every item has 'createdAt'\. Leave it out\./],
    [{ tasks: { without: 'title' } }, /The option 'without' must be a list of texts, not "title"\./],
    [
      { tasks: { ...code, without: ['deadline'], renamed: { due: 'deadline' } } },
      /without: 'renamed' has 'deadline' too\. Leave one of them out\./,
    ],
    [
      { tasks: { ...code, fields: { title: boolean() }, without: ['title'] } },
      /without: 'fields' has 'title' too\. Leave one of them out\./,
    ],
    [
      { tasks: { ...code, fields: { due: text() }, renamed: { due: 'deadline' } } },
      /renamed\.due: 'fields' has this name too\. A name has one meaning in a version\./,
    ],
    [{ tasks: { ...code, fields: { done: 5 } } }, /fields: done: Not a field: 5\./],
    [{ tasks: { ...code, fields: { id: text() } } }, /fields: id: The old name is reserved: every item has/],
    [
      { tasks: { ...code, fields: { 'a-b': text() } } },
      /fields: a-b: The old name must be letters and digits\./,
    ],
    [
      { tasks: { ...code, fields: { done: boolean().readOnly() } } },
      /fields: done: \.readOnly\(\) has no meaning for a member of a version\. Remove it\./,
    ],
    [
      { tasks: { ...code, fields: { secret: password() } } },
      /fields: secret: A member of a version cannot be password\(\)\. Leave it out/,
    ],
    [
      { tasks: { ...code, fields: { owner: ref('people') } } },
      /fields: owner: Unknown collection 'people'\./,
    ],
    [
      { tasks: { ...code, fields: { state: choice(['a']).default('b' as 'a') } } },
      /fields: state: The default "b" is not valid/,
    ],
    [{ tasks: 5 }, /versions\.v1: tasks: Options must be an object, not 5\./],
    [{ tasks: { ranamed: {} } }, /Unknown option 'ranamed'\. Did you mean 'renamed'\?/],
    [
      { deprecated: 'soon' },
      /The option 'deprecated' must be a date such as '2027-01-01', or a timestamp, not "soon"\./,
    ],
    [{ sunset: '2027-02-30' }, /The option 'sunset' must be a date/],
    [{ deprecated: '2027-07-01', sunset: '2027-01-01' }, /The date 'sunset' is before 'deprecated'\./],
    [5, /^versions\.v1: Must be an object\./],
  ]
  for (const [v1, expected, options] of faults) {
    it(String(expected), () => {
      const found = messages(v1, options)
      assert.ok(
        found.some((message) => expected.test(message)),
        found.join('\n'),
      )
    })
  }

  it('may swap two names', () => {
    const v1 = { tasks: { renamed: { title: 'deadline', deadline: 'title' } } }
    assert.equal(modelOf({ tasks }, { name: 'tracker', versions: { v1 } }).versions.size, 1)
  })

  it('may lack a field without code where a new item does not need it', () => {
    const v1 = { tasks: { without: ['deadline'] } }
    const version = modelOf({ tasks }, { name: 'tracker', versions: { v1 } }).versions.get('v1')
    assert.deepEqual([...(version?.resources.get('tasks')?.oldNames.keys() ?? [])], [...systemNames, 'title'])
  })

  it('may have a member with the name of a field and another kind', () => {
    const down = ({ title, ...task }: { title?: string }) => ({ ...task, title: [title] })
    const v1 = { tasks: { fields: { title: list(text()) }, down, up: same } }
    const version = modelOf({ tasks }, { name: 'tracker', versions: { v1 } }).versions.get('v1')
    assert.deepEqual(
      [...(version?.resources.get('tasks')?.oldNames.keys() ?? [])],
      [...systemNames, 'deadline'],
    )
  })

  it('have names in lower case', () => {
    const found = faultsOf({ tasks }, { name: 'tracker', versions: { 'V 1': { deprecated: '2027-01-01' } } })
    assert.match(
      String(found[0]?.reason),
      /^versions\.V 1: The name of a version must be a name in lower case/,
    )
  })
})

describe('code of a version', () => {
  const tried = (v1: object) => {
    const found = messages({ tasks: v1 })
    assert.equal(found.length, 1, found.join('\n'))
    return found[0]
  }

  it('without declared differences is a fault that prints the declaration', () => {
    const down = ({ title, deadline, ...task }: { title: string; deadline?: string }) => ({
      ...task,
      words: title.split(' '),
      length: title.length,
      due: deadline,
      late: deadline === undefined ? null : false,
      size: { at: 1 },
    })
    const block =
      "fields: { words: json(), length: integer(), due: date().optional(), late: boolean().optional(), size: json() }, without: ['title', 'deadline']"
    assert.equal(
      tried({ down, up: same }),
      `versions.v1.tasks: It has code, and neither 'fields' nor 'without'. Declare them, such as: ${block}.`,
    )
    assert.match(
      String(tried({ down: same, up: same, renamed: { due: 'deadline' } })),
      /Declare in 'fields' the members that the version makes or changes, and in 'without' those it lacks\./,
    )
  })

  it('that gives a member which nothing declares is a fault', () => {
    const down = (item: object) => ({ ...item, done: true, dona: 1, size: 2.5 })
    const found = messages({ tasks: { fields, down, up: () => ({ titel: 'A' }) } })
    assert.deepEqual(found, [
      "versions.v1.tasks: 'down' gives 'dona', which is no field and not in 'fields'. Did you mean 'done'?",
      "versions.v1.tasks: 'down' gives 'size', which is no field and not in 'fields'. Add it to fields: { size: number() }.",
      "versions.v1.tasks: 'up' gives 'titel', which is no field. Did you mean 'title'?",
    ])
  })

  it('may pass on what it gets, and may fail for an example', () => {
    const fails = () => {
      throw new Error('no')
    }
    for (const v1 of [
      { fields, without: ['deadline'], down: same, up: same },
      { fields, down: fails, up: fails },
    ]) {
      assert.equal(modelOf({ tasks }, { name: 'tracker', versions: { v1: { tasks: v1 } } }).versions.size, 1)
    }
    assert.match(String(tried({ down: fails, up: fails })), /^versions\.v1\.tasks: It has code, and neither/)
  })
})
