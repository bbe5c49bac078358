/** The lists that a member of one tenant asks for, as queries of the store. */

import type { Account } from '../../src/access/principal.ts'
import { rightsOf } from '../../src/access/rights.ts'
import type { ResourceModel } from '../../src/definition/model.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { all, type Condition, equals } from '../../src/store/condition.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import type { RowQuery } from '../../src/store/store.ts'
import { uuid } from './rows.ts'
import { tenantDefinition } from './tenants.ts'

export const tenantModel = checkDefinition(tenantDefinition)
export const tenantSchema = schemaOf(tenantModel)

/** The account with the number. */
export function accountOf(number: number): Account {
  return {
    kind: 'account',
    identity: uuid(number),
    roles: new Set(['member']),
    passwordMark: '',
    credential: { kind: 'password' },
  }
}

/** One list of each collection whose items belong to tenants, and one with a filter. */
export function tenantLists(account: Account): readonly RowQuery[] {
  const names = ['users', 'organisations', 'memberships', 'projects', 'tasks', 'notes', 'profiles']
  const read = (name: string): Condition =>
    rightsOf(tenantModel.resources.get(name) as ResourceModel, account).read
  return [
    ...names.map((name) => listOf(name, read(name))),
    listOf('tasks', all([read('tasks'), equals(['status'], 'open')])),
  ]
}

function listOf(table: string, condition: Condition): RowQuery {
  const order = [{ column: '_identity', descending: false }]
  return { table, condition, order, after: undefined, limit: 21, evaluated: [] }
}
