/** A JSON Patch (RFC 6902) as content: read, applied to what its sender sees, and judged. */

import {
  applyJsonPatch,
  type JsonPatchOperation,
  maxOperations,
  parseJsonPatch,
} from '../http/json-patch.ts'
import { invalidContent, refuse } from '../refusal.ts'
import { scanJson } from '../representations/json-scan.ts'
import { type ContentMembers, membersOf, type PatchedMembers } from './record-draft.ts'

const roomForCopies = 1024 * 1024

/**
 * The members after the patch. RFC 5789 §2.2: a malformed patch is 400, one that does not fit the
 * item as it is 409, one whose result is no item 422.
 */
export function patchedMembers(members: ContentMembers, body: unknown): PatchedMembers {
  const parsed = parseJsonPatch(body)
  if (parsed.kind === 'malformed') throw refuse('malformed-content', { detail: parsed.reason })
  const { operations } = parsed
  if (operations.length > maxOperations) {
    throw refuse('malformed-content', {
      detail: `A JSON Patch has at most ${maxOperations} operations.`,
    })
  }
  const applied = applyJsonPatch(members, operations, roomForCopies)
  if (applied.kind === 'failed') {
    throw refuse('patch-test-failed', {
      detail: `Operation ${applied.index}: ${applied.reason}`,
      members: { operation: applied.index },
    })
  }
  // Operations can nest what no content could have brought.
  const fault = scanJson(JSON.stringify(applied.value ?? null))
  if (fault) throw invalidContent([{ pointer: '', rule: 'depth', detail: `${fault.reason}.` }])
  return { patched: membersOf(applied.value), written: writtenBy(operations) }
}

function writtenBy(operations: readonly JsonPatchOperation[]): ReadonlySet<string> {
  const names = operations
    .filter(({ op, path }) => op !== 'test' && op !== 'remove' && path.length === 1)
    .map(({ path }) => path[0] as string)
  return new Set(names)
}
