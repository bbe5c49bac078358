/** The statuses that follow from the facts of an operation: the conventions, once for all kinds of targets. */

import { safeMethods } from '../../http/method.ts'
import type { OperationFacts } from './operations.ts'

/** The callers and the URI of an operation, as its statuses depend on them. */
export interface StatusPlace {
  /** 401 and 403, where it needs a right that not every caller has. */
  readonly callers: readonly number[]
  /** Whether its URI names an item, or an entry of a document. */
  readonly isNamed: boolean
  /** Whether the URI is of an item, or below it, that responds with 410 when it is deleted. */
  readonly hasTombstones: boolean
  /** Whether a write needs a condition. */
  readonly requiresConditions: boolean
}

/** The refusals of an operation. Those that every request can get besides, such as 406 and 503, are not among them. */
export function refusalsOf(
  method: string,
  operation: OperationFacts,
  { callers, isNamed, hasTombstones, requiresConditions }: StatusPlace,
): readonly number[] {
  const { right, content, conditions, key, refuses = [] } = operation
  return [
    400,
    429,
    ...(right === 'none' ? [] : callers),
    ...(isNamed && right !== 'none' ? [404] : []),
    ...(hasTombstones && right !== 'none' ? [410] : []),
    ...(content ? [413, 422] : []),
    ...(content && content !== 'octets' ? [415] : []),
    ...(conditions ? [412] : []),
    ...(conditions === 'write' && requiresConditions ? [428] : []),
    ...(safeMethods.has(method) ? [] : [507]),
    // Another request with the key is in progress.
    ...(key ? [409] : []),
    ...refuses,
  ]
}

/** The redirections of an operation: 301 from a former URI of the item, 304 where the client has the representation. */
export function redirectionsOf(
  { right, conditions }: OperationFacts,
  hasFormerUris: boolean,
): readonly number[] {
  return [...(hasFormerUris && right !== 'none' ? [301] : []), ...(conditions === 'read' ? [304] : [])]
}
