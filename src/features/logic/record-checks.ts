/** Evaluates the checks of a resource on a record to be stored. See decision 0048. */

import { system } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { RecordCheckModel } from '../../definition/logic/logic-model.ts'
import { outputFields, type ResourceModel, type Stored } from '../../definition/model.ts'
import { systemFields } from '../../definition/system-fields.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { deriveInto } from '../../requests/read/derived-values.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { createItemView, itemMembers } from '../../views/item-view.ts'
import { createFieldSelector, type FieldSelector } from '../../views/visible-fields.ts'

/** The checks that a record with these values (in column order) fails. Throws a LogicFailure if one throws. */
export async function findFailedChecks(
  service: RecordCheckContext,
  resource: ResourceModel,
  values: readonly Stored[],
): Promise<readonly RecordCheckModel[]> {
  const checks = resource.logic?.checks ?? []
  if (checks.length === 0) return []
  const record = await recordOf(service, resource, values)
  return checks.filter((check, at) => !passes(check, record, `${resource.name}.checks[${at}]`))
}

/** The parts of the service that checks need. */
export type RecordCheckContext = Pick<ServiceContext, 'store' | 'clock'>

/** The record with these values: all its fields, without derived aggregates, which depend on other items. */
async function recordOf(service: RecordCheckContext, resource: ResourceModel, values: readonly Stored[]) {
  const row = await service.store.previewRow(resource.name, values, [])
  const view = createItemView(row, ownFields(resource), ({ kind }) => kind === 'always')
  const [derived = view] = await deriveInto({ unit: service, caller: system }, [view])
  return Object.freeze(itemMembers(derived))
}

const ownFields = memoizeByObject((resource: ResourceModel): FieldSelector => {
  const aggregates = resource.derived.filter(({ kind }) => kind === 'aggregate').map(({ field }) => field)
  const chosen = new Set([...outputFields(resource), ...systemFields.values()])
  return createFieldSelector(rightsOf(resource, system), 'item', chosen.difference(new Set(aggregates)))
})

function passes(check: RecordCheckModel, record: unknown, hook: string): boolean {
  const result = evaluate(check, record, hook)
  if (typeof result === 'boolean') return result
  const given = result instanceof Promise ? 'a promise' : typeof result
  throw new LogicFailure(
    hook,
    `The check of '${check.field}' (${hook}) must return true or false, not ${given}.`,
  )
}

function evaluate({ field, test }: RecordCheckModel, record: unknown, hook: string): unknown {
  try {
    return test(record)
  } catch (cause) {
    throw new LogicFailure(hook, `The check of '${field}' (${hook}) failed: ${messageOf(cause)}`, { cause })
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
