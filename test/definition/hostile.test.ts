import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DefinitionFault } from '../../src/definition/definition-fault.ts'
import { choice } from '../../src/definition/kinds/choice.ts'
import { decimal } from '../../src/definition/kinds/decimal.ts'
import { json } from '../../src/definition/kinds/json.ts'
import { list } from '../../src/definition/kinds/list.ts'
import { integer, number } from '../../src/definition/kinds/number.ts'
import { password } from '../../src/definition/kinds/password.ts'
import { ref } from '../../src/definition/kinds/ref.ts'
import { state } from '../../src/definition/kinds/state.ts'
import { text } from '../../src/definition/kinds/text.ts'
import { url } from '../../src/definition/kinds/url.ts'
import { owner, role, where } from '../../src/definition/rule-functions.ts'
import { service } from '../../src/definition/service-definition.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { cases } from '../cases.ts'
import { definitionOf, loose, users } from './sample.ts'

/** The builders are called with arguments that their types exclude. */
type Builder = (...given: never[]) => unknown
const builders: readonly Builder[] = [
  text,
  url,
  integer,
  number,
  decimal,
  choice,
  state,
  list,
  json,
  ref,
  password,
]
const rules: readonly Builder[] = [owner, role, where]

const names =
  'min max pattern scale digits initial transitions states from to by unique onDelete kind of path roles fields'
const option = fc.constantFrom(...names.split(' '))
const given = fc.oneof(fc.anything(), fc.dictionary(option, fc.anything()))
const field = fc
  .tuple(fc.constantFrom(...builders), given, given)
  .map(([builder, one, other]) => builder(one as never, other as never))
const rule = fc.oneof(
  fc.tuple(fc.constantFrom(...rules), given).map(([word, one]) => word(one as never)),
  fc.record({ kind: fc.constantFrom('owner', 'role', 'where', 'any', 'all', 'not') }),
  given,
)
const optionName = fc.constantFrom(
  ...'key access methods put conditional bulk cache search index formerly tombstones'.split(' '),
)

function assertJudged(definition: unknown): void {
  try {
    checkDefinition(definition)
  } catch (error) {
    assert.ok(error instanceof DefinitionFault, `${(error as Error).stack}`)
    assert.ok(error.faults.length > 0)
  }
}

test('whatever a definition holds, it is accepted or refused with its faults named', () => {
  const property = fc.property(
    fc.dictionary(fc.constantFrom('a', 'b', 'name'), fc.oneof(field, given), { minKeys: 1 }),
    fc.dictionary(optionName, given),
    rule,
    (fields, options, read) => {
      const things = loose(fields, { ...options, access: { read } })
      const accounts = { resource: 'users', login: 'email', password: 'password' }
      assertJudged(definitionOf({ users: users(), things }, { accounts }))
    },
  )
  fc.assert(property, { numRuns: cases(5000) })
})

test('whatever the service is given, it is accepted or refused with its faults named', () => {
  const options = fc.dictionary(fc.constantFrom('title', 'accounts', 'base', 'resources'), given)
  fc.assert(
    fc.property(fc.oneof(options, given), (one) => assertJudged(service(one as never))),
    { numRuns: cases(5000) },
  )
})
