/** The input of an action: the content of its request, as code gets it. */

import { type Principal, system } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { ActionModel, FieldModel, JsonValue } from '../../definition/model.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { draftCreation } from '../../requests/write/draft-from-content.ts'
import { encodeValues } from '../../requests/write/encode-values.ts'

/**
 * The values of the content in the form that items show them, with defaults. Refuses 422 with all faults;
 * the caller must be able to read the items that references name.
 */
export async function parseActionInput(
  service: Pick<ServiceContext, 'store' | 'files'>,
  caller: Principal,
  { input }: ActionModel,
  body: unknown,
): Promise<Readonly<Record<string, JsonValue>>> {
  const rights = rightsOf(input, system)
  const draft = draftCreation({ resource: input, rights, isTrue: ({ kind }) => kind === 'always' }, body)
  await encodeValues(service, caller, input.fields, draft, undefined)
  const members = [...draft.values].flatMap(([field, value]) =>
    value === undefined ? [] : [[field.name, normalise(field, value)] as const],
  )
  return Object.freeze(Object.fromEntries(members))
}

/** The value in the form that items show. References stay the ids that they are. */
export function normalise(field: FieldModel, value: JsonValue): JsonValue {
  if (field.ref || field.refs) return value
  const stored = field.encode(value)
  return stored === null ? value : field.decode(stored)
}
