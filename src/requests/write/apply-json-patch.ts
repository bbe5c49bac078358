/** Applies the content of a JSON Patch (RFC 6902) to the members of an item that the caller sees. */

import { scanJson } from '../../formats/json-limits.ts'
import {
  applyJsonPatch,
  type JsonPatchOperation,
  maxOperations,
  parseJsonPatch,
} from '../../http/json-patch.ts'
import { invalidContent, refuse } from '../../refusal.ts'
import { type ContentMembers, membersOf, type PatchedMembers } from './draft-from-content.ts'

const maxCopiedOctets = 1024 * 1024

/**
 * The members after the patch. RFC 5789 §2.2: refuses 400 for a malformed patch, 409 when it cannot be
 * applied to the item, 422 when its result is not an item. `requireStable` may refuse the operations first.
 */
export function applyJsonPatchToMembers(
  members: ContentMembers,
  body: unknown,
  requireStable: (operations: readonly JsonPatchOperation[]) => void = () => undefined,
): PatchedMembers {
  const parsed = parseJsonPatch(body)
  if (parsed.kind === 'malformed') throw refuse('malformed-content', { detail: parsed.reason })
  const { operations } = parsed
  if (operations.length > maxOperations) {
    throw refuse('malformed-content', {
      detail: `A JSON Patch has at most ${maxOperations} operations.`,
    })
  }
  requireStable(operations)
  const applied = applyJsonPatch(members, operations, maxCopiedOctets)
  if (applied.kind === 'failed') {
    throw refuse('patch-test-failed', {
      detail: `Operation ${applied.index}: ${applied.reason}`,
      members: { operation: applied.index },
    })
  }
  // Operations can nest values deeper than content may be.
  const fault = scanJson(JSON.stringify(applied.value ?? null))
  if (fault) throw invalidContent([{ pointer: '', rule: 'depth', detail: `${fault.reason}.` }])
  return { patched: membersOf(applied.value), written: namesWritten(operations) }
}

function namesWritten(operations: readonly JsonPatchOperation[]): ReadonlySet<string> {
  const names = operations
    .filter(({ op, path }) => op !== 'test' && op !== 'remove' && path.length === 1)
    .map(({ path }) => path[0] as string)
  return new Set(names)
}
