/**
 * Indexes in a JSON Patch of a set of references. Another request may change the set at any time, so
 * that an index names another id than the client read.
 */

import type { ResourceModel } from '../../definition/model.ts'
import type { JsonPatchOperation, JsonPointer } from '../../http/json-patch.ts'
import { formatPointer } from '../../http/json-patch.ts'
import { type ContentFault, invalidContent } from '../../refusal.ts'
import type { ContentMembers } from './draft-from-content.ts'

/**
 * Refuses 422 when an operation removes or replaces an id of a set by its index, unless an operation
 * after the last change of the set tests that id or the whole set. Sets that the caller does not see
 * are no sets here, so that the refusal does not reveal them.
 */
export function requireTestedIndexes(
  { fieldByName }: ResourceModel,
  seen: ContentMembers,
  operations: readonly JsonPatchOperation[],
): void {
  const faults: ContentFault[] = []
  const tested = new Map<string, Set<string>>()
  for (const operation of operations) {
    const { op, path } = operation
    if (op === 'test') {
      const [name = '', index = wholeSet] = path
      tested.set(name, (tested.get(name) ?? new Set()).add(index))
      continue
    }
    for (const place of removedPlaces(operation)) {
      const [name = '', index] = place
      if (index === undefined || !Object.hasOwn(seen, name) || !fieldByName.get(name)?.refs) continue
      const isTested = tested.get(name)?.has(index) || tested.get(name)?.has(wholeSet)
      if (!isTested) faults.push(untestedIndex(place))
    }
    for (const [name = ''] of changedPlaces(operation)) tested.delete(name)
  }
  if (faults.length > 0) throw invalidContent(faults)
}

const wholeSet = ''

/** The places whose values the operation removes or replaces. */
function removedPlaces(operation: JsonPatchOperation): readonly JsonPointer[] {
  if (operation.op === 'remove' || operation.op === 'replace') return [operation.path]
  return operation.op === 'move' ? [operation.from] : []
}

function changedPlaces(operation: JsonPatchOperation): readonly JsonPointer[] {
  return operation.op === 'move' ? [operation.from, operation.path] : [operation.path]
}

function untestedIndex(place: JsonPointer): ContentFault {
  return {
    pointer: formatPointer(place),
    rule: 'index',
    detail: "Another request may have changed the order. Send If-Match, or a 'test' of this value first.",
  }
}
