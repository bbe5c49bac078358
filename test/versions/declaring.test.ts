/** The options `name` and `versions` of a definition: each fault has its place and says what to do. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { date, text } from '../../src/index.ts'
import { faultsOf, loose, modelOf } from '../definition/sample.ts'

const tasks = loose({ title: text(), deadline: date().optional() })
const same = (item: object) => item

const messages = (v1: unknown, options: object = { name: 'tracker' }) =>
  faultsOf({ tasks }, { ...options, versions: { v1 } }).map(({ reason, suggestion }) =>
    suggestion === undefined ? reason : `${reason} ${suggestion}`,
  )

describe('versions in a definition', () => {
  it('become media types with the name of the service', () => {
    const renamed = { due: 'deadline' }
    const v1 = { tasks: { renamed }, deprecated: '2027-01-01', sunset: '2027-07-01T12:00:00Z' }
    const version = modelOf({ tasks }, { name: 'tracker', versions: { v1 } }).versions.get('v1')
    assert.equal(version?.mediaType, 'application/vnd.tracker.v1+json')
    assert.equal(version?.deprecated, Date.UTC(2027, 0, 1))
    assert.equal(version?.sunset, Date.UTC(2027, 6, 1, 12))
    assert.deepEqual([...(version?.resources.get('tasks')?.renamed ?? [])], [['due', 'deadline']])
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
    [{ tasks: { down: same } }, /tasks: It has 'down' and not 'up'\. Declare both, or only renamed\./],
    [{ tasks: { up: same } }, /tasks: It has 'up' and not 'down'\./],
    [{ tasks: { up: 5, down: same } }, /tasks: The option 'up' must be a function, not 5\./],
    [{ tasks: {} }, /tasks: It declares no difference\./],
    [{ tasks: 5 }, /The option 'tasks' must be an object, not 5\./],
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

  it('have names in lower case', () => {
    const found = faultsOf({ tasks }, { name: 'tracker', versions: { 'V 1': { deprecated: '2027-01-01' } } })
    assert.match(
      String(found[0]?.reason),
      /^versions\.V 1: The name of a version must be a name in lower case/,
    )
  })
})
