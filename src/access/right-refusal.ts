/** The refusal of a caller without a right. An account that the documentation shows the rule learns it here too. */

import type { ActionModel, ResourceModel } from '../definition/model.ts'
import type { Refusal } from '../refusal.ts'
import { callerRefusal } from './access-refusal.ts'
import type { Principal } from './principal.ts'
import { rightsOf } from './rights.ts'
import { formatRule } from './rule-description.ts'
import type { Right } from './scopes.ts'

/** A right to the items of a resource, or the right to use an action. */
export type NeededRight = Right | ActionModel

/** 401 to the anonymous; else 403, which names the right and who has it where the caller may know. */
export function rightRefusal(caller: Principal, resource: ResourceModel, right: NeededRight): Refusal {
  if (caller.kind === 'anonymous' || !seesRules(caller, resource)) return callerRefusal(caller)
  const [name, rule] = typeof right === 'string' ? [right, resource.access[right]] : [right.name, right.by]
  const sentence = `'${name}' of ${resource.name} is for ${formatRule(rule)}.`
  return callerRefusal(caller, `Your account may not do this. ${sentence}`)
}

/** Whether the documentation describes the resource to the caller, which has some right to it. */
function seesRules(caller: Principal, resource: ResourceModel): boolean {
  const rights = rightsOf(resource, caller)
  const { read, create, update, delete: remove, actions } = rights
  return [read, create, update, remove, ...actions.values()].some(({ kind }) => kind !== 'never')
}
