/** Evaluates the checks of a resource on a record to be stored. */

import { LogicFailure } from '../context/logic-runner.ts'
import type { RecordCheckModel } from '../definition/logic-model.ts'
import type { JsonValue, ResourceModel, Stored } from '../definition/model.ts'
import { systemFields } from '../definition/system-fields.ts'
import type { Row } from '../store/row.ts'
import type { Store } from '../store/store.ts'
import { idOf } from '../view/uri.ts'

/** The checks that a record with these values (in column order) fails. Throws a LogicFailure if one throws. */
export async function findFailedChecks(
  store: Pick<Store, 'previewRow'>,
  resource: ResourceModel,
  values: readonly Stored[],
): Promise<readonly RecordCheckModel[]> {
  const checks = resource.logic?.checks ?? []
  if (checks.length === 0) return []
  const record = recordOf(resource, await store.previewRow(resource.name, values, []))
  return checks.filter((check, at) => !passes(check, record, `${resource.name}.checks[${at}]`))
}

/** The members of a record as code sees them: without write-only fields, and absent values left out. */
export function recordOf(resource: ResourceModel, row: Row): Readonly<Record<string, JsonValue>> {
  const members: Record<string, JsonValue> = { id: idOf(resource, row) }
  for (const field of [...resource.fields, ...systemFields.values()]) {
    const stored = row[field.shownIndex]
    if (field.writeOnly || stored === null || stored === undefined) continue
    members[field.name] = field.decode(stored)
  }
  return members
}

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
